"""What a client shows at a stop: the stack, scopes, expressions, the reason of the stop, completions.

The scope `Predicted` has the model's values, `Actual` those of the same step of the actual run, `Difference` the names
that differ. `Hidden inputs` has the draws of the step, `Conditions` the tests that the line decides, if there are any.
Each function answers one request and changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.hidden import in_words
from worldline.core.texts.excerpts import excerpt, excerpt_after
from worldline.core.value import equal
from worldline.diagnose.failure import FailureExplanation
from worldline.diagnose.failure.sentences import failure_sentences
from worldline.ui.dap.console import COMMANDS
from worldline.ui.dap.expressions import UnknownValue, parse
from worldline.ui.dap.messages import Arguments
from worldline.ui.dap.session import THREAD, DapSession
from worldline.ui.dap.variables import (
    MAX_VALUE_CHARS,
    EditorVariable,
    ValueContext,
    differing,
    max_chars,
    page_of,
    variable_of,
)
from worldline.ui.dap.why import answer, hovered, lazy_chain, question_of
from worldline.ui.session.clip import cut
from worldline.ui.session.marks.natives import notes
from worldline.ui.session.sentences import cause_in_words
from worldline.ui.session.stepping import StoppedFrame

MAX_FRAMES = 1 << 20  # per stop, so that the numbers of frames are unique
_WORD = re.compile(r"(?<!\w)[^\W\d]\w*+\Z")


@dataclass(frozen=True)
class VariableOwner:
    """The frame that a variable belongs to; the innermost has depth 0."""

    depth: int


def stack_trace(session: DapSession, arguments: Arguments) -> dict[str, Any]:
    """List the frames, innermost first, from `startFrame` on."""
    session.require_stopped()
    stack = session.stack()
    first, levels = max(arguments.number("startFrame", 0), 0), arguments.number("levels", 0)
    last = first + levels if levels > 0 else len(stack)
    frames = [_frame(session, depth, frame) for depth, frame in enumerate(stack) if first <= depth < last]
    return {"stackFrames": frames, "totalFrames": len(stack)}


def _frame(session: DapSession, depth: int, frame: StoppedFrame) -> dict[str, Any]:
    client = session.client
    return {
        "id": session.stops * MAX_FRAMES + depth,
        "name": frame.function,
        "line": max(frame.line, 1) - client.line_shift,
        "column": 1 - client.column_shift,
        "source": session.sources.described((session.program, frame.file)),
        "canRestart": True,
    }


def frame_of(session: DapSession, number: int) -> tuple[int, StoppedFrame]:
    """Find a frame by its number; return its depth and the frame."""
    session.require_stopped()
    stop, depth = divmod(number, MAX_FRAMES)
    stack = session.stack()
    if stop != session.stops or depth >= len(stack):
        raise UsageError(f"there is no frame {number} at this stop")
    return depth, stack[depth]


def scopes(session: DapSession, arguments: Arguments) -> dict[str, Any]:
    """List the scopes of a frame."""
    depth, frame = frame_of(session, arguments.number("frameId"))
    actual = _actual_values(session, depth, frame)
    stack = session.stack()
    context = context_of(session, [stopped.values for stopped in stack])
    names = [
        _with_change(session, frame, variable_of(name, value, expression=name, context=context))
        for name, value in frame.values.items()
    ]
    handed, true_handed = _handed(session, depth)
    names += [variable_of(name, value, context=context) for name, value in handed.items()]
    hidden, conditions = hidden_rows(session), _conditions(session, depth)
    if session.is_recorded:
        scopes = [("Locals", names), ("Hidden inputs", hidden), ("Conditions", conditions)]
        return {"scopes": [_scope(session, name, rows) for name, rows in scopes if rows or name == "Locals"]}
    owner = VariableOwner(depth) if frame.step is not None else None
    if isinstance(actual, str):
        values = differing = [EditorVariable("(none)", actual)]
    else:
        other = context_of(session, [actual])
        actual = {**actual, **true_handed}
        values = [variable_of(name, value, context=other) for name, value in actual.items()]
        differing = differences(
            actual,
            {**frame.values, **handed},
            context,
            lambda name: lazy_chain(session, frame, "" if name in handed else name),
        )
    return {
        "scopes": [
            _scope(session, "Predicted", names, owner=owner, hint="locals"),
            *([_scope(session, "Hidden inputs", hidden)] if hidden else []),
            _scope(session, "Actual", values),
            _scope(session, "Difference", differing),
            *([_scope(session, "Conditions", conditions)] if conditions else []),
        ]
    }


def _with_change(session: DapSession, frame: StoppedFrame, row: EditorVariable) -> EditorVariable:
    """The row of a name; a long value shows its last change too, so that an editor marks it when it changes."""
    if len(row.value) <= max_chars(row):
        return row
    step, is_before = (session.position, True) if session.done is None else (session.done, False)
    history, text = session.stepper.run.history, frame.values[row.name]
    before = history.text_before(frame.frame, row.name, text, step, before=is_before)
    return replace(row, shown=excerpt_after(row.name, before, row.value, max_chars(row)))


def _handed(session: DapSession, depth: int) -> tuple[dict[str, str], dict[str, str]]:
    """What the step that is done here returned, raised, printed or read, as predicted and in the actual run."""
    run_diff, done = session.snapshot.run_diff, session.done
    if depth or done is None or run_diff is None or run_diff.left is None:
        return {}, {}
    row = run_diff.rows[run_diff.row_of("right", done)]
    moments = run_diff.right.events[done], None if row.left is None else run_diff.left.events[row.left]
    handed = [{} if moment is None or moment.arg is None else {f"({moment.event})": moment.arg} for moment in moments]
    return handed[0], handed[1]


def _conditions(session: DapSession, depth: int) -> list[EditorVariable]:
    """What the current line decides, as predicted and in the actual run."""
    at, run_diff = session.position if session.done is None else session.done, session.snapshot.run_diff
    if depth or at >= len(session.stepper):
        return []
    actual = None if run_diff is None else run_diff.rows[run_diff.row_of("right", at)].left
    runs = [("predicted", session.stepper.run, at), ("actual", None if run_diff is None else run_diff.left, actual)]
    return [
        EditorVariable(name, cut("; ".join(run.conditions[step]), MAX_VALUE_CHARS))
        for name, run, step in runs
        if run is not None and step is not None and step in run.conditions
    ]


def hidden_rows(session: DapSession) -> list[EditorVariable]:
    """Return the hidden inputs of this step; in brackets the actual ones, if they differ."""
    run, at = session.stepper.run, session.position
    if at >= len(run.events):
        return []
    run_diff = session.snapshot.run_diff
    actual: Sequence[tuple[str, str]] = ()
    if run_diff is not None and run_diff.left:
        step = run_diff.rows[run_diff.row_of("right", at)].left
        actual = run_diff.left.events[step].hidden if step is not None else ()
    rows = []
    for n, (kind, value) in enumerate(run.events[at].hidden):
        other = actual[n] if n < len(actual) else (kind, value)
        note = "" if other == (kind, value) else f" (actual: {other[1]})"
        rows.append(EditorVariable(in_words(kind), excerpt(value, MAX_VALUE_CHARS) + note, kind))
    if run.threads is not None:
        rows.append(EditorVariable("thread", str(run.threads[at])))
    return rows


def context_of(session: DapSession, frames: Sequence[Mapping[str, str]]) -> ValueContext:
    """Return the context of the values of some frames."""
    texts = tuple(text for values in frames for text in values.values())
    return ValueContext(session.current.ask.program.language, texts)


def _scope(
    session: DapSession, name: str, rows: list[EditorVariable], *, owner: VariableOwner | None = None, hint: str = ""
) -> dict[str, Any]:
    reference = session.references.put(page_of(rows), owner=owner)
    plain = {"name": name, "variablesReference": reference, "namedVariables": len(rows), "expensive": False}
    return {**plain, "presentationHint": hint} if hint else plain


def _actual_values(session: DapSession, depth: int, frame: StoppedFrame) -> Mapping[str, str] | str:
    """The values of the same frame in the actual run, at the same step; or why there are none."""
    run_diff, truth = session.snapshot.run_diff, session.snapshot.truth
    if run_diff is None or truth is None:
        return session.current.why or "there is no actual run"
    step: int | None = len(truth)
    if session.position < len(session.stepper):
        here = session.position if session.done is None else session.done
        step = run_diff.rows[run_diff.row_of("right", here)].left
    if step is None:
        return "the actual run does not execute this step"
    stack = truth.stack(step) if session.done is None else truth.stack(truth.run.history.shown_at(step), step)
    at = len(stack) - len(session.stack()) + depth
    if not 0 <= at < len(stack) or stack[at].function != frame.function:
        return "the actual run has no such frame here"
    return stack[at].values


def differences(
    actual: Mapping[str, str],
    predicted: Mapping[str, str],
    context: ValueContext | None = None,
    explain: Callable[[str], EditorVariable] | None = None,
) -> list[EditorVariable]:
    """Return the names whose values differ between two frames; `explain` adds a row to each."""
    rows = []
    for name in dict.fromkeys([*actual, *predicted]):
        wanted, got = actual.get(name), predicted.get(name)
        if wanted != got and not (wanted is not None and got is not None and equal(wanted, got)):
            rows.append(differing(name, wanted, got, context, None if explain is None else explain(name)))
    return rows


def variables(session: DapSession, arguments: Arguments) -> dict[str, Any]:
    """Return a page of the variables under a reference."""
    page = session.references.variables(
        arguments.number("variablesReference"),
        start=arguments.number("start", 0),
        count=arguments.number("count", 0),
        only=arguments.maybe("filter"),
    )
    return {"variables": page}


def evaluate(session: DapSession, arguments: Arguments) -> dict[str, Any]:
    """Evaluate an expression over the predicted values of a frame."""
    depth = arguments.number("frameId", -1)
    session.require_stopped()
    stack = session.stack()
    frame = frame_of(session, depth)[1] if depth >= 0 else (stack[0] if stack else None)
    language = session.current.ask.program.language
    question = question_of(arguments.text("expression"), list(frame.values) if frame else ())
    if question is not None:
        return answer(session, frame, question, arguments.maybe("context"))
    expression = parse(arguments.text("expression"), language)
    try:
        value = expression.value(frame.values if frame else {})
    except UnknownValue as error:
        raise UsageError(str(error)) from None
    row = variable_of("", value, context=context_of(session, [stopped.values for stopped in stack]))
    context = arguments.maybe("context")
    result = value if context == "clipboard" else excerpt(value, MAX_VALUE_CHARS)
    if context == "hover":
        whole = (note.name for note in notes(value, language) if (note.start, note.end) == (0, len(value)))
        result += "".join(f" ({name})" for name in whole)
        wrong = _hovered(session, frame, arguments.text("expression").strip(), replace(row, shown=result))
        if wrong is not None:
            return {"result": wrong.value, "type": wrong.kind, **session.references.opened(wrong)}
    return {"result": result, "type": row.kind, **session.references.opened(row)}


def _hovered(session: DapSession, frame: StoppedFrame | None, name: str, row: EditorVariable) -> EditorVariable | None:
    """What a hover over a wrong name shows; None for another expression, or a right value."""
    if frame is None or session.is_recorded or name not in frame.values:
        return None
    depth = next(at for at, other in enumerate(session.stack()) if other == frame)
    actual = _actual_values(session, depth, frame)
    wanted = None if isinstance(actual, str) else actual.get(name)
    beside = None if wanted is None else variable_of("actual", wanted, context=context_of(session, [frame.values]))
    return hovered(session, frame, name, replace(row, name="predicted"), beside)


def exception_info(session: DapSession, arguments: Arguments) -> dict[str, Any]:
    """Explain the divergence at this stop: the cause with its evidence, and the model's belief."""
    session.require_stopped()
    assert session.stopped is not None
    points = session.stopped.points
    failure = session.failure
    if failure is not None and session.stopped.reason == "exception":
        return _failure_info(failure)
    if not points:
        raise UsageError("nothing is wrong here")
    branch = session.current
    lines = list(dict.fromkeys(point.text for point in points))
    cause = branch.cause
    if cause is not None and cause.name != "right" and cause_in_words(cause) not in lines:
        lines.append(f"cause: {cause_in_words(cause)}")
    elif cause is None and session.snapshot.is_running:
        lines.append("cause: not known yet")
    if branch.wrong is not None:
        lines.append(f"branch: {branch.wrong.in_words(lambda value: cut(value, MAX_VALUE_CHARS))}")
    belief = _belief(session)
    if belief:
        lines.append(belief)
    title, text, description = points[0].title, points[0].text, "\n".join(lines)
    details = {"message": text, "typeName": title, "stackTrace": description}
    return {"exceptionId": title, "description": description, "breakMode": "always", "details": details}


