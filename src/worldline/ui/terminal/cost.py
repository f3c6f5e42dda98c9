"""The cost of traces in each format as a table: a block per program, then the sums and their ratios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from worldline.codec.cost import Cost, CostTable, TraceCosts
from worldline.codec.cost_curve import BUDGETS, CurveRow
from worldline.core.text import printable

BYTES = "bytes"  # the tokenizer whose tokens are bytes, which have a column already


def print_cost(console: Console, table: CostTable) -> None:
    """Print frames, characters, bytes, tokens and the share of the context window of each format."""
    blocks = [(_title(row), row.costs, 1) for row in table.rows]
    if len(blocks) > 1:
        blocks.append((f"all {len(table.rows):,}, windows on average", table.total, len(table.rows)))
    heads = _heads(table)
    cells = [[_cells(cost, table, traces) for cost in costs] for _, costs, traces in blocks]
    widths = [max(map(len, column)) for column in zip(heads, *(row for block in cells for row in block), strict=True)]
    _print(console, Text(_line(heads, widths), style="bold"))
    for (title, _, _), block in zip(blocks, cells, strict=True):
        _print(console, Text(title, style="green"))
        for row in block:
            _print(console, Text(_line(row, widths)))
    _print(console, Text(f"window: {table.context:,} tokens", style="dim"))
    for line in ratios(table.total):
        console.print(Text(line, style="dim"))
    if len(table.rows) > 1:
        for name in table.tokenizers:
            for by, title in (("steps", "steps"), ("value", "longest value")):
                _print_curve(console, table, name, by, title)


def _print_curve(console: Console, table: CostTable, tokenizer: str, by: str, title: str) -> None:
    """Print the median of each row in every format and how many traces exceed each budget."""
    curves = {cost.format: table.curve(cost.format, tokenizer, by) for cost in table.total}
    heads = [f"  {title}", "n", *curves]
    by_row = zip(*curves.values(), strict=True)  # a row has the same traces in every format
    rows = [[f"  {row[0].name}", f"{row[0].n:,}", *map(_middle, row)] for row in by_row]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    budgets = " and ".join(f"{budget >> 10}K" for budget in BUDGETS)
    short = printable(tokenizer.rpartition("/")[2])
    heading = f"{short} tokens to write, median by {title}; in brackets: traces over {budgets}"
    _print(console, Text(heading, style="green"))
    for row in (heads, *rows):
        _print(console, Text(_line(row, widths)))


def _middle(row: CurveRow) -> str:
    over = f" ({', '.join(f'{count:,}' for count in row.over)})" if any(row.over) else ""
    return f"{row.median:,.0f}{over}"


def _title(row: TraceCosts) -> str:
    name = row.name if row.call is None else row.call
    return f"{printable(name)}  {row.steps:,} steps, {row.outcome}"


def _heads(table: CostTable) -> list[str]:
    heads = ["  format", "frames", "chars", "bytes"]
    for name in table.tokenizers:
        short = printable(name.rpartition("/")[2])
        heads += ["window"] if name == BYTES else [short, "window"]
    return heads


def _cells(cost: Cost, table: CostTable, traces: int) -> list[str]:
    whole, shares = cost.whole, cost.shares(table.context)
    cells = [f"  {cost.format}", f"{cost.frames:,}", f"{whole.characters:,}", f"{whole.bytes:,}"]
    for name in table.tokenizers:
        share = f"{100 * shares[name] / traces:.2f} %"
        cells += [share] if name == BYTES else [f"{whole.tokens[name]:,}", share]
    return cells


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    numbers = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return "  ".join([cells[0].ljust(widths[0]), *numbers])


def ratios(total: Sequence[Cost]) -> Iterator[str]:
    """Yield each format's size relative to the first one's."""
    for cost in total[1:]:
        first = total[0].whole
        parts = [("bytes", cost.whole.bytes, first.bytes)]
        parts += [
            (f"{name} tokens", count, first.tokens[name]) for name, count in cost.whole.tokens.items() if name != BYTES
        ]
        shares = ", ".join(f"{100 * part / whole:.1f} % of the {name}" for name, part, whole in parts if whole)
        yield printable(f"{cost.format} compared with {total[0].format}: {shares}")


def _print(console: Console, text: Text) -> None:
    console.print(text, no_wrap=True, overflow="ellipsis", crop=True)
