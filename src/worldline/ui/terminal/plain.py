"""Tables without lines, and how figures, programs and lines are written."""

from __future__ import annotations

from collections.abc import Collection

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.core.program import Program
from worldline.core.text import printable


def plain_table(*heads: str, texts: Collection[str] = ()) -> Table:
    """Return an empty table: the first column and those of `texts` left-aligned, numbers right-aligned and unbroken."""
    table = Table(box=None, header_style="dim", pad_edge=False)
    for number, head in enumerate(heads):
        is_text = number == 0 or head in texts
        table.add_column(head, justify="left" if is_text else "right", no_wrap=not is_text)
    return table


def p_value(value: float) -> str:
    """Format a p-value with three digits, however small."""
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"


def program_title(program: Program) -> str:
    """Return the call of a program, or its name and arguments."""
    return printable(program.call if program.call is not None else " ".join([program.name, *program.argv]))


def print_line(console: Console, text: Text, *, wrap: bool = False) -> None:
    """Print a line without rich's own colours; cut at the width of the console, or wrapped."""
    text.no_wrap = not wrap
    console.print(text, highlight=False, markup=False, emoji=False, overflow="fold" if wrap else "crop")
