"""A model that puts inputs into an order before any is run: those first of which it imagines that they reach the goal.

What it imagines decides the order alone; every input is run all the same.
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

MOST = 6  # inputs that are imagined: it is dear
LIMIT = 4_096  # bytes of each

Ranker = Callable[[Goal, Program, list[InputValues]], tuple[list[InputValues], int]]


def by_model(predictor: Predictor, *, most: int = MOST, limit: int = LIMIT) -> Ranker:
    """Who imagines the first few inputs and puts them into the order of how near they seem; and the bytes it took."""

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
    """What the call's value is compared with, and how; None where it is not the value itself, or no literal."""
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
    if isinstance(value, Verbatim):  # it raises, or is not to be read
        return FAR
    return sum(apart(value, operator, wanted) for operator, wanted in compared)
