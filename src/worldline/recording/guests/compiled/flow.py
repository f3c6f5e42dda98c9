"""Which lines may follow which, of each function, read off the assembly: an over-approximation of every run.

A walk over instructions from each site to the sites that come next. A jump through a register may go to any label. What
follows a raise is what is reached from the landing pads of the calls on the way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .assembly import ENTRY, LINE, RETURN, Routine
from .linked import LinkedProgram
from .machine import Machine
from .unwinding import never_returns

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

    def __init__(self, function: Routine, machine: Machine, regions: list[tuple[str, str, str]]) -> None:
        self.lines, self.sites, self.machine = function.lines, function.sites, machine
        self.labels = {text[:-1]: at for at, text in enumerate(self.lines) if text.endswith(":")}
        known = self.labels
        self._regions = [
            (known[low], known[high], known[pad])
            for low, high, pad in regions
            if low in known and high in known and pad in known
        ]

    def reach(self, start: int, look: bool = False) -> _Reached:
        """The sites that may come next from an index on; its own site is passed over unless it is looked at."""
        found, seen, waiting = _Reached(), set[int](), [(start, look)]
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
                    found.sites.add(at)
                    continue
                if site is not None and site.kind & RETURN:
                    found.returns = True
                    continue
            text = self.lines[at]
            if not text.startswith("\t") or text.startswith("\t."):
                waiting.append((at + 1, True))
                continue
            waiting += [(place, True) for place in self._following(text, at, found)]
        return found

    def _following(self, text: str, at: int, found: _Reached) -> list[int]:
        call = self.machine.calls.match(text)
        if call:
            name = call[1].partition("@")[0]
            found.calls[at] = name
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


def _one(function: Routine, machine: Machine, regions: list[tuple[str, str, str]], opening: int) -> _Lines:
    """The lines that may come first, the successors of each, and the lines that may return."""
    walk, made = _Walk(function, machine, regions), _Lines()
    order = {at: place for place, at in enumerate(function.sites)}
    calling: set[int] = set()
    again: set[int] = set()
    for at, site in function.sites.items():
        if not site.kind & (LINE | ENTRY):
            continue
        reached = walk.reach(at)
        if site.kind & ENTRY:
            first = {function.sites[to].line for to in reached.sites}
            made.start |= {site.line} if site.kind & LINE else first
        caught = _after_raise(walk, order, at, reached)
        if caught:
            made.handlers.setdefault(site.line if site.kind & LINE else opening, set()).update(caught)
        if not site.kind & LINE:
            if reached.returns or site.kind & RETURN:
                made.returns.add(0)
            continue
        lines = made.following.setdefault(site.line, set())
        for to in reached.sites:
            other = function.sites[to].line
            if other != site.line or order[to] <= order[at]:  # forward in one line is no step of its own
                lines.add(other)
        if reached.returns or site.kind & RETURN:
            made.returns.add(site.line)
        if reached.calls:
            calling.add(site.line)
        if _TWICE.intersection(reached.calls.values()):
            again.add(site.line)
    for line in calling if again else ():
        made.following[line] |= again.union(*(made.following[one] for one in again))
    return made


def _after_raise(walk: _Walk, order: dict[int, int], at: int, reached: _Reached) -> set[int]:
    """The lines that may be next where something is thrown on the way from a site."""
    line, found, seen = walk.sites[at].line, set[int](), set[int]()
    waiting = walk.landed(reached.calls)
    while waiting:
        to = waiting.pop()
        if to in seen:
            continue
        seen.add(to)
        if walk.sites[to].line != line or order[to] <= order[at]:
            found.add(walk.sites[to].line)
        else:  # a handler in the line itself: what comes behind it
            behind = walk.reach(to)
            waiting |= behind.sites | walk.landed(behind.calls)
    return found


def _listed(lines: dict[int, set[int]]) -> dict[str, list[int]]:
    return {str(line): sorted(after) for line, after in sorted(lines.items())}


def flow_of(program: LinkedProgram, machine: Machine) -> dict[str, Any]:
    """The control flow of every function, as JSON has it."""
    rows = []
    for described in program.functions:
        made = _one(described.function, machine, program.regions, described.line)
        names = [one.name for one in (*described.variables, *program.used(described))]
        row: dict[str, Any] = {
            "name": described.name, "line": described.line, "file": described.function.file,
            "start": sorted(made.start), "next": _listed(made.following), "handlers": _listed(made.handlers),
            "returns": sorted(line or described.line for line in made.returns), "yields": [],
            "names": list(dict.fromkeys(names)),
        }  # fmt: skip
        rows.append(row)
    return {"functions": rows, "globals": list(dict.fromkeys(one.name for one in program.fixed))}
