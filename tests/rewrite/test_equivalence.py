"""That rewritings are equivalent is shown by running both; a rewriting that is not is found out."""

from __future__ import annotations

from random import Random

import pytest
from many import run
from tiers import examples

from worldline.analyze.rewrite import rewrite_program
from worldline.core.program import Program
from worldline.data.equivalence import draw_calls, prove

PROGRAMS = examples(60, 300)


@pytest.mark.fuzz
def test_generated_programs_do_the_same() -> None:
    counts, differences = run(PROGRAMS, drawn=0)
    assert [each for *_, each in differences] == []
    assert counts["same"] > PROGRAMS // 2
    assert counts["undecided"] < PROGRAMS // 20


def test_another_program_is_told_apart() -> None:
    old = Program(source="def f(x):\n    print(x)\n    return x + 1\n", call="f(1)")
    for source in (
        "def f(x):\n    print(x)\n    return x + 2\n",
        "def f(x):\n    return x + 1\n",
        "def f(x):\n    print(x)\n    raise ValueError(x)\n",
    ):
        proof = prove(old, Program(source=source, call="f(1)"), calls=["f(1)", "f(2)"])
        assert (proof.same, len(proof.differences)) == (0, 2)


def test_objects_are_compared_by_what_they_are() -> None:
    made = "class P:\n    def __init__(self, x): self.x = x\n"
    source = made + "def f(n):\n    q = P(0)\n    return [P(P(n).x + q.x), q]\n"
    old = Program(source=source, call="f(1)")
    new = rewrite_program(old, flatten=True)
    assert new != old
    proof = prove(old, new, calls=["f(1)", "f('a')"])
    assert (proof.same, proof.differences) == (2, ())


def test_what_a_limit_stops_decides_nothing() -> None:
    old = Program(source="def f(x):\n    while True:\n        x += 1\n", call="f(1)")
    assert prove(old, old, calls=["f(1)"]).undecided == 1


def test_calls_are_drawn_for_the_function_that_is_called() -> None:
    program = Program(source="def f(text, n=2):\n    return text[:n]\n", call="f('a')")
    drawn = draw_calls(program, Random(0), 8)
    assert len(drawn) > 4
    assert all(call.startswith("f(") for call in drawn)
    assert drawn == draw_calls(program, Random(0), 8)
    assert draw_calls(Program(source="x = 1\n"), Random(0), 3) == []
