"""Strings against the rest: what is counted, what is left at equal length, and that many tests are corrected."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from worldline.core.program import Program
from worldline.core.stats import RateDifference, Share, holm, newcombe
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites.suite import Task
from worldline.evaluation.summary import report
from worldline.evaluation.table import Cell, Chance
from worldline.ui.report.comparisons import Failed, compare, densities, lengths, operations, strings, types
from worldline.ui.report.data import Findings
from worldline.ui.report.samples import JudgedSample, ValueClass

INF = float("inf")


def plain(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """A row with its counts alone, without how they are clustered."""
    return tuple(Share(cell.some, cell.n) if isinstance(cell, Share) else cell for cell in row)


def sample(at: int, type: str, answer: str, size: int, *values: tuple[ValueClass, int]) -> JudgedSample:
    """A judged prediction whose truth has so many bytes, and the values that were at risk."""
    verdict = Verdict(Task(program=Program(source="")), answer, answer, type, 5, 0, size, 0.0)
    return JudgedSample(at=at, verdict=verdict, sizes=(size, size), values=Counter(dict(values)))


def findings(*seen: JudgedSample, tokenizer: str = "") -> Findings:
    sums = report([one.verdict for one in seen], suite="s", model="m")
    return Findings(
        name="run", config={}, sums=sums, by_steps=sums, seen=seen, is_complete=True, codecs=("compact",), endings={},
        tokenizer=tokenizer,
    )  # fmt: skip


def test_what_length_alone_explains_is_gone_at_equal_length() -> None:
    """Long things fail half the time and short ones in one of ten, whatever they are; strings are long."""
    things = [Failed(True, "short", False, 9), Failed(True, "short", True, 1)]
    things += [Failed(False, "short", False, 81), Failed(False, "short", True, 9)]
    things += [Failed(True, "long", False, 45), Failed(True, "long", True, 45)]
    things += [Failed(False, "long", False, 5), Failed(False, "long", True, 5)]
    found = compare(things)
    assert plain((found.first, found.other)) == (Share(46, 100), Share(14, 100))
    assert found.apart == newcombe(found.first, found.other)
    assert found.adjusted is not None
    assert found.adjusted.rate == pytest.approx(0)
    assert found.p == pytest.approx(1)


def test_strata_with_one_group_alone_say_nothing_at_equal_length() -> None:
    found = compare([Failed(True, 1, True, 9), Failed(False, 2, False, 9)])
    assert found.apart is not None
    assert found.apart.rate == 1
    assert found.adjusted is None
    assert found.p is None


def test_answers_are_of_predictions_that_came_to_an_end() -> None:
    seen = [sample(0, "str", "wrong", 100), sample(1, "str", "right", 100), sample(2, "int", "right", 100)]
    seen += [sample(3, "str", "truncated", 100), sample(4, "int", "malformed", 100)]
    table = strings(findings(*seen))
    assert plain(table.rows[0][:3]) == ("answers: strings, other types", Share(1, 2), Share(0, 1))
    assert "2 predictions that did not end are not among the answers" in table.note
    assert len(table.rows) == 2  # nothing is said of tokens without a tokenizer


def test_values_are_compared_by_type_and_corrected_by_holm() -> None:
    text, number, items = (ValueClass(kind, 8, 1.5, False) for kind in ("str", "int", "list"))
    bad = [one._replace(is_wrong=True) for one in (text, number, items)]
    counts = [(text, 60), (bad[0], 20), (number, 195), (bad[1], 5), (items, 40), (bad[2], 2)]
    table = types(findings(sample(0, "int", "right", 100, *counts), tokenizer="t"))
    assert [row[0] for row in table.rows] == ["int", "str", "list"]
    assert [plain(row)[1] for row in table.rows] == [Share(5, 200), Share(20, 80), Share(2, 42)]
    assert plain(table.rows[1])[2] == Share(7, 242)
    assert isinstance(table.rows[1][4], RateDifference)
    ps = [row[5].p for row in table.rows if isinstance(row[5], Chance)]
    assert [row[6] for row in table.rows] == [Chance(p) for p in holm(ps)]
    assert table.rows[1][5] != table.rows[1][6]
    assert "Holm" in table.note


def test_rows_of_length_and_of_tokens_are_in_order_and_whole() -> None:
    counts = [
        (ValueClass("str", 4, 1.5, False), 3),
        (ValueClass("str", 4, 1.5, True), 1),
        (ValueClass("int", 1, 1.5, False), 5),
        (ValueClass("str", 16, INF, True), 2),
        (ValueClass("list", 16, 1.0, False), 7),
    ]
    found = findings(sample(0, "int", "right", 100, *counts), tokenizer="t")
    assert tuple(map(plain, lengths(found).rows)) == (
        ("1", Share(0, 0), Share(0, 5)),
        ("3-4", Share(1, 4), Share(0, 0)),
        ("9-16", Share(2, 2), Share(0, 7)),
    )
    assert tuple(map(plain, densities(found).rows)) == (
        ("under 1", Share(0, 0), Share(0, 7)),
        ("1-1.5", Share(1, 4), Share(0, 5)),
        ("4 or more", Share(2, 2), Share(0, 0)),
    )
    large = strings(found).rows[2]
    assert plain(large[:3]) == ("strings: in large tokens, others", Share(2, 2), Share(1, 4))


def test_operations_fail_by_how_often_they_ran() -> None:
    right = replace(sample(0, "int", "right", 100), executed=Counter(slice=8, arithmetic=90))
    wrong = replace(sample(1, "int", "wrong", 100), executed=Counter(slice=2, arithmetic=10), operation="slice")
    lost = replace(sample(2, "int", "wrong", 100), operation="order")  # no line does it
    seen = [replace(one, verdict=replace(one.verdict, cause="wrong value")) for one in (wrong, lost)]
    table = operations(findings(right, *seen))
    assert [plain(row[:3]) for row in table.rows] == [
        ("slice", Share(1, 10), Share(0, 100)),
        ("arithmetic", Share(0, 100), Share(1, 10)),
    ]
    first, others = table.rows[0][1:3]
    assert isinstance(first, Share)
    assert isinstance(others, Share)
    assert table.rows[0][3] == newcombe(first, others)
    assert "1 wrong traces are about no operation" in table.note
    assert "clustered by program" in table.note


def test_operations_of_programs_with_one_operation_each_have_the_plain_figures() -> None:
    seen = [replace(sample(at, "int", "right", 100), executed=Counter(slice=1)) for at in range(10)]
    seen += [replace(sample(10 + at, "int", "right", 100), executed=Counter(arithmetic=1)) for at in range(100)]
    wrong = replace(seen[3], verdict=replace(seen[3].verdict, answer="wrong", cause="wrong value"), operation="slice")
    table = operations(findings(*seen[:3], wrong, *seen[4:]))
    assert table.rows[0][3] == newcombe(Share(1, 10), Share(0, 100))
    assert [cell.p for cell in table.rows[0][4:] if isinstance(cell, Chance)] == pytest.approx([1 / 11, 2 / 11])


def test_values_of_few_programs_count_less_than_values_of_many() -> None:
    """The same rates: once each value is of its own program, once ten programs hold all of them."""
    right, wrong = ValueClass("str", 8, None, False), ValueClass("str", 8, None, True)
    other = ValueClass("int", 8, None, False)
    many = [sample(at, "int", "right", 100, (wrong if at % 4 == 0 else right, 1), (other, 1)) for at in range(200)]
    few = [sample(at, "int", "right", 100, (right, 15), (wrong, 5), (other, 20)) for at in range(10)]
    uneven = [sample(at, "int", "right", 100, (wrong if at < 3 else right, 20), (other, 20)) for at in range(10)]
    widths, ps = [], []
    for seen in (many, few, uneven):
        row = strings(findings(*seen)).rows[1]
        assert isinstance(row[1], Share)
        assert isinstance(row[5], Chance)
        low, high = row[1].interval
        widths.append(high - low)
        ps.append(row[5].p)
    assert widths[0] <= widths[1] < widths[2]
    assert ps[0] < ps[2]
