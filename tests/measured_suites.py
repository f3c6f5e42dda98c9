"""A suite with a meter of its own, measured in one call."""

from __future__ import annotations

from collections.abc import Sequence

from worldline.evaluation import suites
from worldline.evaluation.measuring import measure
from worldline.evaluation.suites.suite import Suite
from worldline.evaluation.table import Measured
from worldline.predict.predictor import Predictor


def measured(
    name: str, suite: Suite, predictor: Predictor, *, limit: int | None = None, force: str | Sequence[str] | None = None
) -> Measured:
    """The tables of a suite under the meter of this name."""
    return measure(suite, suites.meter(name, force=force), predictor, limit=limit)[0]
