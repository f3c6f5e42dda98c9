"""Two runs side by side in a terminal: the samples that flipped first, then the counts with their test."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.core.stats import Paired, Share
from worldline.core.text import printable
from worldline.evaluation.compare import Comparison, Flip, rates
from worldline.ui.terminal.plain import p_value, plain_table

NAMED = 20  # samples that have no partner, by name; --json has all
MOST = 40  # flips of each direction that are listed; --json has all


def print_comparison(console: Console, found: Comparison) -> None:
    """The whole comparison."""
    one, other = (printable(model) for model in found.models)
    console.print(Text(f"{found.suite}  {one} -> {other}  n = {found.answer.n:,}", style="bold"))
    for title, is_lost in (("right -> wrong", True), ("wrong -> right", False)):
        flips = [flip for flip in found.flips if flip.is_lost == is_lost]
        console.print(Text(f"{title}: {len(flips):,}", style="red" if is_lost else "green"))
        if flips:
            console.print(_flips(flips[:MOST]))
        if len(flips) > MOST:
            console.print(Text(f"and {len(flips) - MOST:,} more", style="dim"))
    drawn = {} if found.drawn is None else {"trace given its own draws": found.drawn}
    console.print(_pairs("", {"answer": found.answer, "trace": found.trace, **drawn}))
    if found.by_cause:
        console.print(_causes(found.by_cause))
    if len(found.by_type) > 1:
        console.print(_pairs("type", found.by_type))
    _print_rest(console, found)


def _print_rest(console: Console, found: Comparison) -> None:
    for key, (one, other) in found.differences.items():
        console.print(Text(printable(f"{key}: {one} -> {other}"), style="dim"))
    by = ", ".join(f"{count:,} by {what}" for what, count in found.paired_by.items())
    console.print(Text(f"paired: {by}", style="dim"))
    for which, names in zip(("first", "second"), found.unpaired, strict=True):
        if names:
            more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
            line = (
                f"left out: {len(names):,} samples of the {which} run alone: {', '.join(names[:NAMED])}{more}"
            )
            console.print(Text(printable(line), style="dim"))


def _flips(flips: list[Flip]) -> Table:
    table = plain_table(
        "sample", "type", "steps", "cause", "what happened", texts=("type", "cause", "what happened")
    )
    for flip in flips:
        cells = (flip.name, flip.type, f"{flip.steps:,}", flip.cause or flip.outcome, flip.note)
        table.add_row(*(Text(printable(cell)) for cell in cells))
    return table


def _pairs(title: str, rows: dict[str, Paired]) -> Table:
    table = plain_table(title, "n", "first", "second", "lost", "gained", "McNemar's p")
    for name, some in rows.items():
        cells = (_rate(rate) for rate in rates(some))
        flips = (f"{count:,}" for count in (some.regressed, some.recovered))
        table.add_row(printable(name), f"{some.n:,}", *cells, *flips, p_value(some.p))
    return table


def _causes(rows: dict[str, Paired]) -> Table:
    table = plain_table("cause", "lost to it", "gained from it", "fail in both", "McNemar's p")
    for name, some in rows.items():
        counts = (f"{count:,}" for count in (some.regressed, some.recovered, some.wrong))
        table.add_row(printable(name), *counts, p_value(some.p))
    return table


def _rate(share: Share) -> str:
    low, high = share.interval
    return "-" if share.rate is None else f"{100 * share.rate:.1f} % ({100 * low:.1f} - {100 * high:.1f})"
