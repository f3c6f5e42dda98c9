"""A model that orders inputs before execution: those first that it predicts to reach the goal.

The predictions only decide the order; every input is still executed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from worldline.core.program import Program
from worldline.plan.futures.subject import Subject, of_prediction
from worldline.plan.inputs.goal import CALL_VALUE, Goal
from worldline.plan.inputs.nearness import FAR, apart, read_value
from worldline.plan.inputs.proposer import InputValues, spelled
from worldline.plan.paths.distance import Verbatim
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor

MAX_PREDICTIONS = 6  # predictions are expensive
MAX_PREDICTION_BYTES = 4_096

Ranker = Callable[[Goal, Program, list[InputValues]], tuple[list[InputValues], int]]


def by_model(
    predictor: Predictor, *, most: int = MAX_PREDICTIONS, limit: int = MAX_PREDICTION_BYTES
) -> Ranker:
    """Return a ranker that orders the first inputs by predicted distance, and counts the predicted bytes."""

    def rank(goal: Goal, program: Program, proposals: list[InputValues]) -> tuple[list[InputValues], int]:
        compared = _literals(goal)
        if compared is None:
            return proposals, 0
        first, rest = proposals[:most], proposals[most:]
        asks = [
            PredictionRequest(
                program=replace(
                    program,
                    call=goal.call(
                        {name: spelled(prediction) or "None" for name, prediction in values.items()}
                    ),
                ),
                limit=limit,
            )
            for values in first
        ]
        predictions = list(predictor.predict(asks))
        far = [
            _far(of_prediction(Subject(), ask, prediction), compared)
            for ask, prediction in zip(asks, predictions, strict=True)
        ]
        order = sorted(range(len(first)), key=lambda at: (far[at], at))
        return [*(first[at] for at in order), *rest], sum(len(prediction.text) for prediction in predictions)

    return rank


def _literals(goal: Goal) -> list[tuple[str, Any]] | None:
    """Return the literals that the value of the call is compared with; None if the goal is not so simple."""
    literals = []
    for left, operator, right in goal.pairs:
        if left != CALL_VALUE:
            return None
        try:
            literals.append((operator, ast.literal_eval(right)))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None
    return literals or None


def _far(text: str, compared: list[tuple[str, Any]]) -> float:
    value = read_value(text)
    if isinstance(value, Verbatim):  # it raises, or cannot be read
        return FAR
    return sum(apart(value, operator, wanted) for operator, wanted in compared)
