"""The model's part of a branch: it continues a text, after a forced line if the plan has one.

A forced line is its number alone; the model writes the state after it. If changes of an earlier line may still come
before it (`BranchPlan.late`), the model is asked for them first. A model that is decoded byte by byte may then only
write a state. One that returns text is asked again, after the whole line, if it has extended the number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from worldline.codec.compact.guide.guide import Guide, ImpossibleByte
from worldline.codec.compact.script import ANY, state_bits
from worldline.codec.compact.turns import turns
from worldline.codec.notation import notation
from worldline.predict.confidence import StepConfidence, step_confidences
from worldline.predict.prediction import STOPPED, Prediction, PredictionRequest, StreamPiece
from worldline.predict.predictor import Predictor
from worldline.predict.stream import stream
from worldline.predict.table import table_of
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.branches.plan import BranchPlan


@dataclass
class RolloutText:
    """A text being written after `ask.given`, with the log-probabilities and entropies of its bytes.

    `inherited` are the confidences of the steps that come from the parent.
    """

    ask: PredictionRequest
    inherited: tuple[StepConfidence, ...] = ()
    written: bytearray = field(default_factory=bytearray)
    logprobs: list[float] = field(default_factory=list)
    entropies: list[float] = field(default_factory=list)
    _complete: list[StepConfidence] = field(default_factory=list)  # steps that cannot change any more
    _end: int = 0  # where they end

    def take(self, piece: StreamPiece) -> None:
        """Append a piece."""
        self.written += piece.data
        self.logprobs += piece.logprobs
        self.entropies += piece.entropies

    def cut(self, size: int) -> None:
        """Shorten the text to `size` bytes after `ask.given`."""
        del self.written[size:], self.logprobs[size:], self.entropies[size:]
        self._complete, self._end = [], 0

    def dictate(self, data: bytes) -> None:
        """Append bytes that the model did not choose."""
        self.take(StreamPiece(data, (0.0,) * len(data), (0.0,) * len(data)))

    @property
    def whole(self) -> bytes:
        """The text, including `ask.given`."""
        return self.ask.given + self.written

    @property
    def steps(self) -> int:
        """The number of complete steps, as of the last `confidences`."""
        return len(self._complete)

    def _read(self) -> list[StepConfidence]:
        """The confidences so far; only steps that were incomplete the last time are read again."""
        start, text = self._end, self.whole[self._end :]
        before = len(self.ask.given) - start
        logprobs, entropies = (
            [0.0] * before + numbers[max(-before, 0) :] for numbers in (self.logprobs, self.entropies)
        )
        latest = step_confidences(
            replace(self.ask, given=b""), Prediction(text=text, status="budget"), logprobs, entropies
        )
        steps = [step._replace(start=step.start + start, end=step.end + start) for step in latest]
        complete = sum(turn.whole for turn in turns(text))
        self._complete += steps[:complete]
        self._end = self._complete[-1].end if self._complete else 0
        return self._complete + steps[complete:]

    def confidences(self) -> tuple[StepConfidence, ...]:
        """Return the model's confidence in each step, including the inherited ones; empty if it gives none."""
        has_own = any(self.logprobs)
        if not has_own and not self.inherited:
            return ()
        own = self._read()
        both = [_sum(step, parent) for step, parent in zip(own, self.inherited, strict=False)]
        return tuple(both + own[len(both) :]) if has_own else tuple(both)


def count_steps(prediction: Prediction) -> int:
    """Count the steps of a text, which may be incomplete."""
    return notation(prediction.codec).count_steps(prediction.text)


def inherited_confidences(parent: Branch, prefix: bytes) -> tuple[StepConfidence, ...]:
    """Return the confidences of the steps that a branch with this prefix has from its parent."""
    text, same = parent.found.text, 0
    if notation(parent.found.codec).resumes_anywhere:
        same = next(
            (i for i, (old, new) in enumerate(zip(text, prefix, strict=False)) if old != new),
            min(len(text), len(prefix)),
        )
    return tuple(step for step in parent.confidences if step.end <= same)


def _sum(step: StepConfidence, parent: StepConfidence) -> StepConfidence:
    return StepConfidence(step.start, step.end, *map(operator.add, step[2:], parent[2:]))


class _StateOnly:
    """After a forced number only a state may come: a digit or a mark would make it another action."""

    def __init__(self, prefix: bytes) -> None:
        self._start = len(prefix)

    def allowed(self, text: bytearray) -> int:
        """Allow the first byte of a state, then any."""
        return state_bits(b"0") if len(text) == self._start else ANY

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """Dictate nothing."""
        return b""


def stream_prediction(
    predictor: Predictor, plan: BranchPlan, text: RolloutText, stop: Callable[[], bool]
) -> Iterator[Prediction | None]:
    """Let the model write; the last item, and only it, is the prediction."""
    if plan.line is None:
        yield from _streamed(stream(predictor, text.ask, stop=stop, loose=True), text)
        return
    if plan.late:
        yield from _write_late(predictor, text, stop)
        if stop():
            yield Prediction(text=text.whole, status="budget", note=STOPPED)
            return
    text.dictate(b"%d" % plan.line)
    yield from _continue_line(predictor, text, stop)


def _streamed(pieces: Iterator[StreamPiece], text: RolloutText) -> Iterator[Prediction | None]:
    for piece in pieces:
        text.take(piece)
        yield piece.prediction


def _write_late(predictor: Predictor, text: RolloutText, stop: Callable[[], bool]) -> Iterator[None]:
    """Let the model write late changes, if there are any: a line that starts with a space."""

    def is_decided() -> bool:
        return stop() or (bool(text.written) and (text.written[:1] != b" " or b"\n" in text.written))

    for piece in stream(predictor, text.ask, stop=is_decided, loose=True):
        text.take(piece)
        yield None
    has_late = text.written.startswith(b" ")
    text.cut(text.written.find(b"\n") + 1 if has_late else 0)


def _continue_line(predictor: Predictor, text: RolloutText, stop: Callable[[], bool]) -> Iterator[Prediction | None]:
    """Continue after the number of a line."""
    ask, before = replace(text.ask, given=text.whole), len(text.written)
    if (decoder := predictor.capabilities.decodes_bytes) is not None:
        decoder = decoder if _is_guarded(ask) else decoder.settled(guard=False)
        yield from _streamed(stream(decoder, ask, stop=stop, script=_StateOnly(ask.given), loose=True), text)
        return
    for prediction in _streamed(stream(predictor, ask, stop=stop), text):
        following = bytes(text.written[before : before + 1])
        is_other_number = prediction is not None and prediction.status != "fault" and following not in (b" ", b"\n")
        if not is_other_number:
            yield prediction
            continue
        text.cut(before)
        text.dictate(b"\n")
        again = replace(ask, given=text.whole)
        yield from _streamed(stream(predictor, again, stop=stop), text)


def _is_guarded(ask: PredictionRequest) -> bool:
    """Whether the guard allows this line; if not, the model continues without the guard."""
    guide = Guide(ask.program, ask.options, guard=True, table=table_of(ask.program), hidden=ask.hidden)
    try:
        guide.feed_all(ask.given + b"\n")
    except ImpossibleByte:
        return False
    return True
