"""A table without lines, and the figures in it: what every view of counts prints with."""

from __future__ import annotations

from collections.abc import Collection

from rich.table import Table


def plain_table(*heads: str, texts: Collection[str] = ()) -> Table:
    """An empty table: the first column and those of `texts` to the left, numbers to the right and never broken."""
    table = Table(box=None, header_style="dim", pad_edge=False)
    for number, head in enumerate(heads):
        is_text = number == 0 or head in texts
        table.add_column(head, justify="left" if is_text else "right", no_wrap=not is_text)
    return table


def p_value(value: float) -> str:
    """A probability with three figures, however small."""
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"
