"""The model's part of a branch: it goes on from a text, behind a line that is forced on it where a plan says so.

A forced line is the number alone: the model writes the state behind it. Where changes of an earlier line are still due
before it (`BranchPlan.late`) the model is asked for them first. A model that gives bytes may then only write a state;
one that gives text is asked again behind the whole line where it made the number something else.
"""

from __future__ import annotations

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
    """A text under way behind `ask.given`, with what is known of its bytes; `kept` is how sure its parent was."""

    ask: PredictionRequest
    kept: tuple[StepConfidence, ...] = ()
    text: bytearray = field(default_factory=bytearray)
    logprobs: list[float] = field(default_factory=list)
    entropies: list[float] = field(default_factory=list)
    _done: list[StepConfidence] = field(default_factory=list)
    _at: int = 0  # the end of those

    def take(self, piece: StreamPiece) -> None:
        """What came is added."""
        self.text += piece.data
        self.logprobs += piece.logprobs
        self.entropies += piece.entropies

    def cut(self, size: int) -> None:
        """Back to so many bytes behind what is given."""
        del self.text[size:], self.logprobs[size:], self.entropies[size:]
        self._done, self._at = [], 0

    def dictate(self, data: bytes) -> None:
        """Bytes that are not the model's own."""
        self.take(StreamPiece(data, (0.0,) * len(data), (0.0,) * len(data)))

    @property
    def whole(self) -> bytes:
        """The text with what is given."""
        return self.ask.given + self.text

    @property
    def steps(self) -> int:
        """How many steps are whole, as far as was looked."""
        return len(self._done)

    def _look(self) -> list[StepConfidence]:
        """The steps so far; only those that were not whole the last time are read again."""
        at, text = self._at, self.whole[self._at :]
        before = len(self.ask.given) - at
        odds, spread = ([0.0] * before + each[max(-before, 0) :] for each in (self.logprobs, self.entropies))
        found = step_confidences(
            replace(self.ask, given=b""), Prediction(text=text, status="budget"), odds, spread
        )
        steps = [step._replace(start=step.start + at, end=step.end + at) for step in found]
        ended = sum(turn.whole for turn in turns(text))
        self._done += steps[:ended]
        self._at = self._done[-1].end if self._done else 0
        return self._done + steps[ended:]

    def sure(self) -> tuple[StepConfidence, ...]:
        """How sure the model was of each step, its parent's part with it; nothing where it does not say."""
        known = any(self.logprobs)
        if not known and not self.kept:
            return ()
        found = self._look()
        both = [_added(one, old) for one, old in zip(found, self.kept, strict=False)]
        return tuple(both + found[len(both) :]) if known else tuple(both)


def steps_of(found: Prediction) -> int:
    """How many steps a text, which may be under way, has."""
    return notation(found.codec).count_steps(found.text)


def carried(parent: Branch, given: bytes) -> tuple[StepConfidence, ...]:
    """How sure the model was of the steps, or the part of one, that a branch has from its parent."""
    text, same = parent.found.text, 0
    if notation(parent.found.codec).resumes_anywhere:
        same = next(
            (i for i, (a, b) in enumerate(zip(text, given, strict=False)) if a != b),
            min(len(text), len(given)),
        )
    return tuple(one for one in parent.sure if one.end <= same)


def _added(one: StepConfidence, other: StepConfidence) -> StepConfidence:
    sums = (a + b for a, b in zip(one[2:], other[2:], strict=True))
    return StepConfidence(one.start, one.end, *sums)


class _Behind:
    """Behind a forced number only a state may come: a digit or a mark would make it another action."""

    def __init__(self, given: bytes) -> None:
        self._at = len(given)

    def allowed(self, text: bytearray) -> int:
        """The state's first byte, then any."""
        return state_bits(b"0") if len(text) == self._at else ANY

    def instead(self, text: bytearray, byte: int | None) -> bytes | None:
        """Nothing is dictated."""
        return b""


def written(
    predictor: Predictor, plan: BranchPlan, growing: RolloutText, stop: Callable[[], bool]
) -> Iterator[Prediction | None]:
    """Lets the model write; at the end, and only there, its prediction."""
    if plan.line is None:
        yield from _streamed(stream(predictor, growing.ask, stop=stop, loose=True), growing)
        return
    if plan.late:
        yield from _late(predictor, growing, stop)
        if stop():
            yield Prediction(text=growing.whole, status="budget", note=STOPPED)
            return
    growing.dictate(b"%d" % plan.line)
    yield from _led(predictor, growing, stop)


def _streamed(pieces: Iterator[StreamPiece], growing: RolloutText) -> Iterator[Prediction | None]:
    for piece in pieces:
        growing.take(piece)
        yield piece.prediction


def _late(predictor: Predictor, growing: RolloutText, stop: Callable[[], bool]) -> Iterator[None]:
    """Late changes, if the model writes any: a line that begins with a space."""

    def decided() -> bool:
        return stop() or (bool(growing.text) and (growing.text[:1] != b" " or b"\n" in growing.text))

    for piece in stream(predictor, growing.ask, stop=decided, loose=True):
        growing.take(piece)
        yield None
    late = growing.text.startswith(b" ")
    growing.cut(growing.text.find(b"\n") + 1 if late else 0)


def _led(predictor: Predictor, growing: RolloutText, stop: Callable[[], bool]) -> Iterator[Prediction | None]:
    """Goes on behind the number of a line."""
    ask, before = replace(growing.ask, given=growing.whole), len(growing.text)
    if (decoder := predictor.capabilities.decodes_bytes) is not None:
        free = decoder if _is_guarded(ask) else decoder.settled(guard=False)
        yield from _streamed(stream(free, ask, stop=stop, script=_Behind(ask.given), loose=True), growing)
        return
    for found in _streamed(stream(predictor, ask, stop=stop), growing):
        behind = bytes(growing.text[before : before + 1])
        strays = found is not None and found.status != "fault" and behind not in (b" ", b"\n")
        if not strays:
            yield found
            continue
        growing.cut(before)
        growing.dictate(b"\n")
        again = replace(ask, given=growing.whole)
        yield from _streamed(stream(predictor, again, stop=stop), growing)


def _is_guarded(ask: PredictionRequest) -> bool:
    """Whether the guard would let this line run; where it would not, the model goes on without it."""
    guide = Guide(ask.program, ask.options, guard=True, table=table_of(ask.program), hidden=ask.hidden)
    try:
        guide.feed_all(ask.given + b"\n")
    except ImpossibleByte:
        return False
    return True
