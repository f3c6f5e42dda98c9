"""A cache of engine states after recent prompts, so that a repeated prompt is read once.

Prompts repeat often: for another intervention, one more true step, another sample.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from worldline.predict.rollout import Engine, Logits

DEFAULT_MAX_BYTES = 1 << 13  # of prompts; a state of the shipped model takes 4 KB per byte


class PromptStates:
    """Keeps the states and logits after the newest prompts, up to `max_bytes` of prompts."""

    def __init__(self, engine: Engine, *, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self._engine, self._max_bytes = engine, max_bytes
        self._states: OrderedDict[bytes, tuple[Any, Logits]] = OrderedDict()

    def after(self, prompt: bytes) -> tuple[Any, Logits]:
        """Return a new state that has read the prompt, and the logits after it."""
        if prompt not in self._states:
            state = self._engine.start()
            logits = self._engine.feed(state, prompt, pin=True)
            if len(prompt) > self._max_bytes or not hasattr(state, "fork"):
                return state, logits
            self._states[prompt] = state, logits
            while sum(map(len, self._states)) > self._max_bytes:
                self._states.popitem(last=False)
        self._states.move_to_end(prompt)
        state, logits = self._states[prompt]
        return state.fork(), logits.copy()
