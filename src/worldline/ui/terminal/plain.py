"""Tables without lines, and how figures are written in them."""

from __future__ import annotations

from collections.abc import Collection

from rich.table import Table


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
