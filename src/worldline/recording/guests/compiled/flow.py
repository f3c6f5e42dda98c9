"""Which lines may follow which, of each function, read off the assembly: an over-approximation of every run.

A walk over instructions from each site to the sites that come next. A jump through a register may go to any label.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .assembly import ENTRY, LINE, RETURN, Routine
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
    calls: set[str] = field(default_factory=set)


def _reach(function: Routine, machine: Machine, labels: dict[str, int], start: int) -> _Reached:
    """The sites that may come next when the instruction at an index runs, that index's own site passed over."""
    found, seen, waiting = _Reached(), set[int](), [(start, False)]
    lines, sites = function.lines, function.sites
    while waiting:
        at, look = waiting.pop()
        if at >= len(lines):
            continue
        if look:
            if at in seen:
                continue
            seen.add(at)
            site = sites.get(at)
            if site is not None and site.kind & LINE:
                found.sites.add(at)
                continue
            if site is not None and site.kind & RETURN:
                found.returns = True
                continue
        text = lines[at]
        if not text.startswith("\t") or text.startswith("\t."):
            waiting.append((at + 1, True))
            continue
        waiting += [(place, True) for place in _following(text, at, machine, labels, found)]
    return found


def _following(text: str, at: int, machine: Machine, labels: dict[str, int], found: _Reached) -> list[int]:
    call = machine.calls.match(text)
    if call:
        name = call[1].partition("@")[0]
        found.calls.add(name)
        return [] if name in _NEVER else [at + 1]
    mnemonic, _, operands = text[1:].partition("\t")
    target = operands.rpartition(" ")[2]
    falls = [] if mnemonic in machine.jumps else [at + 1]
    if machine.returns.match(text):
        return []
    if target in labels:
        return [*falls, labels[target]]
    indirect = mnemonic in machine.jumps and (operands.startswith("*") or mnemonic == "br")
    return [*falls, *(labels.values() if indirect else ())]


def _one(function: Routine, machine: Machine) -> tuple[list[int], dict[int, set[int]], set[int]]:
    """The lines that may come first, the successors of each, and the lines that may return."""
    labels = {text[:-1]: at for at, text in enumerate(function.lines) if text.endswith(":")}
    order = {at: place for place, at in enumerate(function.sites)}
    start: set[int] = set()
    following: dict[int, set[int]] = {}
    returns: set[int] = set()
    calling: set[int] = set()
    again: set[int] = set()
    for at, site in function.sites.items():
        if not site.kind & (LINE | ENTRY):
            continue
        reached = _reach(function, machine, labels, at)
        if site.kind & ENTRY:
            start |= {site.line} if site.kind & LINE else {function.sites[to].line for to in reached.sites}
        if not site.kind & LINE:
            if reached.returns:
                returns.add(0)
            continue
        lines = following.setdefault(site.line, set())
        for to in reached.sites:
            other = function.sites[to].line
            if other != site.line or order[to] <= order[at]:  # forward in one line is no step of its own
                lines.add(other)
        if reached.returns or site.kind & RETURN:
            returns.add(site.line)
        if reached.calls:
            calling.add(site.line)
        if reached.calls & _TWICE:
            again.add(site.line)
    for line in calling if again else ():
        following[line] |= again.union(*(following[one] for one in again))
    return sorted(start), following, returns


def flow_of(program: LinkedProgram, machine: Machine) -> dict[str, Any]:
    """The control flow of every function, as JSON has it."""
    rows = []
    for described in program.functions:
        start, following, returns = _one(described.function, machine)
        names = [one.name for one in (*described.variables, *program.used(described))]
        row: dict[str, Any] = {
            "name": described.name, "line": described.line, "file": described.function.file, "start": start,
            "next": {str(line): sorted(after) for line, after in sorted(following.items())}, "handlers": {},
            "returns": sorted(line or described.line for line in returns), "yields": [],
            "names": list(dict.fromkeys(names)),
        }  # fmt: skip
        rows.append(row)
    return {"functions": rows, "globals": list(dict.fromkeys(one.name for one in program.fixed))}
