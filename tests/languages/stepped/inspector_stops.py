"""The V8 inspector beside a trace of JavaScript."""

from __future__ import annotations

import math
import re
import tempfile
from pathlib import Path
from typing import Any

import stepping
from comparison import Comparison, Stop, compare, is_closing, lines_of, once

from worldline.core.trace import Trace

_SPECIAL = {"-0": -0.0, "NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def compare_with_inspector(trace: Trace) -> Comparison:
    """Step the program of a trace in the inspector, and compare."""
    found = Comparison()
    source = trace.program.source.split("\n")
    theirs = once(_stops(found, _pauses(trace), source), found)
    lines = [stop for stop in lines_of(trace) if not _is_class(source, stop.line)]
    found.leave_out("class", len(lines_of(trace)) - len(lines))
    compare(found, theirs, once([Stop(stop.line, stop.values) for stop in lines]), trace.program)
    return found


def _pauses(trace: Trace) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="inspector-") as folder:
        file = Path(folder, trace.program.name)
        file.write_text(trace.program.source)
        return stepping.inspector(file)[1:]  # the first pause is the `debugger` statement that it began with


def _stops(found: Comparison, pauses: list[dict[str, Any]], source: list[str]) -> list[Stop]:
    """Each line where V8 paused, with the primitive values there."""
    stops: list[Stop] = []
    running: dict[int, int] = {}
    before = 0
    for pause in pauses:
        line, depth = pause["line"], pause["depth"]
        is_back = depth < before and running.get(depth) == line
        running[depth], before = line, depth
        if is_closing(source, line):
            found.leave_out("closing")
        elif is_back:
            found.leave_out("returned")
        else:
            scalars = {name: _text(value) for name, value in pause["values"].items() if value is not None}
            found.leave_out("not a scalar", len(pause["values"]) - len(scalars))
            stops.append(Stop(line, scalars))
    return stops


def _is_class(source: list[str], line: int) -> bool:
    return bool(re.match(r"\s*(?:export )?class\b", source[line - 1]))


def _text(value: dict[str, Any]) -> str:
    """A primitive value of the inspector as canonical text."""
    ((kind, primitive),) = value.items()
    if kind == "boolean":
        return str(primitive)
    if kind == "string":
        return repr(primitive)
    return repr(_SPECIAL.get(primitive, primitive))
