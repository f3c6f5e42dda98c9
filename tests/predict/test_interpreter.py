"""The interpreter behind the predictor's seam: it writes what happens, within the budget, in the mode asked for."""

from __future__ import annotations

import pytest

from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.recording.recorder import record

FACT = Program(
    source="def fact(n):\n    if n < 2:\n        return 1\n    r = fact(n - 1)\n    return r * n\n", call="fact(2)"
)
TEXT = b"(1 n=2\n2\n4\n(1 n=1\n2\n3\n)1\n r=1\n5\n)2\n.\n"


def predict(**options: object) -> Prediction:
    predictor: Predictor = Interpreter()
    (found,) = predictor.predict([PredictionRequest(program=FACT, **options)])  # type: ignore[arg-type]
    return found


def test_it_writes_the_true_steps() -> None:
    found = predict()
    assert (found.text, found.status, found.logprob) == (TEXT, "ended", 0.0)
    assert found.seconds > 0


@pytest.mark.parametrize(
    "options", [Compact(reveal=4), Compact(reveal=0), Compact(delta="element"), Compact(bare=True)]
)
def test_it_writes_in_the_mode_asked_for(options: Compact) -> None:
    assert predict(options=options).text == encode_steps(record(FACT), options)


def test_the_budget_cuts() -> None:
    found = predict(limit=10)
    assert (found.text, found.status) == (TEXT[:10], "budget")


def test_it_goes_on_only_from_what_happens() -> None:
    assert predict(given=TEXT[:12]).text == TEXT
    assert predict(given=b"(1 n=3\n").status == "fault"


def test_many_are_answered_in_their_order() -> None:
    calls = [f"fact({n})" for n in range(1, 6)]
    asks = [PredictionRequest(program=Program(source=FACT.source, call=call)) for call in calls]
    ends = [found.text.split(b")")[-1] for found in Interpreter().predict(asks)]
    assert ends == [b"1\n.\n", b"2\n.\n", b"6\n.\n", b"24\n.\n", b"120\n.\n"]


def test_a_program_beyond_its_limits_is_cut_too() -> None:
    endless = Program(source="def f():\n    while True:\n        x = 1\n", call="f()")
    (found,) = Interpreter(Limits(steps=50)).predict([PredictionRequest(program=endless)])
    assert found.status == "budget"
    assert not found.text.endswith(b".\n")


def test_requests_and_predictions_check_their_fields() -> None:
    assert PredictionRequest(program=FACT).prompt.endswith(b"\n>fact(2)\n")
    with pytest.raises(UsageError, match="less than the 7 given"):
        PredictionRequest(program=FACT, limit=3, given=b"(1 n=2\n")
    with pytest.raises(UsageError, match="status"):
        Prediction(text=b"", status="maybe")
