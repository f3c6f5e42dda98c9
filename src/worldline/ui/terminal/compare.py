"""Two runs compared in a terminal: the samples that flipped, then the counts with a paired test."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.core.stats import Paired, Share, tango
from worldline.core.text import plural, printable
from worldline.evaluation.compare import Comparison, Flip, rates
from worldline.ui.terminal.plain import p_value, plain_table

MAX_NAMES = 20  # of unpaired samples; --json has all
MAX_FLIPS = 40  # listed in each direction; --json has all


def print_comparison(console: Console, comparison: Comparison) -> None:
    """Print a whole comparison."""
    first, second = (printable(model) for model in comparison.models)
    console.print(Text(f"{comparison.suite}  {first} -> {second}  n = {comparison.answer.n:,}", style="bold"))
    for title, is_lost in (("right -> wrong", True), ("wrong -> right", False)):
        flips = [flip for flip in comparison.flips if flip.is_lost == is_lost]
        console.print(Text(f"{title}: {len(flips):,}", style="red" if is_lost else "green"))
        if flips:
            console.print(_flips(flips[:MAX_FLIPS]))
        if len(flips) > MAX_FLIPS:
            console.print(Text(f"and {len(flips) - MAX_FLIPS:,} more", style="dim"))
    own_draws = {} if comparison.drawn is None else {"trace given its own draws": comparison.drawn}
    console.print(_pairs("", {"answer": comparison.answer, "trace": comparison.trace, **own_draws}))
    changes = (f"{name} {_change(pair)}" for name, pair in (("answer", comparison.answer), ("trace", comparison.trace)))
    console.print(Text(f"difference in points, 95 % (paired, Tango): {', '.join(changes)}", style="dim"))
    if comparison.by_cause:
        console.print(_causes(comparison.by_cause))
    if len(comparison.by_type) > 1:
        console.print(_pairs("type", comparison.by_type))
    _print_rest(console, comparison)


def _print_rest(console: Console, comparison: Comparison) -> None:
    for key, (first, second) in comparison.differences.items():
        before, after = ("none" if value is None else value for value in (first, second))
        console.print(Text(printable(f"{key}: {before} -> {after}"), style="dim"))
    by = ", ".join(f"{count:,} by {match}" for match, count in comparison.paired_by.items())
    console.print(Text(f"samples paired: {by}", style="dim"))
    for which, names in zip(("first", "second"), comparison.unpaired, strict=True):
        if names:
            more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
            line = f"only in the {which} run: {plural(len(names), 'sample')}: {', '.join(names[:MAX_NAMES])}{more}"
            console.print(Text(printable(line), style="dim"))


def _flips(flips: list[Flip]) -> Table:
    table = plain_table("sample", "type", "steps", "cause", "evidence", texts=("type", "cause", "evidence"))
    for flip in flips:
        cells = (flip.name, flip.type, f"{flip.steps:,}", flip.cause or flip.outcome, flip.note)
        table.add_row(*(Text(printable(cell)) for cell in cells))
    return table


def _pairs(title: str, rows: dict[str, Paired]) -> Table:
    table = plain_table(title, "n", "first", "second", "right -> wrong", "wrong -> right", "McNemar's p")
    for name, pair in rows.items():
        cells = (_rate(rate) for rate in rates(pair))
        flips = (f"{count:,}" for count in (pair.regressed, pair.recovered))
        table.add_row(printable(name), f"{pair.n:,}", *cells, *flips, p_value(pair.p))
    return table


def _change(pair: Paired) -> str:
    change = tango(pair)
    return "-" if change is None else f"{100 * change.rate:+.1f} ({100 * change.low:+.1f} to {100 * change.high:+.1f})"


def _causes(rows: dict[str, Paired]) -> Table:
    table = plain_table("cause of failure", "right -> wrong", "wrong -> right", "wrong in both", "McNemar's p")
    for name, pair in rows.items():
        counts = (f"{count:,}" for count in (pair.regressed, pair.recovered, pair.wrong))
        table.add_row(printable(name), *counts, p_value(pair.p))
    return table


def _rate(share: Share) -> str:
    low, high = share.interval
    return "-" if share.rate is None else f"{100 * share.rate:.1f} % ({100 * low:.1f} - {100 * high:.1f})"
