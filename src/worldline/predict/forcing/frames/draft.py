"""A text of Meta's format in progress: parts are dictated, and the model is asked for the rest.

An answer is used while the text agrees with it, so a model that is right is asked once. After a disagreement it is
asked for one frame (`PredictionRequest.stop`), then for more while it agrees. A text is cut only at special tokens, so
that the model continues from whole tokens of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from worldline.codec.cwm.frame_text import MARK, TEXT_END, CutFrame, cut, paired_frames
from worldline.codec.cwm.notation import NOTATION
from worldline.core.errors import UsageError
from worldline.predict.confidence import StepConfidence
from worldline.predict.forcing.batching import RequestGenerator
from worldline.predict.prediction import Prediction, PredictionRequest

SPEEDUP = 4  # the factor by which more frames are requested after an answer that was all used
MAX_FRAMES_AT_ONCE = 256  # beyond this, the whole rest is requested
MIN_FRAME_BYTES = 64
SLACK_BYTES = 512  # requested beyond the frames


@dataclass
class FrameDraft:
    """A text, and the answer it is read from while they agree.

    `frame` is the typical size of a frame, `pace` how many are requested at once (None for all), and `stop` the special
    token that ends a request for one. `logprobs` has those of action and state of each frame, by its start.
    """

    request: PredictionRequest
    frame: int
    stop: str = "frame_sep"
    text: bytearray = field(default_factory=bytearray)
    answer: Prediction | None = None
    status: str = ""
    note: str = ""
    pace: int | None = None
    seconds: float = 0.0
    is_certain: bool = True  # every answer had probability 1
    dictated: list[tuple[int, int]] = field(default_factory=list)
    logprobs: dict[int, tuple[float, float]] = field(default_factory=dict)
    _question: PredictionRequest | None = None  # the request of the answer

    @property
    def prediction(self) -> Prediction:
        """The text as a prediction."""
        return Prediction(
            text=bytes(self.text),
            status=self.status,
            logprob=0.0 if self.is_certain else None,
            seconds=self.seconds,
            codec=NOTATION.name,
            note=self.note,
        )

    def dictate(self, data: bytes) -> None:
        """Write bytes that the model did not choose."""
        data = data[: self.request.limit - len(self.text)]
        start, end = len(self.text), len(self.text) + len(data)
        if self.dictated and self.dictated[-1][1] == start:
            start = self.dictated.pop()[0]
        self.dictated += [(start, end)] if data else []
        self._write(data)

    def take(self, data: bytes) -> None:
        """Write bytes that the model chose."""
        self._write(data[: self.request.limit - len(self.text)])

    def _write(self, data: bytes) -> None:
        at = len(self.text)
        self.text += data
        if self.text.endswith(TEXT_END):
            self.status = "ended"
        elif len(self.text) >= self.request.limit:
            self.status = "budget"
        if self.answer is None:
            return
        rest = self.answer.text[at : at + len(data)]
        if rest == data and len(self.answer.text) > at + len(data):
            return
        if data.startswith(rest):  # the whole answer was used
            self.pace = None if self.pace is None else self.pace * SPEEDUP
        else:
            self.pace = 1
        self.answer = None

    def next_token(self) -> RequestGenerator[str]:
        """Return the name of the model's next special token; empty if it writes something else first."""
        while (yield from self._has_answer()):
            assert self.answer is not None
            match = MARK.match(self.answer.text, len(self.text))
            if match is not None:
                return match[1].decode()
            # The answer may be cut within the token.
            is_cut = self.answer.status == "budget" and MARK.search(self.answer.text, len(self.text)) is None
            if not (is_cut and (yield from self._ask_further())):
                return ""
        return ""

    def take_text(self) -> RequestGenerator[bytes]:
        """Write the model's text up to its next special token, and return it."""
        at = len(self.text)
        self.take((yield from self.peek_text()))
        return bytes(self.text[at:])

    def peek_text(self) -> RequestGenerator[bytes]:
        """Return the model's text up to its next special token; without one, write it and end."""
        while (yield from self._has_answer()):
            assert self.answer is not None
            at = len(self.text)
            match, rest = MARK.search(self.answer.text, at), self.answer.text[at:]
            if match is not None:
                return rest[: match.start() - at]
            is_cut = self.answer.status == "budget"
            if not (is_cut and (yield from self._ask_further())):
                self.take(rest)
                self.status = self.status or ("budget" if is_cut else "broken")
        return b""

    def look_ahead(self, mark: bytes) -> RequestGenerator[bytes]:
        """Return what the model writes next, at least up to this special token if it comes."""
        while (yield from self._has_answer()):
            assert self.answer is not None
            rest = self.answer.text[len(self.text) :]
            if mark in rest or self.answer.status != "budget" or not (yield from self._ask_further()):
                return rest
        return b""

    def take_rest(self) -> RequestGenerator[None]:
        """Write everything that the model writes next."""
        if self.answer is None or not self._is_full:
            self.pace, self.answer = None, None
        if (yield from self._has_answer()):
            assert self.answer is not None
            answer = self.answer
            self.take(answer.text[len(self.text) :])
            self.status = self.status or answer.status

    @property
    def _is_full(self) -> bool:
        """Whether the answer is to a request for the whole rest."""
        return self._question is not None and self._question.limit == self.request.limit and not self._question.stop

    def _has_answer(self) -> RequestGenerator[bool]:
        """Return whether there is an answer that continues the text; if not, the text ends."""
        if self.status:
            return False
        if self.answer is None:
            yield from self._ask()
        if not self._has_more and not self._is_full and not self.status:
            # The end of a run is not a frame, so a model may write it only if asked for the whole rest.
            self.pace = None
            yield from self._ask()
        if not self._has_more and not self.status:
            assert self.answer is not None
            is_cut = self.answer.status == "budget" or not self.text
            self.status, self.note = self.answer.status if is_cut else "broken", self.answer.note
        return not self.status

    @property
    def _has_more(self) -> bool:
        return self.answer is not None and len(self.answer.text) > len(self.text)

    def _ask_further(self) -> RequestGenerator[bool]:
        """Request more after an answer that was cut; False if the budget itself cut it."""
        assert self.answer is not None
        assert self._question is not None
        if self._is_full and len(self._question.given) == len(self.text):
            return False
        if self.pace is not None:
            self.pace = None if self.pace > MAX_FRAMES_AT_ONCE else self.pace * SPEEDUP
        yield from self._ask()
        return not self.status

    def _ask(self) -> RequestGenerator[None]:
        prefix, limit = bytes(self.text), self.request.limit
        if self.pace is not None:  # also bounds predictors that ignore stop tokens
            limit = min(limit, len(prefix) + max(self.pace, SPEEDUP) * self.frame + SLACK_BYTES)
        self._question = replace(self.request, given=prefix, limit=limit, stop=self.stop if self.pace == 1 else "")
        self.answer = answer = yield self._question
        self.seconds += answer.seconds
        self.is_certain = self.is_certain and answer.logprob == 0.0
        self._store_logprobs(answer, len(prefix))
        if answer.status == "fault" or not answer.text.startswith(prefix):
            self.status, self.note = "fault", answer.note or "the answer does not start with the given steps"

    def _store_logprobs(self, answer: Prediction, at: int) -> None:
        """Store the log-probabilities of the frames after an offset."""
        self.logprobs = {start: pair for start, pair in self.logprobs.items() if start < at}
        fresh = [frame.start for frame in cut(answer.text) if frame.start >= at]
        self.logprobs |= dict(zip(fresh, answer.sure, strict=False))

    @property
    def confidences(self) -> tuple[StepConfidence, ...]:
        """The confidence of each frame, with dictated ones certain; empty if the model reports none."""
        confidences = []
        for frame in cut(bytes(self.text)):
            logprobs = self.logprobs.get(frame.start)
            if logprobs is None and not (self.is_certain or frame.is_end or self._is_given(frame) or not frame.whole):
                return ()
            confidences.append(StepConfidence(frame.start, frame.end, *(logprobs or (0.0, 0.0)), 0.0, 0.0))
        return tuple(confidences)

    def _is_given(self, frame: CutFrame) -> bool:
        spans = [(0, len(self.request.given)), *self.dictated]
        return any(start <= frame.start and frame.end <= end for start, end in spans)


@dataclass
class FrameRollout:
    """A finished text: the true frame at which it diverged, and the frames that were dictated whole."""

    draft: FrameDraft
    left: int | None = None
    answered: set[int] = field(default_factory=set)


def start_draft(
    request: PredictionRequest, truth: Prediction, *, stop: str = "frame_sep"
) -> tuple[FrameDraft, list[CutFrame]]:
    """Start a text after the given frames, and return it with the remaining true frames."""
    frames, prefix = cut(truth.text), cut(request.given)
    if prefix and not prefix[-1].whole:
        raise UsageError("the given steps end within a frame: forcing must start between frames")
    frame_bytes = max(MIN_FRAME_BYTES, len(truth.text) // max(len(frames), 1))
    draft = FrameDraft(request, frame_bytes, stop, bytearray(request.given))
    if prefix and prefix[-1].is_end:
        draft.status = "ended"
    return draft, frames[len(paired_frames(request.given, truth.text)) :]
