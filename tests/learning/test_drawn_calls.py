"""Drawn calls run functions of lessons on new inputs, and nothing that is held out."""

from __future__ import annotations

import ast

import pytest

from worldline.core.program import Program
from worldline.learning.drawn_calls import CallDrawing, draw_calls
from worldline.learning.own_calls import GUESSED, MUTATED, PATHS, OwnCall
from worldline.programs.reachable import hash_function, hash_run

SOURCE = """\
def grade(points: int) -> str:
    if points > 90:
        mark = "A"
    elif points > 50:
        mark = "B"
    else:
        mark = "C"
    return mark


def secret(points: int) -> int:
    doubled = points * 2
    return doubled
"""
METHOD = """\
class Tally:
    def __init__(self):
        self.total = 0

    def add(self, number):
        self.total += number
        return self.total
"""


def own_call(call: str, source: str = SOURCE) -> OwnCall:
    program = Program(source=source, call=call)
    return OwnCall(program=program, origin="grades.py", key=hash_function(program), source=GUESSED)


@pytest.fixture(scope="module")
def drawn() -> list[OwnCall]:
    exclude = [own_call("grade(60)"), own_call("secret(3)")]
    return draw_calls([own_call("grade(95)")], exclude=exclude, how=CallDrawing(trust=True))


def test_every_path_of_a_function_is_called(drawn: list[OwnCall]) -> None:
    points = [ast.literal_eval(str(call.program.call).removeprefix("grade")) for call in drawn]
    # The lesson takes the first path, so the other two are new.
    assert any(number <= 50 for number in points)
    assert PATHS in {call.source for call in drawn}


def test_no_drawn_call_is_known_and_no_function_is_held_out(drawn: list[OwnCall]) -> None:
    hashes = [hash_run(call.program) for call in drawn]
    assert len(hashes) == len(set(hashes))
    assert hash_run(own_call("grade(60)").program) not in hashes
    assert hash_run(own_call("grade(95)").program) not in hashes
    assert {hash_function(call.program) for call in drawn} == {hash_function(own_call("grade(1)").program)}


def test_held_out_values_that_are_drawn_anyway_are_left_out(drawn: list[OwnCall]) -> None:
    again = draw_calls([own_call("grade(95)")], exclude=drawn, how=CallDrawing(trust=True))
    assert not {hash_run(call.program) for call in drawn} & {hash_run(call.program) for call in again}


def test_arguments_of_methods_are_changed_too() -> None:
    drawn = draw_calls([own_call("Tally().add(7)", METHOD)], exclude=[], how=CallDrawing(trust=True))
    assert drawn
    assert all(str(call.program.call).startswith("Tally().add(") for call in drawn)
    assert {call.source for call in drawn} == {MUTATED}


def test_drawing_stops_when_it_is_late() -> None:
    reports: list[tuple[int, int]] = []
    how = CallDrawing(trust=True, is_late=lambda: True, progress=lambda done, count: reports.append((done, count)))
    assert draw_calls([own_call("grade(95)"), own_call("secret(3)")], exclude=[], how=how) == []
    assert reports == [(0, 2)]
