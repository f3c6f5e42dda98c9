"""Teacher forcing for predictors that only return text, in a notation of plain bytes (see `writing`).

A prediction is read byte by byte under a script. It is used while the text agrees with it, so a predictor that is right
is asked once. If the model's next byte is not allowed and the script dictates nothing instead, the text is `broken`.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass, field, replace
from typing import Protocol

from worldline.codec.compact.script import Actions, ChosenSteps, States
from worldline.codec.compact.turns import Turn, forced_lines, is_ended, turns
from worldline.predict.confidence import step_confidences
from worldline.predict.forcing.batching import RequestGenerator
from worldline.predict.forcing.forced_rollout import ForcedRollout, NextStep, NextSteps
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.rollout import Script, guide_after

LOOKAHEAD_BYTES = 1 << 14  # requested at once after the text so far
STEP_LOOKAHEAD_BYTES = 1 << 12  # requested at once after a true step
SLACK_BYTES = 256  # by which a step may exceed the true one before it is cut


class TruthScript(Script, Protocol):
    """A script that dictates parts of a true text.

    Attributes:
        left: The true step at which the text diverged.
        answered: The numbers of the true steps that it dictated whole.
    """

    @property
    def left(self) -> int | None: ...
    @property
    def answered(self) -> Set[int]: ...
    def finish(self, text: bytes, /) -> None:
        """Take note of the finished text."""
        ...


class GuardScript:
    """The control-flow guard as a script."""

    left: int | None = None
    answered: Set[int] = frozenset()

    def __init__(self, request: PredictionRequest) -> None:
        self._guide, self._at = guide_after(request, guard=True), len(request.given)

    def finish(self, text: bytes) -> None:
        """Do nothing."""

    def allowed(self, text: bytearray) -> int:
        """Return the bytes that the guard allows."""
        self._guide.feed_all(bytes(text[self._at :]))
        self._at = len(text)
        return self._guide.bits

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """Return the only allowed byte if the model chose another one."""
        bits = self.allowed(text)
        only = bits and not bits & (bits - 1) and byte is not None and not bits >> byte & 1
        return bytes([bits.bit_length() - 1]) if only else b""


def make_script(request: PredictionRequest, truth: Prediction, force: str, chosen: Collection[int] = ()) -> TruthScript:
    """Return the script of a forcing; `chosen` are the numbers of the true steps that `queries` dictates."""
    lines = forced_lines(request.prompt, request.options, truth.text)
    if force == "queries":
        return ChosenSteps(lines, chosen)
    return Actions(lines) if force == "actions" else States(lines)


def force_text(
    request: PredictionRequest, truth: Prediction | None, force: str, chosen: Collection[int] = ()
) -> RequestGenerator[ForcedRollout]:
    """Write a forced text; see `writing.Forcing`."""
    script = GuardScript(request) if truth is None else make_script(request, truth, force, chosen)
    walk = yield from _walk(request, script)
    script.finish(bytes(walk.text))
    prediction = walk.prediction()
    is_sure = force == "queries" and (walk.is_certain or walk.status == "fault")
    return ForcedRollout(
        prediction=prediction,
        force=force,
        dictated=tuple(walk.dictated),
        left=script.left,
        sure=tuple(step_confidences(request, prediction, ())) if is_sure else (),
        answered=tuple(sorted(script.answered)),
    )


@dataclass
class _ByteWalk:
    """A text in progress, and the answer it is read from while they agree."""

    request: PredictionRequest
    script: Script
    text: bytearray = field(default_factory=bytearray)
    answer: Prediction | None = None
    status: str = ""
    seconds: float = 0.0
    is_certain: bool = True  # every answer had probability 1
    dictated: list[tuple[int, int]] = field(default_factory=list)

    def prediction(self) -> Prediction:
        """Return the text as a prediction."""
        logprob = 0.0 if self.is_certain else None
        return Prediction(text=bytes(self.text), status=self.status, logprob=logprob, seconds=self.seconds)

    def next_request(self) -> PredictionRequest:
        """Request what follows the text."""
        limit = min(self.request.limit, len(self.text) + LOOKAHEAD_BYTES)
        return replace(self.request, limit=limit, given=bytes(self.text))

    def accept(self, answer: Prediction) -> None:
        """Use an answer."""
        self.answer = answer
        self.seconds += answer.seconds
        self.is_certain = self.is_certain and answer.logprob == 0.0
        if answer.status == "fault" or not answer.text.startswith(bytes(self.text)):
            self.status = "fault"

    def read_answer(self) -> None:
        """Read the answer until it ends or something else is dictated."""
        fresh = len(self.text)
        while not self.status and self.answer is not None:
            byte = self.answer.text[len(self.text)] if len(self.text) < len(self.answer.text) else None
            data = self.script.instead(self.text, byte)
            if data is None or len(self.text) >= self.request.limit:
                self.status = "budget"
            elif data:
                self._dictate(data[: self.request.limit - len(self.text)])
            elif byte is None:
                self._run_out(len(self.text) > fresh)
            elif self.script.allowed(self.text) >> byte & 1:
                self.text.append(byte)
            else:
                self.status = "broken"
            if not self.status and is_ended(self.text):
                self.status = "ended"

    def _dictate(self, data: bytes) -> None:
        start, end = len(self.text), len(self.text) + len(data)
        self.text += data
        self.dictated.append((start, end))
        if self.answer is not None and self.answer.text[start:end] != data:
            self.answer = None

    def _run_out(self, moved: bool) -> None:
        """Handle the end of the answer: request more if the lookahead cut it."""
        assert self.answer is not None
        cut = self.answer.status == "budget" and moved and len(self.text) < self.request.limit
        self.status, self.answer = ("", None) if cut else (self.answer.status, self.answer)


def _walk(request: PredictionRequest, script: Script) -> RequestGenerator[_ByteWalk]:
    walk = _ByteWalk(request, script, bytearray(request.given))
    while not walk.status:
        walk.accept((yield walk.next_request()))
        walk.read_answer()
    return walk


def whole_turns(request: PredictionRequest, text: bytes) -> list[Turn]:
    """Return the whole steps of a true text within the limit."""
    return [turn for turn in turns(text[: request.limit]) if turn.whole]


def predict_next_steps(request: PredictionRequest, truth: Prediction) -> RequestGenerator[NextSteps]:
    """Predict each true step from the truth before it; see `writing.Forcing`."""
    text, answer, seconds = truth.text, None, 0.0
    steps: list[NextStep] = []
    for number, turn in enumerate(whole_turns(request, text)):
        if answer is None or not _covers(answer, text, turn):
            answer = yield _request_after(request, text[: turn.start], turn.end)
            seconds += answer.seconds
            if answer.status == "fault":
                return NextSteps(tuple(steps), seconds, "fault")
        predicted = answer.text[turn.start : turn.end + SLACK_BYTES]
        first = next(iter(turns(predicted)), Turn((), whole=False))
        written = predicted[: first.end] if first.lines else b""
        same_action = first.action(predicted) == turn.action(text)
        same_state = first.whole and first.state(predicted) == turn.state(text)
        own = turn.lines[-1]
        if not same_action and _late_changes(predicted, first) == _late_changes(text, turn):
            # Only the action is wrong: predict the state after the true action.
            other = yield _request_after(request, text[: own.action], turn.end)
            seconds += other.seconds
            if other.status == "fault":
                return NextSteps(tuple(steps), seconds, "fault")
            same_state = other.text[own.action : own.end] == text[own.action : own.end]
        steps.append(
            NextStep(
                step=number,
                wanted=text[turn.start : turn.end],
                found=written,
                same_action=same_action,
                same_state=same_state,
            )
        )
    return NextSteps(tuple(steps), seconds)


def _late_changes(text: bytes, turn: Turn) -> bytes:
    return b"".join(text[line.action : line.end] for line in turn.lines[:-1])


def _covers(answer: Prediction, text: bytes, turn: Turn) -> bool:
    """Whether an answer includes this turn: it is true up to there, and not cut within it."""
    if not answer.text.startswith(text[: turn.start]):
        return False
    return answer.status != "budget" or len(answer.text) >= turn.end + SLACK_BYTES


def _request_after(request: PredictionRequest, before: bytes, end: int) -> PredictionRequest:
    return replace(request, given=before, limit=max(end + SLACK_BYTES, len(before) + STEP_LOOKAHEAD_BYTES))
