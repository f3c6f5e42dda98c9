"""Forcing in a notation of special tokens: a text is read frame by frame, and only ever cut at a token."""

from __future__ import annotations

from collections.abc import Collection

from worldline.predict.forcing.batching import Talk
from worldline.predict.forcing.forced_rollout import ForcedRollout
from worldline.predict.forcing.frames.ahead import ahead as ahead
from worldline.predict.forcing.frames.forces import FrameScript, actions, chosen_frames, states
from worldline.predict.forcing.frames.guard import guarded
from worldline.predict.prediction import Prediction, PredictionRequest


def forced(
    ask: PredictionRequest, truth: Prediction | None, force: str, chosen: Collection[int] = ()
) -> Talk[ForcedRollout]:
    """A text under a forcing; without a truth it is held to the control flow."""
    script = yield from _script(ask, truth, force, chosen)
    draft = script.draft
    return ForcedRollout(
        prediction=draft.prediction, force=force, dictated=tuple(draft.dictated), left=script.left,
        sure=draft.confidences, answered=tuple(sorted(script.answered)),
    )  # fmt: skip


def _script(
    ask: PredictionRequest, truth: Prediction | None, force: str, chosen: Collection[int]
) -> Talk[FrameScript]:
    if truth is None:
        return (yield from guarded(ask))
    if force == "queries":
        return (yield from chosen_frames(ask, truth, chosen))
    return (yield from (actions if force == "actions" else states)(ask, truth))
