"""The lines where the first frame of a program in another language can begin, by its flow table.

`flow.entry` does the same for Python. A result is certain, or it is None, which restricts nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldline.analyze.flow.control import Flow
from worldline.analyze.flow.table import MODULE, FlowTable
from worldline.core.program import Program

MODULE_LINES = frozenset({0, 1})  # the lines on which a module's frame may begin
_CALLED = re.compile(r"[\w$.:]*?([\w$]+)\s*\(")
_GENERICS = re.compile(r"<.*")


@dataclass(frozen=True)
class Beginning:
    """How the runs of a language begin.

    Attributes:
        main: The function that a script begins with; None where the language does not say it.
        elsewhere: Where a script may begin in a file that is not its main one; None: in any function there.
        rebinds: Whether the name of a function may come to stand for another.
        initialises: Whether a class is initialised before its first method runs.
    """

    main: str | None
    elsewhere: frozenset[int] | None = frozenset()
    rebinds: bool = False
    initialises: bool = False


# What a module of JavaScript imports runs before it; Java's classes and C++'s globals are made before `main`.
# What Go initialises before `main` has no steps.
_SCRIPT = Beginning(MODULE, elsewhere=MODULE_LINES, rebinds=True)
BEGINNINGS = {
    "js": _SCRIPT,
    "ts": _SCRIPT,
    "java": Beginning("main", elsewhere=None, initialises=True),
    "c": Beginning("main"),
    "cpp": Beginning(None, elsewhere=None),
    "rust": Beginning("main"),
    "go": Beginning("main"),
}


def called_name(call: str) -> str:
    """Return the unqualified name of the called function; empty if there is none."""
    match = _CALLED.match(call.strip())
    return match[1] if match is not None else ""


def call_lines(program: Program, table: FlowTable | None) -> frozenset[int] | None:
    """Return the lines where the first frame of a call can begin; None if no function has the called name."""
    name = called_name(program.call or "")
    if not name or table is None:
        return None
    again = rf"(?<![\w$.]){re.escape(name)}\s*=[^=]"
    if BEGINNINGS[program.language].rebinds and re.search(again, program.source):
        return None  # the name may stand for another function by then
    return _begun_by(table.flows, name, program)


def script_lines(program: Program, table: FlowTable | None) -> frozenset[int] | None:
    """Return the lines where the first frame of a script can begin; None if unknown."""
    main = BEGINNINGS[program.language].main
    if main is None or table is None or (main == "main" and "constructor" in program.source):
        return None
    return _begun_by(table.flows, main, program)


def _begun_by(flows: tuple[Flow, ...], name: str, program: Program) -> frozenset[int] | None:
    lines = {flow.line for flow in flows if _own_name(flow) == name}
    if not lines:
        return None
    if name == MODULE:
        lines |= MODULE_LINES
    initialises = BEGINNINGS[program.language].initialises
    return frozenset(lines | {flow.line for flow in flows if initialises and flow.name.startswith("<")})


def _own_name(flow: Flow) -> str:
    """Return a function's unqualified name, without template arguments."""
    return MODULE if flow.name == MODULE else _GENERICS.sub("", flow.name).rpartition("::")[2]
