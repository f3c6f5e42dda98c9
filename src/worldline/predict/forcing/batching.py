"""Runs many request generators at once: each yields a request, is sent its prediction, and finally returns a result."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import TypeVar, cast

from worldline.core.errors import UsageError
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

MAX_TEXTS_AT_ONCE = 64
_T = TypeVar("_T")
RequestGenerator = Generator[PredictionRequest, Prediction, _T]


def run_together(predictor: Predictor, generators: Sequence[RequestGenerator[_T]], *, codec: str) -> Iterator[_T]:
    """Run generators and yield their results in order. Predictions must be in the notation `codec`."""
    for first in range(0, len(generators), MAX_TEXTS_AT_ONCE):
        yield from _run_some(predictor, generators[first : first + MAX_TEXTS_AT_ONCE], codec)


def _run_some(predictor: Predictor, generators: Sequence[RequestGenerator[_T]], codec: str) -> Iterator[_T]:
    done, yielded = dict[int, _T](), 0
    answers: dict[int, Prediction | None] = dict.fromkeys(range(len(generators)))
    while answers:
        requests = dict[int, PredictionRequest]()
        for number, answer in answers.items():
            try:
                requests[number] = generators[number].send(cast(Prediction, answer))
            except StopIteration as stop:
                done[number] = stop.value
        while yielded in done:
            yield done[yielded]
            yielded += 1
        predictions = list(predictor.predict(list(requests.values()))) if requests else []
        other = next((prediction.codec for prediction in predictions if prediction.codec != codec), None)
        if other is not None:
            raise UsageError(f"{predictor.info.name} writes {other}, but the truth to force is in {codec}")
        answers = dict(zip(requests, predictions, strict=True))
