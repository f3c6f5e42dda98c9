"""What is set up rather than moved: breakpoints, exception filters, and the sources that they stand in."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

from worldline.core.errors import UsageError
from worldline.ui.dap.breakpoints import MOST, Breakpoint, placed
from worldline.ui.dap.expressions import parse
from worldline.ui.dap.messages import Arguments
from worldline.ui.dap.session import DapSession, Emit
from worldline.ui.dap.sources import SourceKey
from worldline.ui.session.stops import DETAILED_STOPS, runnable_lines


def set_breakpoints(session: DapSession, asked: Arguments) -> dict[str, Any]:
    """The breakpoints of one source, instead of those that it had."""
    lines = asked.values.get("lines")  # as clients of old say it
    wanted = asked.many("breakpoints")
    if not wanted and isinstance(lines, list):
        wanted = tuple(Arguments({"line": line}, "each of `lines`") for line in lines)
    if len(wanted) > MOST:
        raise UsageError(f"a source has at most {MOST} breakpoints")
    place = session.sources.find(asked.inner("source"))
    if place is None:
        nothing = {"verified": False, "message": "this file is no part of the program"}
        return {"breakpoints": [dict(nothing) for _ in wanted]}
    made = [_placed(session, place, one, session.next_number()) for one in wanted]
    session.breakpoints[place] = made
    session.asked[place] = wanted
    return {"breakpoints": [described(session, place, one) for one in made]}


def _placed(session: DapSession, place: SourceKey, asked: Arguments, number: int) -> Breakpoint:
    program = session.sources.programs[place[0]]
    return placed(asked, number=number, program=program, file=place[1], shift=session.client.line_shift)


def described(session: DapSession, place: SourceKey, one: Breakpoint) -> dict[str, Any]:
    """A breakpoint as the protocol wants it."""
    line = one.asked if one.line is None else one.line
    found: dict[str, Any] = {
        "id": one.number, "verified": one.line is not None, "line": max(line - session.client.line_shift, 0),
        "source": session.sources.described(place),
    }  # fmt: skip
    return {**found, "message": one.why} if one.why else found


def carry_over(session: DapSession, old: DapSession, emit: Emit) -> None:
    """Breakpoints and filters of a session that was restarted, in the file as it is now."""
    session.filters = old.filters
    session.take_numbers(old)
    for place, wanted in old.asked.items():
        if place[0] != 0 or (place[1] is not None and place[1] not in dict(session.launch.program.files)):
            continue
        numbers = [one.number for one in old.breakpoints[place]]
        made = [_placed(session, place, one, number) for one, number in zip(wanted, numbers, strict=True)]
        session.breakpoints[place], session.asked[place] = made, wanted
        for one in made:
            emit("breakpoint", {"reason": "changed", "breakpoint": described(session, place, one)})


def set_exception_breakpoints(session: DapSession, asked: Arguments) -> dict[str, Any]:
    """The filters that stop, some under a condition; one that cannot be is not set, and says why."""
    chosen: list[tuple[str, str | None]] = [(name, None) for name in asked.texts("filters")]
    chosen += [(one.text("filterId"), one.maybe("condition")) for one in asked.many("filterOptions")]
    told: list[dict[str, Any]] = []
    session.filters = {}
    for name, condition in chosen:
        try:
            if name not in DETAILED_STOPS:
                raise UsageError(f"no filter {name[:40]!r}")
            session.filters[name] = parse(condition, session.launch.program.language) if condition else None
            told.append({"verified": True})
        except UsageError as error:
            told.append({"verified": False, "message": str(error)})
    return {"breakpoints": told}


def breakpoint_locations(session: DapSession, asked: Arguments) -> dict[str, Any]:
    """The lines of a stretch that can run."""
    place = session.sources.find(asked.inner("source"))
    if place is None:
        return {"breakpoints": []}
    shift = session.client.line_shift
    first = asked.number("line") + shift
    last = asked.number("endLine", first - shift) + shift
    lines = runnable_lines(session.sources.programs[place[0]], place[1])
    found = lines[bisect_left(lines, first) : bisect_right(lines, last)]
    return {"breakpoints": [{"line": line - shift} for line in found]}


def loaded_sources(session: DapSession, asked: Arguments) -> dict[str, Any]:
    """Every source of the program."""
    return {"sources": session.sources.all()}


def source(session: DapSession, asked: Arguments) -> dict[str, Any]:
    """The text of a source that has no file."""
    given = asked.inner("source")
    if not given.values:
        given = Arguments({"sourceReference": asked.number("sourceReference")}, "source")
    return {"content": session.sources.text(given), "mimeType": session.launch.program.lang.mime}
