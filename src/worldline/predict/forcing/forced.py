"""Rollouts under forcing: the same model with a part of the truth put in its way, to see which part it was missing.

`roll` takes asks and their truths (what `Interpreter` answers to the same asks) and gives one `ForcedRollout` for each:

- `free`: nothing is forced. `guard`: the control-flow guard is on, for any predictor.
- `actions`: the true next event and line are given, the model's own state is kept.
- `states`: the true values and changes are given, the model says what happens next.
- `both`: all is given; `steps` say what the model would have written at each byte, and how likely the truth was to it.
- `next`: likewise, and each step is written from the true text before it: one step ahead from every true state.
- `edited`: the model goes on from a text in which some names have other values (`Edit`).
- `queries`: so many true steps are put in where the model is least sure (`queries`).

The truths are in the notation that the model writes. Where that is plain bytes an answer is read byte by byte
(`bytewise`), where it has special tokens frame by frame (`frames.framewise`). An engine follows the scripts itself.

"Ground-truth actions forced" is read in two ways (READINGS): `actions`, and `next`. What becomes of forcing behind an
action that the true run did not take, each script says (`script`, `ForcedRollout.left`). Nothing here judges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldline.core.errors import UsageError
from worldline.predict.forcing.batching import together
from worldline.predict.forcing.edit import Edit, apply_edit
from worldline.predict.forcing.forced_rollout import ForcedRollout, NextSteps
from worldline.predict.forcing.next_step import read_ahead
from worldline.predict.forcing.queries import inquire
from worldline.predict.forcing.writing import forcing_of, written
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

FORCES = ("free", "actions", "states", "both", "next", "edited", "guard", "queries")
# Of teacher forcing: the states before each step are the model's, or true.
READINGS = {"own": "actions", "true": "next"}


def roll(
    predictor: Predictor,
    asks: Sequence[PredictionRequest],
    truths: Sequence[Prediction] = (),
    *,
    force: str,
    budget: int = 8,
    edits: Sequence[Edit] = (),
) -> Iterator[ForcedRollout]:
    """One rollout for each ask, in their order. `truths` are not looked at by `free` and `guard`."""
    if force not in FORCES:
        raise UsageError(f"a rollout is forced by one of {', '.join(FORCES)}, not {force!r}")
    if force in ("free", "guard"):
        return written(predictor, asks, force=force)
    _check(predictor.info.name, predictor.info.notation, asks, truths)
    if force == "edited":
        return _edited(predictor, asks, truths, edits)
    if force == "queries":
        return inquire(predictor, asks, truths, budget=budget)
    if force in ("next", "both"):
        return _ahead(predictor, asks, truths, force)
    return written(predictor, asks, truths, force=force)


def _check(name: str, codec: str, asks: Sequence[PredictionRequest], truths: Sequence[Prediction]) -> None:
    """Whether there is a truth for each ask, in the notation that the model writes."""
    if len(truths) != len(asks):
        raise UsageError(f"{len(asks)} asks with {len(truths)} truths")
    for truth in truths:
        if truth.codec != codec:
            raise UsageError(f"a truth in {truth.codec}, and {name} writes only {codec}")
        if truth.status == "fault":
            raise UsageError("a truth that the tool failed to record")


def _edited(
    predictor: Predictor,
    asks: Sequence[PredictionRequest],
    truths: Sequence[Prediction],
    edits: Sequence[Edit],
) -> Iterator[ForcedRollout]:
    if len(edits) != len(asks):
        raise UsageError(f"{len(asks)} asks with {len(edits)} edits")
    texts = [
        apply_edit(ask, truth.text, edit, codec=truth.codec)
        for ask, truth, edit in zip(asks, truths, edits, strict=True)
    ]
    begun = [
        replace(ask, given=text, limit=max(ask.limit, len(text)))
        for ask, text in zip(asks, texts, strict=True)
    ]
    for text, rolled in zip(texts, written(predictor, begun, force="edited"), strict=True):
        yield replace(rolled, dictated=((0, len(text)),))


def _ahead(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], force: str
) -> Iterator[ForcedRollout]:
    for truth, foreseen in zip(truths, _foreseen(predictor, asks, truths, force), strict=True):
        steps = foreseen.steps
        known = [
            step.action + step.state for step in steps if step.action is not None and step.state is not None
        ]
        prediction = Prediction(
            text=truth.text, status=foreseen.fault or truth.status, seconds=foreseen.seconds, codec=truth.codec,
            logprob=sum(known) if len(known) == len(steps) else None,
        )  # fmt: skip
        yield ForcedRollout(prediction=prediction, force=force, dictated=((0, len(truth.text)),), steps=steps)


def _foreseen(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], force: str
) -> Iterator[NextSteps]:
    pairs = zip(asks, truths, strict=True)
    decoder = predictor.capabilities.decodes_bytes
    engine = None if decoder is None else decoder.forking_engine
    if decoder is not None and engine is not None:
        return (read_ahead(decoder, engine, ask, truth, write=force == "next") for ask, truth in pairs)
    codec = predictor.info.notation
    return together(predictor, [forcing_of(codec).ahead(ask, truth) for ask, truth in pairs], codec=codec)
