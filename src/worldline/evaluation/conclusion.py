"""The conclusion of a report in four sentences: where a model fails, why, what would fix it, and how certain that is.

The sentences follow the counts and claim no more than these support. A weak spot (a type, a length, a group, an
operation) is named only if its interval lies above that of all the rest and Fisher's exact test, corrected by Holm for
all the spots that were looked at, agrees. A cause is called the commonest only if its interval lies above the next. A
fix is what an intervention did; without a trial it is only a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from worldline.core.errors import UnreadableError
from worldline.core.stats import ALPHA, NetEffect, Share, exact, holm, newcombe
from worldline.core.text import plural, printable
from worldline.diagnose.cause import UNKNOWN
from worldline.diagnose.interventions import CONFIRMING, INTERVENTIONS
from worldline.diagnose.trials import Effect, Trials
from worldline.evaluation.run.tally import Failures, Tally, VerdictCounts
from worldline.evaluation.run.text_form import advise, is_checkpoint
from worldline.evaluation.selection import Selection

MIN_SAMPLES = 20  # with fewer, no weak spot is looked for
MIN_FAILURES = 5  # of a weak spot, and in all, to call anything the commonest
BROKEN = "traces that leave the notation"
MAX_SPOTS = 2  # that are named
NOT_THE_MODELS = ("benchmark wrong", "scorer artefact", UNKNOWN)
WITH_TRUTH = ("repair", "actions", "queries")
"""Interventions that give the model a part of the truth: they confirm a cause, and are no fix for use."""
MEANINGS = {
    "wrong action": "the model takes a wrong next line, call or exception",
    "wrong value": "the model reaches the right line and computes a wrong value",
    "missed change": "the model leaves a name unchanged that changes",
    "invented change": "the model changes a name that stays as it is",
    "lost variable": "the model drops a name that still has a value",
    "forgotten aliasing": "the model forgets that two names share an object",
    "copied from the wrong step": "the model repeats a value of another step",
    "malformed": "the text leaves the notation or stops early",
    "degenerate repetition": "the model repeats one block without end",
    "empty": "the model writes no step",
    "budget, right up to the cut": "the byte limit cuts traces that are right so far",
    "budget, wrong before the cut": "traces go wrong and are then cut by the byte limit",
    "run-on": "the text continues after a right trace",
    "answer miscopied": "the trace is right and the separate answer is not",
}
_STEPS = re.compile(r"(\d+)-(\d+)")


class JudgedCounts(Protocol):
    """The counts that a conclusion is drawn from: those of a `Report`, whose docstring explains them."""

    @property
    def model(self) -> str: ...
    @property
    def n(self) -> int: ...
    @property
    def all(self) -> VerdictCounts: ...
    @property
    def by_length(self) -> Mapping[str, VerdictCounts]: ...
    @property
    def by_type(self) -> Mapping[str, VerdictCounts]: ...
    @property
    def by_ending(self) -> Mapping[str, VerdictCounts]: ...
    @property
    def causes(self) -> Mapping[str, Failures]: ...
    @property
    def operations(self) -> Mapping[str, Share]: ...
    @property
    def skipped(self) -> int: ...
    @property
    def faults(self) -> int: ...
    @property
    def selection(self) -> Selection | None: ...
    @property
    def forms(self) -> Mapping[str, int]: ...
    @property
    def way(self) -> str: ...
    @property
    def is_stopped(self) -> bool: ...


@dataclass(frozen=True)
class Conclusion:
    """The sentences that open a report, as plain text.

    Attributes:
        where: Where the model fails.
        why: The causes.
        fix: What would fix it, or which command finds out.
        certainty: The number of samples, intervals and tests behind the other sentences, and what they leave open.
    """

    where: str
    why: str
    fix: str
    certainty: str

    @property
    def sentences(self) -> tuple[tuple[str, str], ...]:
        """The sentences in order, each with its label."""
        return (("where", self.where), ("why", self.why), ("fix", self.fix), ("certainty", self.certainty))

    def as_json(self) -> dict[str, str]:
        """Return the sentences, as the key `conclusion` of `--json`."""
        return dict(self.sentences)


@dataclass(frozen=True)
class WeakSpot:
    """A part of the samples that fails more often than the rest, with Holm's p-value."""

    name: str
    failed: Share
    rest: Share
    p: float

    @property
    def is_separated(self) -> bool:
        """Whether the interval lies above the rest's, and the test agrees."""
        return self.failed.some >= MIN_FAILURES and self.failed.interval[0] > self.rest.interval[1] and self.p < ALPHA


