"""What makes the imagination go another way: another value, another next line, and the console's commands.

Each of them grows a branch from here; the run as it was imagined stays. `restartFrame` only goes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldline.analyze.flow.control import successors
from worldline.analyze.flow.table import flows_of
from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.value import canonical
from worldline.predict.table import table_of
from worldline.ui.dap import console, showing
from worldline.ui.dap.expressions import UnknownValue, parse
from worldline.ui.dap.messages import Arguments
from worldline.ui.dap.responder import LATER, Request, Responder
from worldline.ui.dap.session import DapSession
from worldline.ui.dap.variables import LONGEST, variable_of
from worldline.ui.session.branches.branch import BranchEdit
from worldline.ui.session.clip import cut
from worldline.ui.session.stepping import StoppedFrame


def restart_frame(responder: Responder, message: Request, asked: Arguments) -> object:
    """Back to the call of a frame."""
    session = responder.live
    _, frame = showing.frame_of(session, asked.number("frameId"))
    call = session.stepper.call_of(frame.frame)
    responder.then(lambda: session.jump(call, f"the call of {frame.function}"))
    return None


def goto_targets(responder: Responder, message: Request, asked: Arguments) -> object:
    """The line itself, or the next one of this function that can run."""
    session = responder.live
    shift = session.client.line_shift
    line = asked.number("line") + shift
    top = _top(session)
    if session.sources.find(asked.inner("source")) != (session.program, top.file):
        return {"targets": []}
    found = next((each for each in _lines(session, top) if each >= line), None)
    if found is None:
        return {"targets": []}
    return {"targets": [{"id": found, "label": f"line {found}, forced", "line": found - shift}]}


def goto(responder: Responder, message: Request, asked: Arguments) -> object:
    """A forced action: the model goes on from another line."""
    session, line = responder.live, asked.number("targetId")
    top = _top(session)
    if line not in _lines(session, top) or top.step is None:
        raise UsageError(f"{top.function} cannot go to line {line} from here")
    return _intervene(
        responder, message, BranchEdit(kind="line", step=top.step, line=line), f"line {line} forced", None
    )


def _top(session: DapSession) -> StoppedFrame:
    stack = session.stepper.stack(session.position)
    if not stack:
        raise UsageError("nothing runs here")
    return stack[0]


def _lines(session: DapSession, top: StoppedFrame) -> list[int]:
    """The lines of a frame's function that can run."""
    program = session.here.ask.program
    source = program.source if top.file is None else dict(program.files).get(top.file, "")
    begin = session.stepper.run.frame(top.frame).line
    if not program.lang.has_syntax_tree:
        known = flows_of(program, table_of(program)) if top.file is None else ()
        flows = [flow for flow in known if flow.line == begin]
    else:
        flows = [flow for flow in successors(source) if (flow.line, flow.name) == (begin, top.function)]
    lines = {line for flow in flows for line in flow.start.union(flow.next, *flow.next.values())}
    return sorted(line for line in lines if line > 0)


def set_variable(responder: Responder, message: Request, asked: Arguments) -> object:
    """An edited state: the model goes on from another value."""
    owner = responder.live.references.owner(asked.number("variablesReference"))
    if not isinstance(owner, showing.VariableOwner):
        raise UsageError("only names of the scope Predicted, of the frame that goes on, can be set")
    return _edit(responder, message, asked.text("name"), asked.text("value"))


def set_expression(responder: Responder, message: Request, asked: Arguments) -> object:
    """The same, by a name instead of a row."""
    number = asked.number("frameId", -1)
    if number >= 0 and showing.frame_of(responder.live, number)[0] != 0:
        raise UsageError("only names of the frame that goes on can be set")
    return _edit(responder, message, asked.text("expression").strip(), asked.text("value"))


def _edit(responder: Responder, message: Request, name: str, value: str) -> object:
    session = responder.live
    top = _top(session)
    if not name.isidentifier() and name not in top.values:
        raise UsageError(f"{cut(name, 80)} is no name: only whole names can be set")
    if top.step is None:
        raise UsageError("nothing goes on here whose values could be set")
    text = _value(value, top, session.here.ask.program.language)
    asked = BranchEdit(kind="edit", step=top.step, name=name, value=text)
    row = variable_of(name, text, context=showing.context_of(session, [top.values]))
    return _intervene(
        responder,
        message,
        asked,
        f"{name} = {cut(text, 80)}",
        {"value": cut(text, LONGEST), "type": row.kind},
    )


def _value(text: str, top: StoppedFrame, language: str) -> str:
    """A value as it is written in any spelling, or an expression over the names that are there."""
    found = canonical(text)
    if not isinstance(found, Malformed):
        return found
    try:
        return parse(text, language).value(top.values)
    except UnknownValue as error:
        raise UsageError(str(error)) from None


def _intervene(
    responder: Responder, message: Request, asked: BranchEdit, text: str, body: Mapping[str, Any] | None
) -> object:
    session = responder.live

    def done() -> None:
        responder.answered(message, body)
        if responder.client.invalidated:
            responder.emit("invalidated", {"areas": ["all"]})

    session.intervene(asked, text=text, done=done, refused=lambda why: responder.refused(message, why))
    return LATER


def evaluate(responder: Responder, message: Request, asked: Arguments) -> object:
    """An expression over predicted values; in the console, `:` begins a command."""
    session, line = responder.live, asked.text("expression").strip()
    if asked.maybe("context") != "repl" or not line.startswith(":"):
        return showing.evaluate(session, asked)

    def done(text: str) -> None:
        responder.answered(message, {"result": text, "variablesReference": 0})

    said = console.command(session, line, done=done, refused=lambda why: responder.refused(message, why))
    if said is None:
        return LATER
    responder.then(lambda: console.follow(session, line))
    return {"result": said, "variablesReference": 0}
