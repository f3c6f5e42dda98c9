"""A fault on one row costs no other: it is stored with its reason, in no rate, asked again, and in the exit code."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from plain_predictor import PlainPredictor

from worldline.cli import main
from worldline.core.errors import DiskError, UsageError
from worldline.core.fault import LOGGER, RowFault, call_or_fault, iterate_or_fault
from worldline.core.program import Program
from worldline.core.trace import Outcome
from worldline.evaluation.external import predictions
from worldline.evaluation.run import run as runs
from worldline.evaluation.run import truth
from worldline.evaluation.run.directory import RunDir, newest, verify
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.prediction import Prediction, PredictionRequest

ODD = 2  # the row that something breaks on
TRUE = "(1 n={0}\n2\n){0}\n.\n"


def program(n: int) -> Program:
    return Program(source="def f(n):\n    return n\n", call=f"f({n})")


def suite(count: int = 5) -> Suite:
    return Suite(name="small", tasks=[Task(program=program(n), name=f"task {n}") for n in range(count)])


class Right(PlainPredictor):
    """Knows the answers."""

    name = "right"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            n = int((ask.program.call or "")[2:-1])
            yield self.one(n)

    def one(self, n: int) -> Prediction:
        return Prediction(text=TRUE.format(n).encode(), status="ended")


def breaking(act: Callable[..., Any], is_odd: Callable[..., bool]) -> Callable[..., Any]:
    """The same, but for one row."""

    def broken(*given: Any, **named: Any) -> Any:
        if is_odd(*given, **named):
            raise OverflowError("a \x1b[2J\nthat nobody expected")
        return act(*given, **named)

    return broken


def is_odd_task(task: Task, *rest: Any, **named: Any) -> bool:
    return task.name == f"task {ODD}"


INJECTED: dict[str, tuple[Any, str, Callable[..., bool]]] = {
    "recording": (runs, "_truth_of", is_odd_task),
    "making a request": (runs, "request_for", lambda known, codec, *rest: known.at == ODD),
    "judging": (runs, "judge", is_odd_task),
    "making a record": (runs, "prediction_record", lambda at, *rest, **named: at == ODD),
    "storing": (RunDir, "add", lambda log, record: record.at == ODD and record.found.status != "fault"),
    "answering": (Right, "one", lambda model, n: n == ODD),
}


@pytest.mark.parametrize("what", INJECTED)
def test_what_breaks_on_one_row_costs_no_other(tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, is_odd = INJECTED[what]
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, breaking(getattr(owner, name), is_odd))
        found = run(suite(), Right(), out=tmp_path)
    assert (found.n, found.all.answer.right, found.faults, found.skipped) == (4, 4, 1, 0)
    records = newest(tmp_path)
    assert [at for at, record in records.items() if record.is_fault] == [ODD]
    note = records[ODD].found.note
    assert note.startswith("fault(OverflowError")
    assert "that nobody expected" in note
    assert note.isprintable()
    assert verify(tmp_path) > 0
    again = run(suite(), Right(), out=tmp_path)  # only the fault is asked for again
    assert (again.n, again.all.answer.right, again.faults) == (5, 5, 0)
    assert len((tmp_path / "records.jsonl").read_bytes().splitlines()) == 6


def test_a_program_that_could_not_be_recorded_is_a_fault_and_recorded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    recorded = truth.record_many

    def some(programs: Any, **how: Any) -> Iterator[Any]:
        for trace in recorded(programs, **how):
            is_odd = trace.program == program(ODD)
            yield replace(trace, outcome=Outcome("host-fault", "no box")) if is_odd else trace

    with monkeypatch.context() as patch:
        patch.setattr(truth, "record_many", some)
        found = run(suite(), Right(), out=tmp_path)
    assert (found.n, found.faults, found.skipped) == (4, 1, 0)
    assert newest(tmp_path)[ODD].found.note == "fault(host-fault: no box)"
    assert run(suite(), Right(), out=tmp_path).n == 5


def test_a_broken_recorder_is_restarted(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = truth.record_many

    def some(programs: Any, **how: Any) -> Iterator[Any]:
        for trace in recorded(programs, **how):
            if trace.program == program(ODD):
                raise OSError("too many open files")
            yield trace

    monkeypatch.setattr(truth, "record_many", some)
    found = run(suite(), Right())
    assert (found.n, found.faults) == (4, 1)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), DiskError("full")])
def test_what_is_wrong_with_the_whole_run_stops_it(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any, **named: Any) -> Any:
        raise error

    monkeypatch.setattr(runs, "judge", broken)
    with pytest.raises(type(error)):
        run(suite(), Right())


def test_a_usage_error_of_a_predictor_stops_the_run() -> None:
    class Refusing(Right):
        def one(self, n: int) -> Prediction:
            raise UsageError("a package is missing")

    with pytest.raises(UsageError, match="a package is missing"):
        run(suite(), Refusing())


def test_invalid_predictions_are_faults_of_their_rows() -> None:
    class Odd(Right):
        def one(self, n: int) -> Any:
            odd = [None, 5, Prediction(text="text", status="ended"), super().one(3)]  # type: ignore[arg-type]
            return odd[n] if n < len(odd) else super().one(n)

    found = run(suite(6), Odd())
    assert (found.n, found.all.answer.right, found.faults) == (3, 3, 3)


def test_missing_predictions_are_faults_and_the_others_are_requested() -> None:
    class Short(Right):
        def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            yield from list(super().predict(asks))[:2]

    found = run(suite(), Short())
    assert (found.n, found.faults) == (4, 1)  # the third is missing; behind it, two more are answered


def rows(path: Path, count: int = 5) -> Path:
    told = [
        {"id": f"row {n}", "code": program(n).source, "call": program(n).call, "generation": TRUE.format(n)}
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in told))
    return path


SCORED: dict[str, tuple[Any, str, Callable[..., bool]]] = {
    "reading": (predictions, "_prediction", lambda row, *rest: row.id == f"row {ODD}"),
    "finding the program": (predictions, "program_of", lambda roles, text, known: ")2\n" in text),
    "judging": (runs, "judge", lambda task, *rest, **named: task.name == f"row {ODD}"),
}


@pytest.mark.parametrize("what", SCORED)
def test_score_continues_after_a_fault_and_judges_it_again(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    owner, name, is_odd = SCORED[what]
    words = ["score", "crux", str(rows(tmp_path / "rows.jsonl")), "--json", "-o", str(tmp_path / "run")]
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, breaking(getattr(owner, name), is_odd))
        assert main(words) == 3
    out, told = capsys.readouterr()
    report = json.loads(out)
    assert (report["n"], report["answer"]["right"], report["faults"], report["skipped"]) == (4, 4, 1, 0)
    assert "error[fault]: 1 prediction failed in the tool" in told
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 5


def test_the_traceback_is_logged_once_if_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = rows(tmp_path / "rows.jsonl")
    monkeypatch.setattr(runs, "judge", breaking(runs.judge, lambda *given, **named: True))
    assert main(["score", "crux", str(path)]) == 3
    assert "Traceback" not in capsys.readouterr().err
    monkeypatch.setattr("worldline.core.fault._logged", set())
    monkeypatch.setenv("WORLDLINE_TRACEBACK", "1")
    assert main(["score", "crux", str(path)]) == 3
    told = capsys.readouterr().err
    assert told.count("Traceback (most recent call last)") == 1
    assert "in broken" in told
    assert not [h for h in logging.getLogger(LOGGER).handlers if type(h) is logging.StreamHandler]


def test_call_or_fault_returns_the_result_or_the_fault() -> None:
    assert call_or_fault(int, "5") == 5
    found = call_or_fault(int, "x\x1b" * 1000)
    assert isinstance(found, RowFault)
    assert found.why.startswith("ValueError: invalid literal")
    assert found.why.isprintable()
    assert len(found.why) < 300

    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError("never asked")

    def mute() -> None:
        raise Mute

    assert call_or_fault(mute) == RowFault("Mute")


def test_iterate_or_fault_restarts_after_a_fault_and_closes() -> None:
    begun, closed = [], []

    def answers(at: int) -> Iterator[int]:
        begun.append(at)
        try:
            for n in range(at, 6):
                yield 10 // (n - 2)
        finally:
            closed.append(at)

    found = [each if isinstance(each, int) else "fault" for each in iterate_or_fault(answers, 5)]
    assert found == [-5, -10, "fault", 10, 5]
    assert (begun, closed) == ([0, 3], [0, 3])
