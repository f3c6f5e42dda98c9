"""Breakpoints: the line they move to, their condition, how often they must be hit, what they log, and where they hit.

A breakpoint's hits are positions of a run, not events in time: the third pass of a line is the third one in whichever
direction it is reached. Nothing here moves.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.ui.dap.expressions import Expression, UnknownValue, ValueTexts, parse
from worldline.ui.dap.messages import Arguments
from worldline.ui.dap.variables import LONGEST
from worldline.ui.session.clip import cut
from worldline.ui.session.stepping import Stepper, line_of
from worldline.ui.session.stops import runnable_lines

MOST = 10_000  # breakpoints in one source
_HITS = re.compile(r"\s*+(>=|<=|>|<|==|=|%)?\s*+([0-9]{1,9})\s*+")
_HOLE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class HitCount:
    """`3`, `>= 3`, `% 3`: at which of its passes a breakpoint counts, from 1 on."""

    sign: str
    number: int

    def counts(self, passes: int) -> bool:
        """Whether this pass is one of them."""
        match self.sign:
            case ">=":
                return passes >= self.number
            case ">":
                return passes > self.number
            case "<=":
                return passes <= self.number
            case "<":
                return passes < self.number
            case "%":
                return passes % self.number == 0
        return passes == self.number


def hit_count(source: str) -> HitCount:
    """How often, as an editor's field says it."""
    match = _HITS.fullmatch(source)
    if match is None or (match[1] == "%" and not int(match[2])):
        raise UsageError(f"how often is written 3, >= 3, < 3 or % 3, not {source[:40]}")
    return HitCount(match[1] or "==", int(match[2]))


@dataclass(frozen=True)
class LogMessage:
    """What a log point says: texts, and expressions between them."""

    pieces: tuple[str | Expression, ...]

    def said(self, names: ValueTexts) -> str:
        """The text at one place."""
        return "".join(piece if isinstance(piece, str) else _rendered(piece, names) for piece in self.pieces)


def _rendered(expression: Expression, names: ValueTexts) -> str:
    try:
        return cut(expression.value(names), LONGEST)
    except UnknownValue as error:
        return f"<{error}>"


def log_message(source: str, language: str = "python") -> LogMessage:
    """A log point's text, with expressions in braces."""
    pieces: list[str | Expression] = []
    at = 0
    for hole in _HOLE.finditer(source):
        pieces += (source[at : hole.start()], parse(hole[1], language))
        at = hole.end()
    return LogMessage((*pieces, source[at:]))


@dataclass(frozen=True, kw_only=True)
class Breakpoint:
    """One breakpoint. `line` is where it stands; None with a `why`: it cannot be, and never hits."""

    number: int
    file: str | None
    asked: int
    line: int | None
    condition: Expression | None = None
    hits: HitCount | None = None
    log: LogMessage | None = None
    why: str = ""


def placed(asked: Arguments, *, number: int, program: Program, file: str | None, shift: int) -> Breakpoint:
    """A breakpoint as it was asked for, moved to the next line that can run."""
    line = asked.number("line") + shift
    here = Breakpoint(number=number, file=file, asked=line, line=None)
    lines = runnable_lines(program, file)
    at = bisect_left(lines, line)
    if at == len(lines):
        return _without(here, "no line from here on can run")
    try:
        return Breakpoint(
            number=number, file=file, asked=line, line=lines[at],
            condition=parse(condition, program.language) if (condition := asked.maybe("condition")) else None,
            hits=hit_count(hits) if (hits := asked.maybe("hitCondition")) else None,
            log=log_message(log, program.language) if (log := asked.maybe("logMessage")) else None,
        )  # fmt: skip
    except UsageError as error:
        return _without(here, str(error))


def _without(here: Breakpoint, why: str) -> Breakpoint:
    return Breakpoint(number=here.number, file=here.file, asked=here.asked, line=None, why=why)


@dataclass
class BreakpointHits:
    """Where one breakpoint hits on one branch, as far as that is known; it grows with the branch."""

    breakpoint: Breakpoint
    positions: list[int] = field(default_factory=list)
    unknown: str = ""  # why its condition has no value at some place, the first of them
    _read: int = 0
    _passes: int = 0

    def predict_branch(self, stepper: Stepper) -> None:
        """Looks at the steps that are new."""
        wanted = "line", self.breakpoint.file, self.breakpoint.line
        for p in range(self._read, len(stepper)):
            moment = stepper.events[p]
            here = (moment.event, moment.file, line_of(moment)) == wanted
            if here and self._holds(stepper, p):
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
        """The positions behind p, up to and with q."""
        return self.positions[bisect_right(self.positions, p) : bisect_right(self.positions, q)]


def names_at(stepper: Stepper, p: int) -> Mapping[str, str]:
    """The names of the frame that goes on at a position."""
    stack = stepper.stack(p)
    return stack[0].values if stack else {}
