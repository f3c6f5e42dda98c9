"""One text of Meta's format under way: what is dictated goes in, what is the model's own is asked for.

An answer stays good as long as what is written is what it says, so that a model that is right is asked once. Where
something else was dictated it is asked anew, for one frame alone (`PredictionRequest.stop`), and for more at once as
long as it agrees. A text is only ever cut at special tokens: what is given back to a model are whole tokens of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from worldline.codec.cwm.frame_text import MARK, TEXT_END, CutFrame, beside, cut
from worldline.codec.cwm.notation import NOTATION
from worldline.core.errors import UsageError
from worldline.predict.confidence import StepConfidence
from worldline.predict.forcing.batching import Talk
from worldline.predict.prediction import Prediction, PredictionRequest

FASTER = 4  # how many times as many frames are asked for, once all that came was good
MOST = 256  # frames; who agrees for so long is asked for all again
USUAL = 64  # bytes of a frame, at least
SLACK = 512  # bytes that are asked for beyond the frames


@dataclass
class FrameDraft:
    """A text, the answer that it is read from while they agree, and how many frames are asked for at once.

    `stop` is where an ask for one frame stops. `pace` is None as long as everything is asked for.
    """

    ask: PredictionRequest
    frame: int  # bytes of a usual one
    stop: str = "frame_sep"
    text: bytearray = field(default_factory=bytearray)
    held: Prediction | None = None
    status: str = ""
    note: str = ""
    pace: int | None = None
    seconds: float = 0.0
    asked: int = 0
    is_certain: bool = True  # every answer was given as certain
    dictated: list[tuple[int, int]] = field(default_factory=list)
    known: dict[int, tuple[float, float]] = field(default_factory=dict)  # of frames by where they begin
    _question: PredictionRequest | None = None  # that the answer is to

    @property
    def prediction(self) -> Prediction:
        """What has come of it."""
        return Prediction(
            text=bytes(self.text), status=self.status, logprob=0.0 if self.is_certain else None, seconds=self.seconds,
            codec=NOTATION.name, note=self.note,
        )  # fmt: skip

    def dictate(self, data: bytes) -> None:
        """What stands next, whatever the model says."""
        data = data[: self.ask.limit - len(self.text)]
        start, end = len(self.text), len(self.text) + len(data)
        if self.dictated and self.dictated[-1][1] == start:
            start = self.dictated.pop()[0]
        self.dictated += [(start, end)] if data else []
        self._write(data)

    def take(self, data: bytes) -> None:
        """What stands next, as the model says."""
        self._write(data[: self.ask.limit - len(self.text)])

    def _write(self, data: bytes) -> None:
        at = len(self.text)
        self.text += data
        if self.text.endswith(TEXT_END):
            self.status = "ended"
        elif len(self.text) >= self.ask.limit:
            self.status = "budget"
        if self.held is None:
            return
        rest = self.held.text[at : at + len(data)]
        if rest == data and len(self.held.text) > at + len(data):
            return
        if data.startswith(rest):  # all of the answer was good
            self.pace = None if self.pace is None else self.pace * FASTER
        else:
            self.pace = 1
        self.held = None

    def mark(self) -> Talk[str]:
        """The special token that the model writes next, which is not taken; nothing where it writes something else."""
        while (yield from self._read()):
            assert self.held is not None
            match = MARK.match(self.held.text, len(self.text))
            if match is not None:
                return match[1].decode()
            is_begun = self.held.status == "budget" and MARK.search(self.held.text, len(self.text)) is None
            if not (is_begun and (yield from self._further())):  # the cut may stand within the token
                return ""
        return ""

    def own(self) -> Talk[bytes]:
        """What the model writes up to its next special token, which is taken."""
        at = len(self.text)
        self.take((yield from self.peek()))
        return bytes(self.text[at:])

    def peek(self) -> Talk[bytes]:
        """What the model writes up to its next special token, which is not taken unless nothing can follow it."""
        while (yield from self._read()):
            assert self.held is not None
            at = len(self.text)
            match, rest = MARK.search(self.held.text, at), self.held.text[at:]
            if match is not None:
                return rest[: match.start() - at]
            is_cut = self.held.status == "budget"
            if not (is_cut and (yield from self._further())):
                self.take(rest)
                self.status = self.status or ("budget" if is_cut else "broken")
        return b""

    def look(self, mark: bytes) -> Talk[bytes]:
        """What the model writes from here on, up to this special token at least where it comes; nothing is taken."""
        while (yield from self._read()):
            assert self.held is not None
            rest = self.held.text[len(self.text) :]
            if mark in rest or self.held.status != "budget" or not (yield from self._further()):
                return rest
        return b""

    def rest(self) -> Talk[None]:
        """Everything that the model writes from here on."""
        if self.held is None or not self._is_full:
            self.pace, self.held = None, None
        if (yield from self._read()):
            assert self.held is not None
            held = self.held
            self.take(held.text[len(self.text) :])
            self.status = self.status or held.status

    @property
    def _is_full(self) -> bool:
        """Whether the answer is one to everything that may be asked."""
        return (
            self._question is not None and self._question.limit == self.ask.limit and not self._question.stop
        )

    def _read(self) -> Talk[bool]:
        """Whether there is an answer that goes on from here; where none can be had the text is at its end."""
        if self.status:
            return False
        if self.held is None:
            yield from self._asked()
        if not self._goes_on and not self._is_full and not self.status:
            self.pace = None  # it may only say so when it is asked for all: the end of a run is no frame
            yield from self._asked()
        if not self._goes_on and not self.status:
            assert self.held is not None
            is_cut = self.held.status == "budget" or not self.text
            self.status, self.note = self.held.status if is_cut else "broken", self.held.note
        return not self.status

    @property
    def _goes_on(self) -> bool:
        return self.held is not None and len(self.held.text) > len(self.text)

    def _further(self) -> Talk[bool]:
        """Asks for more of what an answer was cut in; False where it was cut by the budget itself."""
        assert self.held is not None
        assert self._question is not None
        if self._is_full and len(self._question.given) == len(self.text):
            return False
        if self.pace is not None:
            self.pace = None if self.pace > MOST else self.pace * FASTER
        yield from self._asked()
        return not self.status

    def _asked(self) -> Talk[None]:
        given, limit = bytes(self.text), self.ask.limit
        if self.pace is not None:  # who knows no stops is not asked for more than a few frames either
            limit = min(limit, len(given) + max(self.pace, FASTER) * self.frame + SLACK)
        self._question = replace(self.ask, given=given, limit=limit, stop=self.stop if self.pace == 1 else "")
        self.held = found = yield self._question
        self.asked += 1
        self.seconds += found.seconds
        self.is_certain = self.is_certain and found.logprob == 0.0
        self._hear(found, len(given))
        if found.status == "fault" or not found.text.startswith(given):
            self.status, self.note = "fault", found.note or "an answer that does not begin as it was asked"

    def _hear(self, found: Prediction, at: int) -> None:
        """Keeps how sure the model is of the frames that an answer begins and ends."""
        self.known = {start: two for start, two in self.known.items() if start < at}
        fresh = [frame.start for frame in cut(found.text) if frame.start >= at]
        self.known |= dict(zip(fresh, found.sure, strict=False))

    @property
    def confidences(self) -> tuple[StepConfidence, ...]:
        """How sure the model was of each frame, what was dictated being certain; nothing where it does not say."""
        sure = []
        for frame in cut(bytes(self.text)):
            two = self.known.get(frame.start)
            if two is None and not (
                self.is_certain or frame.is_end or self._is_given(frame) or not frame.whole
            ):
                return ()
            sure.append(StepConfidence(frame.start, frame.end, *(two or (0.0, 0.0)), 0.0, 0.0))
        return tuple(sure)

    def _is_given(self, frame: CutFrame) -> bool:
        spans = [(0, len(self.ask.given)), *self.dictated]
        return any(start <= frame.start and frame.end <= end for start, end in spans)


def begun(
    ask: PredictionRequest, truth: Prediction, *, stop: str = "frame_sep"
) -> tuple[FrameDraft, list[CutFrame]]:
    """A text behind what is given, and the true frames that are still to come."""
    frames, given = cut(truth.text), cut(ask.given)
    if given and not given[-1].whole:
        raise UsageError("what is given ends within a frame: forcing begins at one")
    usual = max(USUAL, len(truth.text) // max(len(frames), 1))
    draft = FrameDraft(ask, usual, stop, bytearray(ask.given))
    if given and given[-1].is_end:
        draft.status = "ended"
    return draft, frames[len(beside(ask.given, truth.text)) :]
