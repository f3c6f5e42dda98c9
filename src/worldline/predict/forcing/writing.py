"""Texts with a part dictated: by an engine that follows a script, or by whoever only gives text and is asked again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from worldline.codec.notation import notation
from worldline.predict.confidence import frame_confidences, step_confidences
from worldline.predict.forcing import bytewise
from worldline.predict.forcing.batching import Talk, together
from worldline.predict.forcing.forced_rollout import ForcedRollout, NextSteps
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import DecodesBytes, Predictor


class Forcing(Protocol):
    """How a predictor that only gives text is held to a part of the truth, in one kind of notation."""

    def forced(
        self, ask: PredictionRequest, truth: Prediction | None, force: str, chosen: Collection[int] = (), /
    ) -> Talk[ForcedRollout]:
        """A text under a forcing; without a truth it is held to the control flow."""
        ...

    def ahead(self, ask: PredictionRequest, truth: Prediction, /) -> Talk[NextSteps]:
        """Every whole true step, each asked for behind the truth before it."""
        ...


def forcing_of(codec: str) -> Forcing:
    """How texts of a notation are forced: byte by byte, or between its special tokens."""
    if not notation(codec).special_tokens:
        return bytewise
    from worldline.predict.forcing.frames import framewise  # few verbs need it

    return framewise


def written(
    predictor: Predictor,
    asks: Sequence[PredictionRequest],
    truths: Sequence[Prediction] = (),
    *,
    force: str,
    chosen: Sequence[Collection[int]] = (),
) -> Iterator[ForcedRollout]:
    """One text for each ask, in their order.

    Args:
        predictor: Who writes.
        asks: What is asked.
        truths: The true texts, where something of them is dictated.
        force: What is dictated: `actions`, `states`, the `chosen` steps (`queries`); without truths nothing, or what
            the control flow leaves (`guard`).
        chosen: The numbers of the true steps that are put in, for each ask.

    Yields:
        What has come of each text.
    """
    if not asks:
        return
    known: Sequence[Prediction | None] = truths or [None] * len(asks)
    some = list(zip(asks, known, chosen or [()] * len(asks), strict=True))
    if (decoder := predictor.capabilities.decodes_bytes) is not None:
        scripts = [
            None if truth is None else bytewise.script_of(ask, truth, force, steps)
            for ask, truth, steps in some
        ]
        settled = decoder.settled(guard=True if force == "guard" else None)
        yield from _by_engine(settled, asks, scripts, force)
    elif not truths and force != "guard":
        for ask, answer in zip(asks, predictor.predict(asks), strict=True):
            yield ForcedRollout(prediction=answer, force=force, sure=frame_confidences(ask, answer))
    else:
        codec = predictor.info.notation
        forced = forcing_of(codec).forced
        yield from together(
            predictor, [forced(ask, truth, force, steps) for ask, truth, steps in some], codec=codec
        )


def _by_engine(
    decoder: DecodesBytes,
    asks: Sequence[PredictionRequest],
    scripts: Sequence[bytewise.TruthScript | None],
    force: str,
) -> Iterator[ForcedRollout]:
    for ask, script, answer in zip(asks, scripts, decoder.follow(asks, scripts), strict=True):
        if script is not None:
            script.finish(answer.text)
        yield ForcedRollout(
            prediction=answer, force=force, dictated=tuple(decoder.dictated), left=script.left if script else None,
            sure=tuple(step_confidences(ask, answer, decoder.logprobs, decoder.entropies)),
            answered=tuple(sorted(script.answered)) if script else (),
        )  # fmt: skip
