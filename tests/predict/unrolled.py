"""The plainest decoder: one text, one byte at a time. What batches and guesses write is compared with it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.rollout import Engine, RolloutDraft


class WrittenByte(NamedTuple):
    """One byte, its natural log-probability and the entropy (nats) of its choice; both are 0 if it was forced."""

    byte: int
    logprob: float
    entropy: float


def imagine(
    engine: Engine,
    program: Program,
    options: Compact | None = None,
    *,
    guide: bool = True,
    guard: bool = False,
    limit: int = 1 << 16,
    given: bytes = b"",
) -> Prediction:
    """Predict the steps of one program greedily."""
    request = PredictionRequest(program=program, options=options or Compact(), limit=limit, given=given)
    draft = RolloutDraft(request, guide=guide, guard=guard, temperature=0.0, random=None)
    began = time.perf_counter()
    for _ in unroll(engine, draft):
        pass
    draft.seconds = time.perf_counter() - began
    return draft.prediction()


def unroll(engine: Engine, draft: RolloutDraft) -> Iterator[WrittenByte]:
    """Write a draft to its end and yield each byte after `given`."""
    state = engine.start()
    logits = engine.feed(state, draft.request.prompt, pin=True)
    if draft.text:
        logits = engine.feed(state, bytes(draft.text), pin=False)
    while not draft.status:
        data = draft.force()
        if data:
            yield from (WrittenByte(byte, 0.0, 0.0) for byte in data)
        else:
            byte, logprob = draft.choose(logits)
            if draft.status:
                return
            entropy = draft.entropy(logits)
            data = draft.write(byte, logprob, entropy)
            is_chosen = data == bytes([byte])
            yield from (WrittenByte(b, logprob, entropy) if is_chosen else WrittenByte(b, 0.0, 0.0) for b in data)
        if not draft.status:
            logits = engine.feed(state, data, pin=False)
