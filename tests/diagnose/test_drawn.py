"""Draws that no model can know: a cause of their own, and the verdict given the model's own draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from plain_predictor import PlainPredictor

from worldline.codec.compact.prompt import Compact
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Hidden
from worldline.diagnose.cause import UNKNOWN
from worldline.diagnose.debug import debug
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.evaluation.compare import compare
from worldline.evaluation.run.record import line, parse
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.predict.interpreter import Interpreter, record_request, recorder
from worldline.predict.prediction import Prediction, PredictionRequest

pytestmark = pytest.mark.usefixtures("sandbox")
SOURCE = """\
import random

def one():
    return 1

def f(k):
    x = random.randrange(k)
    y = one() + random.randrange(k)
    if one() and random.random() < 0.5:
        return x + y
    return x * y
"""
PROGRAM = Program(source=SOURCE, call="f(6)")
HELD = Control(seed=1)


def asked(mode: str = "predicted") -> tuple[PredictionRequest, Prediction]:
    """An ask with the hidden inputs of its run, and the truth."""
    ask = PredictionRequest(program=PROGRAM, options=Compact(hidden=mode), control=HELD)
    truth, trace = record_request(ask, Limits())
    return replace(ask, hidden=trace.hidden), truth


def under(ask: PredictionRequest, *given: tuple[str, str]) -> bytes:
    """The text of the run that has other draws."""
    control = Control(seed=1, given=tuple(Hidden(0, *item) for item in given))
    return record_request(replace(ask, control=control, hidden=()), Limits())[0].text


def diagnosed(ask: PredictionRequest, truth: Prediction, text: bytes, status: str = "ended") -> Diagnosis:
    sample = Sample(ask=ask, truth=truth, found=Prediction(text=text, status=status))
    return Diagnosis(sample, recorder(), recorder(hash_seed=1))


def test_another_draw_is_its_own_cause_and_right_given_itself() -> None:
    ask, truth = asked()
    result = diagnosed(ask, truth, under(ask, ("below 6", "0")))
    assert (result.cause.name, result.cause.detail, result.answer) == (UNKNOWN, "below 6", False)
    assert result.cause.evidence == "line 7 draws below 6: 5, predicted 0; right given its own draws"
    assert result.own is not None
    assert (result.own.is_whole, result.own.cause.name) == (True, "right")


def test_without_execution_the_trace_alone_decides() -> None:
    ask, truth = asked()
    result = Diagnosis(
        Sample(ask=ask, truth=truth, found=Prediction(text=under(ask, ("below 6", "0")), status="ended"))
    )
    assert (result.cause.name, result.own) == (UNKNOWN, None)


@pytest.mark.parametrize(("was", "wrong", "name"), [
    (b"x=0\n", b"x=1\n", "wrong value"), (b" y=", b" y=1", "wrong value"), (b"9\n", b"11\n", "wrong action"),
    (b"\n.\n", b"\n", "malformed"), (b"9\n", b"9 z=1\n", "invented change"),
])  # fmt: skip
def test_what_is_wrong_given_its_own_draws_is_wrong(was: bytes, wrong: bytes, name: str) -> None:
    ask, truth = asked()
    text = under(ask, ("below 6", "0"))
    assert was in text
    result = diagnosed(ask, truth, text.replace(was, wrong))
    assert result.cause.name == name
    assert "given its own draws" in result.cause.evidence


@pytest.mark.parametrize("given", [("below 6", "3"), ("below 6", "0")])
def test_a_draw_behind_a_call_that_decides_where_it_goes(given: tuple[str, str]) -> None:
    ask, truth = asked()
    text = under(ask, ("below 6", "5"), given, ("float", "0.75"))
    result = diagnosed(ask, truth, text)
    assert (result.cause.name, result.cause.detail) == (UNKNOWN, "below 6")
    only = diagnosed(ask, truth, under(ask, *[(item.kind, item.value) for item in ask.hidden[:2]], ("float", "0.75")))
    assert (only.cause.name, only.cause.detail) == (UNKNOWN, "float")
    assert only.own is not None
    assert only.own.is_whole


def test_a_draw_that_cannot_be_is_wrong() -> None:
    ask, truth = asked()
    result = diagnosed(ask, truth, truth.text.replace(b"%'below 6'=5", b"%'below 6'=7").replace(b"x=5", b"x=7"))
    assert (result.cause.name, result.cause.detail, result.own) == ("wrong value", "hidden input", None)
    other = diagnosed(ask, truth, truth.text.replace(b"%'below 6'=5", b"%'below 7'=5"))
    assert other.cause.name == "wrong value"


def test_what_was_given_could_be_known() -> None:
    ask, truth = asked("given")
    assert b"%'below 6'=5\n" in ask.prompt
    result = diagnosed(ask, truth, under(ask, ("below 6", "0")))
    assert (result.cause.name, result.own) == ("wrong value", None)


def test_blind_the_first_value_that_depends_on_a_draw() -> None:
    ask, truth = asked("blind")
    assert b"%" not in truth.text
    result = diagnosed(ask, truth, under(ask, ("below 6", "0")))
    assert (result.cause.name, result.cause.detail) == (UNKNOWN, "below 6")
    lucky = diagnosed(ask, truth, truth.text.replace(b")10\n", b")11\n"))  # all that was drawn is told by now
    assert lucky.cause.name == "wrong value"
    path = diagnosed(ask, truth, under(ask, *[(item.kind, item.value) for item in ask.hidden[:2]], ("float", "0.75")))
    assert path.cause.name == UNKNOWN


@dataclass(frozen=True)
class Gambler(PlainPredictor):
    """Runs every program with its own luck, and miscounts in some."""

    wrong: bool = False
    name: str = "gambler"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            text = under(ask, ("below 6", "0"))
            yield Prediction(
                text=text.replace(b"\n 10", b"\n 11").replace(b" y=", b" y=1") if self.wrong else text, status="ended"
            )


def suite(mode: str) -> Suite:
    task = Task(program=PROGRAM, options=Compact(hidden=mode), name="dice", control=HELD)
    return Suite(name="dice", tasks=[task], count=1)


@pytest.mark.parametrize("mode", ["predicted", "given", "blind"])
@pytest.mark.parametrize("control", [HELD, Control(seed=None)])
def test_the_interpreter_makes_no_error(mode: str, control: Control) -> None:
    task = Task(program=PROGRAM, options=Compact(hidden=mode), control=control)
    result = run(Suite(name="dice", tasks=[task], count=1), Interpreter())
    assert (result.all.answer.rate, result.all.trace.rate, result.causes, result.faults) == (1.0, 1.0, {}, 0)
    assert (result.drawn.right, result.drawn.n) == ((1, 1) if mode == "predicted" else (0, 0))


@pytest.mark.parametrize("wrong", [False, True])
def test_a_run_has_a_column_of_its_own_for_it(wrong: bool) -> None:
    remaining = []
    result = run(suite("predicted"), Gambler(wrong), on_record=remaining.append)
    assert result.all.trace.wrong == 1
    assert (result.drawn.right, result.drawn.wrong, result.unknown) == ((0, 1, 0) if wrong else (1, 0, 1))
    assert list(result.causes) == (["wrong value"] if wrong else [UNKNOWN])
    again = parse(line(remaining[0]))
    assert again == remaining[0]
    assert again.verdict().drawn == ("wrong" if wrong else "right")
    assert again.ask.hidden == remaining[0].ask.hidden
    assert "drawn" in result.as_json()


def test_debug_says_it_too() -> None:
    result = debug(PROGRAM, Gambler(), control=HELD, interventions=False)
    assert (result.cause.name, result.is_right_given_its_draws) == (UNKNOWN, True)
    shown = result.as_json()["hidden"]
    assert [item["kind"] for item in shown["truth"]] == ["below 6", "below 6", "float"]
    assert shown["right_given_its_draws"] is True
    assert debug(PROGRAM, Interpreter(), control=HELD, interventions=False).cause.name == "right"


def test_two_runs_are_compared_given_their_own_draws_too(tmp_path: Path) -> None:
    for name, wrong in (("one", False), ("two", True)):
        run(suite("predicted"), Gambler(wrong), out=tmp_path / name)
    result = compare(tmp_path / "one", tmp_path / "two")
    assert result.drawn is not None
    assert (result.trace.wrong, result.drawn.regressed) == (1, 1)
    assert result.as_json()["drawn"]["regressed"] == 1
