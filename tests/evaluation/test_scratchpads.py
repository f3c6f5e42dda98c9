"""Scratchpads: the interpreter on one is right on every suite, and what is wrong on one is told of the program."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from plain_predictor import PlainPredictor

from worldline.cli.suites import bench
from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.debug import debug
from worldline.diagnose.imagine import imagine
from worldline.evaluation import suites
from worldline.evaluation.bench import bench as run_bench
from worldline.evaluation.prediction_mode import PredictionMode
from worldline.evaluation.run import record as records
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Task
from worldline.predict.confidence import step_confidences
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo
from worldline.predict.scratchpad import MODES, Scratchpad, choose_scratchpad

SOURCE = "def f(a, s):\n    b = a + len(s.strip()) * 2\n    return b * 2 - a\n"
PROGRAM = Program(source=SOURCE, call="f(3, ' xy ')", name="prog.py")
OPTIONS: dict[str, dict[str, Any]] = {
    "generated": {},
    "composition": {},
    "horizon": {},
    "permutation": {"length": [8], "reveal": [1, 4]},
}

pytestmark = pytest.mark.usefixtures("sandbox")


class Misreads(PlainPredictor):
    """The interpreter, but for pieces of text that it writes otherwise, the first time each."""

    name = "misreads"

    def __init__(self, *pieces: tuple[bytes, bytes]) -> None:
        self.pieces = pieces

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for found in Interpreter().predict(asks):
            text = found.text
            for old, new in self.pieces:
                text = text.replace(old, new, 1)
            yield replace(found, text=text)


@dataclass(frozen=True)
class Confident:
    """The interpreter, sure of everything."""

    info: ModelInfo = field(default_factory=lambda: ModelInfo(name="confident"))

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(rolls_out=self)

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        return Interpreter().predict(asks)

    def roll(self, asks: Sequence[PredictionRequest], /) -> Iterator[ForcedRollout]:
        for ask, found in zip(asks, self.predict(asks), strict=True):
            sure = tuple(step_confidences(ask, found, [0.0] * len(found.text)))
            yield ForcedRollout(prediction=found, force="free", sure=sure)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("suite", OPTIONS)
@pytest.mark.parametrize("mode", ["flatten", "chars", "auto"])
def test_the_interpreter_is_always_right(suite: str, mode: str) -> None:
    tasks = suites.load(suite, **OPTIONS[suite]).for_scratchpads()
    found = run(tasks, Scratchpad(Interpreter(), mode), limit=12)
    assert (found.n, found.all.answer.right, found.all.trace.right) == (12, 12, 12)


def test_an_error_on_the_scratchpad_is_reported_for_the_program() -> None:
    found = debug(PROGRAM, Misreads((b"t2=2", b"t2=3"), (b"b=7", b"b=9")), scratchpad="flatten", seconds=None)
    first = found.diagnosis.first
    assert first is not None
    assert first.line == 2
    assert found.blamed is not None
    line, code, said = found.blamed
    assert (line, code) == (2, "t2 = len(t1)")
    assert "t2 is 2, predicted 3" in said
    assert "done" in {trial.status for trial in found.tried}


def test_a_wrong_value_of_the_program_is_at_its_own_line() -> None:
    found = debug(PROGRAM, Misreads((b"b=7", b"b=8")), scratchpad="flatten", seconds=None)
    first = found.diagnosis.first
    assert first is not None
    assert (first.line, first.name, first.wanted, first.got) == (2, "b", "7", "8")
    assert "steps" in found.as_json()["scratch"]


def test_a_text_that_is_malformed_on_the_scratchpad_stays_so() -> None:
    tasks = replace(suites.load("generated").for_scratchpads(), count=1)
    found = run(tasks, Scratchpad(Misreads((b"\n", b" =\n")), "flatten"), limit=1)
    assert (found.all.answer.malformed, found.all.trace.malformed) == (1, 1)


def test_predicted_steps_are_the_programs_and_the_scratch_is_stored() -> None:
    found = imagine(PROGRAM, Interpreter(), scratchpad="flatten")
    assert [(event.event, event.line) for event in found.reading.events] == [
        ("call", 1), ("line", 2), ("line", 3), ("return", 3),
    ]  # fmt: skip
    assert [len(under) for under in found.folds] == [0, 4, 2, 0]
    assert [step.code for step in found.folds[2]] == ["t4 = b * 2", "return t4 - a"]
    assert imagine(PROGRAM, Interpreter()).folds == ()


def test_arguments_of_the_call_are_predicted_as_steps() -> None:
    program = replace(PROGRAM, call="f(1 + len('ab'), ' xy')")
    found = imagine(program, Interpreter(), scratchpad="flatten")
    plain = imagine(program, Interpreter())
    assert found.reading.events == plain.reading.events
    assert [step.code for step in found.folds[0]] == [
        "def entry():", "t1 = len('ab')", "t2 = 1 + t1", "return f(t2, ' xy')", "def f(a, s):",
    ]  # fmt: skip
    wrong = debug(program, Misreads((b"t2=3", b"t2=4"), (b"a=3", b"a=4")), scratchpad="flatten", seconds=None)
    first = wrong.diagnosis.first
    assert first is not None
    assert (first.line, first.name, first.wanted, first.got) == (1, "a", "3", "4")


def test_a_call_on_the_scratchpad_is_stored() -> None:
    suite = suites.load("generated").for_scratchpads()
    (task,) = [replace(task, program=replace(PROGRAM, call="f(1 + 2, ' xy')")) for task in islice(suite.tasks, 1)]
    seen: list[records.Record] = []
    one = replace(suite, tasks=[task], count=1)
    found = run(one, Scratchpad(Interpreter(), "flatten"), limit=1, on_record=seen.append)
    assert (found.all.answer.right, found.all.trace.right) == (1, 1)
    (record,) = seen
    assert record.found is not None
    assert record.found.scratch is not None
    assert record.found.scratch.call == "entry()"
    stored = records.parse(records.line(record))
    assert stored.found == record.found


def test_by_default_a_model_with_confidences_uses_a_scratchpad_where_one_applies() -> None:
    model = Confident()
    assert choose_scratchpad(None, model) == "auto"
    assert choose_scratchpad("none", model) == "none"
    assert choose_scratchpad(None, Interpreter()) == "none"
    assert choose_scratchpad(None, model, options=Compact(reveal=8)) == "none"
    assert choose_scratchpad(None, model, options=Compact(conditions=True)) == "auto"
    assert choose_scratchpad(None, model, resumes=True) == "none"
    assert choose_scratchpad(None, model, program=Program(source="", name="a.js")) == "none"
    assert choose_scratchpad(None, replace(model, info=replace(model.info, notation="cwm"))) == "none"


def test_commands_use_the_default_and_report_it(tmp_path: Path) -> None:
    model = Confident()
    assert imagine(PROGRAM, model).model == "confident, scratchpad auto"
    assert imagine(PROGRAM, model, scratchpad="none").model == "confident"
    assert imagine(PROGRAM, model, edit="1:b=3").model == "confident"
    assert debug(PROGRAM, model).model == "confident, scratchpad auto"
    found = run_bench("generated", model, max_programs=3, out=tmp_path / "auto")
    assert (found.model, found.all.trace.right) == ("confident, scratchpad auto", 3)
    assert json.loads((tmp_path / "auto" / "config.json").read_text())["scratchpad"] == "auto"
    for suite in ("composition", "horizon"):
        assert run_bench(suite, model, max_programs=1).model == "confident"
    assert run_bench("generated", model, max_programs=1, force="actions").model == "confident, actions forced"
    assert run_bench("generated", model, max_programs=1, reveal=4).model == "confident"


def test_a_forced_model_predicts_no_value_again() -> None:
    mode = PredictionMode("auto", "actions").wrap(Confident())
    assert isinstance(mode, Scratchpad)
    assert mode.depth.statements == 0


def test_by_default_other_programs_are_predicted_as_they_are() -> None:
    tasks = [Task(program=PROGRAM), Task(program=PROGRAM, options=Compact(reveal=4))]
    found = run_bench(tasks, Confident())
    assert (found.n, found.all.trace.right) == (2, 2)
    with pytest.raises(UsageError, match="reveal"):
        run_bench(tasks, Confident(), scratchpad="auto")


def test_senseless_combinations_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="reveal"):
        imagine(PROGRAM, Interpreter(), options=Compact(reveal=4), scratchpad="flatten")
    with pytest.raises(UsageError, match="compact"):
        Scratchpad(Interpreter(codec="cwm"), "flatten")
    with pytest.raises(UsageError, match="scratchpad"):
        Scratchpad(Interpreter(), "paper")
    for suite, reason in (("states", "by the model's confidence"), ("budget", "how programs are written down")):
        done = CliRunner().invoke(bench, [suite, "--model", "interpreter", "--scratchpad", "auto"])
        assert isinstance(done.exception, UsageError)
        assert reason in str(done.exception)


def test_bench_puts_modes_side_by_side_and_keeps_them(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["generated", "--model", "interpreter", "--max-programs", "6", "--scratchpad", "all"]
    done = CliRunner().invoke(bench, [*words, "-o", str(out), "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert [row["scratchpad"] for row in told["tables"][0]["rows"]] == list(MODES)
    assert all(report["trace"]["right"] == 6 for report in told["scratchpads"].values())
    kept = [record.found.scratch for record in newest(out / "flatten").values()]
    assert any(scratch is not None and b"t1=" in scratch.text for scratch in kept)
    assert json.loads((out / "chars" / "config.json").read_text())["scratchpad"] == "chars"
