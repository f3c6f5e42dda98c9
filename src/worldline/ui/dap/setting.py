"""Requests that set up a session: breakpoints, exception filters, and the sources they belong to."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

from worldline.core.errors import UsageError
from worldline.ui.dap.breakpoints import MAX_BREAKPOINTS, Breakpoint, placed
from worldline.ui.dap.expressions import parse
from worldline.ui.dap.messages import Arguments
from worldline.ui.dap.session import DapSession, Emit
from worldline.ui.dap.sources import SourceKey
from worldline.ui.session.stops import DETAILED_STOPS, runnable_lines


def set_breakpoints(session: DapSession, arguments: Arguments) -> dict[str, Any]:
    """Replace the breakpoints of one source."""
    lines = arguments.values.get("lines")  # sent by old clients
    wanted = arguments.many("breakpoints")
    if not wanted and isinstance(lines, list):
        wanted = tuple(Arguments({"line": line}, "each of `lines`") for line in lines)
    if len(wanted) > MAX_BREAKPOINTS:
        raise UsageError(f"a source can have at most {MAX_BREAKPOINTS} breakpoints")
    place = session.sources.find(arguments.inner("source"))
    if place is None:
        unset = {"verified": False, "message": "this file is not part of the program"}
        return {"breakpoints": [dict(unset) for _ in wanted]}
    breakpoints = [_placed(session, place, requested, session.next_number()) for requested in wanted]
    session.breakpoints[place] = breakpoints
    session.requested[place] = wanted
    return {"breakpoints": [_described(session, place, breakpoint) for breakpoint in breakpoints]}


def _placed(session: DapSession, place: SourceKey, arguments: Arguments, number: int) -> Breakpoint:
    program = session.sources.programs[place[0]]
    return placed(arguments, number=number, program=program, file=place[1], shift=session.client.line_shift)


def _described(session: DapSession, place: SourceKey, breakpoint: Breakpoint) -> dict[str, Any]:
    line = breakpoint.requested_line if breakpoint.line is None else breakpoint.line
    body: dict[str, Any] = {
        "id": breakpoint.number,
        "verified": breakpoint.line is not None,
        "line": max(line - session.client.line_shift, 0),
        "source": session.sources.described(place),
    }
    return {**body, "message": breakpoint.why} if breakpoint.why else body


def carry_over(session: DapSession, old: DapSession, emit: Emit) -> None:
    """Set the breakpoints and filters of a restarted session again, in the file as it is now."""
    session.filters = old.filters
    session.take_numbers(old)
    for place, wanted in old.requested.items():
        if place[0] != 0 or (place[1] is not None and place[1] not in dict(session.launch.program.files)):
            continue
        breakpoints = [
            _placed(session, place, requested, breakpoint.number)
            for requested, breakpoint in zip(wanted, old.breakpoints[place], strict=True)
        ]
        session.breakpoints[place], session.requested[place] = breakpoints, wanted
        for breakpoint in breakpoints:
            emit("breakpoint", {"reason": "changed", "breakpoint": _described(session, place, breakpoint)})


def set_exception_breakpoints(session: DapSession, arguments: Arguments) -> dict[str, Any]:
    """Replace the exception filters. An invalid one is not set; its message says why."""
    chosen: list[tuple[str, str | None]] = [(name, None) for name in arguments.texts("filters")]
    chosen += [(option.text("filterId"), option.maybe("condition")) for option in arguments.many("filterOptions")]
    results: list[dict[str, Any]] = []
    session.filters = {}
    for name, condition in chosen:
        try:
            if name not in DETAILED_STOPS:
                raise UsageError(f"unknown filter {name[:40]!r}")
            session.filters[name] = parse(condition, session.launch.program.language) if condition else None
            results.append({"verified": True})
        except UsageError as error:
            results.append({"verified": False, "message": str(error)})
    return {"breakpoints": results}


def breakpoint_locations(session: DapSession, arguments: Arguments) -> dict[str, Any]:
    """List the lines of a range that can execute."""
    place = session.sources.find(arguments.inner("source"))
    if place is None:
        return {"breakpoints": []}
    shift = session.client.line_shift
    first = arguments.number("line") + shift
    last = arguments.number("endLine", first - shift) + shift
    lines = runnable_lines(session.sources.programs[place[0]], place[1])
    in_range = lines[bisect_left(lines, first) : bisect_right(lines, last)]
    return {"breakpoints": [{"line": line - shift} for line in in_range]}


def loaded_sources(session: DapSession, arguments: Arguments) -> dict[str, Any]:
    """List every source of the program."""
    return {"sources": session.sources.all()}


def source(session: DapSession, arguments: Arguments) -> dict[str, Any]:
    """Return the text of a source that has no file."""
    requested = arguments.inner("source")
    if not requested.values:
        requested = Arguments({"sourceReference": arguments.number("sourceReference")}, "source")
    return {"content": session.sources.text(requested), "mimeType": session.launch.program.lang.mime}
