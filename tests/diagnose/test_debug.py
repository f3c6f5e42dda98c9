"""`debug()` on one program: the aligned traces, the model's belief, and the interventions that fix it."""

from __future__ import annotations

import json
import math
import re

import pytest
from plain_predictor import PlainPredictor
from scripted_model import Mistaken, programs

from worldline.codec.compact.prompt import Compact
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.diagnose.debug import Debugged, debug
from worldline.diagnose.imagine import imagine
from worldline.diagnose.interventions import INTERVENTIONS
from worldline.diagnose.sentences import sentences
from worldline.predict.interpreter import Interpreter
from worldline.predict.models import load_model
from worldline.predict.prediction import Prediction, PredictionRequest

LOOP = "    s = 0\n    for i in range(n):\n        s += i\n    return s\n"


pytestmark = pytest.mark.usefixtures("sandbox")


def outcomes(found: Debugged) -> dict[str, str]:
    """What came of each intervention."""
    return {item.intervention: item.outcome for item in found.tried}


@pytest.mark.parametrize("codec", ["compact", "cwm"])
@pytest.mark.parametrize("call", ["f(4)", None])
def test_the_interpreter_does_not_diverge(codec: str, call: str | None) -> None:
    source = f"def f(n):\n{LOOP}" + ("" if call else "print(f(3))\n")
    result = debug(Program(source=source, call=call), Interpreter(codec=codec))
    assert not result.diverges
    assert result.cause.name == "right"
    assert result.tried == ()
    assert result.belief is None
    assert [row.truth for row in result.rows] == [row.found for row in result.rows] == list(range(len(result.rows)))


def test_a_wrong_value_is_explained_and_fixed() -> None:
    def mistake(ask: PredictionRequest, truth: bytes) -> bytes:
        return truth.replace(b"2 a=5", b"2 a=7").replace(b"3 b=10", b"3 b=14").replace(b")10", b")14")

    result = debug(programs(5)[4], Mistaken(mistake), seconds=None)
    assert result.diverges
    assert result.cause.name == "wrong value"
    first = result.diagnosis.divergences[0]
    assert (first.step, first.name, first.wanted, first.got) == (1, "a", "5", "7")
    assert [row.differs != () for row in result.rows] == [False, True, True, False, True]
    assert result.belief is not None
    assert (result.belief.wrote, result.belief.wanted, result.belief.sure) == ("2 a=7\n", "2 a=5\n", None)
    assert list(outcomes(result)) == list(INTERVENTIONS)
    assert outcomes(result)["repair"] == "recovered"
    assert outcomes(result)["format"] == "wrong"
    assert "repair" in result.helped
    assert result.is_confirmed
    shown = json.loads(json.dumps(result.as_json()))
    assert shown["cause"]["confirmed"] is True
    assert shown["interventions"][1] == {"intervention": "repair", "sample": 0, "outcome": "recovered", "why": ""}


def test_steps_that_do_not_align_stand_one_under_the_other() -> None:
    early = b"(1 n=4\n2 s=0\n3 i=0\n4\n3\n5\n)0\n.\n"
    result = debug(programs(5, LOOP)[4], Mistaken(lambda ask, truth: early), interventions=False)
    assert result.tried == ()
    assert result.is_confirmed is None
    assert sorted(row.truth for row in result.rows if row.truth is not None) == list(
        range(result.diagnosis.truth.steps)
    )
    assert sorted(row.found for row in result.rows if row.found is not None) == list(
        range(result.diagnosis.found.steps)
    )
    shown = [item for row in result.rows for item in row.differs]
    assert sorted(map(id, shown)) == sorted(map(id, result.diagnosis.divergences))


@pytest.mark.parametrize("text", [b"", b"\xff\xfe\n", b"(1 n=4\n2 s=0\n3 i=0", b"(1 n=4\nnonsense\n", b".\n"])
def test_any_text_is_debugged(text: bytes) -> None:
    result = debug(programs(5, LOOP)[4], Mistaken(lambda ask, truth: text), interventions=False)
    assert result.diverges
    shown = [item for row in result.rows for item in row.differs]
    assert sorted(map(id, shown)) == sorted(map(id, result.diagnosis.divergences))
    json.dumps(result.as_json())


