"""Queries are spent where the model is least sure, and sureness is told by step."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from opinions import SUM, TRUTH, OnlyText, summing, wishing

from worldline.codec.compact.turns import turns
from worldline.core.errors import UsageError
from worldline.predict.confidence import step_confidences
from worldline.predict.forcing.forced import roll
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.interpreter import Interpreter
from worldline.predict.local import Local
from worldline.predict.prediction import Prediction, PredictionRequest

ASK = PredictionRequest(program=SUM, limit=300)
TRUE = Prediction(text=TRUTH, status="ended")


def asked(
    say: Callable[[bytes], bytes], unsure: Callable[[bytes], bool], budget: int, *, guide: bool = True
) -> ForcedRollout:
    local = Local(wishing(say, unsure=unsure), name="opinion", guide=guide)
    (found,) = roll(local, [ASK], [TRUE], force="queries", budget=budget)
    return found


def second_sum(text: bytes) -> bool:
    return text.endswith(b"4 s=") and text.count(b"\n") == 5


@pytest.mark.parametrize("guide", [True, False])
def test_the_true_step_replaces_the_least_confident_one(guide: bool) -> None:
    """It always adds one too much: before the query to its own sum, behind it to the true one."""
    free = b"(1 n=3\n2 s=0\n3 i=0\n4 s=1\n3 i=1\n4 s=3\n3 i=2\n4 s=6\n3\n5\n)6\n.\n"
    assert asked(summing(excess=1), second_sum, 0, guide=guide).prediction.text == free
    found = asked(summing(excess=1), second_sum, 1, guide=guide)
    wanted = b"(1 n=3\n2 s=0\n3 i=0\n4 s=1\n3 i=1\n4 s=1\n3 i=2\n4 s=4\n3\n5\n)4\n.\n"
    assert (found.prediction.text, found.prediction.status) == (wanted, "ended")
    assert (found.spent, found.answered, found.left) == ((5,), (5,), None)
    assert [wanted[start:end] for start, end in found.dictated] == [b"4 s=1\n"]


def test_enough_queries_make_it_true() -> None:
    found = asked(summing(excess=1), second_sum, 50)
    assert found.prediction.text == TRUTH
    assert sorted(found.spent) == list(range(len(turns(TRUTH))))
    assert found.answered == tuple(sorted(found.spent))


def test_a_true_action_puts_the_model_back_on_track() -> None:
    """It would leave the loop at step 5, and is not sure of it; at step 7 it is."""
    found = asked(summing(rounds=1), lambda text: text.count(b"\n") == 5 and text.endswith(b"\n"), 1)
    assert found.prediction.text == b"(1 n=3\n2 s=0\n3 i=0\n4\n3 i=1\n4 s=1\n3 i=2\n5\n)1\n.\n"
    assert (found.spent, found.answered, found.left) == ((5,), (5,), 7)


def test_a_query_after_another_action_has_no_answer() -> None:
    """It has left the loop at step 5; the true run has no step 6 that belongs to that."""
    found = asked(summing(rounds=1), lambda text: text.endswith(b")"), 1)
    assert found.prediction.text == b"(1 n=3\n2 s=0\n3 i=0\n4\n3 i=1\n5\n)0\n.\n"
    assert (found.spent, found.answered, found.left, found.dictated) == ((6,), (), 5, ())


def test_queries_refuse_a_predictor_without_confidence() -> None:
    with pytest.raises(UsageError, match="no confidence per step"):
        list(roll(OnlyText(Local(wishing(summing()), name="o")), [ASK], [TRUE], force="queries"))
    (found,) = roll(Interpreter(), [ASK], [TRUE], force="queries", budget=3)  # it is certain
    assert (found.prediction.text, found.spent) == (TRUTH, (0, 1, 2))


@pytest.mark.parametrize("guide", [True, False])
def test_confidence_is_reported_by_step_action_and_state(guide: bool) -> None:
    local = Local(wishing(summing(), unsure=second_sum), name="o", guide=guide, logprobs=True)
    for given in (b"", TRUTH[:20]):
        ask = PredictionRequest(program=SUM, given=given)
        (found,) = local.predict([ask])
        steps = step_confidences(ask, found, local.logprobs, local.entropies)
        assert [(step.start, step.end) for step in steps] == [(turn.start, turn.end) for turn in turns(TRUTH)]
        assert sum(step.logprob for step in steps) == pytest.approx(found.logprob)
        worst = min(steps, key=lambda step: step.state)
        assert found.text[worst.start : worst.end] == b"4 s=1\n"
        assert worst.state < -1 < worst.action <= 0
        assert max(steps, key=lambda step: step.state_entropy) is worst
        assert all(step.action == 0 for step in steps if step.end <= len(given))
        assert all(math.isfinite(number) for step in steps for number in step)
