"""The recorded values of a line's sub-expressions: the line is decomposed, one operation per line, and recorded again.

The caller of a diagnosis provides the recording (`Rerun`). Values are known by the text of their sub-expression; one
that was computed several times on the line, as in a loop, is left out.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from worldline.analyze.flow.operations import FunctionSignature, statements
from worldline.analyze.rewrite import rewrite
from worldline.analyze.rewrite.fold import ITERATED, fold
from worldline.analyze.rewrite.line_map import LineMap, line_map
from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.trace import Step, Trace
from worldline.diagnose.history import previous


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


def recorded_values(program: Program, events: Sequence[Event], step: int, record: Rerun) -> dict[str, str]:
    """Return the true values of the sub-expressions of the line that a step executes, by their text."""
    at = line_step(events, step) if program.lang.has_syntax_tree else None
    if at is None or events[at].file is not None or events[at].line is None:
        return {}
    own = line_map(program.source)
    head = own.head(events[at].line or 0)
    rewriting = rewrite(program.source, flatten=True, call=program.call, only={head})
    if not rewriting.changed:
        return {}
    twin = replace(program, source=rewriting.source)
    lines = line_map(program.source, rewriting.source, rewriting.lines)
    steps = _group(twin, record(twin), lines, head, _times(events, at, own, head))
    return {} if steps is None else _values(rewriting.source, steps)


def _values(source: str, steps: Sequence[Step]) -> dict[str, str]:
    """The values of the temporaries of a decomposed line, by the expressions that they stand for."""
    assigned: dict[str, tuple[ast.expr, str]] = {}
    times: Counter[str] = Counter()
    for step in steps:
        for node in statements(source, step.line) if step.event in ("line", "resume") else ():
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(node, ast.Assign) and isinstance(target, ast.Name) and target.id in step.delta:
                assigned[target.id] = node.value, step.delta[target.id]
                times[target.id] += 1
    known: dict[str, str] = {}
    for name, (computed, value) in list(assigned.items())[:MAX_OPERATIONS]:
        if times[name] == 1:
            known[ast.unparse(_inlined(computed, assigned, MAX_OPERATIONS))] = value
    return known


def _inlined(node: ast.expr, assigned: Mapping[str, tuple[ast.expr, str]], left: int) -> ast.expr:
    """An expression with its temporaries as the expressions that they stand for."""

    class Inliner(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            known = assigned.get(name.id)
            return name if known is None or not left else _inlined(known[0], assigned, left - 1)

    inlined: ast.expr = Inliner().visit(copy.deepcopy(node))
    return ast.fix_missing_locations(inlined)


def line_step(events: Sequence[Event], step: int) -> int | None:
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