def _failure_info(failure: FailureExplanation) -> dict[str, Any]:
    """Explain a failing test: the exception, and who wrote the values that it compared."""
    title = failure.exception.partition("(")[0] or failure.outcome
    lines = [f"{label}: {text}" if label else f"  {text}" for label, text, _ in failure_sentences(failure)]
    description = "\n".join(lines)
    details = {"message": failure.exception, "typeName": title, "stackTrace": description}
    return {"exceptionId": title, "description": description, "breakMode": "always", "details": details}


def _belief(session: DapSession) -> str:
    """What the model wrote at the divergence, what is actual, and the probability it gave each, if known."""
    belief = session.current.belief
    if belief is None:
        return ""
    predicted, actual = (
        f"`{cut(text.strip(chr(10)), 200)}`" + (f" (probability {probability:.1%})" if probability is not None else "")
        for text, probability in ((belief.wrote, belief.sure), (belief.wanted, belief.truth))
    )
    return f"belief: at step {belief.step} predicted {predicted}, actual {actual}"


def completions(session: DapSession, arguments: Arguments) -> dict[str, Any]:
    """Complete what is typed in the console."""
    text, column = arguments.text("text"), arguments.number("column") + session.client.column_shift
    typed = text[: max(column - 1, 0)]
    match = _WORD.search(typed)
    prefix = match[0] if match else ""
    stack = session.stack() if session.stopped and not session.is_over else []
    names = list(stack[0].values) if stack else []
    words = [*names, "len", "abs", "and", "or", "not", "in", "why"]
    if typed.startswith(":") and typed[1:] == prefix:
        words = list(COMMANDS)
    matching = [word for word in words if word.startswith(prefix)]
    start = len(typed) - len(prefix)
    return {"targets": [{"label": word, "start": start, "length": len(prefix)} for word in matching]}


def threads(session: DapSession | None) -> dict[str, Any]:
    """List the one thread: the prediction."""
    name = "-"
    if session is not None:
        program, predictor = session.launch.program, session.predictor
        name = f"recorded: {program.call or program.name}"
        if predictor is not None:
            name = f"{predictor.info.name} predicts {program.call or program.name}"
    return {"threads": [{"id": THREAD, "name": name}]}
