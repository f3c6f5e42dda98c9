"""The interface of an oracle: a question with a budget goes in, an answer with its cost comes out.

Costs are counted in executions and risk, not in seconds. Predictions are always labelled as predictions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.question import Question

RUN, IMAGINED, MIXED, UNKNOWN = "run", "imagined", "mixed", "unknown"

ProgramRunner = Callable[[Program], Trace]
"""Executes a program in the sandbox and returns its trace."""


@dataclass(frozen=True, kw_only=True)
class ExecutionCost:
    """The cost of an answer: whole executions, single true steps, and predicted bytes."""

    executions: int = 0
    steps: int = 0
    bytes: int = 0

    def __add__(self, other: ExecutionCost) -> ExecutionCost:
        return ExecutionCost(
            executions=self.executions + other.executions,
            steps=self.steps + other.steps,
            bytes=self.bytes + other.bytes,
        )


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The maximum cost of an answer, and the confidence that a prediction needs (`sure`)."""

    executions: int = 1
    steps: int = 0
    bytes: int = 1 << 16
    sure: float = 0.95

    def __post_init__(self) -> None:
        if not 0 < self.sure <= 1:
            raise UsageError(f"the confidence must be above 0 and at most 1, not {self.sure}")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The value as text, or None if it is unknown, and `how` it is known: executed, predicted, or both.

    An executed answer is certain. `probability` is None if the model is not calibrated on such code.
    """

    value: str | None
    probability: float | None
    spent: ExecutionCost
    how: str
    why: str = ""

    @property
    def is_known(self) -> bool:
        """Whether the answer has a value."""
        return self.value is not None

    def as_json(self) -> dict[str, Any]:
        """Return the fields, with those of the cost."""
        return {**self.__dict__, "spent": dict(self.spent.__dict__)}


class Oracle(Protocol):
    """Answers questions about executions: the interpreter, a model, or both together."""

    def ask(self, program: Program, question: Question, budget: Budget, /) -> Answer:
        """Answer the question within the budget."""
        ...
