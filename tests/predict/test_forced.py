"""Rollouts under forcing, by engines whose every wish is known: what is forced is, what is the model's own stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import forced_programs
import pytest
from opinions import SUM, TRUTH, OnlyText, Opinion, dicing, summing, wishing
from plain_predictor import PlainPredictor
from tiers import examples

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.turns import forced_lines, turns
from worldline.core.errors import UsageError
from worldline.core.hidden import Control
from worldline.core.trace import Hidden
from worldline.predict.forcing.forced import FORCES, Edit, roll
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.interpreter import Interpreter
from worldline.predict.local import Local
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

ASK = PredictionRequest(program=SUM, limit=300)
TRUE = Prediction(text=TRUTH, status="ended")


def behind(kind: str, engine: Opinion) -> Predictor:
    """An engine as a predictor: with the guide, without it, or with nothing but its text to be had."""
    local = Local(engine, name="opinion", guide=kind == "guided")
    return OnlyText(local) if kind == "text" else local


def rolled(kind: str, say: Callable[[bytes], bytes], force: str, **options: object) -> ForcedRollout:
    (found,) = roll(behind(kind, wishing(say)), [ASK], [TRUE], force=force, **options)  # type: ignore[arg-type]
    return found


KINDS = pytest.mark.parametrize("kind", ["guided", "plain", "text"])


@KINDS
def test_a_right_model_is_right_under_every_forcing(kind: str) -> None:
    for force in FORCES:
        if (force, kind) != ("queries", "text"):  # which needs to know how sure it is
            found = rolled(kind, summing(), force, edits=[Edit(5, {"s": "1"})], budget=2)
            assert (found.prediction.text, found.prediction.status) == (TRUTH, "ended"), force
            assert found.left is None
            assert all(step.same_action and step.same_state for step in found.steps)


@KINDS
def test_actions_are_forced_and_the_state_is_the_model_s_own(kind: str) -> None:
    """It adds one too much in every round, to its own sum: 1, 3, 6."""
    found = rolled(kind, summing(excess=1), "actions")
    wanted = b"(1 n=3\n2 s=0\n3 i=0\n4 s=1\n3 i=1\n4 s=3\n3 i=2\n4 s=6\n3\n5\n)6\n.\n"
    assert (found.prediction.text, found.prediction.status, found.left) == (wanted, "ended", None)


@KINDS
def test_forced_actions_keep_a_model_on_its_way(kind: str) -> None:
    """Alone it leaves the loop after one round; the states that it has are right."""
    say = summing(rounds=1)
    assert rolled(kind, say, "free").prediction.text == b"(1 n=3\n2 s=0\n3 i=0\n4\n3 i=1\n5\n)0\n.\n"
    found = rolled(kind, say, "actions")
    assert found.prediction.text == TRUTH
    given = [TRUTH[start:end] for start, end in found.dictated]
    assert b"4" in given  # the action that it did not want
    assert not any(b"=" in part for part in given)


@KINDS
def test_states_are_forced_and_the_actions_are_the_model_s_own(kind: str) -> None:
    found = rolled(kind, summing(excess=1), "states")
    assert (found.prediction.text, found.left) == (TRUTH, None)
    assert b" s=1\n" in [TRUTH[start:end] for start, end in found.dictated]


@KINDS
def test_behind_an_action_that_was_not_taken_there_is_no_true_state(kind: str) -> None:
    """It leaves the loop at step 5, with the true sum so far, and is on its own from there."""
    found = rolled(kind, summing(rounds=1, excess=7), "states")
    assert found.left == 5
    assert found.prediction.text == b"(1 n=3\n2 s=0\n3 i=0\n4\n3 i=1\n5\n)0\n.\n"
    assert max(end for _, end in found.dictated) <= found.prediction.text.index(b"5\n")


@KINDS
def test_one_step_ahead_every_step_stands_alone(kind: str) -> None:
    found = rolled(kind, summing(excess=1), "next")
    assert found.prediction.text == TRUTH
    wrong = {step.step: step.found for step in found.steps if not step.same_state}
    assert wrong == {3: b"4 s=1\n", 5: b"4 s=2\n", 7: b"4 s=4\n"}  # each from the true sum
    assert all(step.same_action for step in found.steps)
    assert [step.wanted for step in found.steps] == TRUTH.splitlines(keepends=True)
    assert all(step.found == step.wanted for step in found.steps if step.same_state)


@KINDS
def test_a_wrong_action_one_step_ahead_does_not_cost_the_state(kind: str) -> None:
    found = rolled(kind, summing(rounds=1), "next")
    wrong = [(step.step, step.found, step.same_state) for step in found.steps if not step.same_action]
    assert wrong == [(5, b"5\n", True), (7, b"5\n", True)]
    assert all(step.same_state for step in found.steps)


def test_both_is_read_and_not_written() -> None:
    found = rolled("guided", summing(excess=1), "both")
    ahead = rolled("guided", summing(excess=1), "next")
    assert found.prediction.text == TRUTH
    flags = [(step.same_action, step.same_state, step.action, step.state) for step in found.steps]
    assert flags == [(step.same_action, step.same_state, step.action, step.state) for step in ahead.steps]
    assert {step.found for step in found.steps} == {None}
    assert found.prediction.logprob == pytest.approx(ahead.prediction.logprob)
    assert found.prediction.logprob is not None
    assert found.prediction.logprob < -20  # three digits that it did not expect


def test_an_action_that_goes_on_is_a_wrong_action() -> None:
    """Of a true `1` it would make `12`: that is not a wrong state."""
    lines = "".join(f"    x{i} = {i}\n" for i in range(14))
    program = type(SUM)(source=f"def f():\n{lines}", call="f()")
    true = b"(1\n2 x0=0\n"
    engine = wishing(lambda text: b"2" if text.endswith(b"2") else b"(1\n2" if not text else b"\n")
    for guide in (True, False):
        local = Local(engine, name="o", guide=guide)
        (found,) = roll(
            local, [PredictionRequest(program=program)], [Prediction(text=true, status="budget")], force="next"
        )
        assert [(step.same_action, step.same_state) for step in found.steps][1] == (False, False)
        (found,) = roll(
            local, [PredictionRequest(program=program)], [Prediction(text=true, status="budget")], force="actions"
        )
        assert found.prediction.text == b"(1\n2\n"  # the action stays, a state is chosen behind it
        assert found.prediction.status == "budget"  # there is no more truth


@KINDS
def test_a_model_goes_on_from_an_edited_state(kind: str) -> None:
    found = rolled(kind, summing(), "edited", edits=[Edit(5, {"s": "40"})])
    assert found.prediction.text == TRUTH[: TRUTH.index(b" s=1")] + b" s=40\n3 i=2\n4 s=42\n3\n5\n)42\n.\n"
    assert found.dictated == ((0, found.prediction.text.index(b"3 i=2")),)


@pytest.mark.parametrize("kind", ["plain", "text"])
def test_invalid_states_are_kept_as_they_are(kind: str) -> None:
    """Garbage up to the end of each line: what is forced is in its place all the same."""
    found = rolled(kind, lambda text: {b"?": b"\n", b" ": b"?"}.get(text[-1:], b" "), "actions")
    lines = found.prediction.text.splitlines()
    actions = [turn.action(TRUTH) for turn in turns(TRUTH)]
    assert len(lines) == len(actions)
    assert all(line.startswith(action.strip()) for line, action in zip(lines, actions, strict=True))
    assert found.prediction.status == "ended"


@pytest.mark.parametrize("kind", ["plain", "text"])
def test_a_line_without_end_is_cut(kind: str) -> None:
    local = behind(kind, wishing(lambda text: b" "))
    (found,) = roll(local, [PredictionRequest(program=SUM, limit=50)], [TRUE], force="actions")
    assert (found.prediction.text, found.prediction.status) == (b"(1" + b" " * 48, "budget")


@KINDS
def test_a_model_that_ends_early_is_led_on(kind: str) -> None:
    """It wants nothing but the end; its states are the shortest that may be."""

    def say(text: bytes) -> bytes:
        return b"0" if text.endswith(b")") else b"\n" if text and not text.endswith(b"\n") else b"."

    found = rolled(kind, say, "actions")
    assert found.prediction.text == b"(1\n2\n3\n4\n3\n4\n3\n4\n3\n5\n)0\n.\n"
    assert rolled(kind, say, "states").left is not None


def test_a_truth_that_was_cut_ends_the_forcing() -> None:
    cut = Prediction(text=TRUTH[:20], status="budget")
    for kind in ("guided", "plain", "text"):
        for force in ("actions", "states"):
            (found,) = roll(behind(kind, wishing(summing())), [ASK], [cut], force=force)
            assert (found.prediction.text, found.prediction.status) == (TRUTH[:19], "budget")


def test_the_guard_holds_a_text_predictor() -> None:
    """A run of this program begins with a call at line 1 and nowhere else."""
    say = summing()

    def astray(text: bytes) -> bytes:
        return b"7\n" if text == b"(" else say(text)

    for kind in ("guided", "text"):
        found = rolled(kind, astray, "guard")
        assert (found.prediction.text, found.prediction.status) == (TRUTH, "ended")
    lost = rolled("text", lambda text: b"z", "guard").prediction
    assert (lost.text, lost.status) == (b"", "broken")


@pytest.mark.sampled(4)
@pytest.mark.fuzz
@pytest.mark.parametrize("options", forced_programs.MODES, ids=repr)
@pytest.mark.parametrize("guide", [True, False])
def test_whatever_a_model_wants_its_actions_are_the_true_ones(options: Compact, guide: bool) -> None:
    asks, truths = forced_programs.asks(options, limit=1500), forced_programs.truths(options)
    for seed in range(examples(1, 3)):
        local = Local(dicing(seed), name="dice", guide=guide)
        for ask, truth, found in zip(asks, truths, roll(local, asks, truths, force="actions"), strict=True):
            text = found.prediction.text
            wanted = [turn.action(truth.text) for turn in turns(truth.text)]
            actions = [turn.action(text) for turn in turns(text) if turn.whole]
            assert actions == wanted[: len(actions)]
            assert found.prediction.status == "budget" or len(actions) == len(wanted)
            for one, other in pairwise(found.dictated):
                assert one[1] < other[0]
            problem = parse(text, ask.prompt).malformed
            assert not guide or problem is None or problem.expected == "a canonical float"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("options", forced_programs.MODES, ids=repr)
def test_states_are_true_until_the_model_leaves(options: Compact) -> None:
    asks, truths = forced_programs.asks(options, limit=1500), forced_programs.truths(options)
    for guide in (True, False):
        local = Local(dicing(5), name="dice", guide=guide)
        for truth, found in zip(truths, roll(local, asks, truths, force="states"), strict=True):
            assert found.left is not None
            true = turns(truth.text)[found.left].start
            assert found.prediction.text[:true] == truth.text[:true]
            assert all(end <= true + 9 for _, end in found.dictated)


@pytest.mark.long(reason="runs four programs in five modes again for each forcing")
@pytest.mark.parametrize("options", forced_programs.MODES, ids=repr)
def test_the_interpreter_is_right_under_every_forcing(options: Compact) -> None:
    asks = forced_programs.asks(options)
    truths = list(Interpreter().predict(asks))
    assert [truth.text for truth in truths] == [truth.text for truth in forced_programs.truths(options)]
    for force in FORCES:
        if force == "edited":  # it cannot go on from what did not happen: test_forced_edit.py
            continue
        for truth, found in zip(truths, roll(Interpreter(), asks, truths, force=force, budget=2), strict=True):
            assert (found.prediction.text, found.prediction.status) == (truth.text, truth.status)
            assert found.left is None
            assert all(step.same_action and step.same_state for step in found.steps)
            assert not found.steps or b"".join(step.wanted for step in found.steps) == truth.text


def test_a_right_model_is_asked_once() -> None:
    for force in ("actions", "states", "next", "both", "guard"):
        predictor = OnlyText(Local(wishing(summing()), name="right"))
        list(roll(predictor, [ASK], [TRUE], force=force))
        assert predictor.asked == [b""]


@pytest.mark.parametrize("force", ["actions", "states", "next"])
def test_texts_are_written_together(force: str) -> None:
    """Several at once, in the order asked, each as if it were alone."""
    calls = [type(SUM)(source=SUM.source, call="f(3)") for _ in range(9)]
    asks, truths = [PredictionRequest(program=program) for program in calls], [TRUE] * 9
    for kind in ("guided", "text"):
        engine = wishing(summing(excess=1))
        found = list(roll(behind(kind, engine), asks, truths, force=force))
        alone = rolled(kind, summing(excess=1), force)
        assert {one.prediction.text for one in found} == {alone.prediction.text}
        assert {one.steps for one in found} == {alone.steps}
        assert max(engine.batches) > 1


def test_every_request_has_the_hidden_inputs_and_the_control_of_the_first() -> None:
    asked: list[PredictionRequest] = []

    class Knowing(PlainPredictor):
        def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
            asked.extend(requests)
            return iter([TRUE] * len(requests))

    request = replace(ASK, control=Control(seed=7), hidden=(Hidden(0, "random", "0.5"),))
    (found,) = roll(Knowing(), [request], [TRUE], force="actions")
    assert found.prediction.text == TRUTH
    assert asked
    assert all((part.control, part.hidden) == (request.control, request.hidden) for part in asked)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"force": "all"}, "one of free"),
        ({"force": "actions", "truths": []}, "1 requests but 0 truths"),
        ({"force": "next", "truths": [Prediction(text=b"", status="fault")]}, "failed to record"),
        ({"force": "next", "truths": [Prediction(text=b"", status="ended", codec="cwm")]}, "but .* writes compact"),
        ({"force": "edited"}, "0 edits"),
        ({"force": "queries", "budget": -1}, "0 or more, not -1"),
    ],
)
def test_what_cannot_be_rolled_is_refused(options: dict[str, object], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        list(roll(Local(dicing(0), name="d"), [ASK], **{"truths": [TRUE], **options}))  # type: ignore[arg-type]


def test_a_fault_is_a_fault() -> None:
    class Down(PlainPredictor):
        name = "down"

        def predict(self, asks: list[PredictionRequest], /) -> object:
            return iter([Prediction(text=ask.given, status="fault") for ask in asks])

    for force in ("actions", "states", "next", "queries", "guard", "free"):
        (found,) = roll(Down(), [ASK], [TRUE], force=force, budget=0)  # type: ignore[arg-type]
        assert found.prediction.status == "fault"
        assert not found.steps


def test_lines_know_where_changes_can_stand() -> None:
    ask, truth = forced_programs.asks()[0], forced_programs.truths()[0].text
    lines = forced_lines(ask.prompt, ask.options, truth)
    assert b"".join(line.action + line.state for line in lines) == truth
    assert [line.action for line in lines if line.apart] == [b"4", b"4"]
    assert [line.action for line in lines if line.open] == [b"5", b"5"]
    assert [line.state for line in lines if line.late] == [b" r=1\n", b" r=2\n"]
