"""What makes the imagination go another way: another value, another next line, and the console's commands.

Each of them grows a branch from here; the run as it was imagined stays. `restartFrame` only goes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldline.core.malformed import Malformed
from worldline.core.value import canonical
from worldline.dap import console, showing
from worldline.dap.answers import LATER, Answers, Request
from worldline.dap.expressions import Unknown, parse
from worldline.dap.messages import Arguments
from worldline.dap.session import Session
from worldline.dap.track import Seen
from worldline.dap.variables import cut, shown
from worldline.errors import UsageError
from worldline.explore.branches.branch import Intervention
from worldline.flow.control import successors


def restart_frame(desk: Answers, message: Request, asked: Arguments) -> object:
    """Back to the call of a frame."""
    session = desk.live
    _, seen = showing.frame_of(session, asked.number("frameId"))
    call = session.track.call_of(seen.frame)
    desk.then(lambda: session.jump(call, f"the call of {seen.function}"))
    return None


def goto_targets(desk: Answers, message: Request, asked: Arguments) -> object:
    """The line itself, or the next one of this function that can run."""
    session = desk.live
    shift = session.client.line_shift
    line = asked.number("line") + shift
    top = _top(session)
    if session.sources.find(asked.inner("source")) != (session.program, top.file):
        return {"targets": []}
    found = next((each for each in _lines(session, top) if each >= line), None)
    if found is None:
        return {"targets": []}
    return {"targets": [{"id": found, "label": f"line {found}, forced", "line": found - shift}]}


def goto(desk: Answers, message: Request, asked: Arguments) -> object:
    """A forced action: the model goes on from another line."""
    session, line = desk.live, asked.number("targetId")
    top = _top(session)
    if line not in _lines(session, top) or top.step is None:
        raise UsageError(f"{top.function} cannot go to line {line} from here")
    return _intervene(
        desk, message, Intervention(kind="line", step=top.step, line=line), f"line {line} forced", None
    )


def _top(session: Session) -> Seen:
    stack = session.track.stack(session.position)
    if not stack:
        raise UsageError("nothing runs here")
    return stack[0]


def _lines(session: Session, top: Seen) -> list[int]:
    """The lines of a frame's function that can run."""
    program = session.here.ask.program
    source = program.source if top.file is None else dict(program.files).get(top.file, "")
    begin = session.track.side.frame(top.frame).line
    flows = [flow for flow in successors(source) if (flow.line, flow.name) == (begin, top.function)]
    lines = {line for flow in flows for line in flow.start.union(flow.next, *flow.next.values())}
    return sorted(line for line in lines if line > 0)


def set_variable(desk: Answers, message: Request, asked: Arguments) -> object:
    """An edited state: the model goes on from another value."""
    owner = desk.live.shelf.owner(asked.number("variablesReference"))
    if not isinstance(owner, showing.Depth):
        raise UsageError("only names of the scope Predicted, of the frame that goes on, can be set")
    return _edit(desk, message, asked.text("name"), asked.text("value"))


def set_expression(desk: Answers, message: Request, asked: Arguments) -> object:
    """The same, by a name instead of a row."""
    number = asked.number("frameId", -1)
    if number >= 0 and showing.frame_of(desk.live, number)[0] != 0:
        raise UsageError("only names of the frame that goes on can be set")
    return _edit(desk, message, asked.text("expression").strip(), asked.text("value"))


def _edit(desk: Answers, message: Request, name: str, value: str) -> object:
    session = desk.live
    top = _top(session)
    if not name.isidentifier():
        raise UsageError(f"{cut(name, 80)} is no name: only whole names can be set")
    if top.step is None:
        raise UsageError("nothing goes on here whose values could be set")
    text = _value(value, top)
    asked = Intervention(kind="edit", step=top.step, name=name, value=text)
    row = shown(name, text)
    return _intervene(
        desk, message, asked, f"{name} = {cut(text, 80)}", {"value": cut(text), "type": row.kind}
    )


def _value(text: str, top: Seen) -> str:
    """A value as it is written in any spelling, or an expression over the names that are there."""
    found = canonical(text)
    if not isinstance(found, Malformed):
        return found
    try:
        return parse(text).value(top.values)
    except Unknown as error:
        raise UsageError(str(error)) from None


def _intervene(
    desk: Answers, message: Request, asked: Intervention, told: str, body: Mapping[str, Any] | None
) -> object:
    session = desk.live

    def done() -> None:
        desk.answered(message, body)
        if desk.client.invalidated:
            desk.emit("invalidated", {"areas": ["all"]})

    session.intervene(asked, told=told, done=done, refused=lambda why: desk.refused(message, why))
    return LATER


def evaluate(desk: Answers, message: Request, asked: Arguments) -> object:
    """An expression over predicted values; in the console, `:` begins a command."""
    session, line = desk.live, asked.text("expression").strip()
    if asked.maybe("context") != "repl" or not line.startswith(":"):
        return showing.evaluate(session, asked)

    def done(told: str) -> None:
        desk.answered(message, {"result": told, "variablesReference": 0})

    said = console.command(session, line, done=done, refused=lambda why: desk.refused(message, why))
    if said is None:
        return LATER
    desk.then(lambda: console.follow(session, line))
    return {"result": said, "variablesReference": 0}
