"""Compares strings with other values, and each type with all others: rates, differences, and both at equal length.

Two things are counted. Answers: wrong answers of the predictions that ended, in strata of true traces of equal length.
Values: the first wrong value of all true values up to it, in strata of values of equal length. Values of one program
are not independent, so their intervals are too narrow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

from worldline.codec.cost_curve import row_of
from worldline.core.stats import RateDifference, Share, exact, holm, mantel_haenszel, newcombe
from worldline.evaluation.table import Cell, Chance, Table
from worldline.ui.report.data import Findings
from worldline.ui.report.samples import DENSITIES, ValueClass

STRING = "str"
LARGE = 2.0  # a string with at least this many characters per token has large tokens
ADJUSTED = (
    "p is Fisher's exact test within rows of equal length, corrected by Holm for all rows of the table. Difference: "
    "Newcombe's interval; at equal length: Mantel-Haenszel difference with Klingenberg's interval; 95 % each. Values "
    "of one program are not independent: their intervals are too narrow"
)


@dataclass(frozen=True)
class Failed:
    """A number of things of one class that all failed, or all did not."""

    is_first: bool
    stratum: Hashable
    is_wrong: bool
    times: int = 1


@dataclass(frozen=True)
class GroupComparison:
    """Two groups: how often each fails, the difference, the difference at equal length, and its p."""

    first: Share
    other: Share
    apart: RateDifference | None
    adjusted: RateDifference | None
    p: float | None


def compare(things: Iterable[Failed]) -> GroupComparison:
    """Compare the failures of the first group with those of the other."""
    counts: dict[Hashable, list[int]] = {}
    for thing in things:
        row = counts.setdefault(thing.stratum, [0, 0, 0, 0])
        row[0 if thing.is_first else 2] += thing.times * thing.is_wrong
        row[1 if thing.is_first else 3] += thing.times
    strata = [(Share(x, n), Share(y, m)) for x, n, y, m in counts.values()]
    first = _total(share for share, _ in strata)
    other = _total(share for _, share in strata)
    both = [stratum for stratum in strata if stratum[0].n and stratum[1].n]
    p = exact(both) if both else None
    return GroupComparison(first, other, newcombe(first, other), mantel_haenszel(both), p)


def _total(shares: Iterable[Share]) -> Share:
    known = list(shares)
    return Share(sum(share.some for share in known), sum(share.n for share in known))


# ---- what is compared


def _answers(findings: Findings) -> list[Failed]:
    """Return the predictions that ended, by whether their answer is a string."""
    return [
        Failed(verdict.type == STRING, row_of(sample.sizes[0]), verdict.answer == "wrong")
        for sample in findings.seen
        if (verdict := sample.verdict).answer in ("right", "wrong")
    ]


def _values(findings: Findings) -> Counter[ValueClass]:
    """Count all values at risk by class."""
    counts: Counter[ValueClass] = Counter()
    for sample in findings.seen:
        counts.update(sample.values)
    return counts


def _failed(classes: Mapping[ValueClass, int], is_first: Callable[[ValueClass], bool]) -> list[Failed]:
    return [Failed(is_first(value), value.length, value.is_wrong, times) for value, times in classes.items()]


def _is_string(value: ValueClass) -> bool:
    return value.type == STRING


def strings(findings: Findings) -> Table:
    """Compare strings with the rest: answers, values, and strings in large tokens."""
    classes = _values(findings)
    rows = {
        "answers: strings, other types": compare(_answers(findings)),
        "values: strings, other types": compare(_failed(classes, _is_string)),
    }
    notes = ["Answers are compared at equal length of the true trace in bytes, values at equal length of their text"]
    if left := sum(sample.verdict.answer not in ("right", "wrong") for sample in findings.seen):
        notes.append(f"{left:,} predictions that did not end are not among the answers")
    if findings.tokenizer:
        only_strings = {value: times for value, times in classes.items() if _is_string(value)}
        large = compare(_failed(only_strings, lambda value: (value.density or 0) > LARGE))
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
    for value, times in classes.items():
        names[value.type] += times
    rows = {
        name: compare(_failed(classes, lambda value, name=name: value.type == name))  # type: ignore[misc]
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
    rows, ps, (all_failed, all_executed) = [], [], (failed.total(), executed.total())
    for name in sorted(executed, key=lambda name: (-failed[name], -executed[name], name)):
        share = Share(failed[name], executed[name])
        others = Share(all_failed - failed[name], all_executed - executed[name])
        ps.append(exact([(share, others)]))
        rows.append((name, share, others, newcombe(share, others)))
    tests = zip(map(Chance, ps), map(Chance, holm(ps)), strict=True)
    wrong = sum(sample.verdict.trace != "right" for sample in findings.failed)
    note = (
        "An operation counts as run if its line was executed before the first divergence. "
        f"{wrong - all_failed:,} wrong traces are about no operation of a line, for example the order of lines. "
        "Newcombe's interval; p is Fisher's exact test, corrected by Holm for all rows"
    )
    heads = ("operation", "failed of run", "others", "difference", "p", "p, Holm")
    with_tests = tuple((*row, *test) for row, test in zip(rows, tests, strict=True))
    return Table("Failure rate of each operation", heads, with_tests, note)


_VALUES_NOTE = "share of wrong values among all true values up to the first wrong one"


def lengths(findings: Findings) -> Table:
    """Compare strings and other values of equal length."""
    classes = _values(findings)
    rows = []
    for high in sorted({value.length for value in classes}):
        same = {value: times for value, times in classes.items() if value.length == high}
        low = high // 2 + 1
        rows.append((f"{low}-{high}" if low < high else f"{high}", *_both(same)))
    heads = ("characters", "strings", "other types")
    return Table("Wrong values by length", heads, tuple(rows), _VALUES_NOTE)


def densities(findings: Findings) -> Table:
    """Compare strings and other values by characters per token; no rows without a tokenizer."""
    classes = _values(findings)
    rows = []
    for low, high in zip((0.0, *DENSITIES), (*DENSITIES, float("inf")), strict=True):
        same = {value: times for value, times in classes.items() if value.density == high}
        if not same:
            continue
        name = f"{low:g} or more" if high == float("inf") else f"{low:g}-{high:g}" if low else f"under {high:g}"
        rows.append((name, *_both(same)))
    note = f"{_VALUES_NOTE}; tokens of {findings.tokenizer}"
    heads = ("characters a token", "strings", "other types")
    return Table("Wrong values by characters per token", heads, tuple(rows), note)


def _both(classes: Mapping[ValueClass, int]) -> tuple[Share, Share]:
    comparison = compare(_failed(classes, _is_string))
    return comparison.first, comparison.other
