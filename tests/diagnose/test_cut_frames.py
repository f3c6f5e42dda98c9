"""Unfinished frames of Meta's notation are judged up to the cut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldline.codec.cwm.partial_frame import read_partial_frame
from worldline.core.program import Program
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.evaluation.external.predictions import read_predictions
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest

PROGRAM = Program(
    source=(
        "def f(s):\n    t = s + 'ab'\n    xs = [c for c in t]\n    if not xs:\n        raise ValueError(t)\n"
        "    return t * 2\n"
    ),
    call="f('xy')",
)
ASK = PredictionRequest(program=PROGRAM)
HEAD = (
    '<|call_sep|>{"s": "\'xy\'"}<|action_sep|>def f(s):\n<|frame_sep|>'
    '<|line_sep|>{"s": ".."}<|action_sep|>    t = s + \'ab\'\n<|frame_sep|>'
)
NEXT = '<|line_sep|>{"s": "..", "t": "\'xyab\'"}<|action_sep|>    xs = [c for c in t]\n'
RETURNED = "<|return_sep|><|action_sep|>    return t * 2\n<|arg_sep|>\"'xyabxyab'\""


@pytest.fixture(scope="module")
def truth() -> Prediction:
    (result,) = Interpreter(codec="cwm").predict([ASK])
    return result


def diagnosed(truth: Prediction, text: str) -> Diagnosis:
    result = Prediction(text=text.encode(), status="budget", codec="cwm")
    return Diagnosis(Sample(ask=ASK, truth=truth, found=result))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("cut", range(len(NEXT) + 1))
def test_a_true_frame_is_right_up_to_any_cut(truth: Prediction, cut: int) -> None:
    result = diagnosed(truth, HEAD + NEXT[:cut])
    assert (result.cause.name, result.cause.detail) == ("budget", "right up to the cut"), NEXT[:cut]


@pytest.mark.sampled(11)
@pytest.mark.parametrize("cut", range(len(RETURNED) + 1))
def test_a_true_end_is_right_up_to_any_cut(truth: Prediction, cut: int) -> None:
    whole = truth.text.decode()
    before = whole[: whole.rindex("<|return_sep|>")]
    result = diagnosed(truth, before + RETURNED[:cut])
    assert (result.cause.name, result.cause.detail) == ("budget", "right up to the cut"), RETURNED[:cut]


@pytest.mark.parametrize(
    ("tail", "what", "name", "under"),
    [
        ('<|line_sep|>{"s": "..", "t": "\'xz', "value", "t", "wrong value"),
        ('<|line_sep|>{"s": "..", "t": "\'xyab\', ', "value", "t", "wrong value"),
        ('<|line_sep|>{"s": "..", "t": "\'xyabc\'", "', "value", "t", "wrong value"),
        ('<|line_sep|>{"s": "..", "t": "[', "value", "t", "wrong value"),
        ('<|line_sep|>{"s": "\'x\'', "value", "s", None),
        ('<|line_sep|>{"s": "..", "q', "names", "q", None),
        ('<|line_sep|>{"s": ".."}', "names", "t", None),
        ('<|line_sep|>{"s": "..", "t": "\'xyab\'"}<|action_sep|>    return', "line", None, "wrong action"),
        ("<|return_sep|>", "event", None, "wrong action"),
        ("<|ret", "event", None, "wrong action"),
        ('{"s": "..", "t": "\'no', "value", "t", "wrong value"),
        ("    return t * 2\n\"'x", "event", None, "wrong action"),
    ],
)
def test_what_is_wrong_in_a_frame_that_was_begun(
    truth: Prediction, tail: str, what: str, name: str | None, under: str | None
) -> None:
    result = diagnosed(truth, HEAD + tail)
    assert (result.cause.name, result.cause.detail) == ("budget", "wrong before the cut")
    assert result.first is not None
    assert (result.first.what, result.first.name, result.first.step) == (what, name, 2)
    assert under in (None, result.cause.under)


def test_a_wrong_end_that_was_begun(truth: Prediction) -> None:
    whole = truth.text.decode()
    before = whole[: whole.rindex("<|return_sep|>")]
    result = diagnosed(truth, before + RETURNED[:-6])
    assert result.cause.detail == "right up to the cut"
    result = diagnosed(truth, before + RETURNED[:-6] + "zz")
    assert (result.cause.detail, result.cause.under) == ("wrong before the cut", "wrong value")


@pytest.mark.parametrize("wrong", ["zz", "xyab"])
def test_a_string_that_loops_is_a_repetition_or_a_wrong_value(truth: Prediction, wrong: str) -> None:
    result = diagnosed(truth, HEAD + '<|line_sep|>{"s": "..", "t": "\'' + wrong * 8000)
    cause = result.cause
    assert (cause.name, cause.under) in (("budget", "wrong value"), ("degenerate repetition", ""))
    assert (cause.name == "degenerate repetition") == (wrong == "xyab")


@pytest.mark.parametrize("plain", [True, False])
def test_the_tail_of_a_scored_text_is_judged(tmp_path: Path, truth: Prediction, plain: bool) -> None:
    text = HEAD + '<|line_sep|>{"s": "..", "t": "\'no' + "o" * 16000
    if plain:
        text = "".join(part.partition("|>")[2] for part in ("|>" + text).split("<|"))
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"id": "a", "code": PROGRAM.source, "input": "'xy'", "text": text}) + "\n")
    (row,) = read_predictions(rows)
    assert row.prediction.status == "budget"
    assert row.text.endswith(b"ooooo")
    result = Diagnosis(Sample(ask=ASK, truth=truth, found=row.prediction))
    assert (result.cause.name, result.cause.under) == ("budget", "wrong value")


@pytest.mark.parametrize("text", ["garbage <|", "<|frame_sep|>", '<|line_sep|>{"a": 1', '<|line_sep|>{"a" "b"', "<|x"])
def test_text_that_does_not_start_a_frame(text: str) -> None:
    assert read_partial_frame(text) is None or read_partial_frame(text).events == ("return", "raise")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("tail", "name"),
    [
        ('<|line_sep|>{"s": "..", "t": "\'xz', "wrong value"),
        ('<|line_sep|>{"s": "..", "t": "\'xy', "malformed"),
        ("<|return_sep|>", "wrong action"),
    ],
)
def test_a_frame_that_stops_on_its_own_is_judged_up_to_its_end(truth: Prediction, tail: str, name: str) -> None:
    result = Prediction(text=(HEAD + tail).encode(), status="ended", codec="cwm")
    assert Diagnosis(Sample(ask=ASK, truth=truth, found=result)).cause.name == name
