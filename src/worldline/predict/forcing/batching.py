"""Texts that ask for what they need next, several at once: each is a generator of asks that is sent their answers."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import TypeVar, cast

from worldline.core.errors import UsageError
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

TOGETHER = 64  # texts under way
_T = TypeVar("_T")
Talk = Generator[PredictionRequest, Prediction, _T]


def together(predictor: Predictor, talks: Sequence[Talk[_T]], *, codec: str) -> Iterator[_T]:
    """What each talk comes to, in their order, each as soon as it and those before it are there."""
    for first in range(0, len(talks), TOGETHER):
        yield from _some(predictor, talks[first : first + TOGETHER], codec)


def _some(predictor: Predictor, talks: Sequence[Talk[_T]], codec: str) -> Iterator[_T]:
    done, told = dict[int, _T](), 0
    answers: dict[int, Prediction | None] = dict.fromkeys(range(len(talks)))
    while answers:
        wants = dict[int, PredictionRequest]()
        for number, answer in answers.items():
            try:
                wants[number] = talks[number].send(cast(Prediction, answer))
            except StopIteration as stop:
                done[number] = stop.value
        while told in done:
            yield done[told]
            told += 1
        found = list(predictor.predict(list(wants.values()))) if wants else []
        strange = next((one.codec for one in found if one.codec != codec), None)
        if strange is not None:
            raise UsageError(
                f"{predictor.info.name} writes {strange}: the truth that is forced is in {codec}"
            )
        answers = dict(zip(wants, found, strict=True))
