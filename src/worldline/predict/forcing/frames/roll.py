"""Forced rollouts of a model that writes Meta's format, told as those of either notation are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worldline.predict.forcing.frames.ahead import frames_ahead
from worldline.predict.forcing.frames.forces import FrameScript, actions, states
from worldline.predict.forcing.frames.guard import guarded
from worldline.predict.forcing.frames.queries import inquire_frames
from worldline.predict.forcing.rolled import ForcedRollout
from worldline.predict.forcing.talk import Talk, together
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor


def roll_frames(
    predictor: Predictor,
    asks: Sequence[PredictionRequest],
    truths: Sequence[Prediction],
    *,
    force: str,
    budget: int,
) -> Iterator[ForcedRollout]:
    """One rollout for each ask, in their order, under any forcing but `free` and `edited`."""
    if force == "queries":
        yield from _queries(predictor, asks, truths, budget)
    elif force in ("next", "both"):
        yield from _ahead(predictor, asks, truths, force)
    else:
        for script in together(predictor, _talks(asks, truths, force), codec="cwm"):
            draft = script.draft
            yield ForcedRollout(
                prediction=draft.prediction, force=force, dictated=tuple(draft.dictated), left=script.left,
                sure=draft.confidences,
            )  # fmt: skip


def _talks(
    asks: Sequence[PredictionRequest], truths: Sequence[Prediction], force: str
) -> list[Talk[FrameScript]]:
    if force == "guard":
        return [guarded(ask) for ask in asks]
    make = actions if force == "actions" else states
    return [make(ask, truth) for ask, truth in zip(asks, truths, strict=True)]


def _ahead(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], force: str
) -> Iterator[ForcedRollout]:
    talks = [frames_ahead(ask, truth) for ask, truth in zip(asks, truths, strict=True)]
    found = together(predictor, talks, codec="cwm")
    for truth, (steps, fault, seconds) in zip(truths, found, strict=True):
        prediction = Prediction(text=truth.text, status=fault or truth.status, seconds=seconds, codec="cwm")
        yield ForcedRollout(prediction=prediction, force=force, dictated=((0, len(truth.text)),), steps=steps)


def _queries(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], budget: int
) -> Iterator[ForcedRollout]:
    for one in inquire_frames(predictor, asks, truths, budget=budget):
        assert one.prediction is not None
        yield ForcedRollout(
            prediction=one.prediction, force="queries", dictated=tuple(one.dictated), left=one.left,
            sure=tuple(one.sure), spent=tuple(one.spent), answered=tuple(sorted(one.answered)),
        )  # fmt: skip
