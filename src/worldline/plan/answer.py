"""What an oracle is asked and what it says: a budget goes in with a question, an answer with its price comes out.

The currency is executions and risk, never seconds. Nothing imagined is ever told as if it had been run.
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
    """What an answer took: whole runs, single true steps that were asked for, and bytes that were imagined."""

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
    """The most that an answer may take, and how sure one that was not run must be."""

    executions: int = 1
    steps: int = 0
    bytes: int = 1 << 16
    sure: float = 0.95

    def __post_init__(self) -> None:
        if not 0 < self.sure <= 1:
            raise UsageError(f"how sure an answer must be is above 0 and at most 1, not {self.sure}")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What is so, as text, or None: unknown. `how` it came about; a run is certain, whatever else has a probability.

    `probability` is None where nobody can say: a model that was not calibrated on such code.
    """

    value: str | None
    probability: float | None
    spent: ExecutionCost
    how: str
    why: str = ""

    @property
    def is_known(self) -> bool:
        """Whether there is an answer at all."""
        return self.value is not None

    def as_json(self) -> dict[str, Any]:
        """Its fields, and those of what it took."""
        return {**self.__dict__, "spent": dict(self.spent.__dict__)}


class Oracle(Protocol):
    """Whoever answers questions about runs: the interpreter, a model, or the two together."""

    def ask(self, program: Program, question: Question, budget: Budget, /) -> Answer:
        """The answer, for at most this budget."""
        ...
