"""What a client sees at a stop: the stack, its scopes, values of expressions, why it stopped, texts, completions.

The scope `Predicted` is what the model believes, `Interpreter` what is so at the same step of the true run,
`Difference` the names in which they part; `Hidden inputs`, where the step has some, what it drew; `Conditions`, where
the line at hand decides, its test and whether it holds. Each function answers one request and changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.hidden import in_words
from worldline.core.value import equal
from worldline.ui.dap.console import COMMANDS
from worldline.ui.dap.expressions import UnknownValue, parse
from worldline.ui.dap.messages import Arguments
from worldline.ui.dap.session import THREAD, DapSession
from worldline.ui.dap.variables import (
    LONGEST,
    EditorVariable,
    ValueContext,
    differing,
    page_of,
    variable_of,
)
from worldline.ui.session.clip import cut
from worldline.ui.session.marks.natives import notes
from worldline.ui.session.sentences import cause_in_words
from worldline.ui.session.stepping import StoppedFrame

MOST_FRAMES = 1 << 20  # of one stop: so numbers of frames are not given twice
_WORD = re.compile(r"(?<!\w)[^\W\d]\w*+\Z")


@dataclass(frozen=True)
class VariableOwner:
    """Whose variable a row is: of a frame of the stack, the innermost being 0."""

    depth: int


def stack_trace(session: DapSession, asked: Arguments) -> dict[str, Any]:
    """The frames, innermost first, from `startFrame` on."""
    session.require_stopped()
    stack = session.stepper.stack(session.position)
    first, levels = max(asked.number("startFrame", 0), 0), asked.number("levels", 0)
    last = first + levels if levels > 0 else len(stack)
    frames = [_frame(session, depth, frame) for depth, frame in enumerate(stack) if first <= depth < last]
    return {"stackFrames": frames, "totalFrames": len(stack)}


def _frame(session: DapSession, depth: int, frame: StoppedFrame) -> dict[str, Any]:
    client = session.client
    return {
        "id": session.stops * MOST_FRAMES + depth, "name": frame.function,
        "line": max(frame.line, 1) - client.line_shift, "column": 1 - client.column_shift,
        "source": session.sources.described((session.program, frame.file)),
        "canRestart": True,
    }  # fmt: skip


def frame_of(session: DapSession, number: int) -> tuple[int, StoppedFrame]:
    """A frame by the number that it was shown with, and how deep it is."""
    session.require_stopped()
    stop, depth = divmod(number, MOST_FRAMES)
    stack = session.stepper.stack(session.position)
    if stop != session.stops or depth >= len(stack):
        raise UsageError(f"there is no frame {number} at this stop")
    return depth, stack[depth]


def scopes(session: DapSession, asked: Arguments) -> dict[str, Any]:
    """Predicted, Interpreter and Difference; of the innermost frame, where its line decides, Conditions."""
    depth, frame = frame_of(session, asked.number("frameId"))
    truth = true_frame(session, depth, frame)
    context = context_of(session, [one.values for one in session.stepper.stack(session.position)])
    rows = [
        variable_of(name, value, expression=name, context=context) for name, value in frame.values.items()
    ]
    owner = VariableOwner(depth) if frame.step is not None else None
    made = [_scope(session, "Predicted", rows, owner=owner, hint="locals")]
    if drawn := hidden_rows(session):
        made.append(_scope(session, "Hidden inputs", drawn))
    if isinstance(truth, str):
        why = [EditorVariable("(none)", truth)]
        made += [_scope(session, "Interpreter", why), _scope(session, "Difference", why)]
        return {"scopes": [*made, *_decided(session, depth)]}
    other = context_of(session, [truth])
    true = [variable_of(name, value, context=other) for name, value in truth.items()]
    made.append(_scope(session, "Interpreter", true))
    made.append(_scope(session, "Difference", differences(truth, frame.values, context)))
    return {"scopes": [*made, *_decided(session, depth)]}


def _decided(session: DapSession, depth: int) -> list[dict[str, Any]]:
    """What the line at hand decides, as the model goes on and as the interpreter does."""
    at, run_diff = session.position, session.snapshot.run_diff
    if depth or at >= len(session.stepper):
        return []
    true = None if run_diff is None else run_diff.rows[run_diff.row_of("right", at)].left
    sides = [
        ("predicted", session.stepper.run, at),
        ("interpreter", None if run_diff is None else run_diff.left, true),
    ]
    rows = [
        EditorVariable(name, cut("; ".join(run.conditions[step]), LONGEST))
        for name, run, step in sides
        if run is not None and step is not None and step in run.conditions
    ]
    return [_scope(session, "Conditions", rows)] if rows else []


def hidden_rows(session: DapSession) -> list[EditorVariable]:
    """The hidden inputs of this step, each under what it could have been; in brackets what the true run has there."""
    run, at = session.stepper.run, session.position
    if at >= len(run.events):
        return []
    run_diff = session.snapshot.run_diff
    beside = run_diff.rows[run_diff.row_of("right", at)].left if run_diff is not None else None
    true = (
        run_diff.left.events[beside].hidden
        if run_diff is not None and run_diff.left and beside is not None
        else ()
    )
    rows = []
    for n, (kind, value) in enumerate(run.events[at].hidden):
        other = true[n] if n < len(true) else None
        told = "" if other is None or other == (kind, value) else f" (in this run {other[1]})"
        rows.append(EditorVariable(in_words(kind), cut(value, LONGEST) + told, kind))
    if run.threads is not None:
        rows.append(EditorVariable("thread", str(run.threads[at])))
    return rows


def context_of(session: DapSession, frames: Sequence[Mapping[str, str]]) -> ValueContext:
    """What the values of some frames stand among."""
    texts = tuple(text for values in frames for text in values.values())
    return ValueContext(session.here.ask.program.language, texts)


def _scope(
    session: DapSession,
    name: str,
    rows: list[EditorVariable],
    *,
    owner: VariableOwner | None = None,
    hint: str = "",
) -> dict[str, Any]:
    reference = session.references.put(page_of(rows), owner=owner)
    plain = {"name": name, "variablesReference": reference, "namedVariables": len(rows), "expensive": False}
    return {**plain, "presentationHint": hint} if hint else plain


def true_frame(session: DapSession, depth: int, frame: StoppedFrame) -> Mapping[str, str] | str:
    """The values of the same frame in the true run, at the same step; or why there are none."""
    run_diff, truth = session.snapshot.run_diff, session.snapshot.truth
    if run_diff is None or truth is None:
        return session.here.why or "the interpreter has no run to compare with"
    step: int | None = len(truth)
    if session.position < len(session.stepper):
        step = run_diff.rows[run_diff.row_of("right", session.position)].left
    if step is None:
        return "the interpreter does not come here: it takes another way"
    stack = truth.stack(step)
    at = len(stack) - len(session.stepper.stack(session.position)) + depth
    if not 0 <= at < len(stack) or stack[at].function != frame.function:
        return "the interpreter has no such frame here"
    return stack[at].values


def differences(
    wanted: Mapping[str, str], got: Mapping[str, str], context: ValueContext | None = None
) -> list[EditorVariable]:
    """The names in which two frames part."""
    rows = []
    for name in dict.fromkeys([*wanted, *got]):
        one, other = wanted.get(name), got.get(name)
        if one != other and not (one is not None and other is not None and equal(one, other)):
            rows.append(differing(name, one, other, context))
    return rows


def variables(session: DapSession, asked: Arguments) -> dict[str, Any]:
    """A page of what is under a reference."""
    found = session.references.variables(
        asked.number("variablesReference"), start=asked.number("start", 0), count=asked.number("count", 0),
        only=asked.maybe("filter"),
    )  # fmt: skip
    return {"variables": found}


def evaluate(session: DapSession, asked: Arguments) -> dict[str, Any]:
    """The value of an expression over the predicted names of a frame."""
    depth = asked.number("frameId", -1)
    session.require_stopped()
    stack = session.stepper.stack(session.position)
    frame = frame_of(session, depth)[1] if depth >= 0 else (stack[0] if stack else None)
    language = session.here.ask.program.language
    expression = parse(asked.text("expression"), language)
    try:
        value = expression.value(frame.values if frame else {})
    except UnknownValue as error:
        raise UsageError(str(error)) from None
    row = variable_of("", value, context=context_of(session, [one.values for one in stack]))
    asking = asked.maybe("context")
    result = value if asking == "clipboard" else cut(value, LONGEST)
    if asking == "hover":
        whole = (one.name for one in notes(value, language) if (one.start, one.end) == (0, len(value)))
        result += "".join(f" ({name})" for name in whole)
    return {"result": result, "type": row.kind, **session.references.opened(row)}


def exception_info(session: DapSession, asked: Arguments) -> dict[str, Any]:
    """What is wrong at this stop: the cause with its evidence, and what the model believed."""
    session.require_stopped()
    assert session.stopped is not None
    points = session.stopped.points
    if not points:
        raise UsageError("nothing is wrong here")
    here = session.here
    lines = list(dict.fromkeys(one.text for one in points))
    cause = here.cause
    if cause is not None and cause.name != "right" and cause_in_words(cause) not in lines:
        lines.append(f"cause: {cause_in_words(cause)}")
    elif cause is None and session.snapshot.is_running:
        lines.append("cause: it is not known yet")
    if here.wrong is not None:
        lines.append(f"branch: {here.wrong.in_words(lambda value: cut(value, LONGEST))}")
    belief = _belief(session)
    if belief:
        lines.append(belief)
    details = {"message": points[0].text, "typeName": points[0].title, "stackTrace": "\n".join(lines)}
    return {
        "exceptionId": points[0].title, "description": "\n".join(lines), "breakMode": "always", "details": details,
    }  # fmt: skip


def _belief(session: DapSession) -> str:
    """What the model wrote where it parts, what it should have, and how likely each was to it, as far as it says so."""
    belief = session.here.belief
    if belief is None:
        return ""
    said, true = (
        f", probability {one:.1%}" if one is not None else "" for one in (belief.sure, belief.truth)
    )
    wrote, wanted = cut(belief.wrote.strip("\n"), 200), cut(belief.wanted.strip("\n"), 200)
    return f"belief: at step {belief.step} it wrote `{wrote}`{said}; the truth is `{wanted}`{true}"


def completions(session: DapSession, asked: Arguments) -> dict[str, Any]:
    """Names that may end what is being typed in the console."""
    text, column = asked.text("text"), asked.number("column") + session.client.column_shift
    typed = text[: max(column - 1, 0)]
    match = _WORD.search(typed)
    begun = match[0] if match else ""
    stack = session.stepper.stack(session.position) if session.stopped and not session.is_over else []
    names = list(stack[0].values) if stack else []
    words = [*names, "len", "abs", "and", "or", "not", "in"]
    if typed.startswith(":") and typed[1:] == begun:
        words = list(COMMANDS)
    found = [word for word in words if word.startswith(begun)]
    start = len(typed) - len(begun)
    return {"targets": [{"label": word, "start": start, "length": len(begun)} for word in found]}


def threads(session: DapSession | None) -> dict[str, Any]:
    """One thread: the model's imagination."""
    name = (
        f"{session.session.model} imagines {session.launch.program.call or session.session.name}"
        if session
        else "-"
    )
    return {"threads": [{"id": THREAD, "name": name}]}
