"""One text being written by the model, byte by byte: its grammar, its stops, its log-probabilities, and why it ended.

A prompt of ours (docs/reference/format.md, section 5) is read as the model was taught: what follows it is steps, which
the grammar guides and ends. Any other prompt is plain text, which nothing but the question ends. Written on the thread
of `batch`; read by whoever waits: what is shown only grows, and is counted last.
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
from worldline.predict.prompt_states import PromptStates
from worldline.predict.rollout import Engine, Logits, choose_byte, guide_after, logit_mask
from worldline.ui.http.errors import Refusal
from worldline.ui.serve.request import CompletionRequest

STOP, LENGTH, BROKEN, LEFT = "stop", "length", "broken", "left"


class Completion:
    """A text for one prompt of a question. `tell` is called from the writing thread when there is more to see."""

    def __init__(
        self,
        question: CompletionRequest,
        prompt: bytes,
        number: int,
        *,
        guide: bool,
        tell: Callable[[], None],
    ) -> None:
        self.question, self.tell = question, tell
        found = parse_prompt(prompt)
        self._is_ours = isinstance(found, Prompt)
        end = found.end if isinstance(found, Prompt) else len(prompt)
        self.prompt, self.given = prompt[:end], prompt[end:]
        self._guide: Guide | None = None
        if isinstance(found, Prompt) and guide:
            self._guide = _guide(found, self.given)
        seed = None if question.seed is None else question.seed + number
        self._random = Random(seed)
        self._ahead: LookAhead | None = None
        self.text = bytearray()
        self.logprobs: list[float] = []
        self.tops: list[dict[int, float]] = []
        self.shown = 0  # bytes of the text that no stop can take back
        self.finish = ""  # one of the words above, once it is through
        self.stop: bytes | None = None  # the text of the question that ended it
        if self._is_through():
            self.finish = STOP

    @property
    def size(self) -> int:
        """The bytes to be read before the first is written."""
        return len(self.prompt) + len(self.given)

    def begin(self, engine: Engine, prompts: PromptStates) -> None:
        """The engine reads the prompt."""
        state, logits = prompts.after(self.prompt)
        if self.given:
            logits = engine.feed(state, self.given, pin=False)
        self._ahead = LookAhead(engine, state, logits, self.prompt + self.given, guesses=True)

    @property
    def ahead(self) -> LookAhead:
        """What reads ahead of the text."""
        assert self._ahead is not None
        return self._ahead

    def write(self) -> bytes:
        """Writes as far as what the engine said goes; the bytes that it has to read next, none once it is through."""
        while not self.finish:
            data = self._force()
            if not data:
                data = self._choose(self.ahead.logits)
                data += self._force() if not self.finish else b""
            if not self.finish and (fresh := self.ahead.fresh(data)):
                return fresh
        return b""

    def _force(self) -> bytes:
        """Writes what the grammar leaves no choice about."""
        if self._guide is None:
            return b""
        data = self._guide.advance(self.question.most - len(self.text))
        for byte in data:
            if not self.finish:
                self._add(byte, 0.0, {byte: 0.0})
        return data

    def _choose(self, logits: Logits) -> bytes:
        if self._guide is not None:
            logits = logits + logit_mask(self._guide.bits)
        found = choose_byte(logits, self.question.temperature, self._random)
        if found is None:
            self.finish = BROKEN
            return b""
        byte, logprob = found
        if self._guide is not None:
            self._guide.feed(byte)
        self._add(byte, logprob, self._top(logits, byte, logprob))
        return bytes([byte])

    def _top(self, logits: Logits, byte: int, logprob: float) -> dict[int, float]:
        """The likeliest bytes with their log-probabilities, as many as are wanted, and the one that was written."""
        if not self.question.top:
            return {}
        total = logprob - float(logits[byte])
        best = np.argsort(-logits, kind="stable")[: self.question.top]
        found = {int(each): float(logits[each]) + total for each in best if np.isfinite(logits[each])}
        return {**found, byte: logprob}

    def _add(self, byte: int, logprob: float, top: dict[int, float]) -> None:
        self.text.append(byte)
        self.logprobs.append(logprob)
        self.tops.append(top)
        for stop in self.question.stops:
            if self.text.endswith(stop):
                self.stop = stop
                self.shown = len(self.text) - (0 if self.question.keeps_stop else len(stop))
                self.finish = STOP
                return
        is_through, is_full = self._is_through(), len(self.text) >= self.question.most
        ends = is_through or is_full
        self.shown = len(self.text) - (0 if ends or self.question.keeps_stop else self._held())
        if ends:
            self.finish = STOP if is_through else LENGTH

    def _held(self) -> int:
        """The bytes at the end that may be the beginning of a stop."""
        longest = max(map(len, self.question.stops), default=1) - 1
        sizes = range(
            min(longest, len(self.text) - self.shown), 0, -1
        )  # one more than at the last byte, at most
        return next((n for n in sizes if any(s.startswith(self.text[-n:]) for s in self.question.stops)), 0)

    def _is_through(self) -> bool:
        """Whether the steps are through."""
        return self._is_ours and is_ended((self.given[-3:] + self.text[-3:])[-3:])


def _guide(found: Prompt, given: bytes) -> Guide:
    limit = len(given) + 1
    ask = PredictionRequest(
        program=found.program, options=found.options, limit=limit, given=given, hidden=found.hidden
    )
    try:
        return guide_after(ask, guard=False)
    except UsageError as error:
        raise Refusal(400, str(error)) from None
