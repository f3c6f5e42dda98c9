"""What interventions did to many samples, as tables: flips each way with their test and intervals, and causes confirmed."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.core.stats import Share
from worldline.core.text import printable
from worldline.diagnose.interventions import INTERVENTIONS
from worldline.diagnose.trials import Trials
from worldline.ui.terminal.plain import p_value, plain_table


def print_trials(console: Console, found: Trials) -> None:
    """The whole of it."""
    of = f" of {found.failing:,}" if found.failing > len(found.failed) else ""
    told = f"{len(found.failed):,}{of} failed and {len(found.chosen):,} of {found.passing:,} passing, by {found.by}"
    console.print(Text(f"interventions  {printable(found.model)}  n = {told}", style="bold"))
    console.print(_effects(found))
    if found.failed:
        console.print(_causes(found))
    if found.unjudged:
        console.print(
            Text(f"{found.unjudged:,} samples without a true answer, or faults, in no rate", style="dim")
        )


def _effects(found: Trials) -> Table:
    heads = ("net", "recovered", "regressed", "McNemar's p", "net of all", "not fit", "faults")
    table = plain_table("intervention", *heads)
    for effect in found.effects:
        pairs = effect.pairs
        rates = _share(pairs.recovery), _share(pairs.regression)
        counts = f"{effect.expected:+,.0f}", f"{effect.unfit:,}", f"{effect.faults:,}"
        table.add_row(
            INTERVENTIONS[effect.intervention], f"{pairs.net:+,}", *rates, p_value(pairs.p), *counts
        )
    return table


def _causes(found: Trials) -> Table:
    table = plain_table("cause of failure", "confirmed by its intervention")
    for name, share in found.confirmed.items():
        table.add_row(printable(name), _share(share))
    return table


def _share(share: Share) -> str:
    if share.rate is None:
        return "- of 0"
    low, high = share.interval
    return f"{share.some:,} of {share.n:,} ({100 * low:.0f} - {100 * high:.0f} %)"
