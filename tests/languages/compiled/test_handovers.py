"""What a function returns keeps its number: where its storage stays, or where the variable that held it ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import warm

from worldline.core.trace import Trace

pytestmark = pytest.mark.usefixtures("sandbox")
PROGRAMS = Path(__file__).parent / "handovers"


def numbers(trace: Trace, type_name: str) -> dict[tuple[str, int, str], list[int]]:
    """The numbers that a type's objects have, by the function, the line and the variable that shows them."""
    shown: dict[tuple[str, int, str], list[int]] = {}
    for step in trace.steps:
        for name, value in step.delta.items():
            for number in re.findall(rf"\b{type_name}#(\d+)", value):
                shown.setdefault((trace.frames[step.frame].name, step.line, name), []).append(int(number))
    return shown


def recorded(name: str) -> Trace:
    trace = warm.recorded((PROGRAMS / name).read_text(), name)
    assert trace.outcome.kind == "returned", trace.stderr
    return trace


def test_a_struct_of_c_keeps_its_number_if_its_variable_ends() -> None:
    trace = recorded("returns.c")
    points, bigs = numbers(trace, "point"), numbers(trace, "big")
    assert points["small", 5, "p"][:1] == points["main", 28, "a"]
    assert bigs["large", 9, "b"][:1] == bigs["main", 29, "b"]
    assert points["first", 17, "p"] + points["first", 14, "p"] == points["main", 33, "f"]


def test_a_copy_in_c_has_a_number_of_its_own() -> None:
    trace = recorded("returns.c")
    points, bigs = numbers(trace, "point"), numbers(trace, "big")
    assert bigs["main", 30, "c"] != bigs["main", 29, "b"]
    assert bigs["main", 31, "b"] == bigs["main", 29, "b"] != bigs["large", 9, "b"][1:]
    assert points["main", 37, "h"][0] not in points["either", 24, "p"] + points["either", 24, "q"]
    # Two new variables have the same value: which of them is the result is not known.
    assert len({*points["small", 5, "p"][1:], *points["main", 38, "v"], *points["main", 38, "w"]}) == 3


def test_an_object_of_cpp_that_is_built_in_the_callers_storage_is_one_object() -> None:
    trace = recorded("returns.cpp")
    owners, points = numbers(trace, "Owner"), numbers(trace, "Point")
    assert set(owners["Owner", 15, "this"]) == set(owners["own", 26, "o"]) == {3, 4}
    assert owners["main", 39, "o"] == [3]
    assert set(owners["main", 41, "inner"]) == {4}
    assert points["twice", 7, "p"] == points["main", 38, "b"]
    assert points["both", 33, "p"] == points["main", 49, "t"]


def test_what_cpp_copies_by_a_constructor_or_from_a_capture_is_another_object() -> None:
    trace = recorded("returns.cpp")
    counted, points = numbers(trace, "Counted"), numbers(trace, "Point")
    assert len({*counted["main", 47, "k"], *counted["passed", 29, "c"], *counted["main", 48, "l"]}) == 3
    assert counted["Counted", 21, "other"] == [*counted["main", 47, "k"], *counted["passed", 29, "c"]]
    assert points["main", 46, "c"][0] not in points["main", 37, "a"] + points["main", 43, "capture"]


def test_a_value_of_rust_keeps_its_number_wherever_it_moves() -> None:
    trace = recorded("returns.rs")
    padded, bigs = numbers(trace, "Padded"), numbers(trace, "Big")
    assert padded["small", 11, "p"] == padded["main", 27, "a"]
    assert set(bigs["grown", 18, "b"] + bigs["grown", 19, "m"] + bigs["grown", 20, "m"]) == {3}
    assert bigs["main", 29, "b"] == bigs["main", 33, "moved"] == [3]
    assert bigs["main", 31, "b"] == [3, 3]


def test_a_copy_in_rust_or_another_value_in_a_place_has_a_number_of_its_own() -> None:
    trace = recorded("returns.rs")
    padded, bigs = numbers(trace, "Padded"), numbers(trace, "Big")
    assert padded["main", 28, "copy"] != padded["main", 27, "a"]
    assert bigs["main", 34, "b"] == bigs["main", 35, "b"] != bigs["main", 33, "moved"]
    # Two arguments of one value: which of them is which parameter is not known.
    arguments = {*bigs["main", 36, "same"], *bigs["main", 37, "twin"]}
    assert not arguments & {*bigs["paired", 23, "left"], *bigs["paired", 23, "right"]}
