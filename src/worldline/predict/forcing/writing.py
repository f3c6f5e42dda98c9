"""Writes texts with dictated parts: an engine follows a script; a predictor that only returns text is asked repeatedly.

For the second kind there are two implementations of `Forcing`, and one walker over `Notation` cannot replace both:

- A plain text can be cut and continued at any byte, so `bytewise` lets the engine's own scripts decide byte by byte.
  With special tokens a model can only be continued between tokens, so `frames` decides after it has read up to the next
  token. A byte script cannot wait for that.
- In the compact notation a step's action comes before its state, and changes may come late, in a later line. In Meta's
  format the locals come before the line, and the value of a return after it.
- `frames` requests one frame, then more while they are right, with stop tokens. `bytewise` requests fixed amounts.
- Compact states are compared as bytes; Meta's as values, because unchanged ones are abbreviated.

Only the bookkeeping of an answer (seconds, certainty, fault) is the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from worldline.codec.notation import notation
from worldline.predict.confidence import frame_confidences, step_confidences
from worldline.predict.forcing import bytewise
from worldline.predict.forcing.batching import RequestGenerator, run_together
from worldline.predict.forcing.forced_rollout import ForcedRollout, NextSteps
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import DecodesBytes, Predictor


class Forcing(Protocol):
    """Teacher forcing for predictors that only return text, in one kind of notation."""

    def force_text(
        self, request: PredictionRequest, truth: Prediction | None, force: str, chosen: Collection[int] = (), /
    ) -> RequestGenerator[ForcedRollout]:
        """Write a text with parts of the truth dictated; without a truth, hold it to the control flow."""
        ...

    def predict_next_steps(self, request: PredictionRequest, truth: Prediction, /) -> RequestGenerator[NextSteps]:
        """Predict each whole true step from the truth before it."""
        ...


def forcing_for(codec: str) -> Forcing:
    """Return the forcing of a notation: byte by byte, or between its special tokens."""
    if not notation(codec).special_tokens:
        return bytewise
    from worldline.predict.forcing.frames import framewise  # few commands need it

    return framewise


def write_texts(
    predictor: Predictor,
    requests: Sequence[PredictionRequest],
    truths: Sequence[Prediction] = (),
    *,
    force: str,
    chosen: Sequence[Collection[int]] = (),
) -> Iterator[ForcedRollout]:
    """Write one text per request, in order.

    `force` is what is dictated: `actions`, `states` or the `chosen` steps (`queries`); without truths nothing, or what
    the control flow requires (`guard`).
    """
    if not requests:
        return
    known: Sequence[Prediction | None] = truths or [None] * len(requests)
    texts = list(zip(requests, known, chosen or [()] * len(requests), strict=True))
    if (decoder := predictor.capabilities.decodes_bytes) is not None:
        scripts = [
            None if truth is None else bytewise.make_script(request, truth, force, steps)
            for request, truth, steps in texts
        ]
        settled = decoder.settled(guard=True if force == "guard" else None)
        yield from _write_by_engine(settled, requests, scripts, force)
    elif not truths and force != "guard":
        for request, answer in zip(requests, predictor.predict(requests), strict=True):
            yield ForcedRollout(prediction=answer, force=force, sure=frame_confidences(request, answer))
    else:
        codec = predictor.info.notation
        force_text = forcing_for(codec).force_text
        yield from run_together(
            predictor, [force_text(request, truth, force, steps) for request, truth, steps in texts], codec=codec
        )


def _write_by_engine(
    decoder: DecodesBytes,
    requests: Sequence[PredictionRequest],
    scripts: Sequence[bytewise.TruthScript | None],
    force: str,
) -> Iterator[ForcedRollout]:
    for request, script, answer in zip(requests, scripts, decoder.follow(requests, scripts), strict=True):
        if script is not None:
            script.finish(answer.text)
        yield ForcedRollout(
            prediction=answer,
            force=force,
            dictated=tuple(decoder.dictated),
            left=script.left if script else None,
            sure=tuple(step_confidences(request, answer, decoder.logprobs, decoder.entropies)),
            answered=tuple(sorted(script.answered)) if script else (),
        )
