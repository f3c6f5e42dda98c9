"""A line's sub-expressions with their true values: the line is taken apart, one operation a line, and recorded again.

The recording comes from whoever asks for a diagnosis (`Rerun`): nothing is run here. A twin that does not come to the
very value that the line came to is not believed.
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
    """Runs a program, its hidden inputs decided by a control where one is given."""

    def __call__(self, program: Program, control: Control | None = None, /) -> Trace:
        """The program's trace."""
        ...


Record = Rerun
DEEP = 64  # operations of one line that are looked into


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a value comes from: the true step whose line gives it to a `name`, or to a parameter of what it `called`.

    Without a name it is what the step returns or yields: `event`.
    """

    step: int
    name: str | None
    event: str
    called: FunctionSignature | None = None


@dataclass(frozen=True)
class Term:
    """An expression, its true value, and the sub-expressions that its operands stand for; `names` are true as well."""

    node: ast.expr
    value: str
    parts: Mapping[str, Term] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def known(self, node: ast.expr) -> str | None:
        """The true value of an operand; None where nobody knows it."""
        part = self.part(node)
        if part is not None:
            return part.value
        return self.names.get(node.id) if isinstance(node, ast.Name) else _constant(node)

    def part(self, node: ast.expr) -> Term | None:
        """The sub-expression that an operand stands for."""
        return self.parts.get(node.id) if isinstance(node, ast.Name) else None

    @property
    def whole(self) -> ast.expr:
        """The expression as the program has it."""
        inner = {name: part.whole for name, part in self.parts.items()}
        made: ast.expr = _Inlined(inner).visit(copy.deepcopy(self.node))
        return ast.fix_missing_locations(made)


class _Inlined(ast.NodeTransformer):
    def __init__(self, inner: Mapping[str, ast.expr]) -> None:
        self.inner = inner

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.inner.get(node.id, node)


def inner_operation(
    program: Program, events: Sequence[Event], place: Place, wanted: str, got: str, record: Rerun
) -> tuple[Operation, str] | None:
    """The sub-expression whose true value the model cannot have had, and that value; None: blame the outermost."""
    term = taken_apart(program, events, place, wanted, record)
    if term is None:
        return None
    blamed = _blamed(term, Claim("is", got))
    if blamed is term:
        return None
    named = operation_name(blamed.node, kind(blamed.value))
    return Operation(named, ast.unparse(blamed.whole)), blamed.value


def _blamed(term: Term, claim: Claim) -> Term:
    """The first sub-expression that a claim contradicts, as deep as it goes; the term itself where there is none."""
    for operand, said in claims(term.node, claim, term.known):
        part = term.part(operand)
        if part is None or _is_shown(part):
            continue
        if said.contradicts(part.value):
            return _blamed(part, said)
        if said.is_open(part.value):
            inner = _blamed(part, said)
            if inner is not part:
                return inner
    return term


def _is_shown(term: Term) -> bool:
    """What a function of the program gave back stands in the text itself."""
    return operation_name(term.node) == "call"


def _constant(node: ast.expr) -> str | None:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, (str, int)):
        return None
    return quote(node.value) if isinstance(node.value, str) else repr(node.value)


def taken_apart(
    program: Program, events: Sequence[Event], place: Place, wanted: str, record: Rerun
) -> Term | None:
    """The expression that a value comes from, with its sub-expressions; None where nobody can tell."""
    at = _line_step(events, place.step) if program.lang.has_syntax_tree else None
    if at is None or events[at].file is not None or events[at].line is None:
        return None
    own = line_map(program.source)
    head = own.head(events[at].line or 0)
    done = rewrite(program.source, flatten=True, call=program.call, only={head})
    if not done.changed:
        return None
    twin = replace(program, source=done.source)
    trace = record(twin)
    where = line_map(program.source, done.source, done.lines)
    steps = _group(twin, trace, where, head, _times(events, at, own, head))
    names = dict(events[at].values) if events[at].whole else dict(names_before(events, at))
    filled = comprehensions(program.source, events[at].line)
    return None if steps is None else _Ran(done.source, place, steps, names, filled).term(wanted)


def _line_step(events: Sequence[Event], step: int) -> int | None:
    """The step at which the line began: of one that leaves it, the one before it in its frame."""
    at: int | None = step
    while at is not None and events[at].event not in ("line", "resume"):
        at = None if events[at].event == "call" else previous(events, at, events[at].frame)
    return at


def _times(events: Sequence[Event], at: int, own: LineMap, head: int) -> int:
    """How often a statement had begun, this time included; counted as `rewrite.fold` folds."""
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
    """The steps of the twin in place of the statement's n-th run, in its own frame; and the step that leaves it."""
    steps = [trace[i] for i in range(len(trace))]
    made = fold(program, where, steps, trace.frames, trace.hidden)
    begun = [
        i
        for i, step in enumerate(made.steps)
        if step.event == "line" and step.line == head and made.frames[step.frame].file == program.name
    ]
    if not 0 < times <= len(begun):
        return None
    under = [steps[i] for i in made.under[begun[times - 1]]]
    frame = under[0].frame
    found = [step for step in under if step.frame == frame]
    leaving = (s for s in steps[found[-1].i + 1 :] if s.frame == frame and s.event not in CHANGELESS)
    after = next(leaving, None)
    return [*found, after] if after is not None and after.event in ("return", "yield") else found


class _Ran:
    """The twin's statements as they ran, one by one: what each name was made by, and what it was in the end."""

    def __init__(
        self,
        source: str,
        place: Place,
        steps: Sequence[Step],
        names: Mapping[str, str],
        filled: Sequence[ast.expr],
    ) -> None:
        self.place, self.last, self.names = place, steps[-1], dict(names)
        self.filled = filled[0] if len(filled) == 1 else ast.parse("[_ for _ in _]", mode="eval").body
        self.made: dict[str, tuple[ast.expr, str]] = {}
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
            self.made[target.id] = node.value, step.delta[target.id]
        found = expression(node, self.place.name, self.place.event, self.place.called)
        if found is not None:
            self.root, self.true = found, step.delta.get(self.place.name or "")

    def term(self, wanted: str) -> Term | None:
        """What the value comes from; None where the twin came to another."""
        node, true = self.root, self.true
        if self.place.name is None:
            true = self.last.arg if self.last.event == self.place.event else None
        elif self.place.called is not None:
            true = self.names.get(node.id) if isinstance(node, ast.Name) else wanted
        if node is None or true is None or not equal(true, wanted):
            return None
        return self._term(node, true, DEEP)

    def _term(self, node: ast.expr, value: str, left: int) -> Term:
        """An expression with those of its names that the same line has made; a copy is what it copies."""
        if isinstance(node, ast.Name) and left:
            part = self._part(node.id, left)
            if part is not None:
                return part
        words = dict.fromkeys(one.id for one in ast.walk(node) if isinstance(one, ast.Name))
        parts = {word: part for word in words if left and (part := self._part(word, left)) is not None}
        return Term(node, value, parts, self.names)

    def _part(self, name: str, left: int) -> Term | None:
        made = self.made.get(name)
        if made is None or name not in self.names or name == self.place.name:
            return None
        if self.names[name] != made[1]:  # a loop has filled it since
            return Term(self.filled, self.names[name])
        return self._term(*made, left - 1)
