"""The shipped model under forcing, on tiny programs: the shortcuts of `next` give what writing each step gives."""

from __future__ import annotations

import forced_programs
import pytest
from opinions import SUM, TRUTH

from worldline.codec.compact.turns import turns
from worldline.predict.forcing.forced import Edit, roll
from worldline.predict.local import Local
from worldline.predict.models import load_model
from worldline.predict.prediction import Prediction, PredictionRequest

ASKS = [PredictionRequest(program=SUM, limit=400), *forced_programs.asks(limit=400)[:2]]
TRUTHS = [Prediction(text=TRUTH, status="ended"), *forced_programs.truths()[:2]]


@pytest.fixture(scope="module")
def model() -> Local:
    found = load_model()
    assert isinstance(found, Local)
    return found


@pytest.mark.long(reason="the shipped model goes on from each step of three programs")
def test_one_step_ahead_is_what_writing_each_step_gives(model: Local) -> None:
    for ask, truth, found in zip(ASKS, TRUTHS, roll(model, ASKS, TRUTHS, force="next"), strict=True):
        assert b"".join(step.wanted for step in found.steps) == truth.text
        asks = [
            PredictionRequest(program=ask.program, given=truth.text[: turn.start], limit=turn.end + 40)
            for turn in turns(truth.text)
        ]
        for step, written, one in zip(found.steps, model.predict(asks), asks, strict=True):
            rest = written.text[len(one.given) :]
            assert step.found is not None
            assert rest.startswith(step.found)
            assert (step.found == step.wanted) == (step.same_action and step.same_state)
            assert step.action is not None
            assert step.action <= 0


@pytest.mark.long(reason="test_both_is_read_and_not_written compares the two forcings too")
def test_reading_alone_tells_the_same_steps(model: Local) -> None:
    both, ahead = (list(roll(model, ASKS, TRUTHS, force=force)) for force in ("both", "next"))
    for one, other in zip(both, ahead, strict=True):
        assert [(step.same_action, step.same_state) for step in one.steps] == [
            (step.same_action, step.same_state) for step in other.steps
        ]
        assert one.prediction.logprob == pytest.approx(other.prediction.logprob)


@pytest.mark.parametrize("force", ["actions", "states"])
def test_what_is_forced_is_true(model: Local, force: str) -> None:
    for truth, found in zip(TRUTHS, roll(model, ASKS, TRUTHS, force=force), strict=True):
        text = found.prediction.text
        if force == "actions":
            actions = [turn.action(text) for turn in turns(text) if turn.whole]
            assert actions == [turn.action(truth.text) for turn in turns(truth.text)][: len(actions)]
        else:
            until = turns(truth.text)[found.left].start if found.left is not None else len(truth.text)
            assert text[:until] == truth.text[:until]
        assert found.dictated
        assert len(found.sure) == len(turns(text))


def test_it_goes_on_from_an_edit_and_with_queries(model: Local) -> None:
    (found,) = roll(model, ASKS[:1], TRUTHS[:1], force="edited", edits=[Edit(1, {"s": "50"})])
    assert found.prediction.text.startswith(b"(1 n=3\n2 s=50\n")
    (found,) = roll(model, ASKS[:1], TRUTHS[:1], force="queries", budget=2)
    assert len(found.spent) == 2
    assert len(found.dictated) <= 2