def conclude(report: JudgedCounts, trials: Trials | None = None, selection: Selection | None = None) -> Conclusion:
    """Draw the conclusion of a report.

    Args:
        report: The counts.
        trials: The interventions on its failures, if there were any.
        selection: How the rows of a scored file were selected; by default, the report's own.

    Returns:
        The sentences that open the report.
    """
    selection = report.selection if selection is None else selection
    if not report.n:
        return _without_samples(report)
    if not _failed(report):
        return _without_failures(report)
    if report.is_stopped or is_unreadable(report):
        return _without_traces(report)
    spots = weak_spots(report) if selection is None or selection.has_rates else []
    return Conclusion(
        _where(report, spots, selection),
        _why(report),
        _fix(report, trials),
        _certainty(report, spots, trials, selection),
    )


def check_is_readable(report: JudgedCounts) -> None:
    """Raise an UnreadableError if not one of several outputs holds a step or an answer.

    A checkpoint that has learned too little is no error: there is no other way to ask it.
    """
    if is_checkpoint(report.model, is_scored=bool(report.by_ending)):
        return
    is_prose = report.n >= MIN_FAILURES and report.all.answer.malformed == sum(report.forms.values()) == report.n
    if report.is_stopped or is_prose:
        sums = _without_traces(report)
        raise UnreadableError(f"{sums.where} {sums.fix}")


def is_unreadable(report: JudgedCounts) -> bool:
    """Whether most outputs hold no step and no answer, so that there is nothing to judge in them."""
    return 2 * min(sum(report.forms.values()), report.all.answer.malformed) > report.n


def _failed(report: JudgedCounts) -> int:
    """How many samples are not right in answer or trace."""
    return max(report.n - report.all.answer.right, report.n - report.all.trace.right)


def _without_samples(report: JudgedCounts) -> Conclusion:
    counts = f"{report.skipped:,} had no true answer, {plural(report.faults, 'tool fault')}"
    return Conclusion(
        f"Nothing was judged: {counts}.",
        "There is no prediction to explain.",
        "Fix what kept the tasks from being judged, then repeat the command.",
        "Nothing is known about the model (n = 0).",
    )


def _without_failures(report: JudgedCounts) -> Conclusion:
    high = Share(0, report.n).interval[1]
    return Conclusion(
        f"No failure: all {plural(report.n, 'answer')} and traces are right."
        if report.n > 1
        else "No failure: the answer and the trace are right.",
        "There is no failure to explain.",
        "Nothing needs fixing here; a harder suite or longer programs may find the limit.",
        f"With n = {report.n:,}, up to {100 * high:.1f} % of such programs may still fail (95 % interval).",
    )


def _without_traces(report: JudgedCounts) -> Conclusion:
    unreadable = sum(report.forms.values())
    kinds = dict(report.forms) | ({BROKEN: report.n - unreadable} if report.is_stopped else {})
    forms = ", ".join(f"{form} ({n:,})" for form, n in kinds.items() if n)
    if report.is_stopped:
        where = f"Stopped: none of the first {plural(report.n, 'answer')} can be read; they are {forms}."
    else:
        where = f"{unreadable:,} of {plural(report.n, 'output')} hold no step of a trace: they are {forms}."
    is_scored = bool(report.by_ending)
    if is_checkpoint(report.model, is_scored=is_scored):
        return Conclusion(
            where,
            "The model has not learned the notation.",
            "Train it longer: a checkpoint is asked in the format it was trained on.",
            f"These {report.n:,} samples do not show how the model executes programs.",
        )
    advice = advise(next(iter(report.forms), ""), model=report.model, way=report.way, is_scored=is_scored)
    goes_on = " `--keep-going` measures it as it is." if report.is_stopped else ""
    return Conclusion(
        where,
        "The model does not follow the format it was asked for, so these outputs do not show how it executes programs.",
        f"Ask in another way: {advice}.{goes_on}",
        f"These {report.n:,} samples measure the way of asking and not the model; test another way with "
        "`--max-programs 20` first.",
    )


# ---- where


