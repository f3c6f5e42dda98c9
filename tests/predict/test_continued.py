"""The interpreter goes on from a changed state: its text begins like the edited one, and goes on as CPython does."""

from __future__ import annotations

import random

import pytest

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact
from worldline.core.change import Change
from worldline.core.events import CHANGELESS
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.predict.forcing.edit import Edit, apply_edit
from worldline.predict.interpreter import Interpreter, RefusedChange, continue_from
from worldline.predict.prediction import Prediction, PredictionRequest

FACT = Program(
    source="def fact(n):\n    if n < 2:\n        return 1\n    r = fact(n - 1)\n    return r * n\n", call="fact(2)"
)
BUSY = Program(
    source=(
        "def gen(n):\n    for i in range(n):\n        got = yield i * 2\n"
        "def f(n):\n    xs = []\n    ys = xs\n    for x in gen(n):\n        xs.append(x)\n"
        "        try:\n            n = n // x\n        except ZeroDivisionError as e:\n            n += 10\n"
        "        print(n)\n    return xs, ys, n\n"
    ),
    call="f(3)",
)
VALUES = ("0", "-4", "[]", "'z'", "[1, [2, 3]]", "{'a': None}")


def went_on(ask: PredictionRequest, change: Change, **options: object) -> Prediction:
    found = continue_from(ask, change, **options)  # type: ignore[arg-type]
    assert isinstance(found, Prediction), found
    return found


def refused(ask: PredictionRequest, change: Change) -> str:
    found = continue_from(ask, change)
    assert isinstance(found, RefusedChange), found
    return found.why


def test_it_goes_on_from_another_value() -> None:
    found = went_on(PredictionRequest(program=FACT), Change(2, {0: {"r": "10"}}))
    assert found.text == b"(1 n=2\n2\n4\n(1 n=1\n2\n3\n)1\n r=10\n5\n)20\n.\n"
    assert (found.status, found.note, found.codec, found.logprob) == ("ended", "changed", "compact", 0.0)
    assert found.seconds > 0


def test_it_goes_on_at_another_line() -> None:
    found = went_on(PredictionRequest(program=FACT), Change(1, {0: {"r": "5"}}, 5))
    assert found.text == b"(1 n=2\n2 r=5\n5\n)10\n.\n"


@pytest.mark.long(reason="ten changes or more in each of two modes, each with its own run")
@pytest.mark.parametrize("options", [Compact(), Compact(delta="element")])
def test_its_text_begins_as_the_edited_one(options: Compact) -> None:
    ask, rng = PredictionRequest(program=BUSY, options=options), random.Random(0)
    (true,) = Interpreter().predict([ask])
    compared = 0
    for step in parse(true.text, ask.prompt).steps:
        name, value = rng.choice(["n", "xs"]), rng.choice(VALUES)
        if step.frame != 0 or rng.random() < 0.3:
            continue
        change = Change(step.i, {0: {name: value}})
        if step.event in (*CHANGELESS, "return"):
            assert "has no names to change" in refused(ask, change)
            continue
        begun = parse(apply_edit(ask, true.text, Edit(step.i, {name: value})), ask.prompt)
        found = parse(went_on(ask, change).text, ask.prompt)
        assert (begun.malformed, found.malformed) == (None, None)
        assert found.steps[: step.i + 1] == begun.steps[: step.i + 1]
        compared += 1
    assert compared >= 10


def test_the_limit_cuts_what_follows() -> None:
    found = went_on(PredictionRequest(program=FACT, limit=12), Change(1, {0: {"n": "50"}}))
    assert (found.text, found.status) == (b"(1 n=2\n2 n=5", "budget")
    endless = went_on(PredictionRequest(program=FACT), Change(0, {0: {"n": "500"}}, 4), limits=Limits(steps=90))
    assert (endless.status, endless.text[:14]) == ("budget", b"(1 n=500\n4\n(1 ")
    assert endless.note == "changed, then limit steps"


def test_a_recursion_without_end_is_told_as_far_as_it_goes() -> None:
    found = went_on(PredictionRequest(program=FACT, limit=1 << 20), Change(0, {0: {"n": "5000"}}))
    assert (found.status, found.text.count(b"(1 n=") > 900) == ("budget", True)
    assert found.note.startswith("changed, then tampered")


def test_metas_notation() -> None:
    found = went_on(PredictionRequest(program=FACT), Change(2, {0: {"r": "10"}}), codec="cwm")
    assert found.codec == "cwm"
    assert b'"20"' in found.text


def test_a_beginning_must_be_what_happened() -> None:
    assert went_on(PredictionRequest(program=FACT, given=b"(1 n=2\n2\n"), Change(2, {0: {"r": "3"}})).status == "ended"
    why = refused(PredictionRequest(program=FACT, given=b"(1 n=3\n"), Change(2, {0: {"r": "3"}}))
    assert why == "the run does not start with the given steps"


@pytest.mark.parametrize(
    ("program", "change", "why"),
    [
        (FACT, Change(1, {0: {"n": "P#1()"}}), "n=P#1(): an object (P) cannot be built from its text"),
        (FACT, Change(1, line=9), "line 9 is no line of fact"),
        (FACT, Change(50, line=2), "step 50 is never reached: the run has 9 steps"),
        (
            Program(source="import os\nos._exit(3)"),
            Change(2, line=1),
            "exited 3, after 3 steps; the change is after step 2",
        ),
        (Program(source="1 +"), Change(0), "source: SyntaxError in line 1"),
    ],
)
def test_what_cannot_be_done_is_said(program: Program, change: Change, why: str) -> None:
    assert refused(PredictionRequest(program=program), change) == why
