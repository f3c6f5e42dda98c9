"""The JVM's debugger interface beside a trace of Java.

JDI also stops in the middle of a line, where a call returns to it: only stops at a line's own beginning, or on another
line of the same frame, are compared. It does not step into what initialises a class (those frames, and what they call,
are left out) nor into what the library calls, lambdas among them.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import stepping
from comparison import Comparison, Stop, compare

from worldline.core.trace import Trace
from worldline.core.value import canonical


def compare_with_jdi(trace: Trace) -> Comparison:
    """Step the program of a trace in the JVM's debugger interface, and compare."""
    found = Comparison()
    theirs = _stops(found, _rows(trace.program.source))
    compare(found, theirs, _lines(found, trace), trace.program)
    return found


def _rows(source: str) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="jdi-") as folder:
        Path(folder, "Main.java").write_text(_renamed(source))
        subprocess.run(["javac", "-g", "-proc:none", "-nowarn", "Main.java"], cwd=folder, check=True)
        return stepping.jdi(Path(folder))


def _renamed(source: str) -> str:
    """The source with the class of `main` named Main, as Jdi.java wants it."""
    found = re.search(r"^public (?:final )?class (\w+)", source, re.MULTILINE)
    return re.sub(rf"\b{found[1]}\b", "Main", source) if found and found[1] != "Main" else source


def _stops(found: Comparison, rows: list[str]) -> list[Stop]:
    stops: list[Stop] = []
    last: dict[int, tuple[str, int]] = {}  # by depth: the method and line of its frame
    before = 0
    for row in rows:
        depth, line, starts, method, *values = row.split("\t")
        deep, at = int(depth), int(line)
        is_same = before == deep and last.get(deep) == (method, at)
        has_moved = before == deep and not is_same
        if is_same:
            found.leave_out("same line")
        elif starts == "true" or has_moved:
            stops.append(Stop(at, dict(map(_value, values)), deep))
        else:
            found.leave_out("returned")
        last[deep], before = (method, at), deep
    return stops


def _value(text: str) -> tuple[str, str]:
    name, _, typed = text.partition("=")
    kind, value = typed[0], typed[1:]
    if kind == "Z":
        return name, value.capitalize()
    if kind == "C":
        return name, str(canonical(repr(value)))
    return name, repr(float(value)) if kind in "DF" else value


def _lines(found: Comparison, trace: Trace) -> list[Stop]:
    """The trace's lines outside what initialises classes; a line that follows itself in its frame counts once."""
    stops: list[Stop] = []
    states: dict[int, dict[str, str]] = {}
    last: dict[int, int] = {}
    newest, silent = -1, set[int]()
    for step in trace.steps:
        frame = trace.frames[step.frame]
        if frame.name.endswith("<clinit>") or frame.parent in silent:
            silent.add(step.frame)
            found.leave_out("class", step.event == "line")
            continue
        state = states.setdefault(step.frame, {})
        if step.event == "line":
            if not (newest == step.frame and last.get(step.frame) == step.line):
                stops.append(Stop(step.line, dict(state), step.frame))
            last[step.frame] = step.line
        if step.event not in ("output", "input", "exit"):
            newest = step.frame
        state.update(step.delta)
        for name in step.gone:
            state.pop(name, None)
    return stops
