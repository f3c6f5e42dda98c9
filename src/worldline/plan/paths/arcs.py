"""The arcs of a function: both outcomes of every decision, and which of them a run took.

A decision is a place in the source with line and columns, as the code objects have it: see
`analyze.flow.conditions.points`. The arcs include those of the functions and classes of the file that the function
names. A failing assertion and an exception that no `except` catches are not arcs: their input raises.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from worldline.analyze.flow.conditions.jumps import DecisionOutcome, source_decisions
from worldline.analyze.flow.conditions.points import DecisionPoint, outcome_words
from worldline.analyze.flow.control import first_line, syntax

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, order=True)
class Arc:
    """One outcome of a decision: taken (the condition holds, the loop continues, the case matches) or not.

    Lines count from 1 and columns from 0; -1: not known, in paths of version 1.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    kind: str
    taken: bool
    function: str = field(compare=False, default="")
    text: str = field(compare=False, default="")

    def __str__(self) -> str:
        place = f"{self.line}:{self.column}" if self.column >= 0 else str(self.line)
        return f"{place} {self.text} → {outcome_words(self.kind, self.taken)}"


def find_arcs(source: str, function: str) -> frozenset[Arc]:
    """Return every arc of a function and of the definitions it names."""
    spans = _reachable(source, function)
    points = (point for point in source_decisions(source).decided if point.function)
    return frozenset(
        Arc(*_place(point), point.kind, taken, point.function, point.text)
        for point in points
        if any(point.line in span for span in spans)
        for taken in _directions(point)
    )


def _place(point: DecisionPoint) -> tuple[int, int, int, int]:
    return point.line, point.column, point.end_line, point.end_column


def _directions(point: DecisionPoint) -> tuple[bool, ...]:
    if point.kind == "except":
        return (True,)
    return tuple(taken for taken in (True, False) if taken is not point.fails)


def taken_arcs(decisions: Iterable[DecisionOutcome], known: frozenset[Arc]) -> frozenset[Arc]:
    """Return the arcs that a run took, given its decisions."""
    ways = {(*decision.place, decision.taken) for decision in decisions}
    return frozenset(arc for arc in known if (arc.line, arc.column, arc.end_line, arc.end_column, arc.taken) in ways)


def _reachable(source: str, function: str) -> list[range]:
    """Return the lines of all definitions that a function names, transitively."""
    tree = syntax(source)
    known = {} if tree is None else {node.name: node for node in tree.body if isinstance(node, _DEFINITIONS)}
    waiting, met = [function], set[str]()
    while waiting:
        name = waiting.pop()
        if name in known and name not in met:
            met.add(name)
            waiting += [part.id for part in ast.walk(known[name]) if isinstance(part, ast.Name)]
    nodes = (known[name] for name in met)
    return [range(first_line(node), (node.end_lineno or node.lineno) + 1) for node in nodes]
