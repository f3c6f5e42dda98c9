"""What was measured of a model on fresh drills, as a table: failures, sureness, and how often each will come."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.core.text import printable
from worldline.learning.measure import LabelResult

MOST = 40  # rows of one axis


def print_measured(console: Console, rows: Sequence[LabelResult]) -> None:
    """A table for each axis: kinds, sources, modes, spacings, operations."""
    for axis in dict.fromkeys(row.label.partition(" ")[0] for row in rows):
        some = [row for row in rows if row.label.partition(" ")[0] == axis]
        table = Table(box=None, pad_edge=False, title_justify="left", header_style="bold")
        table.add_column(axis)
        for name in ("n", "wrong", "95 %", "sure", "factor"):
            table.add_column(name, justify="right")
        for row in some[:MOST]:
            low, high = row.interval
            table.add_row(
                Text(printable(row.label.partition(" ")[2])), str(row.n), f"{row.wrong:.1%}",
                f"{100 * low:.0f}-{100 * high:.0f}", f"{row.sure:.2f}", f"{row.before:.2f} -> {row.now:.2f}",
            )  # fmt: skip
        console.print(table)
        if len(some) > MOST:
            console.print(f"and {len(some) - MOST} more (--json has all)")
        console.print()
