"""What a debugger saw of a program beside what its trace says: the lines in order, and the scalars at each of them.

Every stop of the debugger is compared, or left out by a rule of `RULES`. Every value it shows is compared, or left out
by a rule as well. Rules are counted, and anything else that differs is a difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from worldline.core.program import Program
from worldline.core.trace import Trace

RULES = {
    "closing": "a line of closing brackets alone, where gdb, delve and V8 stop before a block or function ends",
    "head": "the head of a function, where delve stops before the first line",
    "returned": "the line that a call returns to, where the caller's line goes on",
    "same line": "another stop on the line that executes already: several statements, or several machine loops",
    "class": "V8 never stops on the line of a class; JDI never steps into what initialises one",
    "loop head": "gdb stops at the head of a loop once more or once less, by the code that evaluates its parts",
    "generated": "what the compiler generates for a class has the line of the class; it is no step of the trace",
    "end of if": "rustc gives the code after an `if` without `else` the line of the `if`",
    "switch": "delve stops on the cases that are compared, and on the `switch` after them; the trace where it begins",
    "declaration": "a declaration without a value is a step of the trace and has no code of its own",
    "tail": "a tail expression on its own line is a step of the trace; rustc may give its code another line",
    "undeclared": "the name has no value yet: a debugger shows what was in memory before",
    "not a scalar": "the inspector shows an object of which only the kind is known",
}
_Rules = Mapping[str, Mapping[str, re.Pattern[str]]]
_CLOSING = re.compile(r"[\s})\];,]*(?://.*)?")
_LOOP_HEAD = re.compile(r"\s*\}?\s*(?:for|while|loop)\b")
# Lines of which only the debugger, or only the trace, has a stop more: by language, the rule and how such a line looks.
_DEBUGGER_ONLY = {
    "c": {"loop head": _LOOP_HEAD},
    "cpp": {"loop head": _LOOP_HEAD, "generated": re.compile(r"\s*(?:struct|class)\b")},
    "go": {"switch": re.compile(r"\s*(?:switch|case)\b")},
    "rust": {"loop head": _LOOP_HEAD, "end of if": re.compile(r"\s*(?:\} else )?if\b")},
}
_DECLARATION = re.compile(r"\s*(?!return\b)[\w:<>, ]+[\s*&]\**\w+(?:\[\w*\])*;")
_TRACE_ONLY = {
    "c": {"loop head": _LOOP_HEAD, "declaration": _DECLARATION},
    "cpp": {"loop head": _LOOP_HEAD, "declaration": _DECLARATION},
    "rust": {"loop head": _LOOP_HEAD, "tail": re.compile(r"\s*[\w.]+$")},
}


COST_OF_DIFFERENCE = 20  # of rules: a line is a difference only if no rules bring the lines together


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
        if count:
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


def compare(found: Comparison, theirs: Sequence[Stop], ours: Sequence[Stop], program: Program) -> None:
    """Compare a debugger's stops with the trace's lines, and the scalars of each that both have."""
    compared_names: set[str] = set()
    source = program.source.split("\n")
    their_rules = [_rule(_DEBUGGER_ONLY, program.language, source[stop.line - 1]) for stop in theirs]
    our_rules = [_rule(_TRACE_ONLY, program.language, source[stop.line - 1]) for stop in ours]
    for at, our_at in _aligned(theirs, ours, their_rules, our_rules):
        if at is not None and our_at is not None:
            found.lines, found.equal_lines = found.lines + 1, found.equal_lines + 1
            compared_names |= _compare_values(found, theirs[at], ours[our_at])
        elif rule := their_rules[at] if at is not None else our_rules[our_at or 0]:
            found.leave_out(rule)
        else:
            found.lines += at is not None
            line = theirs[at].line if at is not None else ours[our_at or 0].line
            found.differences.append(f"only the {'trace' if at is None else 'debugger'} has line {line}")
    shown = {name for stop in theirs for name in stop.values}
    found.differences += [f"{name} is never compared" for name in sorted(shown - compared_names)]


def _rule(rules: _Rules, language: str, text: str) -> str:
    """The rule by which only one of the two may have a line, or empty."""
    return next((rule for rule, pattern in rules.get(language, {}).items() if pattern.match(text)), "")


def _aligned(
    theirs: Sequence[Stop], ours: Sequence[Stop], their_rules: Sequence[str], our_rules: Sequence[str]
) -> list[tuple[int | None, int | None]]:
    """Pairs of positions with equal lines, or of one that the other has not; rules are preferred to differences."""
    their_costs = [1 if rule else COST_OF_DIFFERENCE for rule in their_rules]
    our_costs = [1 if rule else COST_OF_DIFFERENCE for rule in our_rules]
    costs = [[0] * (len(ours) + 1) for _ in range(len(theirs) + 1)]  # of what is left from here on
    for at in range(len(theirs), -1, -1):
        for our_at in range(len(ours), -1, -1):
            ways = _ways(theirs, ours, their_costs, our_costs, costs, at, our_at)
            costs[at][our_at] = min((cost for _, _, cost in ways), default=0)
    pairs: list[tuple[int | None, int | None]] = []
    at, our_at = 0, 0
    while (at, our_at) != (len(theirs), len(ours)):
        ways = _ways(theirs, ours, their_costs, our_costs, costs, at, our_at)
        has_theirs, has_ours, _ = min(ways, key=lambda way: way[2])
        pairs.append((at if has_theirs else None, our_at if has_ours else None))
        at, our_at = at + has_theirs, our_at + has_ours
    return pairs


def _ways(
    theirs: Sequence[Stop], ours: Sequence[Stop], their_costs: Sequence[int], our_costs: Sequence[int],
    costs: list[list[int]], at: int, our_at: int,
) -> list[tuple[bool, bool, int]]:  # fmt: skip
    """How the next pair may look (their line, ours, or both), with the cost of all that is left."""
    has_theirs, has_ours = at < len(theirs), our_at < len(ours)
    ways = []
    if has_theirs and has_ours and theirs[at].line == ours[our_at].line:
        ways.append((True, True, costs[at + 1][our_at + 1]))
    if has_theirs:
        ways.append((True, False, their_costs[at] + costs[at + 1][our_at]))
    if has_ours:
        ways.append((False, True, our_costs[our_at] + costs[at][our_at + 1]))
    return ways


def _compare_values(found: Comparison, theirs: Stop, ours: Stop) -> set[str]:
    """Compare the scalars of one line; return the names that both have."""
    names = set()
    for name, value in theirs.values.items():
        text = ours.values.get(name)
        if text is None or text == "<uninit>":
            found.leave_out("undeclared")
            continue
        names.add(name)
        found.values += 1
        if text == value or _is_same_float(text, value):
            found.equal_values += 1
        else:
            found.differences.append(f"line {ours.line}: {name} is {value} for the debugger, {text} in the trace")
    return names


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
