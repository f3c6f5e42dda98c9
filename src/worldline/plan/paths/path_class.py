"""The result of a search for paths: classes of inputs, arcs, and statistics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from worldline.analyze.flow.conditions.jumps import DecisionOutcome
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.paths.arcs import Arc
from worldline.plan.paths.completeness import PathCompleteness, Way

FOUND_BY = ("example", "random", "crosshair")
PathKey = tuple[tuple[Way, ...], str]
"""The decisions of a run in order (place, and whether the condition held), and what it raised on which line.

Inputs with the same key are one class.
"""


SolverConditions = tuple[tuple[int, str], ...]
"""Conditions in terms of the inputs, by source line: all of them hold."""


def key_of(trace: Trace, decisions: Iterable[DecisionOutcome]) -> PathKey:
    """Return the key of the class that a run belongs to."""
    return tuple((decision.place, decision.taken) for decision in decisions), _raised(trace)


def _raised(trace: Trace) -> str:
    """Return what a run raised and on which line; empty if it returned."""
    if trace.outcome.kind != "raised":
        return ""
    first = next((step.line for step in reversed(trace.steps) if step.event != "raise"), 0)
    return f"{trace.outcome.detail.partition('(')[0].partition('#')[0]} in line {first}"


@dataclass(frozen=True)
class PathClass:
    """The inputs that take one path: its decisions, one input, and its trace.

    `solved` are CrossHair's conditions on the inputs, by line: one or more alternatives, or empty if it was not used.
    `inputs` counts the tried inputs that took this path.
    """

    decisions: tuple[DecisionOutcome, ...]
    call: str
    trace: Trace
    found_by: str
    solved: tuple[SolverConditions, ...] = ()
    inputs: int = 1

    @property
    def key(self) -> PathKey:
        """What distinguishes it from other classes."""
        return key_of(self.trace, self.decisions)

    @property
    def raised(self) -> bool:
        """Whether its inputs end in an exception."""
        return self.trace.outcome.kind == "raised"

    def as_json(self) -> dict[str, Any]:
        """The class as `paths --json` prints it."""
        return {
            "call": self.call,
            "found_by": self.found_by,
            "inputs": self.inputs,
            "steps": len(self.trace),
            "outcome": {"kind": self.trace.outcome.kind, "detail": self.trace.outcome.detail},
            "decisions": [dict(item.__dict__) for item in self.decisions],
            "solved": [[{"line": line, "text": text} for line, text in item] for item in self.solved],
        }


@dataclass(frozen=True)
class PathReport:
    """The paths of a function: the kept classes, the arcs reached and by what, and statistics."""

    program: Program
    function: str
    classes: tuple[PathClass, ...]
    completeness: PathCompleteness
    reached: dict[Arc, str]
    uncovered: tuple[Arc, ...]
    tried: int
    unended: int
    unconfirmed: int
    solver: str
    agreed: tuple[int, int]  # CrossHair's calls whose exception it predicted, and all its calls
    notes: tuple[str, ...]
    seconds: dict[str, float]

    @property
    def raising(self) -> tuple[PathClass, ...]:
        """The classes whose inputs raise."""
        return tuple(path for path in self.classes if path.raised)

    def as_json(self) -> dict[str, Any]:
        """The object that `paths --json` prints."""
        return {
            "program": {"name": self.program.name, "source": self.program.source},
            "function": self.function,
            "classes": [path.as_json() for path in self.classes],
            "seen": self.completeness.classes,
            "complete": self.completeness.as_json(),
            "reached": [_arc(arc) | {"found_by": by} for arc, by in sorted(self.reached.items())],
            "uncovered": [_arc(arc) for arc in self.uncovered],
            "tried": self.tried,
            "unended": self.unended,
            "unconfirmed": self.unconfirmed,
            "solver": self.solver,
            "agreed": list(self.agreed),
            "said": list(self.notes),
            "seconds": {name: round(spent, 3) for name, spent in self.seconds.items()},
        }


def _arc(arc: Arc) -> dict[str, Any]:
    return dict(arc.__dict__)
