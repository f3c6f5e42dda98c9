"""What a run stores of odd outputs: an empty one is malformed throughout, and a note is one line of bounded length."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from plain_predictor import PlainPredictor

from worldline.core.program import Program
from worldline.evaluation.external.scored import score
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.record import Record, line, parse
from worldline.evaluation.run.run import run
from worldline.evaluation.score import MAX_NOTE_CHARACTERS, one_line_note
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest

pytestmark = pytest.mark.usefixtures("sandbox")

CODE = "def f(x):\n    y = x + 1\n    return y\n"


class Changed(PlainPredictor):
    """Predicts the truth with one text in place of another; with no text, what is given."""

    def __init__(self, old: bytes = b"", new: bytes = b"", *, text: bytes | None = None, note: str = "") -> None:
        self.old, self.new, self.text, self.note = old, new, text, note

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for true in Interpreter().predict(list(requests)):
            assert self.text is not None or self.old in true.text
            text = true.text.replace(self.old, self.new, 1) if self.text is None else self.text
            yield replace(true, text=text, note=self.note, status="ended" if text else "empty")


def stored(tmp_path: Path, program: Program, predictor: Changed) -> Record:
    """The record of one prediction, read back."""
    suite = Suite(name="odd", tasks=[Task(program=program, name="odd")])
    run(suite, predictor, out=tmp_path / "run")
    (record,) = newest(tmp_path / "run").values()
    return record


# ---- empty outputs


@pytest.mark.parametrize("text", [b"", b"\n", b" \n ", b".\n"])
def test_a_prediction_without_a_step(tmp_path: Path, text: bytes) -> None:
    record = stored(tmp_path, Program(source=CODE, call="f(1)"), Changed(text=text))
    judged = record.judged
    assert (judged["answer"], judged["trace"], judged["cause"]) == ("malformed", "malformed", "empty")


@pytest.mark.parametrize("text", ["", "  \n", "<|end_of_text|>", "<|frame_sep|><|end_of_text|>"])
@pytest.mark.parametrize("beside", [{}, {"answer": ""}, {"answer": "None"}, {"answer": "2"}, {"passed": False}])
def test_an_empty_output_made_elsewhere(tmp_path: Path, text: str, beside: dict[str, object]) -> None:
    row = {"id": "odd", "code": CODE, "call": "f(1)", "generation": text, **beside}
    (tmp_path / "outputs.jsonl").write_text(json.dumps(row) + "\n")
    score("crux", tmp_path / "outputs.jsonl", out=tmp_path / "run")
    (record,) = newest(tmp_path / "run").values()
    judged = record.judged
    assert (judged["answer"], judged["trace"], judged["cause"]) == ("malformed", "malformed", "empty")


def test_an_answer_without_a_trace_is_not_empty(tmp_path: Path) -> None:
    row = {"id": "odd", "code": CODE, "call": "f(1)", "generation": "[ANSWER]2[/ANSWER]"}
    (tmp_path / "outputs.jsonl").write_text(json.dumps(row) + "\n")
    score("crux", tmp_path / "outputs.jsonl", out=tmp_path / "run")
    (record,) = newest(tmp_path / "run").values()
    assert (record.judged["answer"], record.judged["trace"]) == ("right", "malformed")


# ---- notes

LOOP = """def f(xs):
    total = sum([
        x * 2
        for x in xs
        if x > 0
    ])
    for x in [
        total,
    ]:
        total += x
    return total
"""


@pytest.mark.parametrize(
    ("program", "old", "new"),
    [
        (Program(source=LOOP, call="f([1, 2])"), b"total=6", b"total=7"),
        (Program(source=LOOP, call="f([1, 2])"), b"x=6", b"x=8"),
        (Program(source=LOOP, call="f([1, 2])"), b")12", b")13"),
        (Program(source="def f(n):\n    s = 'a' * n\n    return s\n", call="f(4000)"), b"a" * 3999, b"b" * 3999),
    ],
)
def test_the_evidence_is_one_bounded_line(tmp_path: Path, program: Program, old: bytes, new: bytes) -> None:
    note = stored(tmp_path, program, Changed(old, new)).judged["note"]
    assert note
    assert len(note.splitlines()) == 1
    assert "\\n" not in note
    assert len(note) <= MAX_NOTE_CHARACTERS


def test_the_note_of_a_prediction_is_one_bounded_line(tmp_path: Path) -> None:
    program = Program(source=CODE, call="f(1)")
    record = stored(tmp_path, program, Changed(b")2", b")3", note="a server\nsaid " + "much " * 500))
    assert record.found.note.startswith("a server said much")
    assert len(record.found.note) <= MAX_NOTE_CHARACTERS
    assert parse(line(record)) == record


def test_the_middle_of_a_long_note_is_left_out() -> None:
    note = one_line_note(f"s is {'a' * 999}, computed by `x`")
    assert (len(note), note[:6], note[-16:]) == (MAX_NOTE_CHARACTERS, "s is a", ", computed by `x`"[-16:])


def test_a_short_note_stays_as_it_is() -> None:
    assert one_line_note("line 3: `a + b`; 'ä'") == "line 3: `a + b`; 'ä'"
    assert one_line_note("") == ""
