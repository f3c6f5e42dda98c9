"""Forcing in a notation of plain bytes: an answer is read byte by byte under a script of the notation.

An answer stays good as long as what is written is what it says, so that a predictor that is right is asked once. What
a model would have written otherwise cannot be had from text alone: where it goes on in a way that the script does not
leave to it (it makes a forced `)` a `)!`), and nothing is dictated instead, the prediction is broken.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass, field, replace
from typing import Protocol

from worldline.codec.compact.script import Actions, ChosenSteps, States
from worldline.codec.compact.turns import Turn, forced_lines, is_ended, turns
from worldline.predict.confidence import step_confidences
from worldline.predict.forcing.batching import Talk
from worldline.predict.forcing.forced_rollout import ForcedRollout, NextStep, NextSteps
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.rollout import Script, guide_after

LOOKAHEAD = 1 << 14  # bytes asked for at once behind what is written
STEP_LOOKAHEAD = 1 << 12  # bytes asked for at once behind a true step
SLACK = 256  # bytes that a step may be longer than the true one before it is cut


class TruthScript(Script, Protocol):
    """A script by the truth. `left`: the true step at which the text took another way. `answered`: steps it gave."""

    @property
    def left(self) -> int | None: ...
    @property
    def answered(self) -> Set[int]: ...
    def finish(self, text: bytes, /) -> None:
        """The text is at its end."""
        ...


class Guarded:
    """The control-flow guard for who only gives text: a byte that it does not allow is not taken."""

    left: int | None = None
    answered: Set[int] = frozenset()

    def __init__(self, ask: PredictionRequest) -> None:
        self._guide, self._at = guide_after(ask, guard=True), len(ask.given)

    def finish(self, text: bytes) -> None:
        """The text is at its end."""

    def allowed(self, text: bytearray) -> int:
        """What may follow."""
        self._guide.feed_all(bytes(text[self._at :]))
        self._at = len(text)
        return self._guide.bits

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """The only way on, where there is one and the byte is none."""
        bits = self.allowed(text)
        only = bits and not bits & (bits - 1) and byte is not None and not bits >> byte & 1
        return bytes([bits.bit_length() - 1]) if only else b""


def script_of(
    ask: PredictionRequest, truth: Prediction, force: str, chosen: Collection[int] = ()
) -> TruthScript:
    """What a forcing dictates by a truth; `chosen` are the steps that `queries` puts in."""
    lines = forced_lines(ask.prompt, ask.options, truth.text)
    if force == "queries":
        return ChosenSteps(lines, chosen)
    return Actions(lines) if force == "actions" else States(lines)


def forced(
    ask: PredictionRequest, truth: Prediction | None, force: str, chosen: Collection[int] = ()
) -> Talk[ForcedRollout]:
    """A text under a forcing, by a predictor that only gives text; without a truth it is held to the control flow."""
    script = Guarded(ask) if truth is None else script_of(ask, truth, force, chosen)
    walk = yield from _walked(ask, script)
    script.finish(bytes(walk.text))
    prediction = walk.prediction()
    is_sure = force == "queries" and (walk.certain or walk.status == "fault")
    return ForcedRollout(
        prediction=prediction, force=force, dictated=tuple(walk.dictated), left=script.left,
        sure=tuple(step_confidences(ask, prediction, ())) if is_sure else (), answered=tuple(sorted(script.answered)),
    )  # fmt: skip


@dataclass
class _ByteWalk:
    """One text under way, and the answer that it is read from while they agree."""

    ask: PredictionRequest
    script: Script
    text: bytearray = field(default_factory=bytearray)
    held: Prediction | None = None
    status: str = ""
    seconds: float = 0.0
    certain: bool = True  # every answer was given as certain
    dictated: list[tuple[int, int]] = field(default_factory=list)

    def prediction(self) -> Prediction:
        """What has come of it."""
        logprob = 0.0 if self.certain else None
        return Prediction(text=bytes(self.text), status=self.status, logprob=logprob, seconds=self.seconds)

    def question(self) -> PredictionRequest:
        """Asks for what follows the text."""
        limit = min(self.ask.limit, len(self.text) + LOOKAHEAD)
        return PredictionRequest(
            program=self.ask.program, options=self.ask.options, limit=limit, given=bytes(self.text)
        )

    def hear(self, answer: Prediction) -> None:
        """Takes an answer to read from."""
        self.held = answer
        self.seconds += answer.seconds
        self.certain = self.certain and answer.logprob == 0.0
        if answer.status == "fault" or not answer.text.startswith(bytes(self.text)):
            self.status = "fault"

    def go(self) -> None:
        """Reads on in the answer, until it ends or something else is dictated."""
        fresh = len(self.text)
        while not self.status and self.held is not None:
            byte = self.held.text[len(self.text)] if len(self.text) < len(self.held.text) else None
            data = self.script.instead(self.text, byte)
            if data is None or len(self.text) >= self.ask.limit:
                self.status = "budget"
            elif data:
                self._dictate(data[: self.ask.limit - len(self.text)])
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
        if self.held is not None and self.held.text[start:end] != data:
            self.held = None

    def _run_out(self, moved: bool) -> None:
        """The answer is at its end: it was cut by the look-ahead, or there is no more."""
        assert self.held is not None
        cut = self.held.status == "budget" and moved and len(self.text) < self.ask.limit
        self.status, self.held = ("", None) if cut else (self.held.status, self.held)


def _walked(ask: PredictionRequest, script: Script) -> Talk[_ByteWalk]:
    walk = _ByteWalk(ask, script, bytearray(ask.given))
    while not walk.status:
        walk.hear((yield walk.question()))
        walk.go()
    return walk


# ---- one step ahead


def whole_turns(ask: PredictionRequest, text: bytes) -> list[Turn]:
    """The whole steps of a true text within the limit."""
    return [turn for turn in turns(text[: ask.limit]) if turn.whole]


def ahead(ask: PredictionRequest, truth: Prediction) -> Talk[NextSteps]:
    """Each true step, asked for behind the truth before it."""
    text, held, seconds = truth.text, None, 0.0
    steps: list[NextStep] = []
    for number, turn in enumerate(whole_turns(ask, text)):
        if held is None or not _covers(held, text, turn):
            held = yield _behind(ask, text[: turn.start], turn.end)
            seconds += held.seconds
            if held.status == "fault":
                return NextSteps(tuple(steps), seconds, "fault")
        mine = held.text[turn.start : turn.end + SLACK]
        first = next(iter(turns(mine)), Turn((), whole=False))
        written = mine[: first.end] if first.lines else b""
        same_action = first.action(mine) == turn.action(text)
        same_state = first.whole and first.state(mine) == turn.state(text)
        own = turn.lines[-1]
        if not same_action and _late(mine, first) == _late(text, turn):
            other = yield _behind(ask, text[: own.action], turn.end)
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


def _late(text: bytes, turn: Turn) -> bytes:
    return b"".join(text[line.action : line.end] for line in turn.lines[:-1])


def _covers(held: Prediction, text: bytes, turn: Turn) -> bool:
    """Whether an answer is also one to this turn: true so far, and not cut within it."""
    if not held.text.startswith(text[: turn.start]):
        return False
    return held.status != "budget" or len(held.text) >= turn.end + SLACK


def _behind(ask: PredictionRequest, before: bytes, end: int) -> PredictionRequest:
    return replace(ask, given=before, limit=max(end + SLACK, len(before) + STEP_LOOKAHEAD))