def weak_spots(report: JudgedCounts) -> list[WeakSpot]:
    """Return the parts that fail separably more often than the rest, the largest certain difference first."""
    if report.n < MIN_SAMPLES or _failed(report) < MIN_FAILURES:
        return []
    parts = {**_types(report), **_lengths(report), **_operations(report)}
    ps = holm([exact([(failed, rest)]) for failed, rest in parts.values()])
    spots = [WeakSpot(name, *pair, p) for (name, pair), p in zip(parts.items(), ps, strict=True)]
    return sorted((spot for spot in spots if spot.is_separated), key=_certain_difference, reverse=True)


def _certain_difference(spot: WeakSpot) -> float:
    difference = newcombe(spot.failed, spot.rest)
    return difference.low if difference is not None else 0.0


def _measure(report: JudgedCounts) -> str:
    """What failures are counted by: the answer, or the trace if all answers are right."""
    return "answer" if report.all.answer.right < report.n else "trace"


def _misses(tally: Tally) -> Share:
    return Share(tally.n - tally.right, tally.n)


def _types(report: JudgedCounts) -> dict[str, tuple[Share, Share]]:
    return dict(_against_rest(report, report.by_type, "answers of type {}"))


def _lengths(report: JudgedCounts) -> dict[str, tuple[Share, Share]]:
    """Split the samples at each length; groups that are no lengths stand against the rest."""
    parts = report.by_length
    ends = [_STEPS.fullmatch(name) for name in parts]
    if not all(ends):
        return dict(_against_rest(report, parts, "group {}"))
    rows = [_misses(_tally(part, report)) for part in parts.values()]
    splits = {}
    for at in range(1, len(rows)):
        low = ends[at - 1]
        assert low is not None
        splits[f"traces of more than {int(low[2]):,} steps"] = _total(rows[at:]), _total(rows[:at])
    return splits


def _operations(report: JudgedCounts) -> dict[str, tuple[Share, Share]]:
    every = _total(report.operations.values())
    return {
        f"the operation {name}": (share, Share(every.some - share.some, every.n - share.n))
        for name, share in report.operations.items()
        if share.some and share.n < every.n
    }


def _against_rest(
    report: JudgedCounts, parts: Mapping[str, VerdictCounts], name: str
) -> Iterator[tuple[str, tuple[Share, Share]]]:
    shares = {part: _misses(_tally(counts, report)) for part, counts in parts.items()}
    every = _total(shares.values())
    for part, share in shares.items():
        if share.n < every.n:
            yield name.format(printable(part)), (share, Share(every.some - share.some, every.n - share.n))


def _tally(counts: VerdictCounts, report: JudgedCounts) -> Tally:
    return counts.answer if _measure(report) == "answer" else counts.trace


def _total(shares: Iterable[Share]) -> Share:
    known = list(shares)
    return Share(sum(share.some for share in known), sum(share.n for share in known))


def _where(report: JudgedCounts, spots: list[WeakSpot], selection: Selection | None) -> str:
    answers, traces = _misses(report.all.answer), _misses(report.all.trace)
    counts = f"{answers.some:,} of {plural(answers.n, 'answer')} and {traces.some:,} of {plural(traces.n, 'trace')}"
    counts += " are not right"
    if selection is not None and not selection.has_rates:
        return f"Where the model fails cannot be determined from this file, in which {counts}: rows are missing."
    if report.n < MIN_SAMPLES:
        return f"{counts}; {report.n:,} samples are too few to name a weak spot."
    if not spots:
        some = (
            "too few to name a weak spot"
            if _failed(report) < MIN_FAILURES
            else "and no type, length or operation stands out"
        )
        return f"{counts}, {some}."
    named = " and ".join(_spot(spot) for spot in spots[:MAX_SPOTS])
    return f"{counts}, most often in {named}."


def _spot(spot: WeakSpot) -> str:
    return (
        f"{spot.name} ({_percent(spot.failed.rate)} of {spot.failed.n:,} fail, {_percent(spot.rest.rate)} of the rest)"
    )


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f} %"


# ---- why


def _own_causes(report: JudgedCounts) -> dict[str, int]:
    """The causes that are the model's, or all if there are no others; the commonest first."""
    counts = {name: failures.n for name, failures in report.causes.items()}
    return {name: n for name, n in counts.items() if name not in NOT_THE_MODELS} or counts


