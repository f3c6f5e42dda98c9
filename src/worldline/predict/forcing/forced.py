"""Rollouts under forcing: the same model with a part of the truth put in its way, to see which part it was missing.

`roll` takes asks and their truths (what `Interpreter` answers to the same asks) and gives one `ForcedRollout` for each:

- `free`: nothing is forced. `guard`: the control-flow guard is on, for any predictor.
- `actions`: the true next event and line are given, the model's own state is kept.
- `states`: the true values and changes are given, the model says what happens next.
- `both`: all is given; `steps` say what the model would have written at each byte, and how likely the truth was to it.
- `next`: likewise, and each step is written from the true text before it: one step ahead from every true state.
- `edited`: the model goes on from a text in which some names have other values (`Edit`).
- `queries`: so many true steps are put in where the model is least sure (`queries`).

A model that writes Meta's format is forced frame by frame (`frames`): there a step is a frame, whose state stands
before its line, and the truths are in that format too.

"Ground-truth actions forced" is read in two ways (READINGS): `actions`, and `next`. What becomes of forcing behind an
action that the true run did not take, each script says (`script`, `ForcedRollout.left`). Nothing here judges.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from worldline.codec.compact.turns import forced_lines
from worldline.core.errors import UsageError
from worldline.predict.confidence import frame_confidences, step_confidences
from worldline.predict.forcing.edit import Edit, edited
from worldline.predict.forcing.next_step import ahead
from worldline.predict.forcing.queries import inquire
from worldline.predict.forcing.rolled import ForcedRollout
from worldline.predict.forcing.script import Actions, Guarded, States
from worldline.predict.forcing.walk import walk
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import DecodesBytes, Predictor
from worldline.predict.rollout import Script

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
    codec = predictor.info.notation
    if force == "free":
        return _written(predictor, asks, [None] * len(asks), force)
    if force != "guard":
        _check(predictor.info.name, codec, asks, truths)
    if force == "edited":
        return _edited(predictor, asks, truths, edits)
    if codec == "cwm":
        from worldline.predict.forcing.frames.roll import roll_frames  # Meta's reader, which few verbs need

        return roll_frames(predictor, asks, truths, force=force, budget=budget)
    if force == "guard":
        return _guard(predictor, asks)
    if force == "queries":
        return _queries(predictor, asks, truths, budget)
    if force in ("next", "both"):
        return _ahead(predictor, asks, truths, force)
    make: Callable[..., Actions | States] = Actions if force == "actions" else States
    scripts = [
        make(forced_lines(ask.prompt, ask.options, truth.text))
        for ask, truth in zip(asks, truths, strict=True)
    ]
    return _written(predictor, asks, scripts, force)


def _check(name: str, codec: str, asks: Sequence[PredictionRequest], truths: Sequence[Prediction]) -> None:
    """Whether there is a truth for each ask, in the notation that the model writes."""
    if len(truths) != len(asks):
        raise UsageError(f"{len(asks)} asks with {len(truths)} truths")
    for truth in truths:
        if truth.codec != codec:
            raise UsageError(f"a truth in {truth.codec}, and {name} writes only {codec}")
        if truth.status == "fault":
            raise UsageError("a truth that the tool failed to record")


def _written(
    predictor: Predictor,
    asks: Sequence[PredictionRequest],
    scripts: Sequence[Actions | States | None],
    force: str,
) -> Iterator[ForcedRollout]:
    """Texts with a part dictated, or none."""
    if (decoder := predictor.capabilities.decodes_bytes) is not None:
        yield from _decoded(decoder.settled(), asks, scripts, force)
    elif any(script is None for script in scripts):
        for ask, found in zip(asks, predictor.predict(asks), strict=True):
            sure = frame_confidences(ask, found) if found.codec == "cwm" else ()
            yield ForcedRollout(prediction=found, force=force, sure=sure)
    else:
        given = [script for script in scripts if script is not None]
        for script, done in zip(given, walk(predictor, asks, given), strict=True):
            script.finish(bytes(done.text))
            yield ForcedRollout(
                prediction=done.prediction(), force=force, dictated=tuple(done.dictated), left=script.left
            )


def _decoded(
    decoder: DecodesBytes,
    asks: Sequence[PredictionRequest],
    scripts: Sequence[Actions | States | None],
    force: str,
) -> Iterator[ForcedRollout]:
    for ask, script, found in zip(asks, scripts, decoder.follow(asks, scripts), strict=True):
        if script is not None:
            script.finish(found.text)
        yield ForcedRollout(
            prediction=found,
            force=force,
            dictated=tuple(decoder.dictated),
            left=None if script is None else script.left,
            sure=tuple(step_confidences(ask, found, decoder.logprobs, decoder.entropies)),
        )


def _guard(predictor: Predictor, asks: Sequence[PredictionRequest]) -> Iterator[ForcedRollout]:
    """A model that gives bytes is masked; one that gives text is held to the guard where that leaves one way on."""
    if (decoder := predictor.capabilities.decodes_bytes) is not None:
        yield from _decoded(decoder.settled(guard=True), asks, [None] * len(asks), "guard")
        return
    scripts: list[Script] = [Guarded(ask) for ask in asks]
    for done in walk(predictor, asks, scripts):
        yield ForcedRollout(prediction=done.prediction(), force="guard", dictated=tuple(done.dictated))


def _edited(
    predictor: Predictor,
    asks: Sequence[PredictionRequest],
    truths: Sequence[Prediction],
    edits: Sequence[Edit],
) -> Iterator[ForcedRollout]:
    if len(edits) != len(asks):
        raise UsageError(f"{len(asks)} asks with {len(edits)} edits")
    texts = [
        edited(ask, truth.text, edit, codec=truth.codec)
        for ask, truth, edit in zip(asks, truths, edits, strict=True)
    ]
    begun = [
        replace(ask, given=text, limit=max(ask.limit, len(text)))
        for ask, text in zip(asks, texts, strict=True)
    ]
    for text, rolled in zip(texts, _written(predictor, begun, [None] * len(asks), "edited"), strict=True):
        yield replace(rolled, dictated=((0, len(text)),))


def _ahead(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], force: str
) -> Iterator[ForcedRollout]:
    began = time.perf_counter()
    found = ahead(predictor, asks, truths, write=force == "next")
    for truth, (steps, fault) in zip(truths, found, strict=True):
        known = [
            step.action + step.state for step in steps if step.action is not None and step.state is not None
        ]
        now = time.perf_counter()
        prediction = Prediction(
            text=truth.text,
            status=fault or truth.status,
            logprob=sum(known) if len(known) == len(steps) else None,
            seconds=now - began,
        )
        began = now
        yield ForcedRollout(prediction=prediction, force=force, dictated=((0, len(truth.text)),), steps=steps)


def _queries(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], budget: int
) -> Iterator[ForcedRollout]:
    for one in inquire(predictor, asks, truths, budget=budget):
        assert one.prediction is not None
        yield ForcedRollout(
            prediction=one.prediction,
            force="queries",
            dictated=tuple(one.dictated),
            left=one.left,
            sure=tuple(one.sure),
            spent=tuple(one.spent),
            answered=tuple(sorted(one.answered)),
        )
