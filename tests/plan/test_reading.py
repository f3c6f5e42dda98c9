"""A question is answered alike by a recorded run and by a text that says the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from worldline.codec.compact.writer import encode_steps
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.question import read_question
from worldline.plan.reading import read_answer, read_imagined
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.recorder import record

SOURCE = """\
import sys
def g(x):
    return 6 // x
def f(x):
    for i in range(3):
        x += i
    if x > 10:
        sys.exit(3)
    return g(x)
"""

CASES = [
    ("f(0)", "return", "2"),
    ("f(0)", "raises", "no"),
    ("f(0)", "passes", "yes"),
    ("f(0)", "line:3", "yes"),
    ("f(0)", "line:8", "no"),
    ("f(0)", "name:x@6", "3"),
    ("f(0)", "name:x@8", "(over before)"),
    ("f(0)", "ends:500", "yes"),
    ("f(0)", "ends:4", "no"),
    ("f(-3)", "return", "raises ZeroDivisionError('integer division or modulo by zero')"),
    ("f(-3)", "raises", "ZeroDivisionError"),
    ("f(-3)", "passes", "no"),
    ("f(-3)", "line:3", "yes"),
    ("f(10)", "raises", "no"),
    ("f(10)", "passes", "no"),
    ("f(10)", "line:8", "yes"),
]


@pytest.fixture(scope="module")
def runs() -> dict[str, Trace]:
    """A run of each call."""
    return {call: record(Program(source=SOURCE, call=call)) for call in ("f(0)", "f(-3)", "f(10)")}


@pytest.mark.parametrize(("call", "asked", "answer"), CASES)
def test_a_recorded_run_answers(runs: dict[str, Trace], call: str, asked: str, answer: str) -> None:
    assert read_answer(read_question(asked), runs[call]) == answer


@pytest.mark.parametrize(("call", "asked", "answer"), CASES)
def test_a_text_that_says_the_same_answers_the_same(runs: dict[str, Trace], call: str, asked: str, answer: str) -> None:
    text = encode_steps(runs[call])
    ask = PredictionRequest(program=runs[call].program)
    found = read_imagined(read_question(asked), ask, Prediction(text=text, status="ended"))
    assert found.value == answer
    decided_early = (answer == "yes" and asked.startswith("line:")) or asked == "ends:4"
    assert (found.end < len(text)) == decided_early


def test_stopped_run_answers_as_far_as_it_went() -> None:
    trace = record(Program(source=SOURCE, call="f(0)"), limits=Limits(steps=5))
    assert trace.outcome.kind == "limit"
    asked = {what: read_answer(read_question(what), trace) for what in ("return", "raises", "passes", "line:9")}
    assert set(asked.values()) == {None}
    assert read_answer(read_question("line:6"), trace) == "yes"
    assert read_answer(read_question("ends:4"), trace) == "no"
    assert read_answer(read_question("ends:5"), trace) is None


def test_a_text_that_is_cut_or_broken_answers_nothing(runs: dict[str, Trace]) -> None:
    text, ask = encode_steps(runs["f(0)"]), PredictionRequest(program=runs["f(0)"].program)
    cut = Prediction(text=text[: len(text) // 2], status="budget")
    for asked in ("return", "raises", "passes", "name:x@6", "line:8", "ends:500"):
        assert read_imagined(read_question(asked), ask, cut).value is None
    broken = replace(cut, text=b"?!\n" + text)
    assert read_imagined(read_question("line:6"), ask, broken).value is None