def _why(report: JudgedCounts) -> str:
    causes = _own_causes(report)
    total = sum(causes.values())
    if not total:
        return "The cause of the failures is not known."
    (first, n), *others = causes.items()
    meaning = f": {MEANINGS[first]}" if first in MEANINGS else ""
    if not others:
        every = "The failure is" if total == 1 else f"All {total:,} failures are"
        return f"{every} `{first}`{meaning}."
    share, (second, next_n) = Share(n, total), others[0]
    if total >= MIN_FAILURES and share.interval[0] > Share(next_n, total).interval[1]:
        return f"The commonest cause is `{first}`, {n:,} of {total:,} failures{meaning}."
    reason = "too few" if total < MIN_SAMPLES else "too close"
    return (
        f"The most frequent causes are `{first}` ({n:,}) and `{second}` ({next_n:,}) of {total:,} failures, "
        f"{reason} to say which is commoner."
    )


# ---- fix


def _fix(report: JudgedCounts, trials: Trials | None) -> str:
    if trials is not None and trials.effects:
        return _tried(trials)
    first = next(iter(_own_causes(report)), "")
    confirming = CONFIRMING.get(first.partition(",")[0], ())
    if not confirming:
        return "Untested: run `worldline intervene RUN` to see which change fixes the failures."
    names = ", ".join(f"`{name}`" for name in confirming)
    return f"Untested: run `worldline intervene RUN`; {names} would confirm `{first}`."


def _tried(trials: Trials) -> str:
    effects = [effect for effect in trials.effects if effect.pairs.n]
    if not effects:
        return "No intervention applies to these failures."
    usable = [effect for effect in effects if effect.intervention not in WITH_TRUTH]
    sure = [effect for effect in usable if _is_gain(effect)]
    if sure:
        best = max(sure, key=lambda effect: _whole(effect).count)
        return f"`{best.intervention}` ({INTERVENTIONS[best.intervention]}) helps: {_effect(best)}."
    best = max(effects, key=lambda effect: effect.pairs.net)
    if best.pairs.net <= 0:
        return f"Nothing that was tried helps: no intervention fixes more than it breaks, of {len(effects):,}."
    if best.intervention in WITH_TRUTH:
        meaning = INTERVENTIONS[best.intervention]
        return f"No change of the prompt is known to help; with {meaning} (`{best.intervention}`), {_effect(best)}."
    return f"`{best.intervention}` may help, which this sample cannot decide: {_effect(best)}."


def _whole(effect: Effect) -> NetEffect:
    assert effect.expected is not None
    return effect.expected


def _is_gain(effect: Effect) -> bool:
    return effect.expected is not None and effect.expected.low > 0 and effect.pairs.p < ALPHA


def _effect(effect: Effect) -> str:
    pairs = effect.pairs
    counts = f"{pairs.recovered:,} of {plural(pairs.recovery.n, 'failure')} fixed"
    counts += f", {pairs.regressed:,} of {pairs.regression.n:,} passing broken" if pairs.regression.n else ""
    return counts + (f", net {net_text(effect.expected)} on the whole run" if effect.expected is not None else "")


def net_text(net: NetEffect | None) -> str:
    """Write a net effect with its interval, which is left out if every sample was tried."""
    if net is None:
        return "-"
    if net.low == net.high:
        return f"{net.count:+,.0f}"
    return f"{net.count:+,.0f} ({net.low:+,.0f} to {net.high:+,.0f})"


# ---- certainty


def _certainty(report: JudgedCounts, spots: list[WeakSpot], trials: Trials | None, selection: Selection | None) -> str:
    if selection is not None and not selection.has_rates:
        return selection.note
    tally = report.all.answer if _measure(report) == "answer" else report.all.trace
    low, high = Share(tally.right, tally.n).interval
    interval = f"{100 * low:.1f} to {100 * high:.1f}, n = {report.n:,}"
    parts = [f"{_measure(report).capitalize()}s are right in {_percent(tally.rate)} ({interval})"]
    if spots:
        parts.append(f"the weak spot has p = {_chance(spots[0].p)} after Holm's correction")
    if trials is None:
        parts.append("causes are hypotheses until interventions test them")
    else:
        confirmed = _total(trials.confirmed.values())
        parts.append(f"interventions confirm the cause of {confirmed.some:,} of {plural(confirmed.n, 'tried failure')}")
    if report.n < MIN_SAMPLES:
        parts.append("use 100 or more for a figure you report")
    return "; ".join(parts) + "."


def _chance(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"
