"""The engine's states behind the newest prompts, so that a prompt that is asked again is not read again.

A text is often written anew behind the same prompt: under another intervention, with one more true step, as another sample.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from worldline.predict.rollout import Engine, Logits

KEPT = 1 << 13  # bytes of prompts: a state of the shipped model holds 4 KB for each


class PromptStates:
    """What an engine was like behind a prompt, and what it said there; the newest few are kept."""

    def __init__(self, engine: Engine, *, kept: int = KEPT) -> None:
        self._engine, self._kept = engine, kept
        self._states: OrderedDict[bytes, tuple[Any, Logits]] = OrderedDict()

    def behind(self, prompt: bytes) -> tuple[Any, Logits]:
        """A state that has read a prompt, the caller's own, and the logits there."""
        if prompt not in self._states:
            state = self._engine.start()
            logits = self._engine.feed(state, prompt, pin=True)
            if len(prompt) > self._kept or not hasattr(state, "fork"):
                return state, logits
            self._states[prompt] = state, logits
            while sum(map(len, self._states)) > self._kept:
                self._states.popitem(last=False)
        self._states.move_to_end(prompt)
        state, logits = self._states[prompt]
        return state.fork(), logits.copy()
