"""gdb as an independent witness: what it sees of a program, step by step, beside what a trace says.

What is known to differ, and is evened out here: gdb stops on closing braces and again on a line that a call returns to;
it stops several times on one line. Values are compared where both have the name: before its declaration gdb shows what
was in memory. Everything else that differs is counted.
"""

from __future__ import annotations

import difflib
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import stepping

from worldline.core.trace import Trace

Row = tuple[str, int, dict[str, str]]


@dataclass
class Agreement:
    """How many lines of gdb's are in the trace, in order, and how many values of theirs are alike; and what is not."""

    lines: int = 0
    alike: int = 0
    values: int = 0
    equal: int = 0
    other: list[str] = field(default_factory=list)


def seen_by_gdb(text: str, name: str, flags: tuple[str, ...] = (), most: int = 1500) -> list[list[Any]]:
    """What gdb sees of a program that is compiled plainly."""
    with tempfile.TemporaryDirectory(prefix="gdb-") as folder:
        source, target = Path(folder, name), Path(folder, "program")
        source.write_text(text)
        subprocess.run(stepping.command(source, target, flags), check=True, cwd=folder, capture_output=True)
        return stepping.gdb(target, name, stepping.Walk(most), deep=True)


def _function(name: str | None) -> str:
    """A function's own name: without namespaces and arguments."""
    bare = re.sub(r"\(.*|<[^<>]*>|<.*", "", name or "?")
    return bare.rpartition("::")[2]


def rows_of_gdb(rows: list[list[Any]], source: list[str]) -> list[Row]:
    """gdb's stops without closing braces and without returns into a line."""
    found: list[Row] = []
    at: dict[int, int] = {}
    last = 0
    for name, line, depth, values in rows:
        back = depth < last and at.get(depth) == line
        for deeper in [one for one in at if one > depth]:
            del at[deeper]
        last, at[depth] = depth, line
        if not re.fullmatch(r"[\s});]*", source[line - 1]) and not back:
            found.append((_function(name), line, values))
    return _once(found)


def rows_of_trace(trace: Trace) -> list[Row]:
    """The trace's lines, each with the state before it."""
    states: dict[int, dict[str, str]] = {}
    found: list[Row] = []
    names = {frame.serial: frame.name for frame in trace.frames}
    for step in trace.steps:
        state = states.setdefault(step.frame, {})
        if step.event == "line":
            found.append((_function(names[step.frame]), step.line, dict(state)))
        if step.event in ("call", "line"):
            state.update(step.delta)
            for name in step.gone:
                state.pop(name, None)
    return _once(found)


def _once(rows: list[Row]) -> list[Row]:
    return [row for at, row in enumerate(rows) if not at or rows[at - 1][:2] != row[:2]]


def compare(trace: Trace, rows: list[list[Any]]) -> Agreement:
    """How far a trace and gdb's rows agree, as far as gdb went."""
    source = trace.program.source.split("\n")
    theirs, ours = rows_of_gdb(rows, source), rows_of_trace(trace)
    matcher = difflib.SequenceMatcher(
        None, [row[1] for row in theirs], [row[1] for row in ours[: len(theirs) + 40]], autojunk=False
    )
    found = Agreement(lines=len(theirs))
    for block in matcher.get_matching_blocks():
        for k in range(block.size):
            found.alike += 1
            _compare_values(found, theirs[block.a + k], ours[block.b + k])
    for tag, low, high, from_, to in matcher.get_opcodes():
        if tag != "equal" and low < len(theirs):
            lines = [row[1] for row in theirs[low:high]], [row[1] for row in ours[from_:to]]
            found.other.append(f"gdb {lines[0][:6]}, trace {lines[1][:6]}")
    return found


def _compare_values(found: Agreement, theirs: Row, ours: Row) -> None:
    for name, value in theirs[2].items():
        text = ours[2].get(name)
        if text is None or text.startswith("<"):
            continue
        found.values += 1
        if text == value:
            found.equal += 1
        else:
            found.other.append(f"line {ours[1]}: {name} is {value} for gdb, {text} in the trace")
