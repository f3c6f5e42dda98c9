"""Where in a prediction's text each step stands. Any bytes; what they mean is read elsewhere."""

from __future__ import annotations

from worldline.codec.notation import notation
from worldline.predict.prediction import Prediction


def step_spans(prediction: Prediction, count: int) -> list[tuple[int, int]]:
    """The offsets, begin and end, of so many steps."""
    spans = notation(prediction.codec).locate(prediction.text, count)
    end = spans[-1][1] if spans else 0
    return spans + [(end, end)] * (count - len(spans))
