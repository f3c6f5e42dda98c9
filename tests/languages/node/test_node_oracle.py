"""The V8 inspector, which knows nothing of the recorder, steps through the same programs: lines and values agree.

What is not compared: lines that hold nothing but closing brackets, where V8 pauses before a function returns; a pause
on a line that runs already (several statements of it, or a caller that goes on after a call); the line of a class,
where V8 never pauses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from node_runs import program
from stepping import inspector

from worldline.core.trace import Trace
from worldline.recording.recorder import SandboxWorker

pytestmark = pytest.mark.usefixtures("sandbox")
PROGRAMS = sorted((Path(__file__).parent / "oracle").glob("*.js"))
CLOSING = re.compile(r"[\s})\];,]*")


def merged(rows: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Of rows that stand on one line one after another, the first."""
    return [row for i, row in enumerate(rows) if i == 0 or rows[i - 1][0] != row[0]]


def seen(found: list[dict[str, Any]], source: list[str]) -> list[tuple[int, dict[str, Any]]]:
    """Each line where V8 paused, with the primitive values there."""
    rows, running, before = [], dict[int, int](), 0
    for pause in found:
        line, depth = pause["line"], pause["depth"]
        back = depth < before and running.get(depth) == line
        running[depth], before = line, depth
        if not back and not closing(source, line):
            rows.append((line, pause["values"]))
    return merged(rows)


def closing(source: list[str], line: int) -> bool:
    return line > len(source) or bool(CLOSING.fullmatch(source[line - 1]))


def value_text(found: dict[str, Any]) -> str | None:
    """A primitive of the inspector as canonical text; None for what is compared elsewhere."""
    (kind, value), *_ = found.items()
    if kind == "boolean":
        return str(value)
    if kind == "string":
        return repr(value)
    number = {"-0": -0.0, "NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(value, value)
    return repr(number)


def told(trace: Trace) -> list[tuple[int, dict[str, str]]]:
    """Each line of a trace with the names of its frame before it runs."""
    source = trace.program.source.split("\n")
    known: dict[int, dict[str, str]] = {}
    rows = []
    for step in trace.steps:
        names = known.setdefault(step.frame, {})
        if step.event == "line" and not source[step.line - 1].startswith("class "):
            rows.append((step.line, dict(names)))
        for name in step.gone:
            names.pop(name, None)
        names.update(step.delta)
    return merged(rows)


def compared(
    found: list[tuple[int, dict[str, Any]]], rows: list[tuple[int, dict[str, str]]]
) -> Iterator[tuple[str, str]]:
    """Pairs of primitive values that both tell: of the inspector, and of the trace."""
    for (line, values), (_, names) in zip(found, rows, strict=True):
        for name, value in values.items():
            if value is not None and name in names:
                yield f"{line} {name}={value_text(value)}", f"{line} {name}={names[name]}"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_inspector_agrees(path: Path, recorder: SandboxWorker) -> None:
    source = path.read_text()
    trace = recorder.record(program(source))
    assert trace.outcome.kind == "returned"
    # The first pause is the `debugger` statement that it began with.
    found, rows = seen(inspector(path)[1:], source.split("\n")), told(trace)
    assert [line for line, _ in rows] == [line for line, _ in found]
    pairs = list(compared(found, rows))
    assert [pair for pair in pairs if pair[0] != pair[1]] == []
    assert len(pairs) > 5
