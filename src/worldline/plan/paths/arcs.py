"""The arcs of a function: both outcomes of every decision between lines, and which of them a run took.

They include the functions and classes of the file that the function names. A decision inside one line (`and`,
`if x: return 1`) is not an arc. Neither is a failing assertion: its input raises.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from worldline.analyze.flow.conditions import Condition
from worldline.analyze.flow.conditions.decisions import Decision, decisions
from worldline.analyze.flow.control import first_line, syntax

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_TESTED = ("if", "while")  # whose text is the test alone
_ONE_ARC = ("assert", "except")


@dataclass(frozen=True, order=True)
class Arc:
    """One outcome of a deciding line: taken (the condition holds, the loop continues, the case matches) or not."""

    line: int
    kind: str
    taken: bool
    function: str = field(compare=False, default="")
    text: str = field(compare=False, default="")

    def __str__(self) -> str:
        return f"line {self.line}: {with_keyword(self.kind, self.text)} {'holds' if self.taken else 'does not hold'}"


def with_keyword(kind: str, text: str) -> str:
    """Return a condition with its keyword: `if x > 3`, `for x in xs`."""
    return f"{kind} {text}" if kind in _TESTED else text


def find_arcs(source: str, function: str) -> frozenset[Arc]:
    """Return every arc of a function and of the definitions it names."""
    return frozenset(
        Arc(decision.line, decision.kind, taken, name, decision.text)
        for name, decision in _decisions(source, function)
        for taken in _arc_directions(decision)
    )


def find_inline_decisions(source: str, function: str) -> list[str]:
    """List the decisions inside one line, which are not arcs, in order."""
    inline = (
        decision for _, decision in _decisions(source, function) if decision.is_inline and decision.kind not in _ONE_ARC
    )
    ordered = sorted(inline, key=lambda decision: decision.line)
    return list(
        dict.fromkeys(f"line {decision.line}: {with_keyword(decision.kind, decision.text)}" for decision in ordered)
    )


def _decisions(source: str, function: str) -> Iterator[tuple[str, Decision]]:
    """Yield every decision of a function and of the definitions it names, with the name of its code."""
    spans = _reachable(source, function)
    for (name, line), by_line in decisions(source).items():
        if any(line in span for span in spans):
            for on_line in by_line.values():
                yield from ((name, decision) for decision in on_line)


def _arc_directions(decision: Decision) -> tuple[bool, ...]:
    if decision.is_inline:
        return ()
    return (True,) if decision.kind in _ONE_ARC else (True, False)


def taken_arcs(met: Iterable[Condition], known: frozenset[Arc]) -> frozenset[Arc]:
    """Return the arcs that a run took, given its conditions."""
    ways = {(condition.line, condition.kind, condition.taken) for condition in met}
    return frozenset(arc for arc in known if (arc.line, arc.kind, arc.taken) in ways)


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
