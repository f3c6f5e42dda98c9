"""gdb beside a trace of C, C++ or Rust: it stops on closing brackets, on lines that calls return to, and in lines."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import stepping
from comparison import Comparison, Stop, compare, is_closing, lines_of, once

from worldline.core.trace import Trace

MOST_STOPS = 3000


def compare_with_gdb(trace: Trace) -> Comparison:
    """Step the program of a trace in gdb, and compare."""
    found = Comparison()
    source = trace.program.source.split("\n")
    theirs = once(_stops(found, _rows(trace.program.source, trace.program.name), source), found)
    functions = {number: _bare(frame.name) for number, frame in enumerate(trace.frames)}
    ours = [replace(stop, frame=functions[stop.frame]) for stop in lines_of(trace)]  # type: ignore[index]
    compare(found, theirs, once(ours), trace.program)
    return found


def _rows(text: str, name: str) -> list[list[Any]]:
    """gdb's stops of a program that is compiled plainly: function, line, depth, scalars."""
    with tempfile.TemporaryDirectory(prefix="gdb-") as folder:
        source, target = Path(folder, name), Path(folder, "program")
        source.write_text(text)
        subprocess.run(stepping.command(source, target), check=True, cwd=folder, capture_output=True)
        return stepping.gdb(target, name, stepping.Walk(MOST_STOPS), deep=True)


def _stops(found: Comparison, rows: list[list[Any]], source: list[str]) -> list[Stop]:
    """gdb's stops without closing brackets and without returns into a line."""
    stops: list[Stop] = []
    running: dict[int, int] = {}  # the line of each depth
    last = 0
    for name, line, depth, values in rows:
        is_back = depth < last and running.get(depth) == line
        for deeper in [known for known in running if known > depth]:
            del running[deeper]
        last, running[depth] = depth, line
        if is_closing(source, line):
            found.leave_out("closing")
        elif is_back:
            found.leave_out("returned")
        else:
            stops.append(Stop(line, values, _bare(name)))
    return stops


def _bare(name: str | None) -> str:
    """A function's own name: without namespaces and arguments."""
    bare = re.sub(r"\(.*|<[^<>]*>|<.*", "", name or "?")
    return bare.rpartition("::")[2]
