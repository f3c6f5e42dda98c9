"""delve beside a trace of Go: like gdb, it stops on closing brackets and on lines that calls return to."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import stepping
from comparison import Comparison, Stop, compare, is_closing, lines_of, once

from worldline.core.trace import Trace


def compare_with_delve(trace: Trace) -> Comparison:
    """Step the program of a trace in delve, and compare."""
    found = Comparison()
    source = trace.program.source.split("\n")
    theirs = once(stops_of(found, rows_of(trace.program.source), source), found)
    functions = {number: _bare(frame.name) for number, frame in enumerate(trace.frames)}
    ours = [replace(stop, frame=functions[stop.frame]) for stop in lines_of(trace)]  # type: ignore[index]
    compare(found, theirs, once(ours), trace.program)
    return found


def rows_of(text: str) -> list[str]:
    """delve's stops of a program that is compiled without optimization."""
    with tempfile.TemporaryDirectory(prefix="delve-") as folder:
        Path(folder, "main.go").write_text(text, "utf-8")
        command = ["go", "build", "-gcflags=all=-N -l", "-o", "program", "main.go"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        return stepping.delve(Path(folder, "program"), "main.go")


def stops_of(found: Comparison, rows: list[str], source: list[str]) -> list[Stop]:
    """delve's stops without closing brackets, heads of functions and returns into a line."""
    stops: list[Stop] = []
    running: dict[int, int] = {}  # the line of each depth
    last = 0
    for row in rows:
        name, text, deep, *values = row.split("\t")
        line, depth = int(text), int(deep)
        is_back = depth < last and running.get(depth) == line
        for deeper in [known for known in running if known > depth]:
            del running[deeper]
        last, running[depth] = depth, line
        if is_closing(source, line):
            found.leave_out("closing")
        elif source[line - 1].startswith("func "):
            found.leave_out("head")
        elif is_back:
            found.leave_out("returned")
        else:
            stops.append(Stop(line, dict(map(_value, values)), _bare(name)))
    return stops


def _value(text: str) -> tuple[str, str]:
    name, _, typed = text.partition("=")
    kind, _, value = typed.partition(":")
    if kind == "bool":
        return name, value.capitalize()
    return name, repr(float(value)) if kind.startswith("float") else value


def _bare(name: str) -> str:
    """A function's own name: without package and receiver."""
    return name.rpartition(".")[2]
