"""Every verb that goes through many rows, with a fault put on one: the others are there, and the end says so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from measured_suites import measured
from plain_predictor import PlainPredictor

from worldline.cli import main
from worldline.core.errors import DiskError, UsageError
from worldline.core.program import Program
from worldline.data.build import unit
from worldline.data.build.unit import UnitJob
from worldline.data.mine import mine
from worldline.data.mixture import Mixture
from worldline.diagnose import trials
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.trials import run_interventions
from worldline.evaluation.run.directory import newest
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import run
from worldline.evaluation.suites import crux_input, states
from worldline.evaluation.suites.suite import Suite, Task
from worldline.learning.drills import DrillBook
from worldline.learning.measure import measure
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities
from worldline.ui.report import data, page
from worldline.ui.web.index import operations, read
from worldline.ui.web.index.index import build

ODD, COUNT = 2, 6


def program(n: int) -> Program:
    return Program(source="def f(n):\n    m = n + 1\n    return m\n", call=f"f({n})")


def suite() -> Suite:
    return Suite(name="small", tasks=[Task(program=program(n), name=f"task {n}") for n in range(COUNT)], count=COUNT)


class Wrong(PlainPredictor):
    """Says 7, which is wrong of every task."""

    name = "wrong"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for _ in asks:
            yield Prediction(text=b"(1\n2\n3 m=7\n)7\n.\n", status="ended")


def breaking(act: Callable[..., Any], is_odd: Callable[..., bool]) -> Callable[..., Any]:
    """The same, but for one row."""

    def broken(*given: Any, **named: Any) -> Any:
        if is_odd(*given, **named):
            raise OverflowError("that nobody expected")
        return act(*given, **named)

    return broken


def nth(n: int) -> Callable[..., bool]:
    """True of one call of many."""
    calls = iter(range(1 << 30))
    return lambda *given, **named: next(calls) == n


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "run"
    run(suite(), Wrong(), out=folder)
    return folder


def is_odd_sample(diagnosis: Diagnosis) -> bool:
    return diagnosis.sample.ask.program.call == f"f({ODD})"


BROKEN_FUNCTIONS: dict[str, tuple[str, Callable[..., bool]]] = {
    "diagnosing": ("_right", lambda one, by: is_odd_sample(one)),
    "planning": ("plan", lambda intervention, one, codec: is_odd_sample(one)),
    "planning with the truth": ("with_truth", lambda made, one, true: is_odd_sample(one)),
    "judging": ("_judged", lambda job, *rest: job.tried.sample == ODD),
}


@pytest.mark.parametrize("what", BROKEN_FUNCTIONS)
def test_intervene(made: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, is_odd = BROKEN_FUNCTIONS[what]
    samples = [record.sample() for record in newest(made).values()]
    intervention = "flatten" if what == "planning with the truth" else "format"
    if intervention == "flatten":
        samples = [replace(one, ask=replace(one.ask, program=nested(one.ask.program))) for one in samples]
    plain = run_interventions(samples, Wrong(), interventions=(intervention,))
    monkeypatch.setattr(trials, name, breaking(getattr(trials, name), is_odd))
    found = run_interventions(samples, Wrong(), interventions=(intervention,))
    assert [one.sample for one in found.tried] == list(range(COUNT))
    assert [one.sample for one in found.tried if one.status == "fault"] == [ODD]
    assert "fault(OverflowError" in found.tried[ODD].why
    for one, two in zip(found.tried, plain.tried, strict=True):
        assert one.sample == ODD or one.as_json() == two.as_json()


def test_a_truth_that_cannot_be_recorded(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Breaking(Interpreter):
        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            for ask in asks:
                if ask.program.call == f"f({ODD})":
                    raise OverflowError("that nobody expected")
                yield from super().predict([ask])

    monkeypatch.setattr(trials, "Interpreter", Breaking)
    found = run_interventions([record.sample() for record in newest(made).values()], Wrong(), interventions=("format",))
    assert [one.sample for one in found.tried if one.status == "fault"] == [ODD]
    assert len(found.tried) == COUNT


def nested(one: Program) -> Program:
    """The same, with something to flatten."""
    return replace(one, source="def f(n):\n    m = (n + 1) * (n + 2) - n\n    return m\n")


def test_a_predictor_that_breaks_on_one_intervention(made: Path) -> None:
    class Breaking(Wrong):
        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            for ask, found in zip(asks, super().predict(asks), strict=True):
                if ask.program.call == f"f({ODD})":
                    raise OverflowError("that nobody expected")
                yield found

    found = run_interventions(
        [record.sample() for record in newest(made).values()], Breaking(), interventions=("format",)
    )
    assert [one.status for one in found.tried] == ["done"] * ODD + ["fault"] + ["done"] * (COUNT - ODD - 1)


def test_compare(made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(Record, "verdict", breaking(Record.verdict, lambda record: record.at == ODD))
    assert main(["compare", str(made), str(made), "--json"]) == 3
    out, told = capsys.readouterr()
    found = json.loads(out)
    assert (found["answer"]["n"], found["faults"]) == (COUNT - 1, 2)
    assert "error[fault]" in told


@pytest.mark.parametrize(("owner", "name"), [(data, "judged_sample"), (page, "failure")])
def test_report(
    made: Path,
    tmp_path: Path,
    owner: Any,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(owner, name, breaking(getattr(owner, name), lambda record, *rest: record.at == ODD))
    assert main(["report", str(made), "-o", str(tmp_path / "page.html")]) == 3
    assert "1 samples failed in the tool" in capsys.readouterr().err
    text = (tmp_path / "page.html").read_text()
    assert all(f"failure-{n}" in text for n in range(COUNT) if n != ODD)


def test_the_index_of_the_page(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "row", breaking(read.row, lambda text: json.loads(text)["at"] == ODD))
    found = build(made)
    assert len(found) == COUNT - 1
    assert any("1 line" in note and "OverflowError" in note for note in found.notes)


def test_the_operations_of_an_older_run(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older = tmp_path / "older"
    older.mkdir()
    (older / "config.json").write_bytes((made / "config.json").read_bytes())
    rows = [json.loads(line) for line in (made / "records.jsonl").read_bytes().splitlines()]
    for row in rows:
        row.pop("operation")
    (older / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    whole = build(older).table["operation"].to_pylist()
    monkeypatch.setattr(operations, "cause", breaking(operations.cause, nth(ODD)))
    assert build(older).table["operation"].to_pylist() == [*whole[:ODD], "none", *whole[ODD + 1 :]]


def test_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "steps", breaking(states.steps, lambda task, *rest: task.name == f"task {ODD}"))
    found = measured("states", suite(), Wrong(), force="free")
    assert (found.n, found.faults) == (COUNT, 1)


class Answers(PlainPredictor):
    """Says inputs, an odd one among them."""

    name = "answers"

    def __init__(self, odd: str) -> None:
        self._odd = odd

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(answers_questions=self)

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        raise UsageError("no traces")

    def answer(self, questions: Sequence[str], /, *, limit: int) -> Iterator[Prediction]:
        for n, _ in enumerate(questions):
            text = self._odd if n == ODD else f"f({n})"
            yield Prediction(text=f"[ANSWER]{text}[/ANSWER]".encode(), status="ended")


@pytest.mark.parametrize("odd", ["f(0x" + "f" * 4000 + ")", "f('\\Uffffffff')", "f(" + "[" * 1500 + ")", "f(1e999)"])
def test_an_odd_input_is_no_answer(odd: str) -> None:
    tasks = [replace(task, answer=str(n + 1)) for n, task in enumerate(suite().tasks)]
    found = measured("crux-input", Suite(name="crux-input", tasks=tasks), Answers(odd))
    assert (found.n, found.faults) == (COUNT, 0)


def test_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crux_input, "read", breaking(crux_input.read, nth(ODD)))
    tasks = [replace(task, answer=str(n + 1)) for n, task in enumerate(suite().tasks)]
    found = measured("crux-input", Suite(name="crux-input", tasks=tasks), Answers("f(1)"))
    assert (found.n, found.faults) == (COUNT - 1, 1)


class Engine:
    """Finds all bytes alike, and breaks on one drill."""

    def __init__(self) -> None:
        self._is_odd = nth(ODD)

    def start(self) -> None:
        if self._is_odd():
            raise OverflowError("that nobody expected")

    def feed(self, state: Any, text: bytes, *, pin: bool) -> Any:
        return np.zeros(256)

    def feed_all(self, state: Any, text: bytes, *, pin: bool) -> Any:
        return np.zeros((len(text), 256))


@pytest.mark.long(reason="trains a model")
def test_learn() -> None:
    book = DrillBook(Mixture(), seed=0, split="test")
    try:
        _, rows = measure(Engine(), book, count=8)
    finally:
        book.close()
    assert book.faults == 1
    assert rows


def test_build(monkeypatch: pytest.MonkeyPatch) -> None:
    job = UnitJob(Mixture(), 0, 0, 8, False)
    monkeypatch.setattr(unit, "write_document", breaking(unit.write_document, nth(ODD)))
    made = unit.make_unit(job)
    assert (len(made.rows), len(made.covers), len(made.faults)) == (8, 8, 1)
    assert "OverflowError" in made.faults[0]


def test_mining_stops_where_the_disk_is_full_and_not_for_one_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "    total = 0\n    for item in items:\n        total += item * {0}\n    return total\n\n\n"
    code = "".join(f"def f{n}(items: list[int]) -> int:\n" + body.format(n + 2) for n in range(3))
    (tmp_path / "some.py").write_text(code)
    plain = mine.mine([str(tmp_path / "some.py")], out=tmp_path / "plain.xz")
    with monkeypatch.context() as patch:
        patch.setattr(mine, "find_calls", breaking(mine.find_calls, nth(1)))
        with pytest.warns(UserWarning, match="OverflowError"):
            done = mine.mine([str(tmp_path / "some.py")], out=tmp_path / "one.xz")
    assert (done.functions, done.failed) == (plain.functions - 1, 1)
    assert done.functions > 0

    def full(*given: Any) -> Any:
        raise DiskError("full")

    monkeypatch.setattr(mine, "find_calls", full)
    with pytest.raises(DiskError):
        mine.mine([str(tmp_path / "some.py")], out=tmp_path / "two.xz")


def test_the_interpreter_is_right_on_all_of_it() -> None:
    """The suite of these tests is sound: without a fault there is none."""
    found = run(suite(), Interpreter())
    assert (found.n, found.all.answer.right, found.faults) == (COUNT, COUNT, 0)
