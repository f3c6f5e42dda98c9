"""What a debugger saw of a program beside what its trace says: the lines in order, and the scalars at each of them.

Every stop of the debugger is compared, or left out by a rule of `RULES`. Every value it shows is compared, or left out
by a rule as well. Rules are counted, and anything else that differs is a difference.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from worldline.core.trace import Trace

RULES = {
    "closing": "a line of closing brackets alone, where gdb and V8 stop before a block or function ends",
    "returned": "the line that a call returns to, where the caller's line goes on",
    "same line": "another stop on the line that executes already: several statements, or several machine loops",
    "class": "V8 never stops on the line of a class; JDI never steps into what initialises one",
    "loop head": "gdb stops at the head of a `for` once more or once less, by the code that evaluates its parts",
    "undeclared": "the name has no value yet: a debugger shows what was in memory before",
    "not a scalar": "the inspector shows an object of which only the kind is known",
}
_CLOSING = re.compile(r"[\s})\];,]*(?://.*)?")
_LOOP_HEAD = re.compile(r"\s*\}?\s*(?:for|while)\b")


@dataclass(frozen=True)
class Stop:
    """A line that is about to execute, and the scalars of its frame before it."""

    line: int
    values: dict[str, str]
    frame: object = None


@dataclass
class Comparison:
    """How many lines and scalars of a debugger's are in the trace, what rules left out, and what differs."""

    lines: int = 0
    equal_lines: int = 0
    values: int = 0
    equal_values: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def leave_out(self, rule: str, count: int = 1) -> None:
        """Count what a rule left out."""
        if rule not in RULES:
            raise KeyError(rule)
        self.rules[rule] += count

    def add(self, other: Comparison) -> None:
        """Count another one in."""
        self.lines += other.lines
        self.equal_lines += other.equal_lines
        self.values += other.values
        self.equal_values += other.equal_values
        self.rules += other.rules
        self.differences += other.differences


def is_closing(source: Sequence[str], line: int) -> bool:
    """Whether a line holds nothing but closing brackets."""
    return line > len(source) or bool(_CLOSING.fullmatch(source[line - 1]))


def compare(found: Comparison, theirs: Sequence[Stop], ours: Sequence[Stop], source: Sequence[str]) -> None:
    """Compare a debugger's stops with the trace's lines, and the scalars of each that both have."""
    found.lines += len(theirs)
    matcher = difflib.SequenceMatcher(
        None, [stop.line for stop in theirs], [stop.line for stop in ours], autojunk=False
    )
    for tag, low, high, start, end in matcher.get_opcodes():
        if tag == "equal":
            found.equal_lines += high - low
            for their, our in zip(theirs[low:high], ours[start:end], strict=True):
                _compare_values(found, their, our)
            continue
        lines = [stop.line for stop in theirs[low:high]], [stop.line for stop in ours[start:end]]
        if all(_LOOP_HEAD.match(source[line - 1]) for line in (*lines[0], *lines[1])):
            found.leave_out("loop head", max(map(len, lines)))
            found.lines -= high - low
        else:
            found.differences.append(f"the debugger's lines {lines[0][:8]}, the trace's {lines[1][:8]}")


def _compare_values(found: Comparison, theirs: Stop, ours: Stop) -> None:
    for name, value in theirs.values.items():
        text = ours.values.get(name)
        if text is None or text == "<uninit>":
            found.leave_out("undeclared")
            continue
        found.values += 1
        if text == value or _is_same_float(text, value):
            found.equal_values += 1
        else:
            found.differences.append(f"line {ours.line}: {name} is {value} for the debugger, {text} in the trace")


def _is_same_float(ours: str, theirs: str) -> bool:
    """Whether a float of 32 bits is the debugger's, which shows fewer digits of it."""
    try:
        return "." in theirs and abs(float(ours) - float(theirs)) <= abs(float(theirs)) * 1e-6
    except ValueError:
        return False


def lines_of(trace: Trace) -> list[Stop]:
    """The trace's lines, each with the state of its frame before it; the names of other scopes are gone."""
    states: dict[int, dict[str, str]] = {}
    found: list[Stop] = []
    for step in trace.steps:
        state = states.setdefault(step.frame, {})
        if step.event == "line":
            found.append(Stop(step.line, dict(state), step.frame))
        if step.event not in ("output", "input", "exit"):
            state.update(step.delta)
            for name in step.gone:
                state.pop(name, None)
    return found


def once(stops: Sequence[Stop], found: Comparison | None = None) -> list[Stop]:
    """Of stops on one line of one frame one after another, the first."""
    kept: list[Stop] = []
    for stop in stops:
        if kept and (kept[-1].line, kept[-1].frame) == (stop.line, stop.frame):
            if found is not None:
                found.leave_out("same line")
        else:
            kept.append(stop)
    return kept
