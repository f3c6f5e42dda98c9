"""Meta's format under forcing, by models whose every mistake is planted: what is forced is, the rest is their own."""

from __future__ import annotations

from random import Random

import pytest
from forced_programs import PROGRAMS
from plain_predictor import PlainPredictor
from planted import PlantedText

from worldline.codec.cwm.frame_text import cut
from worldline.codec.cwm.guard import first_refused
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.sample import Sample
from worldline.predict.forcing.forced import FORCES, Edit, roll
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.programs.tasks import permutation

PERMUTED = permutation(Random(3), length=24)
CALLS = Program(
    source="""\
def g(n):
    m = n + 1
    return m
def f(xs):
    total = 0
    for x in xs:
        total += g(x)
    if total > 9:
        total = 9
    return total
""",
    call="f([1, 2])",
)


def true(ask: PredictionRequest) -> Prediction:
    (found,) = Interpreter(codec="cwm").predict([ask])
    assert found.status == "ended"
    return found


def rolled(path: str, program: Program, force: str, **options: object) -> tuple[ForcedRollout, Prediction, PlantedText]:
    model, ask = PlantedText(path), PredictionRequest(program=program)
    truth = true(ask)
    (found,) = roll(model, [ask], [truth], force=force, **options)  # type: ignore[arg-type]
    return found, truth, model


def actions(text: bytes) -> list[tuple[bytes, bytes]]:
    return [frame.around(text) for frame in cut(text)]


def judged(program: Program, truth: Prediction, found: Prediction) -> Diagnosis:
    return Diagnosis(Sample(ask=PredictionRequest(program=program), truth=truth, found=found))


@pytest.mark.long(reason="runs six programs again for each forcing")
@pytest.mark.parametrize("program", [PERMUTED, CALLS, *PROGRAMS], ids=lambda program: program.call or "script")
def test_the_interpreter_is_right_under_every_forcing(program: Program) -> None:
    ask = PredictionRequest(program=program)
    truth = true(ask)
    for force in FORCES:
        if force == "edited":
            continue
        (found,) = roll(Interpreter(codec="cwm"), [ask], [truth], force=force, budget=2)
        assert (found.prediction.text, found.prediction.status) == (truth.text, "ended"), force
        assert found.left is None
        assert all(step.same_action and step.same_state for step in found.steps)
        assert not found.steps or b"".join(step.wanted for step in found.steps) == truth.text


def test_a_right_model_is_asked_once() -> None:
    for force in ("actions", "states", "next", "both", "guard"):
        found, truth, model = rolled("right", CALLS, force)
        assert (found.prediction.text, len(model.asked)) == (truth.text, 1), force


def test_forced_actions_keep_a_model_on_its_way() -> None:
    """Alone it skips every seventh line; the states that it has are right."""
    free, truth, _ = rolled("skips-7", PERMUTED, "free")
    assert judged(PERMUTED, truth, free.prediction).answer is False
    found, truth, model = rolled("skips-7", PERMUTED, "actions")
    assert (found.prediction.text, found.prediction.status) == (truth.text, "ended")
    own = bytearray(truth.text)
    for start, end in found.dictated:
        own[start:end] = b" " * (end - start)
    assert bytes(own).split() == b" ".join(frame.state(truth.text) for frame in cut(truth.text)).split()
    slips = 1 + 28 // 7  # the first ask, and one for each line that it would have skipped
    assert len(model.asked) <= 2 * slips
    assert len(model.asked) < len(cut(truth.text))


def test_forced_actions_do_not_fix_a_state() -> None:
    found, truth, model = rolled("swaps-7", PERMUTED, "actions")
    assert actions(found.prediction.text) == actions(truth.text)
    assert judged(PERMUTED, truth, found.prediction).answer is False
    assert found.prediction.status == "ended"
    assert len(model.asked) == 1  # its actions were the true ones all along


def test_at_most_one_request_per_frame() -> None:
    found, truth, model = rolled("skips-1", PERMUTED, "actions")
    assert found.prediction.text == truth.text
    assert len(model.asked) <= len(cut(truth.text))
    assert {ask.stop for ask in model.asked[1:3]} == {"frame_sep"}


def test_states_are_forced_and_the_actions_are_the_model_s_own() -> None:
    found, truth, _ = rolled("swaps-7", PERMUTED, "states")
    assert (found.prediction.text, found.left) == (truth.text, None)
    found, truth, _ = rolled("skips-7", PERMUTED, "states")
    lines = cut(truth.text)
    assert found.left is not None
    assert found.prediction.text[: lines[found.left].state_start] == truth.text[: lines[found.left].state_start]
    assert actions(found.prediction.text)[found.left] != actions(truth.text)[found.left]
    assert found.prediction.status == "ended"


