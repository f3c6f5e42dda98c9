"""One text that the model is writing, byte by byte: its guide, stop texts, log-probabilities and finish reason.

If the prompt is worldline's own (docs/reference/format.md, section 5), steps follow it, and the guide keeps to their
grammar and ends them. Any other prompt is plain text that only the request ends. The thread of `batch` writes a text
while others read it: `shown` only grows, and is set last.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np

from worldline.codec.compact.guide.guide import Guide
from worldline.codec.compact.prompt import Prompt, parse_prompt
from worldline.codec.compact.turns import is_ended
from worldline.core.errors import UsageError
from worldline.predict.guess import LookAhead
from worldline.predict.prediction import PredictionRequest
from worldline.predict.prompt_states import PromptReading, PromptStates
from worldline.predict.rollout import Engine, Logits, choose_byte, guide_after, logit_mask
from worldline.ui.http.errors import Refusal
from worldline.ui.serve.request import CompletionRequest

STOP, LENGTH, BROKEN, LEFT, LATE = "stop", "length", "broken", "left", "late"


class Completion:
    """A text for one prompt of a request. The writing thread calls `notify` when there is more to read."""

    def __init__(
        self, request: CompletionRequest, prompt: bytes, number: int, *, guide: bool, notify: Callable[[], None]
    ) -> None:
        self.request, self.notify = request, notify
        parsed = parse_prompt(prompt)
        self._is_trace = isinstance(parsed, Prompt)
        end = parsed.end if isinstance(parsed, Prompt) else len(prompt)
        self.prompt, self.given = prompt[:end], prompt[end:]
        self._guide: Guide | None = None
        if isinstance(parsed, Prompt) and guide:
            self._guide = _guide(parsed, self.given)
        seed = None if request.seed is None else request.seed + number
        self._random = Random(seed)
        self._reading: PromptReading | None = None
        self._given_bytes = 0  # read
        self._ahead: LookAhead | None = None
        self.text = bytearray()
        self.logprobs: list[float] = []
        self.tops: list[dict[int, float]] = []
        self.shown = 0  # bytes of the text that no stop text can remove
        self.finish = ""  # STOP, LENGTH, BROKEN, LEFT or LATE once it has ended
        self.stop: bytes | None = None  # the stop text that ended it
        if self._has_ended():
            self.finish = STOP

    @property
    def size(self) -> int:
        """The number of bytes to read before the first is written."""
        return len(self.prompt) + len(self.given)

    def open(self, prompts: PromptStates) -> None:
        """Start to read the prompt."""
        self._reading = prompts.open(self.prompt)

    @property
    def reading(self) -> PromptReading:
        """The prompt as it is being read. Only valid after `open`."""
        assert self._reading is not None
        return self._reading

    @property
    def is_read(self) -> bool:
        """Whether the prompt and the steps after it have been read, so that the text can be written."""
        return self._ahead is not None

    def read(self, engine: Engine, max_bytes: int) -> None:
        """Let the engine read at most `max_bytes` of the prompt, or of the steps after it."""
        if not self.reading.is_done:
            self.reading.advance(max_bytes)
            if not self.reading.is_done or self.given:
                return
        state, logits = self.reading.result()
        if piece := self.given[self._given_bytes :][:max_bytes]:
            logits = engine.feed(state, piece, pin=False)
            self._given_bytes += len(piece)
        if self._given_bytes == len(self.given):
            self._ahead = LookAhead(engine, state, logits, self.prompt + self.given, guesses=True)

    def close(self) -> None:
        """Stop reading: texts that wait for this prompt read it themselves."""
        if self._reading is not None:
            self._reading.close()

    @property
    def ahead(self) -> LookAhead:
        """The engine's state after the text. Only valid if `is_read`."""
        assert self._ahead is not None
        return self._ahead

    def write(self) -> bytes:
        """Write as far as the known logits go.

        Returns:
            The bytes that the engine must read next; empty once the text has ended.
        """
        while not self.finish:
            data = self._force()
            if not data:
                data = self._choose(self.ahead.logits)
                data += self._force() if not self.finish else b""
            if not self.finish and (fresh := self.ahead.fresh(data)):
                return fresh
        return b""

    def _force(self) -> bytes:
        """Write the bytes that the grammar determines."""
        if self._guide is None:
            return b""
        data = self._guide.advance(self.request.max_tokens - len(self.text))
        for byte in data:
            if not self.finish:
                self._add(byte, 0.0, {byte: 0.0})
        return data

    def _choose(self, logits: Logits) -> bytes:
        if self._guide is not None:
            logits = logits + logit_mask(self._guide.bits)
        choice = choose_byte(logits, self.request.temperature, self._random)
        if choice is None:
            self.finish = BROKEN
            return b""
        byte, logprob = choice
        if self._guide is not None:
            self._guide.feed(byte)
        self._add(byte, logprob, self._top(logits, byte, logprob))
        return bytes([byte])

    def _top(self, logits: Logits, byte: int, logprob: float) -> dict[int, float]:
        """Return the log-probabilities of the likeliest bytes and of the one that was written."""
        if not self.request.top:
            return {}
        total = logprob - float(logits[byte])
        best = np.argsort(-logits, kind="stable")[: self.request.top]
        top = {int(other): float(logits[other]) + total for other in best if np.isfinite(logits[other])}
        return {**top, byte: logprob}

    def _add(self, byte: int, logprob: float, top: dict[int, float]) -> None:
        self.text.append(byte)
        self.logprobs.append(logprob)
        self.tops.append(top)
        for stop in self.request.stops:
            if self.text.endswith(stop):
                self.stop = stop
                self.shown = len(self.text) - (0 if self.request.includes_stop else len(stop))
                self.finish = STOP
                return
        has_ended, is_full = self._has_ended(), len(self.text) >= self.request.max_tokens
        is_last = has_ended or is_full
        self.shown = len(self.text) - (0 if is_last or self.request.includes_stop else self._held())
        if is_last:
            self.finish = STOP if has_ended else LENGTH

    def _held(self) -> int:
        """Return how many bytes at the end may be the beginning of a stop text."""
        longest = max(map(len, self.request.stops), default=1) - 1
        sizes = range(min(longest, len(self.text) - self.shown), 0, -1)
        return next((n for n in sizes if any(s.startswith(self.text[-n:]) for s in self.request.stops)), 0)

    def _has_ended(self) -> bool:
        return self._is_trace and is_ended((self.given[-3:] + self.text[-3:])[-3:])


def _guide(prompt: Prompt, prefix: bytes) -> Guide:
    request = PredictionRequest(
        program=prompt.program, options=prompt.options, limit=len(prefix) + 1, given=prefix, hidden=prompt.hidden
    )
    try:
        return guide_after(request, guard=False)
    except UsageError as error:
        raise Refusal(400, str(error)) from None
