"""Requests that edit the prediction: another value, another next line, and the commands of the console.

Each edit starts a branch; the original prediction stays. `restartFrame` only goes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldline.analyze.flow.control import successors
from worldline.analyze.flow.table import flows_of
from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.texts.excerpts import excerpt
from worldline.core.value import canonical
from worldline.predict.table import table_of
from worldline.ui.dap import console, showing
from worldline.ui.dap.expressions import UnknownValue, parse
from worldline.ui.dap.messages import Arguments
from worldline.ui.dap.responder import LATER, Request, Responder
from worldline.ui.dap.session import DapSession
from worldline.ui.dap.variables import MAX_VALUE_CHARS, variable_of
from worldline.ui.session.branches.branch import BranchEdit
from worldline.ui.session.clip import cut
from worldline.ui.session.stepping import StoppedFrame


def restart_frame(responder: Responder, message: Request, arguments: Arguments) -> object:
    """Go back to the call of a frame."""
    session = responder.live
    _, frame = showing.frame_of(session, arguments.number("frameId"))
    call = session.stepper.call_of(frame.frame)
    responder.then(lambda: session.jump(call, f"the call of {frame.function}"))
    return None


def goto_targets(responder: Responder, message: Request, arguments: Arguments) -> object:
    """Offer the line, or the next one of this function that can execute."""
    session = responder.live
    shift = session.client.line_shift
    line = arguments.number("line") + shift
    top = _top(session)
    if session.sources.find(arguments.inner("source")) != (session.program, top.file):
        return {"targets": []}
    target = next((candidate for candidate in _lines(session, top) if candidate >= line), None)
    if target is None:
        return {"targets": []}
    return {"targets": [{"id": target, "label": f"force line {target}", "line": target - shift}]}


def goto(responder: Responder, message: Request, arguments: Arguments) -> object:
    """Force the next line; the model continues from there."""
    session, line = responder.live, arguments.number("targetId")
    top = _top(session)
    if line not in _lines(session, top) or top.step is None:
        raise UsageError(f"{top.function} cannot go to line {line} from here")
    edit = BranchEdit(kind="line", step=top.step, line=line)
    return _apply(responder, message, edit, f"line {line} forced", None)


def _top(session: DapSession) -> StoppedFrame:
    stack = session.stack()
    if not stack:
        raise UsageError("nothing executes here")
    return stack[0]


def _lines(session: DapSession, top: StoppedFrame) -> list[int]:
    """The lines of a frame's function that can execute."""
    program = session.current.ask.program
    source = program.source if top.file is None else dict(program.files).get(top.file, "")
    begin = session.stepper.run.frame(top.frame).line
    if not program.lang.has_syntax_tree:
        known = flows_of(program, table_of(program)) if top.file is None else ()
        flows = [flow for flow in known if flow.line == begin]
    else:
        flows = [flow for flow in successors(source) if (flow.line, flow.name) == (begin, top.function)]
    lines = {line for flow in flows for line in flow.start.union(flow.next, *flow.next.values())}
    return sorted(line for line in lines if line > 0)


def set_variable(responder: Responder, message: Request, arguments: Arguments) -> object:
    """Set a value; the model continues from there."""
    owner = responder.live.references.owner(arguments.number("variablesReference"))
    if not isinstance(owner, showing.VariableOwner):
        raise UsageError("only names of the scope Predicted in the innermost frame can be set")
    return _edit(responder, message, arguments.text("name"), arguments.text("value"))


def set_expression(responder: Responder, message: Request, arguments: Arguments) -> object:
    """Set a value by name; the model continues from there."""
    number = arguments.number("frameId", -1)
    if number >= 0 and showing.frame_of(responder.live, number)[0] != 0:
        raise UsageError("only names of the innermost frame can be set")
    return _edit(responder, message, arguments.text("expression").strip(), arguments.text("value"))


def _edit(responder: Responder, message: Request, name: str, value: str) -> object:
    session = responder.live
    top = _top(session)
    if not name.isidentifier() and name not in top.values:
        raise UsageError(f"{cut(name, 80)} is not a name: only whole names can be set")
    if top.step is None:
        raise UsageError("no value can be set here: nothing executes after it")
    text = _value(value, top, session.current.ask.program.language)
    edit = BranchEdit(kind="edit", step=top.step, name=name, value=text)
    row = variable_of(name, text, context=showing.context_of(session, [top.values]))
    body = {"value": excerpt(text, MAX_VALUE_CHARS), "type": row.kind}
    return _apply(responder, message, edit, f"{name} = {cut(text, 80)}", body)


def _value(text: str, top: StoppedFrame, language: str) -> str:
    """The canonical form of a value, or of an expression over the names of a frame."""
    value = canonical(text)
    if not isinstance(value, Malformed):
        return value
    try:
        return parse(text, language).value(top.values)
    except UnknownValue as error:
        raise UsageError(str(error)) from None


def _apply(
    responder: Responder, message: Request, edit: BranchEdit, text: str, body: Mapping[str, Any] | None
) -> object:
    def done() -> None:
        responder.answer_later(message, body)
        if responder.client.invalidated:
            responder.emit("invalidated", {"areas": ["all"]})

    responder.live.apply_edit(edit, text=text, done=done, refused=lambda why: responder.refuse_later(message, why))
    return LATER


def evaluate(responder: Responder, message: Request, arguments: Arguments) -> object:
    """Evaluate an expression over predicted values; in the console, `:` starts a command."""
    session, line = responder.live, arguments.text("expression").strip()
    is_question = line.startswith(":why ")
    if arguments.maybe("context") != "repl" or not line.startswith(":") or is_question:
        return showing.evaluate(session, arguments)

    def done(text: str) -> None:
        responder.answer_later(message, {"result": text, "variablesReference": 0})

    result = console.command(session, line, done=done, refused=lambda why: responder.refuse_later(message, why))
    if result is None:
        return LATER
    responder.then(lambda: console.follow(session, line))
    return {"result": result, "variablesReference": 0}
