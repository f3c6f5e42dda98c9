"""What traces cost in each format, as a table: one block a program, then the sums and their ratios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.codec.cost import Cost, CostTable
from worldline.view.escape import printable


def print_cost(console: Console, table: CostTable) -> None:
    """Frames, characters, bytes, tokens and the share of the context window, format by format."""
    grid = Table(box=None, pad_edge=False, header_style="bold")
    grid.add_column("program", overflow="fold", min_width=8)
    grid.add_column("format", no_wrap=True)
    for name in ("frames", "characters", "bytes"):
        grid.add_column(name, justify="right")
    for name in table.tokenizers:
        grid.add_column(f"tokens\n{printable(name)}", justify="right", overflow="fold")
        grid.add_column(f"% of\n{table.context:,}", justify="right")
    for row in table.rows:
        what = printable(row.call if row.call is not None else row.name)
        _add(grid, Text(f"{what}\n{row.steps:,} steps, {row.outcome}"), row.costs, table)
    if len(table.rows) > 1:
        _add(grid, Text(f"all {len(table.rows):,}", style="bold"), table.total, table)
    console.print(grid)
    for line in ratios(table.total):
        console.print(Text(line, style="dim"))


def _add(grid: Table, what: Text, costs: Sequence[Cost], table: CostTable) -> None:
    """A block of rows, one a format; its two lines of words stand beside the first two."""
    words = [*what.split("\n"), *[Text()] * len(costs)]
    for cost, word in zip(costs, words, strict=False):
        whole = cost.whole
        cells = [f"{cost.frames:,}", f"{whole.characters:,}", f"{whole.bytes:,}"]
        for name, share in cost.shares(table.context).items():
            cells += [f"{whole.tokens[name]:,}", f"{100 * share:.2f}"]
        grid.add_row(word, cost.format, *cells)
    grid.add_section()


def ratios(total: Sequence[Cost]) -> Iterator[str]:
    """Each format's size as a part of the first one's."""
    first = total[0].whole if total else None
    for cost in total[1:]:
        assert first is not None
        parts = [("bytes", cost.whole.bytes, first.bytes)]
        parts += [(f"{name} tokens", count, first.tokens[name]) for name, count in cost.whole.tokens.items()]
        said = ", ".join(f"{100 * part / whole:.1f} % of its {name}" for name, part, whole in parts if whole)
        yield printable(f"{cost.format} beside {total[0].format}: {said}")
