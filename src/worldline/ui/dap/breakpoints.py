"""Breakpoints: their line, condition, hit count and log message, and the positions that they hit.

Hits are positions of a run, not events in time: the third pass of a line is the third in either direction.
"""

from __future__ import annotations

import operator
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.texts.excerpts import excerpt
from worldline.ui.dap.expressions import Expression, UnknownValue, ValueTexts, parse
from worldline.ui.dap.messages import Arguments
from worldline.ui.dap.variables import MAX_VALUE_CHARS
from worldline.ui.session.stepping import Stepper, line_of
from worldline.ui.session.stops import runnable_lines

MAX_BREAKPOINTS = 10_000  # per source
_HITS = re.compile(r"\s*+(>=|<=|>|<|==|=|%)?\s*+([0-9]{1,9})\s*+")
_COMPARE = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt, "==": operator.eq}
_HOLE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class HitCount:
    """`3`, `>= 3`, `% 3`: the passes that count, from 1."""

    sign: str
    number: int

    def counts(self, passes: int) -> bool:
        """Whether this pass counts."""
        if self.sign == "%":
            return passes % self.number == 0
        return bool(_COMPARE[self.sign](passes, self.number))


def hit_count(source: str) -> HitCount:
    """Parse the hit count of an editor."""
    match = _HITS.fullmatch(source)
    if match is None or (match[1] == "%" and not int(match[2])):
        raise UsageError(f"a hit count is written as 3, >= 3, < 3 or % 3, not {source[:40]}")
    return HitCount(match[1] if match[1] not in (None, "=") else "==", int(match[2]))


@dataclass(frozen=True)
class LogMessage:
    """The message of a log point: texts and expressions."""

    pieces: tuple[str | Expression, ...]

    def format(self, names: ValueTexts) -> str:
        """Return the message with the values of these names."""
        return "".join(piece if isinstance(piece, str) else _rendered(piece, names) for piece in self.pieces)


def _rendered(expression: Expression, names: ValueTexts) -> str:
    try:
        return excerpt(expression.value(names), MAX_VALUE_CHARS)
    except UnknownValue as error:
        return f"<{error}>"


def log_message(source: str, language: str = "python") -> LogMessage:
    """Parse the message of a log point, with expressions in braces."""
    pieces: list[str | Expression] = []
    at = 0
    for hole in _HOLE.finditer(source):
        pieces += (source[at : hole.start()], parse(hole[1], language))
        at = hole.end()
    return LogMessage((*pieces, source[at:]))


@dataclass(frozen=True, kw_only=True)
class Breakpoint:
    """One breakpoint. `line` is None if it cannot be set; then `why` says why."""

    number: int
    file: str | None
    requested_line: int
    line: int | None = None
    condition: Expression | None = None
    hits: HitCount | None = None
    log: LogMessage | None = None
    why: str = ""


def placed(arguments: Arguments, *, number: int, program: Program, file: str | None, shift: int) -> Breakpoint:
    """Create a breakpoint, moved to the next line that can execute. `shift` is added to the client's line."""
    line = arguments.number("line") + shift
    unset = Breakpoint(number=number, file=file, requested_line=line)
    lines = runnable_lines(program, file)
    at = bisect_left(lines, line)
    if at == len(lines):
        return replace(unset, why="no line from here on can execute")
    condition, hits, log = map(arguments.maybe, ("condition", "hitCondition", "logMessage"))
    try:
        return replace(
            unset,
            line=lines[at],
            condition=parse(condition, program.language) if condition else None,
            hits=hit_count(hits) if hits else None,
            log=log_message(log, program.language) if log else None,
        )
    except UsageError as error:
        return replace(unset, why=str(error))


@dataclass
class BreakpointHits:
    """The positions that one breakpoint hits on one branch, as far as it is written."""

    breakpoint: Breakpoint
    positions: list[int] = field(default_factory=list)
    unknown: str = ""  # why its condition has no value at some position, the first of them
    _read: int = 0
    _passes: int = 0

    def extend(self, stepper: Stepper) -> None:
        """Check the new steps."""
        wanted = "line", self.breakpoint.file, self.breakpoint.line
        for p in range(self._read, len(stepper)):
            moment = stepper.events[p]
            is_passed = (moment.event, moment.file, line_of(moment)) == wanted
            if is_passed and self._holds(stepper, p):
                self._pass(p)
        self._read = max(self._read, len(stepper))

    def _pass(self, p: int) -> None:
        self._passes += 1
        if self.breakpoint.hits is None or self.breakpoint.hits.counts(self._passes):
            self.positions.append(p)

    def _holds(self, stepper: Stepper, p: int) -> bool:
        if self.breakpoint.condition is None:
            return True
        try:
            return self.breakpoint.condition.holds(names_at(stepper, p))
        except UnknownValue as error:
            self.unknown = self.unknown or f"{self.breakpoint.condition.source}: {error}"
            return False

    def between(self, p: int, q: int) -> list[int]:
        """Return the positions after p, up to q inclusive."""
        return self.positions[bisect_right(self.positions, p) : bisect_right(self.positions, q)]


def names_at(stepper: Stepper, p: int, done: int | None = None) -> Mapping[str, str]:
    """Return the values of the innermost frame at a position."""
    stack = stepper.stack(p, done)
    return stack[0].values if stack else {}
