"""A prompt that is asked again is not read again, and what is written behind it is the same."""

from __future__ import annotations

from typing import Any

import pytest
from scripted import random_engine

from worldline.core.program import Program
from worldline.predict.local import Local
from worldline.predict.prediction import PredictionRequest
from worldline.predict.prompt_states import PromptStates

ASKS = [
    PredictionRequest(program=Program(source=f"def f(n):\n    return n + {k}\n", call="f(1)"), limit=60)
    for k in range(3)
]


class Counting:
    """An engine that counts the bytes of prompts that it reads."""

    def __init__(self) -> None:
        self._engine, self.pinned = random_engine(7), 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def feed(self, state: Any, data: bytes, *, pin: bool) -> Any:
        self.pinned += len(data) if pin else 0
        return self._engine.feed(state, data, pin=pin)


def test_texts_behind_a_known_prompt_are_the_same() -> None:
    engine = Counting()
    local = Local(engine, name="random", logprobs=True)
    first, read = list(local.predict(ASKS)), engine.pinned
    again = list(local.settled().predict([*ASKS, *ASKS]))
    assert read == sum(len(ask.prompt) for ask in ASKS)
    assert engine.pinned == read
    assert [one.text for one in again] == [one.text for one in [*first, *first]]
    sums = [one.logprob for one in [*first, *first]]  # rounded otherwise where more texts are written together
    assert [one.logprob for one in again] == pytest.approx(sums, rel=1e-5)


@pytest.mark.parametrize(("kept", "read"), [(20, 33), (11, 43), (5, 43)])
def test_only_the_newest_are_kept(kept: int, read: int) -> None:
    engine = Counting()
    states = PromptStates(engine, max_bytes=kept)
    for prompt in (b"0123456789", b"9876543210", b"abc", b"9876543210", b"0123456789"):
        states.after(prompt)
    assert engine.pinned == read
