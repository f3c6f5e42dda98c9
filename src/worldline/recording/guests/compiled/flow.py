"""Compute which lines may follow which in each function, from the assembly: an over-approximation.

Walks the instructions from each site to the next sites. A jump through a register may go to any label.
After a raise come the landing pads of the calls on the way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .assembly.routine import ENTRY, LINE, RETURN, ROUND, Routine
from .assembly.unwinding import never_returns
from .linked import LinkedProgram
from .machine import Machine

_NEVER = frozenset(
    {
        "exit",
        "_exit",
        "_Exit",
        "abort",
        "quick_exit",
        "__assert_fail",
        "longjmp",
        "_longjmp",
        "siglongjmp",
        "__longjmp_chk",
    }
)
_TWICE = frozenset({"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "getcontext"})


@dataclass
class _Reached:
    """What comes next after a place."""

    sites: set[int] = field(default_factory=set)  # indices of sites with a line
    returns: bool = False
    calls: dict[int, str] = field(default_factory=dict)  # names by index


class _Walk:
    """One function's instructions, and what is reached from where."""

    def __init__(self, function: Routine, machine: Machine) -> None:
        self.lines, self.sites, self.machine = function.lines, function.sites, machine
        self.labels = {text[:-1]: at for at, text in enumerate(self.lines) if text.endswith(":")}
        known = self.labels
        self._regions = [
            (known[low], known[high], known[pad])
            for low, high, pad in function.regions
            if low in known and high in known and pad in known
        ]

    def reach(self, start: int, look: bool = False) -> _Reached:
        """The sites that may come next from an index on; its own site is passed over unless it is looked at."""
        reached, seen, waiting = _Reached(), set[int](), [(start, look)]
        while waiting:
            at, look = waiting.pop()
            if at >= len(self.lines):
                continue
            if look:
                if at in seen:
                    continue
                seen.add(at)
                site = self.sites.get(at)
                if site is not None and site.kind & LINE:
                    reached.sites.add(at)
                    continue
                if site is not None and site.kind & RETURN:
                    reached.returns = True
                    continue
            text = self.lines[at]
            if not text.startswith("\t") or text.startswith("\t."):
                waiting.append((at + 1, True))
                continue
            waiting += [(place, True) for place in self._following(text, at, reached)]
        return reached

    def _following(self, text: str, at: int, reached: _Reached) -> list[int]:
        call = self.machine.calls.match(text)
        if call:
            name = call[1].partition("@")[0]
            reached.calls[at] = name
            return [] if name in _NEVER or never_returns(text) else [at + 1]
        mnemonic, _, operands = text[1:].partition("\t")
        target = operands.rpartition(" ")[2]
        falls = [] if mnemonic in self.machine.jumps else [at + 1]
        if self.machine.returns.match(text):
            return []
        if target in self.labels:
            return [*falls, self.labels[target]]
        indirect = mnemonic in self.machine.jumps and (operands.startswith("*") or mnemonic == "br")
        return [*falls, *(self.labels.values() if indirect else ())]

    def landed(self, calls: Iterable[int]) -> set[int]:
        """The sites that may come next when one of these calls throws, in the function itself."""
        sites, seen = set[int](), set[int]()
        waiting = list(calls)
        while waiting:
            at = waiting.pop()
            for low, high, pad in self._regions:
                if low <= at < high and pad not in seen:
                    seen.add(pad)
                    reached = self.reach(pad, look=True)
                    sites |= reached.sites
                    waiting += reached.calls
        return sites


@dataclass
class _Lines:
    """What is known of one function's lines."""

    start: set[int] = field(default_factory=set)
    following: dict[int, set[int]] = field(default_factory=dict)
    handlers: dict[int, set[int]] = field(default_factory=dict)
    returns: set[int] = field(default_factory=set)  # 0: before the first line


def _function_flow(function: Routine, machine: Machine, opening: int) -> _Lines:
    """Return the lines that may come first, the successors of each, and the lines that may return."""
    walk, flow = _Walk(function, machine), _Lines()
    order = {at: place for place, at in enumerate(function.sites)}
    calling: set[int] = set()
    again: set[int] = set()
    for at, site in function.sites.items():
        if not site.kind & (LINE | ENTRY):
            continue
        reached = walk.reach(at)
        if site.kind & ENTRY:
            first = {function.sites[to].line for to in reached.sites}
            flow.start |= {site.line} if site.kind & LINE else first
        caught = _after_raise(walk, order, at, reached)
        if caught:
            flow.handlers.setdefault(site.line if site.kind & LINE else opening, set()).update(caught)
        if not site.kind & LINE:
            if reached.returns or site.kind & RETURN:
                flow.returns.add(0)
            continue
        lines = flow.following.setdefault(site.line, set())
        for to in reached.sites:
            other = function.sites[to].line
            forward = order[to] > order[at] and not function.sites[to].kind & ROUND
            if other != site.line or not forward:  # forward in one line is no step of its own
                lines.add(other)
        if reached.returns or site.kind & RETURN:
            flow.returns.add(site.line)
        if reached.calls:
            calling.add(site.line)
        if _TWICE.intersection(reached.calls.values()):
            again.add(site.line)
    for line in calling if again else ():
        flow.following[line] |= again.union(*(flow.following[other] for other in again))
    return flow


def _after_raise(walk: _Walk, order: dict[int, int], at: int, reached: _Reached) -> set[int]:
    """The lines that may be next where something is thrown on the way from a site."""
    line, lines, seen = walk.sites[at].line, set[int](), set[int]()
    waiting = walk.landed(reached.calls)
    while waiting:
        to = waiting.pop()
        if to in seen:
            continue
        seen.add(to)
        if walk.sites[to].line != line or order[to] <= order[at] or walk.sites[to].kind & ROUND:
            lines.add(walk.sites[to].line)
        else:  # a handler in the line itself: what comes behind it
            behind = walk.reach(to)
            waiting |= behind.sites | walk.landed(behind.calls)
    return lines


def _listed(lines: dict[int, set[int]]) -> dict[str, list[int]]:
    return {str(line): sorted(after) for line, after in sorted(lines.items())}


def flow_of(program: LinkedProgram, machine: Machine) -> dict[str, Any]:
    """Return the control flow of every function as JSON."""
    rows = []
    for described in program.functions:
        flow = _function_flow(described.function, machine, described.line)
        names = [variable.name for variable in (*described.variables, *program.used(described))]
        row: dict[str, Any] = {
            "name": described.name,
            "line": described.line,
            "file": described.function.file,
            "start": sorted(flow.start),
            "next": _listed(flow.following),
            "handlers": _listed(flow.handlers),
            "returns": sorted(line or described.line for line in flow.returns),
            "yields": [],
            "names": list(dict.fromkeys(names)),
        }
        rows.append(row)
    return {"functions": rows, "globals": list(dict.fromkeys(variable.name for variable in program.fixed))}