def test_without_time_no_intervention_is_tried() -> None:
    model = Mistaken(lambda ask, truth: truth.replace(b"2 a=5", b"2 a=7"))
    result = debug(programs(5)[4], model, seconds=1e-9)
    assert {item.why for item in result.tried if item.status == "untried"} == {"would take longer than --seconds 1e-09"}
    assert not result.helped
    assert len(model.asked) == 1
    assert ("verdict", "wrong value: not tested, --seconds 1e-09 leaves no time for its interventions", "yellow") in [
        *sentences(result)
    ]


def test_interventions_are_bounded_by_bytes() -> None:
    """By bytes, which are the same on any machine: the cheapest come first, the others are named."""
    model = Mistaken(lambda ask, truth: truth.replace(b"2 a=5", b"2 a=7"))
    first, second = (debug(programs(5)[4], model, work=40) for _ in range(2))
    assert outcomes(first) == outcomes(second)
    assert outcomes(first)["repair"] == "recovered"
    untried = {entry.intervention: entry.why for entry in first.tried if entry.status == "untried"}
    assert untried
    why = re.compile(r"would write \d+ bytes, more than is left of --work 40")
    assert all(why.fullmatch(item) for item in untried.values())
    assert not any(entry.status == "untried" for entry in debug(programs(5)[4], model).tried)
    none = debug(programs(5)[4], model, work=1)
    assert none.is_confirmed is None
    assert ("verdict", "wrong value: not tested, --work 1 leaves no bytes for its interventions", "yellow") in [
        *sentences(none)
    ]


def test_progress_reports_the_stages() -> None:
    model, shown = Mistaken(lambda ask, truth: truth.replace(b"2 a=5", b"2 a=7")), list[str]()
    result = debug(programs(5)[4], model, progress=shown.append)
    assert shown[:3] == ["recording the program", "predicting", "searching for the cause"]
    assert [text for text in shown[3:] if text.startswith("interventions: ")] == shown[3:]
    assert re.fullmatch(r"interventions: (\d) of \1 tried", shown[-1])
    assert int(shown[-1].split()[1]) >= sum(item.status == "done" for item in result.tried) > 0


def test_a_run_without_an_end_is_debugged_up_to_its_cut() -> None:
    forever = Program(source="def f():\n    n = 0\n    while True:\n        n += 1\n", call="f()")
    limits = Limits(steps=200)
    result = debug(forever, Interpreter(limits=limits), limits=limits, seconds=None)
    assert result.diagnosis.answer is None
    assert not result.diagnosis.truth.ended
    assert not result.diverges, result.cause


def test_imagine_executes_nothing() -> None:
    """A program that would leave a mark leaves none, since it is not run."""
    program = Program(source="def f():\n    open('/tmp/mark', 'w')\n    while True: pass\n", call="f()")

    class Silent(PlainPredictor):
        name = "silent"

        def predict(self, asks: object, /) -> object:
            yield Prediction(text=b"(1\n2\n3\n3\n", status="budget")

    result = imagine(program, Silent())  # type: ignore[arg-type]
    assert result.reading.steps == 4
    assert result.as_json()["ended"] is False


def test_the_shipped_model_says_how_sure_it_was() -> None:
    program = Program(source="def f(n):\n    a = n * 7919 % 1013\n    return a * 31\n", call="f(4567)")
    model = load_model("default", {"threads": "1"})
    result = debug(program, model, options=Compact(), interventions=False, scratchpad="none")
    assert len(result.sure) == len(result.diagnosis.found.events) + result.diagnosis.found.ended
    assert all(logprob <= 1e-6 for logprob in result.sure)
    assert result.diverges, "it cannot multiply such numbers"
    assert result.belief is not None
    assert result.belief.sure is not None
    assert result.belief.truth is not None
    assert result.belief.truth >= 0 < result.belief.sure
    # Two lines, so no more than 1 together; the likelier one need not be the one that is written byte by byte.
    assert result.belief.truth + result.belief.sure <= 1
    assert result.belief.sure == pytest.approx(math.exp(result.sure[result.belief.step]))
