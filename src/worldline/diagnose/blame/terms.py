"""The sub-expressions of a line with their true values: the line is decomposed and recorded again.

The caller of a diagnosis provides the recording (`Rerun`). A decomposed program that does not arrive at the
same value is not used.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from worldline.analyze.flow.operations import (
    FunctionSignature,
    Operation,
    comprehensions,
    expression,
    operation_name,
    statements,
)
from worldline.analyze.rewrite import rewrite
from worldline.analyze.rewrite.fold import ITERATED, fold
from worldline.analyze.rewrite.line_map import LineMap, line_map
from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.trace import Step, Trace
from worldline.core.value import equal, kind, quote
from worldline.diagnose.blame.claims import Claim, claims
from worldline.diagnose.history import names_before, previous


class Rerun(Protocol):
    """Executes a program, with its hidden inputs decided by a control if there is one."""

    def __call__(self, program: Program, control: Control | None = None, /) -> Trace:
        """Return the trace of the program."""
        ...


MAX_OPERATIONS = 64  # of one line


@dataclass(frozen=True, kw_only=True)
class ValueOrigin:
    """Where a value comes from: the step whose line assigns it to a `name` or passes it to a parameter of `called`.

    Without a name it is what the step returns or yields (`event`).
    """

    step: int
    name: str | None
    event: str
    called: FunctionSignature | None = None


@dataclass(frozen=True)
class Term:
    """An expression, its true value, and the sub-expressions that its operands stand for. `names` have true values."""

    node: ast.expr
    value: str
    parts: Mapping[str, Term] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def known(self, node: ast.expr) -> str | None:
        """Return the true value of an operand; None if it is not known."""
        part = self.part(node)
        if part is not None:
            return part.value
        return self.names.get(node.id) if isinstance(node, ast.Name) else _constant(node)

    def part(self, node: ast.expr) -> Term | None:
        """Return the sub-expression that an operand stands for."""
        return self.parts.get(node.id) if isinstance(node, ast.Name) else None

    @property
    def whole(self) -> ast.expr:
        """The expression as written in the program."""
        inner = {name: part.whole for name, part in self.parts.items()}
        inlined: ast.expr = _Inlined(inner).visit(copy.deepcopy(self.node))
        return ast.fix_missing_locations(inlined)


class _Inlined(ast.NodeTransformer):
    def __init__(self, inner: Mapping[str, ast.expr]) -> None:
        self.inner = inner

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.inner.get(node.id, node)


def inner_operation(
    program: Program, events: Sequence[Event], place: ValueOrigin, wanted: str, got: str, record: Rerun
) -> tuple[Operation, str] | None:
    """Find the sub-expression whose true value contradicts the prediction, and that value.

    Returns:
        None if only the outermost operation is to blame.
    """
    term = decompose(program, events, place, wanted, record)
    if term is None:
        return None
    blamed = _blamed(term, Claim("is", got))
    if blamed is term:
        return None
    named = operation_name(blamed.node, kind(blamed.value))
    return Operation(named, ast.unparse(blamed.whole)), blamed.value


def _blamed(term: Term, claim: Claim) -> Term:
    """The deepest sub-expression that a claim contradicts; the term itself if there is none."""
    for operand, implied in claims(term.node, claim, term.known):
        part = term.part(operand)
        if part is None or _is_shown(part):
            continue
        if implied.contradicts(part.value):
            return _blamed(part, implied)
        if implied.is_open(part.value):
            inner = _blamed(part, implied)
            if inner is not part:
                return inner
    return term


def _is_shown(term: Term) -> bool:
    """Whether the trace itself shows the value: the result of a function of the program."""
    return operation_name(term.node) == "call"


def _constant(node: ast.expr) -> str | None:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, (str, int)):
        return None
    return quote(node.value) if isinstance(node.value, str) else repr(node.value)


def decompose(program: Program, events: Sequence[Event], place: ValueOrigin, wanted: str, record: Rerun) -> Term | None:
    """Decompose the expression that a value comes from; None if that is not possible."""
    at = _line_step(events, place.step) if program.lang.has_syntax_tree else None
    if at is None or events[at].file is not None or events[at].line is None:
        return None
    own = line_map(program.source)
    head = own.head(events[at].line or 0)
    rewriting = rewrite(program.source, flatten=True, call=program.call, only={head})
    if not rewriting.changed:
        return None
    twin = replace(program, source=rewriting.source)
    trace = record(twin)
    lines = line_map(program.source, rewriting.source, rewriting.lines)
    steps = _group(twin, trace, lines, head, _times(events, at, own, head))
    names = dict(events[at].values) if events[at].whole else dict(names_before(events, at))
    filled = comprehensions(program.source, events[at].line)
    return None if steps is None else _DecomposedLine(rewriting.source, place, steps, names, filled).term(wanted)


def _line_step(events: Sequence[Event], step: int) -> int | None:
    """The step at which the line started; for a step that leaves it, the one before it in its frame."""
    at: int | None = step
    while at is not None and events[at].event not in ("line", "resume"):
        at = None if events[at].event == "call" else previous(events, at, events[at].frame)
    return at


def _times(events: Sequence[Event], at: int, own: LineMap, head: int) -> int:
    """How often a statement had started, including this time; counted as `rewrite.fold` folds."""
    under_way: dict[int, int | None] = {}
    hidden: set[int] = set()
    count = 0
    for event in events[: at + 1]:
        if event.event == "call" and ITERATED in event.values and event.parent >= 0:
            hidden.add(event.frame)
        if event.frame in hidden or event.event in CHANGELESS:
            continue
        line = own.head(event.line) if event.line is not None and event.file is None else None
        if event.event in ("line", "resume"):
            if event.event == "line" and line == head and under_way.get(event.frame) != head:
                count += 1
            under_way[event.frame] = line
        else:
            under_way[event.frame] = None
    return count


def _group(program: Program, trace: Trace, where: LineMap, head: int, times: int) -> list[Step] | None:
    """The steps of the decomposed program for the n-th execution of a statement, and the step that leaves it."""
    steps = [trace[i] for i in range(len(trace))]
    folded = fold(program, where, steps, trace.frames, trace.hidden)
    starts = [
        i
        for i, step in enumerate(folded.steps)
        if step.event == "line" and step.line == head and folded.frames[step.frame].file == program.name
    ]
    if not 0 < times <= len(starts):
        return None
    under = [steps[i] for i in folded.under[starts[times - 1]]]
    frame = under[0].frame
    own = [step for step in under if step.frame == frame]
    leaving = (s for s in steps[own[-1].i + 1 :] if s.frame == frame and s.event not in CHANGELESS)
    after = next(leaving, None)
    return [*own, after] if after is not None and after.event in ("return", "yield") else own


class _DecomposedLine:
    """The statements of a decomposed line as executed: the expression and the final value of each name."""

    def __init__(
        self,
        source: str,
        place: ValueOrigin,
        steps: Sequence[Step],
        names: Mapping[str, str],
        filled: Sequence[ast.expr],
    ) -> None:
        self.place, self.last, self.names = place, steps[-1], dict(names)
        self.filled = filled[0] if len(filled) == 1 else ast.parse("[_ for _ in _]", mode="eval").body
        self.assigned: dict[str, tuple[ast.expr, str]] = {}
        self.root: ast.expr | None = None
        self.true: str | None = None
        for step in steps:
            self.names |= step.delta
            for node in statements(source, step.line) if step.event in ("line", "resume") else ():
                self._run(step, node)
        if place.name is not None and place.called is None:  # an operand is what it was before
            self.names[place.name] = names.get(place.name, "")

    def _run(self, step: Step, node: ast.stmt) -> None:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Name) and target.id in step.delta:
            self.assigned[target.id] = node.value, step.delta[target.id]
        value = expression(node, self.place.name, self.place.event, self.place.called)
        if value is not None:
            self.root, self.true = value, step.delta.get(self.place.name or "")

    def term(self, wanted: str) -> Term | None:
        """Return the term of the value; None if the decomposed program arrived at another one."""
        node, true = self.root, self.true
        if self.place.name is None:
            true = self.last.arg if self.last.event == self.place.event else None
        elif self.place.called is not None:
            true = self.names.get(node.id) if isinstance(node, ast.Name) else wanted
        if node is None or true is None or not equal(true, wanted):
            return None
        return self._term(node, true, MAX_OPERATIONS)

    def _term(self, node: ast.expr, value: str, left: int) -> Term:
        """An expression with those of its names that the same line assigned; a copy is what it copies."""
        if isinstance(node, ast.Name) and left:
            part = self._part(node.id, left)
            if part is not None:
                return part
        words = dict.fromkeys(name_node.id for name_node in ast.walk(node) if isinstance(name_node, ast.Name))
        parts = {word: part for word in words if left and (part := self._part(word, left)) is not None}
        return Term(node, value, parts, self.names)

    def _part(self, name: str, left: int) -> Term | None:
        assigned = self.assigned.get(name)
        if assigned is None or name not in self.names or name == self.place.name:
            return None
        if self.names[name] != assigned[1]:  # a loop has filled it since
            return Term(self.filled, self.names[name])
        return self._term(*assigned, left - 1)
