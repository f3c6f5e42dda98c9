"""Teacher-forced rollouts: give the model part of the true trace, to see which part it lacked.

`roll` takes requests with their true steps (the predictions of `Interpreter`) and yields one `ForcedRollout` each:

- `free`: nothing is forced. `guard`: the control-flow guard is on.
- `actions`: the next event and line are true; the model writes the states.
- `states`: values and changes are true; the model writes the next event and line.
- `both`: everything is true; `steps` compares the model's choice with the truth at each byte.
- `next`: as `both`, and each step is also written from the true text before it.
- `edited`: the model continues a true text in which some names have other values (`Edit`).
- `queries`: N true steps are inserted where confidence is lowest (`queries`).

The truth must be in the notation that the model writes. An engine follows scripts itself; for predictors that only
return text see `writing`. After an action that the true run did not take, forcing stops (`ForcedRollout.left`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldline.core.errors import UsageError
from worldline.predict.forcing.batching import run_together
from worldline.predict.forcing.edit import Edit, apply_edit
from worldline.predict.forcing.forced_rollout import ForcedRollout, NextSteps
from worldline.predict.forcing.next_step import read_next_steps
from worldline.predict.forcing.queries import roll_with_queries
from worldline.predict.forcing.writing import forcing_for, write_texts
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

FORCES = ("free", "actions", "states", "both", "next", "edited", "guard", "queries")


def roll(
    predictor: Predictor,
    requests: Sequence[PredictionRequest],
    truths: Sequence[Prediction] = (),
    *,
    force: str,
    budget: int = 8,
    edits: Sequence[Edit] = (),
) -> Iterator[ForcedRollout]:
    """Roll out each request under one forcing.

    Args:
        predictor: The model.
        requests: The requests.
        truths: The true steps of each request. `free` and `guard` ignore them.
        force: What is forced, one of `FORCES`.
        budget: For `queries`, the number of true steps.
        edits: For `edited`, one edit per request.

    Returns:
        One rollout per request, in order.

    Raises:
        UsageError: The truths or edits do not match the requests, or the model cannot be forced this way.
    """
    if force not in FORCES:
        raise UsageError(f"force must be one of {', '.join(FORCES)}, not {force!r}")
    if force in ("free", "guard"):
        return write_texts(predictor, requests, force=force)
    _check(predictor.info.name, predictor.info.notation, requests, truths)
    if force == "edited":
        return _edited(predictor, requests, truths, edits)
    if force == "queries":
        return roll_with_queries(predictor, requests, truths, budget=budget)
    if force in ("next", "both"):
        return _roll_ahead(predictor, requests, truths, force)
    return write_texts(predictor, requests, truths, force=force)


def rollouts(predictor: Predictor, requests: Sequence[PredictionRequest]) -> Iterator[ForcedRollout]:
    """Roll out each request by the predictor's own capability, or else without forcing."""
    own = predictor.capabilities.rolls_out
    return roll(predictor, requests, force="free") if own is None else own.roll(requests)


def _check(name: str, codec: str, requests: Sequence[PredictionRequest], truths: Sequence[Prediction]) -> None:
    if len(truths) != len(requests):
        raise UsageError(f"{len(requests)} requests but {len(truths)} truths")
    for truth in truths:
        if truth.codec != codec:
            raise UsageError(f"the truth is in {truth.codec}, but {name} writes {codec}")
        if truth.status == "fault":
            raise UsageError("the tool failed to record a true trace")


def _edited(
    predictor: Predictor, requests: Sequence[PredictionRequest], truths: Sequence[Prediction], edits: Sequence[Edit]
) -> Iterator[ForcedRollout]:
    if len(edits) != len(requests):
        raise UsageError(f"{len(requests)} requests but {len(edits)} edits")
    texts = [
        apply_edit(request, truth.text, edit, codec=truth.codec)
        for request, truth, edit in zip(requests, truths, edits, strict=True)
    ]
    begun = [
        replace(request, given=text, limit=max(request.limit, len(text)))
        for request, text in zip(requests, texts, strict=True)
    ]
    for text, rolled in zip(texts, write_texts(predictor, begun, force="edited"), strict=True):
        yield replace(rolled, dictated=((0, len(text)),))


def _roll_ahead(
    predictor: Predictor, requests: Sequence[PredictionRequest], truths: Sequence[Prediction], force: str
) -> Iterator[ForcedRollout]:
    for truth, next_steps in zip(truths, _next_steps(predictor, requests, truths, force), strict=True):
        steps = next_steps.steps
        known = [step.action + step.state for step in steps if step.action is not None and step.state is not None]
        prediction = Prediction(
            text=truth.text,
            status=next_steps.fault or truth.status,
            seconds=next_steps.seconds,
            codec=truth.codec,
            logprob=sum(known) if len(known) == len(steps) else None,
        )
        yield ForcedRollout(prediction=prediction, force=force, dictated=((0, len(truth.text)),), steps=steps)


def _next_steps(
    predictor: Predictor, requests: Sequence[PredictionRequest], truths: Sequence[Prediction], force: str
) -> Iterator[NextSteps]:
    pairs = zip(requests, truths, strict=True)
    decoder = predictor.capabilities.decodes_bytes
    engine = None if decoder is None else decoder.forking_engine
    if decoder is not None and engine is not None:
        return (read_next_steps(decoder, engine, request, truth, write=force == "next") for request, truth in pairs)
    codec = predictor.info.notation
    return run_together(
        predictor, [forcing_for(codec).predict_next_steps(request, truth) for request, truth in pairs], codec=codec
    )
