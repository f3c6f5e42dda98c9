"""The JVM's own debugger interface as an oracle: the same lines in the same order, and the same primitive values.

JDI also stops in the middle of a line, where a call returns to it, and does not stop where a line follows itself: only
stops at a line's own beginning, or on another line of the same frame, are compared; a line that repeats counts once.
It does not step into what initialises a class (those frames, and what they call, are left out) nor into what the
library calls, lambdas among them: the programs here have none.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import stepping
from java_runs import HAS_JDK, JavaRecorder, check, recorder

from worldline.core.trace import Trace
from worldline.core.value import canonical

PROGRAMS = sorted((Path(__file__).parent / "oracle").glob("*.java"))
pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not HAS_JDK, reason="no JDK")]


@dataclass
class Stop:
    """A line that is about to run, in a frame so deep, with these primitive values."""

    depth: int
    line: int
    values: dict[str, str]


@pytest.fixture(scope="module")
def java() -> Iterator[JavaRecorder]:
    with recorder() as found:
        yield found


def jdi(source: str) -> list[Stop]:
    """Where the debugger stopped."""
    with tempfile.TemporaryDirectory(prefix="jdi-") as folder:
        Path(folder, "Main.java").write_text(source)
        subprocess.run(["javac", "-g", "-proc:none", "-nowarn", "Main.java"], cwd=folder, check=True)
        said = stepping.jdi(Path(folder))
    stops: list[Stop] = []
    last: dict[int, tuple[str, int]] = {}  # by depth: the method and line of its frame
    before = 0
    for row in said:
        depth, line, starts, method, *values = row.split("\t")
        deep, at = int(depth), int(line)
        moved = before == deep and last.get(deep, (method, 0)) != (method, at)
        if (starts == "true" or moved) and not (before == deep and last.get(deep) == (method, at)):
            stops.append(Stop(deep, at, dict(_value(text) for text in values)))
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


def stops_of(trace: Trace) -> list[Stop]:
    """The same of a recording: each line step, with the primitive values of its frame before it."""
    stops: list[Stop] = []
    states: dict[int, dict[str, str]] = {}
    last: dict[int, int] = {}
    newest, silent = -1, set[int]()
    for step in trace.steps:
        frame = trace.frames[step.frame]
        if frame.name.endswith("<clinit>") or frame.parent in silent:
            silent.add(step.frame)
            continue
        state = states.setdefault(step.frame, {})
        if step.event == "line":
            if not (newest == step.frame and last.get(step.frame) == step.line):
                stops.append(Stop(step.depth, step.line, dict(state)))
            last[step.frame] = step.line
        if step.event not in ("output", "input", "exit"):
            newest = step.frame
        state.update(step.delta)
        for name in step.gone:
            state.pop(name, None)
    return stops


@pytest.mark.sampled(1)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_debugger_agrees(path: Path, java: JavaRecorder) -> None:
    source = path.read_text()
    trace = java.record(source)
    check(trace, java.flow(trace))
    ours, theirs = stops_of(trace), jdi(source)
    assert [stop.line for stop in ours] == [stop.line for stop in theirs]
    compared = 0
    for mine, other in zip(ours, theirs, strict=True):
        for name, value in other.values.items():
            assert _same(mine.values.get(name, "?"), value), (mine, other)
            compared += 1
    assert compared > 20


def _same(ours: str, theirs: str) -> bool:
    if "." in theirs and "'" not in theirs:  # a float of 32 bits is shown shorter by the debugger
        return abs(float(ours) - float(theirs)) <= abs(float(theirs)) * 1e-6
    return ours == theirs
