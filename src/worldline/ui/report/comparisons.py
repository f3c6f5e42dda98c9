"""Compares strings with other values, and each type with all others: rates, differences, and both at equal length.

Two things are counted. Answers: wrong answers of the predictions that ended, in strata of true traces of equal length.
Values: the first wrong value of all true values up to it, in strata of values of equal length. Values of one program
are not independent: intervals and tests are clustered by program (`core.clusters`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

from worldline.codec.cost_curve import row_of
from worldline.core.clusters.shares import ClusteredShare, clustered, corrected, design_effect, widened
from worldline.core.stats import RateDifference, Share, exact, holm, mantel_haenszel, newcombe
from worldline.evaluation.table import Cell, Chance, Table
from worldline.ui.report.data import Findings
from worldline.ui.report.samples import DENSITIES, JudgedSample, ValueClass

STRING = "str"
LARGE = 2.0  # a string with at least this many characters per token has large tokens
CLUSTERED = "Intervals are clustered by program: Wilson's at the effective number of values"
ADJUSTED = (
    "p is Fisher's exact test within rows of equal length, corrected by Holm for all rows of the table. Difference: "
    "Newcombe's interval; at equal length: Mantel-Haenszel difference with Klingenberg's interval; 95 % each. "
    "Intervals and tests are clustered by program, with Rao and Scott's correction of the tests"
)


@dataclass(frozen=True)
class Failed:
    """A number of things of one class and one program that all failed, or all did not."""

    is_first: bool
    stratum: Hashable
    is_wrong: bool
    times: int = 1
    cluster: Hashable = ""


@dataclass(frozen=True)
class GroupComparison:
    """Two groups: how often each fails, the difference, the difference at equal length, and its p."""

    first: ClusteredShare
    other: ClusteredShare
    apart: RateDifference | None
    adjusted: RateDifference | None
    p: float | None


_Counts = dict[Hashable, list[int]]  # by cluster: wrong and all of the first group, wrong and all of the other


def compare(things: Iterable[Failed], *, at_most: int = 1) -> GroupComparison:
    """Compare the failures of the first group with those of the other.

    Args:
        things: What is counted.
        at_most: How many things of one program can fail: one for each of its predictions, as nothing is counted after
            the first wrong thing of a prediction.
    """
    strata: dict[Hashable, _Counts] = {}
    whole: _Counts = {}
    for thing in things:
        for counts in (strata.setdefault(thing.stratum, {}), whole):
            row = counts.setdefault(thing.cluster, [0, 0, 0, 0])
            row[0 if thing.is_first else 2] += thing.times * thing.is_wrong
            row[1 if thing.is_first else 3] += thing.times
    first, other = (clustered(((row[at], row[at + 1]) for row in whole.values()), at_most=at_most) for at in (0, 2))
    shares = [(_plain(counts, 0), _plain(counts, 2)) for counts in strata.values()]
    both = [pair for pair in shares if pair[0].n and pair[1].n]
    effect = design_effect({key: _four(row) for key, row in counts.items()} for counts in strata.values())
    p = corrected(exact(both), effect) if both else None
    return GroupComparison(first, other, newcombe(first, other), widened(mantel_haenszel(both), effect), p)


def _plain(counts: _Counts, at: int) -> Share:
    return Share(sum(row[at] for row in counts.values()), sum(row[at + 1] for row in counts.values()))


def _four(row: list[int]) -> tuple[int, int, int, int]:
    return row[0], row[1], row[2], row[3]


def cluster(sample: JudgedSample) -> Hashable:
    """Return what the samples of one program have in common."""
    return sample.cluster or sample.at


def _compare(findings: Findings, things: Iterable[Failed]) -> GroupComparison:
    samples = Counter(map(cluster, findings.seen))
    return compare(things, at_most=max(samples.values(), default=1))


# ---- what is compared


def _answers(findings: Findings) -> list[Failed]:
    """Return the predictions that ended, by whether their answer is a string."""
    return [
        Failed(verdict.type == STRING, row_of(sample.sizes[0]), verdict.answer == "wrong", cluster=cluster(sample))
        for sample in findings.seen
        if (verdict := sample.verdict).answer in ("right", "wrong")
    ]


_Values = Mapping[tuple[ValueClass, Hashable], int]


def _values(findings: Findings) -> _Values:
    """Count all values at risk by class and program."""
    counts: Counter[tuple[ValueClass, Hashable]] = Counter()
    for sample in findings.seen:
        counts.update({(value, cluster(sample)): times for value, times in sample.values.items()})
    return counts


def _failed(values: _Values, is_first: Callable[[ValueClass], bool]) -> list[Failed]:
    return [
        Failed(is_first(value), value.length, value.is_wrong, times, program)
        for (value, program), times in values.items()
    ]


def _is_string(value: ValueClass) -> bool:
    return value.type == STRING


def strings(findings: Findings) -> Table:
    """Compare strings with the rest: answers, values, and strings in large tokens."""
    classes = _values(findings)
    rows = {
        "answers: strings, other types": _compare(findings, _answers(findings)),
        "values: strings, other types": _compare(findings, _failed(classes, _is_string)),
    }
    notes = ["Answers are compared at equal length of the true trace in bytes, values at equal length of their text"]
    if left := sum(sample.verdict.answer not in ("right", "wrong") for sample in findings.seen):
        notes.append(f"{left:,} predictions that did not end are not among the answers")
    if findings.tokenizer:
        only_strings = {key: times for key, times in classes.items() if _is_string(key[0])}
        large = _compare(findings, _failed(only_strings, lambda value: (value.density or 0) > LARGE))
        rows["strings: in large tokens, others"] = large
        notes.append(f"Large: at least {LARGE:g} characters per token of {findings.tokenizer}")
    note = ". ".join((*notes, ADJUSTED)) + "."
    return Table("Strings compared with other values", ("compared", *_HEADS), tuple(_rows(rows)), note)


_HEADS = ("these wrong", "those wrong", "difference", "at equal length", "p", "p, Holm")


def _rows(compared: Mapping[str, GroupComparison]) -> Iterable[tuple[Cell, ...]]:
    tested = [comparison.p for comparison in compared.values() if comparison.p is not None]
    corrected = iter(holm(tested))
    for name, comparison in compared.items():
        p = comparison.p
        tests = (None, None) if p is None else (Chance(p), Chance(next(corrected)))
        yield (name, comparison.first, comparison.other, comparison.apart, comparison.adjusted, *tests)


def types(findings: Findings) -> Table:
    """Compare each type of value with all others."""
    classes = _values(findings)
    names = Counter[str]()
    for (value, _), times in classes.items():
        names[value.type] += times
    rows = {
        name: _compare(findings, _failed(classes, lambda value, name=name: value.type == name))  # type: ignore[misc]
        for name in sorted(names, key=lambda name: (-names[name], name))
    }
    note = f"These: values of the type, up to the first wrong value. Those: all other values. {ADJUSTED}."
    return Table("Wrong values by type", ("type", *_HEADS), tuple(_rows(rows)), note)


def operations(findings: Findings) -> Table:
    """Compare the failure rate of each executed operation with all others."""
    failed = Counter(sample.operation for sample in findings.failed if sample.executed[sample.operation])
    executed = Counter[str]()
    for sample in findings.seen:
        executed.update(sample.executed)
    rows, ps = [], []
    for name in sorted(executed, key=lambda name: (-failed[name], -executed[name], name)):
        compared = _compare(findings, _runs(findings, name))
        ps.append(1.0 if compared.p is None else compared.p)
        rows.append((name, compared.first, compared.other, compared.apart))
    tests = zip(map(Chance, ps), map(Chance, holm(ps)), strict=True)
    wrong = sum(sample.verdict.trace != "right" for sample in findings.failed)
    note = (
        "An operation counts as run if its line was executed before the first divergence. "
        f"{wrong - failed.total():,} wrong traces are about no operation of a line, for example the order of lines, "
        "or fit several operations equally. "
        "Newcombe's interval; p is Fisher's exact test, corrected by Holm for all rows. Both are clustered by program"
    )
    heads = ("operation", "failed of run", "others", "difference", "p", "p, Holm")
    with_tests = tuple((*row, *test) for row, test in zip(rows, tests, strict=True))
    return Table("Failure rate of each operation", heads, with_tests, note)


def _runs(findings: Findings, name: str) -> Iterable[Failed]:
    """Yield the executions of an operation and of all others, by program."""
    failures = {sample.at for sample in findings.failed if sample.executed[sample.operation]}
    for sample in findings.seen:
        first, total, program = sample.executed[name], sample.executed.total(), cluster(sample)
        for is_first, times in ((True, first), (False, total - first)):
            is_wrong = sample.at in failures and (sample.operation == name) == is_first
            yield Failed(is_first, None, True, int(is_wrong), program)
            yield Failed(is_first, None, False, times - is_wrong, program)


_VALUES_NOTE = f"share of wrong values among all true values up to the first wrong one. {CLUSTERED}"


def lengths(findings: Findings) -> Table:
    """Compare strings and other values of equal length."""
    classes = _values(findings)
    rows = []
    for high in sorted({value.length for value, _ in classes}):
        same = {key: times for key, times in classes.items() if key[0].length == high}
        low = high // 2 + 1
        rows.append((f"{low}-{high}" if low < high else f"{high}", *_both(findings, same)))
    heads = ("characters", "strings", "other types")
    return Table("Wrong values by length", heads, tuple(rows), _VALUES_NOTE)


def densities(findings: Findings) -> Table:
    """Compare strings and other values by characters per token; no rows without a tokenizer."""
    classes = _values(findings)
    rows = []
    for low, high in zip((0.0, *DENSITIES), (*DENSITIES, float("inf")), strict=True):
        same = {key: times for key, times in classes.items() if key[0].density == high}
        if not same:
            continue
        name = f"{low:g} or more" if high == float("inf") else f"{low:g}-{high:g}" if low else f"under {high:g}"
        rows.append((name, *_both(findings, same)))
    note = f"{_VALUES_NOTE}. Tokens of {findings.tokenizer}"
    heads = ("characters a token", "strings", "other types")
    return Table("Wrong values by characters per token", heads, tuple(rows), note)


def _both(findings: Findings, values: _Values) -> tuple[Share, Share]:
    comparison = _compare(findings, _failed(values, _is_string))
    return comparison.first, comparison.other
