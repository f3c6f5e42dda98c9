"""Values at risk: every new value up to the first wrong one."""

from __future__ import annotations

from collections import Counter

import pytest
from recorded import COUNT, PROGRAMS, sample

from worldline.core.program import Program
from worldline.diagnose.at_risk import ValueAtRisk, at_risk, values
from worldline.diagnose.blame.executed import executed_operations
from worldline.diagnose.diagnosis import Diagnosis

JOIN = Program(source="def f(s):\n    t = s.upper()\n    n = len(t)\n    return t + '!'\n", call="f('ab')")


def found(program: Program, *changes: tuple[str, str], codec: str = "compact") -> list[ValueAtRisk]:
    return list(at_risk(Diagnosis(sample(program, *changes, codec=codec))))


def brief(some: list[ValueAtRisk]) -> list[tuple[str | None, str, str, bool]]:
    return [(item.name, item.text, item.type, item.is_wrong) for item in some]


@pytest.mark.parametrize("codec", ["compact", "cwm"])
def test_a_right_run_tells_each_value_once(codec: str) -> None:
    assert brief(found(JOIN, codec=codec)) == [
        ("s", "'ab'", "str", False),
        ("t", "'AB'", "str", False),
        ("n", "2", "int", False),
        (None, "'AB!'", "str", False),
    ]


@pytest.mark.parametrize("codec", ["compact", "cwm"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_all_values_of_a_right_run_are_at_risk_and_none_is_wrong(program: Program, codec: str) -> None:
    diagnosis = Diagnosis(sample(program, codec=codec))
    assert list(at_risk(diagnosis)) == list(values(diagnosis.truth))
    assert not any(item.is_wrong for item in at_risk(diagnosis))


@pytest.mark.parametrize(("codec", "old", "new"), [("compact", "t='AB'", "t='Ab'"), ("cwm", "\"'AB'\"", "\"'Ab'\"")])
def test_the_first_wrong_value_is_the_last_that_counts(codec: str, old: str, new: str) -> None:
    assert brief(found(JOIN, (old, new), codec=codec)) == [("s", "'ab'", "str", False), ("t", "'AB'", "str", True)]


@pytest.mark.parametrize(("codec", "old", "new"), [("compact", ")'AB!'", ")'AB?'"), ("cwm", "AB!", "AB?")])
def test_a_wrong_result_counts_too(codec: str, old: str, new: str) -> None:
    assert brief(found(JOIN, (old, new), codec=codec))[-1] == (None, "'AB!'", "str", True)


def test_a_change_that_is_missed_is_a_wrong_value() -> None:
    assert brief(found(JOIN, (" n=2", "")))[-1] == ("n", "2", "int", True)


def test_a_wrong_action_ends_the_count_without_a_wrong_value() -> None:
    some = found(COUNT, ("3 c='e'\n4\n3", "3 c='e'\n4\n5 n=1\n3"))
    assert some
    assert not any(item.is_wrong for item in some)
    assert max(item.step for item in some) < 6
    left = found(COUNT, ("3 c='y'\n4\n3\n6", "3\n6"))  # the loop's line decides and sets its variable
    assert not any(item.is_wrong for item in left)


@pytest.mark.parametrize("codec", ["compact", "cwm"])
def test_a_run_does_the_operations_of_its_lines_as_often_as_they_run(codec: str) -> None:
    counts = Counter(executed_operations(Diagnosis(sample(COUNT, codec=codec))))
    assert counts["iteration"] == 6  # five letters and the end
    assert counts["condition"] == 5
    assert counts["arithmetic"] == 2
    assert (counts["slice"], counts["concatenation"], counts["replace"]) == (1, 1, 1)
    assert counts["argument"] == 1


@pytest.mark.parametrize(("codec", "old", "new"), [("compact", "t='AB'", "t='Ab'"), ("cwm", "\"'AB'\"", "\"'Ab'\"")])
def test_operations_count_up_to_the_first_divergence(codec: str, old: str, new: str) -> None:
    counts = Counter(executed_operations(Diagnosis(sample(JOIN, (old, new), codec=codec))))
    assert counts["upper"] == 1
    assert counts["len"] == counts["concatenation"] == 0
    whole = Counter(executed_operations(Diagnosis(sample(JOIN, codec=codec))))
    assert whole["upper"] == whole["len"] == whole["concatenation"] == 1


def test_a_misjudged_condition_was_executed() -> None:
    counts = Counter(executed_operations(Diagnosis(sample(COUNT, ("3 c='e'\n4\n3", "3 c='e'\n4\n5 n=1\n3")))))
    assert counts["condition"] == 2


def test_a_called_method_is_not_an_attribute() -> None:
    counts = Counter(executed_operations(Diagnosis(sample(JOIN))))
    assert counts["attribute"] == counts["copy"] == 0


@pytest.mark.parametrize("codec", ["compact", "cwm"])
@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("    return [x * 2 for x in xs]\n", {"comprehension": 1, "iteration": 4, "arithmetic": 3}),
        ("    return [\n        x * 2\n        for x in xs\n    ]\n", {"comprehension": 1, "arithmetic": 3}),
        ("    return sum(x * 2 for x in xs)\n", {"sum": 1, "comprehension": 1, "iteration": 4, "arithmetic": 3}),
        ("    return max(\n        1,\n        len(xs),\n    )\n", {"max": 1, "len": 1}),
        ("    return sorted(xs, key=lambda x: -x)\n", {"sorted": 1, "function": 1, "arithmetic": 3}),
        ("    return [0] * (len(xs) * 2)\n", {"repetition": 1, "arithmetic": 1, "len": 1}),
        ("    return xs + xs, xs[0] + 1\n", {"concatenation": 1, "arithmetic": 1, "index": 1, "display": 1}),
    ],
)
def test_an_operation_counts_as_often_as_it_is_done(source: str, wanted: dict[str, int], codec: str) -> None:
    program = Program(source="def f(xs):\n" + source, call="f([1, 1, 2])")
    counts = executed_operations(Diagnosis(sample(program, codec=codec)))
    counts = {name: n for name, n in counts.items() if name != "argument"}
    if "\n        x" in source:  # where its lines begin an element differs between versions of Python
        counts.pop("iteration", None)
    assert counts == wanted
