"""Strings against the rest, and every type against all others: rates, differences, what is left at equal length.

Two things are counted. Answers: of the predictions that came to an end, those with a wrong answer, by the type of the
true one; strata are of true traces that are as long. Values: of all that a truth tells up to the first wrong one, that
one; strata are of values that are as long. Values of one program are not independent, so those intervals are narrow.
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
LARGE = 2.0  # characters a token from which a string counts as written in large tokens
ADJUSTED = (
    "p is of Fisher's exact test within rows of equal length, Holm's corrected for all rows of the table. Difference: "
    "Newcombe's interval; at equal length: Mantel and Haenszel's difference with Klingenberg's; 95 % each. Values of "
    "one program are not independent: their intervals are narrow"
)


@dataclass(frozen=True)
class Failed:
    """So many things of one class, all of which failed or none."""

    is_first: bool
    stratum: Hashable
    is_wrong: bool
    times: int = 1


@dataclass(frozen=True)
class GroupComparison:
    """Two groups: how often each fails, the difference, that at equal length, and its test."""

    first: Share
    other: Share
    apart: RateDifference | None
    adjusted: RateDifference | None
    p: float | None


def compare(things: Iterable[Failed]) -> GroupComparison:
    """The first group less the other."""
    counts: dict[Hashable, list[int]] = {}
    for one in things:
        row = counts.setdefault(one.stratum, [0, 0, 0, 0])
        row[0 if one.is_first else 2] += one.times * one.is_wrong
        row[1 if one.is_first else 3] += one.times
    strata = [(Share(x, n), Share(y, m)) for x, n, y, m in counts.values()]
    first, other = (Share(sum(s.some for s in side), sum(s.n for s in side)) for side in _sides(strata))
    both = [pair for pair in strata if pair[0].n and pair[1].n]
    p = exact(both) if both else None
    return GroupComparison(first, other, newcombe(first, other), mantel_haenszel(both), p)


def _sides(strata: list[tuple[Share, Share]]) -> tuple[list[Share], list[Share]]:
    return [one for one, _ in strata], [other for _, other in strata]


# ---- what is compared


def _answers(found: Findings) -> list[Failed]:
    """Predictions that came to an end, by whether their answer is a string."""
    return [
        Failed(one.verdict.type == STRING, row_of(one.sizes[0]), one.verdict.answer == "wrong")
        for one in found.seen
        if one.verdict.answer in ("right", "wrong")
    ]


def values(found: Findings) -> Counter[ValueClass]:
    """Every value of the run that was at risk, by class."""
    every: Counter[ValueClass] = Counter()
    for one in found.seen:
        every.update(one.values)
    return every


def _of(
    classes: Mapping[ValueClass, int], is_first: Callable[[ValueClass], bool], is_in: Callable[[ValueClass], bool]
) -> list[Failed]:  # fmt: skip
    return [
        Failed(is_first(one), one.length, one.is_wrong, times) for one, times in classes.items() if is_in(one)
    ]


def _is_string(one: ValueClass) -> bool:
    return one.type == STRING


def strings(found: Findings) -> Table:
    """Strings against the rest: answers, values, and strings by how large their tokens are."""
    every = values(found)
    rows = {
        "answers: strings, other types": compare(_answers(found)),
        "values: strings, other types": compare(_of(every, _is_string, lambda one: True)),
    }
    if found.tokenizer:
        large = compare(_of(every, lambda one: (one.density or 0) > LARGE, _is_string))
        rows["strings: in large tokens, others"] = large
    left = sum(one.verdict.answer not in ("right", "wrong") for one in found.seen)
    said = [
        "Answers are compared at equal length of the true trace in bytes, values at that of their own text"
    ]
    said += [f"{left:,} predictions that came to no end are not among the answers"] if left else []
    said += [f"Large: {LARGE:g} or more characters a token of {found.tokenizer}"] if found.tokenizer else []
    note = ". ".join((*said, ADJUSTED)) + "."
    return Table("Strings against the rest", ("compared", *_HEADS), tuple(_rows(rows)), note)


_HEADS = ("these wrong", "those wrong", "difference", "at equal length", "p", "p, Holm")


def _rows(compared: Mapping[str, GroupComparison]) -> Iterable[tuple[Cell, ...]]:
    tested = [one.p for one in compared.values() if one.p is not None]
    corrected = iter(holm(tested))
    for name, one in compared.items():
        tests = (None, None) if one.p is None else (Chance(one.p), Chance(next(corrected)))
        yield (name, one.first, one.other, one.apart, one.adjusted, *tests)


def types(found: Findings) -> Table:
    """Every type of value against all others."""
    every = values(found)
    names = Counter[str]()
    for one, times in every.items():
        names[one.type] += times
    rows = {
        name: compare(_of(every, lambda one, name=name: one.type == name, lambda one: True))  # type: ignore[misc]
        for name in sorted(names, key=lambda name: (-names[name], name))
    }
    note = f"These are the values of a type that were told up to the first wrong one, those all others. {ADJUSTED}."
    return Table("Wrong values by type", ("type", *_HEADS), tuple(_rows(rows)), note)


def operations(found: Findings) -> Table:
    """Failures of each operation by how often it ran, against all others."""
    failed = Counter(one.operation for one in found.failed if one.executed[one.operation])
    ran = Counter[str]()
    for sample in found.seen:
        ran.update(sample.executed)
    rows, ps, (wrong, every) = [], [], (failed.total(), ran.total())
    for name in sorted(ran, key=lambda name: (-failed[name], -ran[name], name)):
        one, other = Share(failed[name], ran[name]), Share(wrong - failed[name], every - ran[name])
        ps.append(exact([(one, other)]))
        rows.append((name, one, other, newcombe(one, other)))
    tests = zip(map(Chance, ps), map(Chance, holm(ps)), strict=True)
    parted = sum(one.verdict.trace != "right" for one in found.failed)
    note = (
        "An operation ran where its line did, up to the first divergence. "
        f"{parted - wrong:,} wrong traces are of no operation that a line says, such as the order of lines. "
        "Newcombe's interval; p is of Fisher's exact test, corrected by Holm for all rows"
    )
    heads = ("operation", "failed of run", "others", "difference", "p", "p, Holm")
    made = tuple((*row, *test) for row, test in zip(rows, tests, strict=True))
    return Table("Failures of each operation by how often it ran", heads, made, note)


def lengths(found: Findings) -> Table:
    """Strings and other values in rows of equal length."""
    every = values(found)
    rows = []
    for high in sorted({one.length for one in every}):
        some = {one: times for one, times in every.items() if one.length == high}
        low = high // 2 + 1
        rows.append((f"{low}-{high}" if low < high else f"{high}", *_both(some)))
    note = "of the values that were told up to the first wrong one, that one"
    return Table("Wrong values by length", ("characters", "strings", "other types"), tuple(rows), note)


def densities(found: Findings) -> Table:
    """Strings and other values by characters a token; no rows without a tokenizer."""
    every = values(found)
    rows = []
    for low, high in zip((0.0, *DENSITIES), (*DENSITIES, float("inf")), strict=True):
        some = {one: times for one, times in every.items() if one.density == high}
        if some:
            name = (
                f"under {high:g}"
                if not low
                else f"{low:g} or more"
                if high == float("inf")
                else f"{low:g}-{high:g}"
            )
            rows.append((name, *_both(some)))
    note = f"of the values that were told up to the first wrong one, that one; tokens are those of {found.tokenizer}"
    heads = ("characters a token", "strings", "other types")
    return Table("Wrong values by characters a token", heads, tuple(rows), note)


def _both(some: Mapping[ValueClass, int]) -> tuple[Share, Share]:
    one = compare(_of(some, _is_string, lambda one: True))
    return one.first, one.other