def test_one_frame_ahead_every_frame_stands_alone() -> None:
    found, _, _ = rolled("swaps-7", PERMUTED, "next")
    wrong = [step.step for step in found.steps if not step.same_state]
    assert wrong == [3 + 7 * k for k in (1, 2, 3, 4)]
    assert all(step.same_action for step in found.steps)
    found, _, _ = rolled("skips-7", PERMUTED, "next")
    assert [step.step for step in found.steps if not step.same_action] == [3 + 7 * k for k in (1, 2, 3, 4)][
        : len(wrong)
    ]
    assert all(step.same_state for step in found.steps)


def test_the_guard_writes_the_only_line_that_there_is() -> None:
    """It leaves the function behind `total = 0`, which no control flow does; one line may follow, and is written."""
    free, truth, _ = rolled("astray=for x", CALLS, "free")
    assert judged(CALLS, truth, free.prediction).is_whole is False
    straight, truth, _ = rolled("skips-7", PERMUTED, "guard")
    assert (straight.prediction.text, straight.prediction.status) == (truth.text, "ended")
    found, truth, _ = rolled("astray=m = n", CALLS, "guard")
    assert (found.prediction.text, found.prediction.status) == (truth.text, "ended")
    assert b"    m = n + 1\n" in found.prediction.text[slice(*found.dictated[0])] or len(found.dictated) > 1


def test_the_guard_ends_a_text_that_has_several_ways_and_takes_none() -> None:
    found, _, _ = rolled("astray=total > 9", CALLS, "guard")  # behind the loop, or its body again
    assert found.prediction.status == "broken"


@pytest.mark.parametrize("program", [PERMUTED, CALLS, *PROGRAMS], ids=lambda program: program.call or "script")
def test_no_true_run_leaves_the_guard(program: Program) -> None:

    assert first_refused(true(PredictionRequest(program=program)).text, program) is None


def test_a_model_goes_on_from_an_edited_state() -> None:
    """Behind the first line of `f` its `a` is another digit: the run is on from there, the answer with it."""
    program = permutation(Random(3), length=0)
    model, ask = PlantedText("skips-0"), PredictionRequest(program=program)
    truth = true(ask)
    first = next(i for i, frame in enumerate(cut(truth.text)) if b"    a = " in truth.text[frame.start : frame.end])
    (found,) = roll(model, [ask], [truth], force="edited", edits=[Edit(first, {"a": "77"})])
    assert judged(program, truth, found.prediction).found.answer is not None
    assert '"(77, ' in found.prediction.text.decode()
    assert found.prediction.text.startswith(truth.text[: cut(truth.text)[first + 1].state_start] + b'{"a": "77"}')
    assert found.dictated[0][1] == len(truth.text[: cut(truth.text)[first + 1].state_start] + b'{"a": "77"}')
    with pytest.raises(UsageError, match="no step 99"):
        roll(model, [ask], [truth], force="edited", edits=[Edit(99, {"a": "1"})]).__next__()
    with pytest.raises(UsageError, match="no later frame shows its names"):
        roll(model, [ask], [truth], force="edited", edits=[Edit(len(cut(truth.text)) - 2, {"a": "1"})]).__next__()


def test_queries_need_log_probabilities() -> None:
    with pytest.raises(UsageError, match="reports no confidence per step"):
        rolled("skips-7", PERMUTED, "queries", budget=2)


def test_truths_of_the_other_notation_are_refused() -> None:
    ask = PredictionRequest(program=CALLS)
    with pytest.raises(UsageError, match="the truth is in compact, but planted writes cwm"):
        roll(PlantedText("right"), [ask], list(Interpreter().predict([ask])), force="actions")


def test_a_fault_is_a_fault() -> None:
    class Down(PlainPredictor):
        name, codec = "down", "cwm"

        def predict(self, asks: list[PredictionRequest], /) -> object:
            return iter([Prediction(text=ask.given, status="fault", codec="cwm", note="down") for ask in asks])

    ask = PredictionRequest(program=CALLS)
    for force in ("actions", "states", "next", "queries", "guard", "free"):
        (found,) = roll(Down(), [ask], [true(ask)], force=force, budget=0)  # type: ignore[arg-type]
        assert found.prediction.status == "fault", force
        assert not found.steps


def test_a_budget_cuts_a_forced_text() -> None:
    ask = PredictionRequest(program=PERMUTED)
    truth = true(ask)
    for force in ("actions", "states", "guard"):
        short = PredictionRequest(program=PERMUTED, limit=len(truth.text) // 2)
        (found,) = roll(PlantedText("skips-7"), [short], [truth], force=force)
        assert (len(found.prediction.text), found.prediction.status) == (short.limit, "budget"), force
        if force != "states":
            assert truth.text.startswith(found.prediction.text)
