"""The nearest input that goes the other way: near in value, on the same way up to there, and recorded."""

from __future__ import annotations

import pytest

from worldline.analyze.flow.conditions import conditions
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.paths import symbolic
from worldline.plan.paths.distance import CallArguments, arguments_distance, distance, neighbours, values_between
from worldline.plan.paths.nearest import nearest
from worldline.recording.recorder import record

SECONDS = 60.0  # far more than any of these takes


def traced(source: str, call: str) -> Trace:
    return record(Program(source=source, call=call))


def decides(trace: Trace, line: int, turn: int = 0) -> int:
    """The step at which a line decides."""
    return [each.step for each in conditions(trace) if each.line == line][turn]


THRESHOLD = "def f(x: int, y: int) -> int:\n    if x * 3 > 100 + y:\n        return 1\n    return 0\n"


@pytest.mark.parametrize(
    ("call", "best"), [("f(3, 0)", "f(34, 0)"), ("f(90, 4)", "f(34, 4)"), ("f(33, 0)", "f(34, 0)")]
)
def test_a_threshold_is_met_exactly(call: str, best: str) -> None:
    trace = traced(THRESHOLD, call)
    found = nearest(trace, decides(trace, 2), seconds=SECONDS)
    assert found is not None
    assert (found.call, found.exact, found.changed, found.condition.line) == (best, True, 1, 2)
    assert found.trace.outcome != trace.outcome


LOOP = """\
def f(xs: list[int]) -> int:
    n = 0
    for x in xs:
        if x > 10:
            n += 1
    return n
"""


def test_one_round_of_a_loop_is_changed_and_the_others_stay() -> None:
    trace = traced(LOOP, "f([1, 20, 3])")
    assert nearest(trace, decides(trace, 4, 0), seconds=SECONDS).call == "f([11, 20, 3])"  # type: ignore[union-attr]
    assert nearest(trace, decides(trace, 4, 1), seconds=SECONDS).call == "f([1, 10, 3])"  # type: ignore[union-attr]
    assert nearest(trace, decides(trace, 4, 2), seconds=SECONDS).call == "f([1, 20, 11])"  # type: ignore[union-attr]
    ended = nearest(trace, decides(trace, 3, 3), seconds=SECONDS)  # the loop goes on for once more
    assert ended is not None
    assert len(ended.trace) > len(trace)


@pytest.mark.skipif(not symbolic.is_installed(), reason="the extra `paths` is not installed")
def test_a_needle_is_the_solvers_to_find() -> None:
    source = "def f(x: int, s: str) -> int:\n    if x * 7 + 3 == 700010:\n        return len(s)\n    return 0\n"
    trace = traced(source, "f(5, 'kept')")
    found = nearest(trace, decides(trace, 2), seconds=SECONDS)
    assert found is not None
    assert found.call == "f(100001, 'kept')"
    assert nearest(trace, decides(trace, 2), seconds=SECONDS, solver=False) is None


@pytest.mark.parametrize(("bound", "is_exact"), [(3, False), (300, True)])
def test_an_input_is_exact_only_if_decisions_on_one_line_are_the_same(bound: int, is_exact: bool) -> None:
    """From n=1 to n=4, the condition of the line before changes where its bound is 3."""
    source = f"def f(n: int, k: int):\n    if n > {bound} or k > 5: k += 0\n    if n * 3 > 10: return 1\n    return 0\n"
    trace = traced(source, "f(1, 0)")
    found = nearest(trace, decides(trace, 3), seconds=SECONDS)
    assert found is not None
    assert (found.call, found.exact) == ("f(4, 0)", is_exact)


def test_next_line_can_be_required() -> None:
    source = """\
def f(n: int) -> str:
    match n:
        case 1:
            return "one"
        case 2:
            return "two"
    return "many"
"""
    trace = traced(source, "f(1)")
    found = nearest(trace, decides(trace, 3), next_line=5, seconds=SECONDS)
    assert found is not None
    assert found.trace.outcome.detail != "'one'"


def test_a_generator_that_is_run_through_has_neighbours_too() -> None:
    source = "def f(n: int):\n    for i in range(n):\n        yield i\n    if n > 5:\n        yield -1\n"
    trace = traced(source, "list(f(3))")
    found = nearest(trace, decides(trace, 4), seconds=2.0)
    assert found is not None
    assert (found.call, found.exact) == ("f(6)", False)  # the loop before went round more often


def test_step_without_a_decision_is_refused() -> None:
    trace = traced(THRESHOLD, "f(3, 0)")
    with pytest.raises(UsageError, match="is not a decision"):
        nearest(trace, 0)


def test_distance_is_small_for_small_changes() -> None:
    assert distance(3, 3) == 0
    assert distance(3, 4) < distance(3, 40) < distance(3, 4_000_000) < distance(3, "3") * 8
    assert distance([1, 2, 3], [1, 2, 4]) < distance([1, 2, 3], [7, 8, 9])
    assert distance("abc", "abd") < distance("abc", "xyz")
    assert distance({"a": 1}, {"a": 2}) < distance({"a": 1}, {"b": 1})
    assert distance(True, 1) > 0


def test_values_between_are_never_farther() -> None:
    for far, origin in [
        (100, 3),
        ("zzzz", "ab"),
        ([9, 9, 9], [1]),
        ({"k": 9}, {"k": 1}),
        (2.5, 9.0),
        ((8, "q"), (1, "a")),
    ]:
        for value in values_between(far, origin):
            assert type(value) is type(far)
    assert list(values_between(5, 5)) == []


def test_calls_are_read_and_written() -> None:
    given = CallArguments.of("f(1, [2, 'x'], key=None, other=int)")
    assert given is not None
    assert given.call("f") == "f(1, [2, 'x'], key=None, other=int)"
    assert arguments_distance(given, given.changed(0, 2)) == (1, 0.5)
    assert CallArguments.of("f(*xs)") is None
    assert CallArguments.of("f.g") is None
    assert 9 in neighbours(8, ())
    assert "abc" in neighbours("ab", ("c",))
