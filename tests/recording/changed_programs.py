"""A change written into the source, to hold `record(change=...)` against: the run of a program in which an assignment
was inserted is the run of the plain one with the change, once what the insertion itself did is taken out."""

from __future__ import annotations

import ast
import random
import re
from dataclasses import dataclass

from worldline.core.change import Change
from worldline.core.trace import Step, Trace

VALUES = ("7", "-1.5", "'z'", "None", "[1, [2]]", "(3,)", "{'k': [0]}", "{1, 2}", "b'q'", "True", "[]", "set()")
FUNCTIONS = ("helper", "stream", "main")
AUXILIARY = ("output", "input", "exit")
COUNT = "passed_"


@dataclass(frozen=True)
class Case:
    """One change, and the source in which it is written down."""

    change: Change
    source: str
    line: int  # of the insertion, behind the line that counts passes


def cases(trace: Trace, rng: random.Random, count: int, *, gone: bool) -> list[Case]:
    """Some changes of a plain trace, behind lines that are one simple statement; `gone`: variables may go too."""
    lines = _simple_lines(trace.program.source)
    steps = [step for step in trace.steps if _fits(trace, step, lines)]
    found = [_case(trace, step, rng, gone=gone) for step in rng.sample(steps, min(count, len(steps)))]
    return [case for case in found if case is not None]


def _simple_lines(source: str) -> set[int]:
    """Lines that hold one simple statement and nothing else."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    lines = [node.lineno for node in nodes]
    simple = (ast.Assign, ast.AugAssign, ast.Expr, ast.Pass)
    return {node.lineno for node in nodes if isinstance(node, simple) and lines.count(node.lineno) == 1}


def _fits(trace: Trace, step: Step, lines: set[int]) -> bool:
    if step.event != "line" or step.line not in lines:
        return False
    if trace.frames[step.frame].name not in (*FUNCTIONS, "<module>"):
        return False
    after = _next(trace, step)
    return after is not None and after.event == "line" and after.line != step.line


def _next(trace: Trace, step: Step) -> Step | None:
    """The frame's next event."""
    for i in range(step.i + 1, len(trace)):
        if trace[i].frame == step.frame and trace[i].event not in AUXILIARY:
            return trace[i]
    return None


def _names(trace: Trace, step: Step) -> list[str]:
    """What can be assigned there: variables, and the globals that the function names in a statement of its own."""
    function = trace.frames[step.frame].name
    if function == "<module>":
        return ["a", "b", "c", "d", "shared", "counter", "fresh"]
    body = trace.program.source.split(f"def {function}(")[1].split("\ndef ")[0]
    body = re.split(r"\n(?=\S)", body)[0].replace("global counter, shared", "")
    return ["a", "b", "c", "d", *(name for name in ("shared", "counter") if name in body)]


def _case(trace: Trace, step: Step, rng: random.Random, *, gone: bool) -> Case | None:
    name, value = rng.choice(_names(trace, step)), rng.choice(VALUES)
    local = trace.frames[step.frame].name != "<module>"
    take = (gone or not local) and name in "abcd" and rng.random() < 0.2 and _is_bound(trace, step, name)
    act = f"del {name}" if take else f"{name} = {value}"
    passes = sum(
        other.line == step.line and other.event == "line" and _completes(trace, other)
        for other in map(trace.__getitem__, range(step.i + 1))
    )
    lines = trace.program.source.splitlines()
    indent = re.match(" *", lines[step.line - 1])
    assert indent is not None
    lines.insert(step.line, f"{indent[0]}if {COUNT}.append(0) or len({COUNT}) == {passes}: {act}")
    values = {step.frame: {name: None if take else value}}
    return Case(Change(step.i, values), f"{COUNT} = []\n" + "\n".join(lines) + "\n", step.line + 2)


def _completes(trace: Trace, step: Step) -> bool:
    """Whether the statement is done behind a step: not where it raised, nor within a comprehension of it."""
    after = _next(trace, step)
    return after is not None and after.event != "raise" and after.line != step.line


def _is_bound(trace: Trace, step: Step, name: str) -> bool:
    bound = False
    for other in map(trace.__getitem__, range(step.i + 1)):
        if other.frame == step.frame and (name in other.delta or name in other.gone):
            bound = name in other.delta
    return bound


@dataclass
class _Row:
    event: str
    frame: int
    line: int
    arg: str | None
    delta: dict[str, str | None]
    same: dict[str, str | None]


def rows(trace: Trace, inserted: int | None = None) -> list[_Row]:
    """What a run did, step by step, each with what it really changed; less an insertion's own doing."""
    found: list[_Row] = []
    newest: dict[int, _Row] = {}
    for step in trace.steps:
        delta = {name: _plain(text) for name, text in step.delta.items() if name != COUNT}
        delta |= dict.fromkeys(step.gone)
        if inserted is not None and step.line in (1, inserted) and step.event not in AUXILIARY:
            if step.line == inserted:
                newest[step.frame].delta |= delta
                newest[step.frame].same |= step.same
                continue
            if step.event == "line":
                continue
        line = step.line if inserted is None else max(step.line - 1 - (step.line >= inserted), 1)
        row = _Row(step.event, step.frame, line, step.arg and _plain(step.arg), delta, dict(step.same))
        found.append(row)
        if step.event not in AUXILIARY:
            newest[step.frame] = row
    return _reduced(found)


def _plain(text: str) -> str:
    """Less the numbers of objects that no weak reference tells apart: those go by the place in memory."""
    return re.sub(r"\bS#\d+", "S#", text)


def _reduced(found: list[_Row]) -> list[_Row]:
    """A name that has what it had is not changed."""
    known: dict[int, dict[str, str | None]] = {}
    shared: dict[int, dict[str, str | None]] = {}
    for row in found:
        state, aliases = known.setdefault(row.frame, {}), shared.setdefault(row.frame, {})
        row.delta = {name: text for name, text in row.delta.items() if state.get(name) != text}
        row.same = {name: other for name, other in row.same.items() if aliases.get(name) != other}
        state.update(row.delta)
        aliases.update(row.same)
        for name in [name for name, text in row.delta.items() if text is None]:
            aliases.pop(name, None)
    return found
