"""The result of `intervene` as tables: flips in each direction with test and intervals, and the causes confirmed."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worldline.core.stats import Share
from worldline.core.text import plural, printable
from worldline.diagnose.interventions import INTERVENTIONS
from worldline.diagnose.trials import Trials
from worldline.evaluation.conclusion import Conclusion, net_text
from worldline.ui.terminal.conclusion import print_conclusion
from worldline.ui.terminal.plain import p_value, plain_table

_MEANING = "what it changes"


def print_trials(console: Console, trials: Trials, conclusion: Conclusion | None = None) -> None:
    """Print the conclusion of the run, if it is known, and all tables."""
    of = f" of {trials.failing:,}" if trials.failing > len(trials.failed) else ""
    samples = f"{len(trials.failed):,}{of} failed and {len(trials.chosen):,} of {trials.passing:,} passing samples"
    title = f"interventions  {printable(trials.model)}  {samples}, judged by {trials.by}"
    console.print(Text(title, style="bold"))
    if conclusion is not None:
        print_conclusion(console, conclusion)
    console.print(_effects(trials))
    if trials.failed:
        console.print(_causes(trials))
    if trials.unjudged:
        text = f"not counted: {plural(trials.unjudged, 'sample')} without a true answer, or tool faults"
        console.print(Text(text, style="dim"))


def _effects(trials: Trials) -> Table:
    heads = ("net", "fixed", "broken", "McNemar's p", "net, all samples", "does not apply", "faults")
    table = plain_table("intervention", *heads, _MEANING, texts=(_MEANING,))
    for effect in trials.effects:
        pairs = effect.pairs
        rates = _share(pairs.recovery), _share(pairs.regression)
        counts = net_text(effect.expected), f"{effect.unfit:,}", f"{effect.faults:,}"
        meaning = INTERVENTIONS[effect.intervention]
        table.add_row(effect.intervention, f"{pairs.net:+,}", *rates, p_value(pairs.p), *counts, meaning)
    return table


def _causes(trials: Trials) -> Table:
    table = plain_table("cause of failure", "confirmed by its intervention")
    for name, share in trials.confirmed.items():
        table.add_row(printable(name), _share(share))
    return table


def _share(share: Share) -> str:
    if share.rate is None:
        return "- of 0"
    low, high = share.interval
    return f"{share.some:,} of {share.n:,} ({100 * low:.0f} - {100 * high:.0f} %)"
