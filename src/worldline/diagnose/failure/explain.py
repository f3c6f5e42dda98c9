"""Explain a failing test from its trace: where it was raised, the values compared, who wrote them, the open calls.

Nothing is executed. What the trace does not show is said in notes: code that was not stepped into, a recording that
its budget ended before the failure.
"""

from __future__ import annotations

import ast

from worldline.core.events import CHANGELESS
from worldline.core.repository.recorded_test import RecordedTest
from worldline.core.trace import Trace
from worldline.core.value import unquote
from worldline.diagnose.failure.asserted import (
    MAX_VALUES,
    asserted_nodes,
    expects_exception,
    is_assertion,
    is_literal,
    printed_sides,
    read_by,
)
from worldline.diagnose.failure.backward import BackwardSlice
from worldline.diagnose.failure.conditions import deciding
from worldline.diagnose.failure.evaluation import Evaluation
from worldline.diagnose.failure.explanation import AssertedValue, FailureExplanation, OpenCall
from worldline.diagnose.failure.origin import ExpressionRead
from worldline.diagnose.failure.trace_index import TraceIndex
from worldline.diagnose.failure.value_keys import keys_of, part_of
from worldline.diagnose.value_diff import difference

MAX_LOOSE_VALUES = 4
_OUTSIDE = "Raised by this line, or in code that it calls and that was not stepped into."


def explain_failure(test: RecordedTest) -> FailureExplanation:
    """Explain why a recorded test failed.

    Args:
        test: The test with its trace. If it has none, or if it passed, the explanation says so in its notes.

    Returns:
        Where the exception was raised, the values in the statement that failed with their histories, and the calls
        that were open.
    """
    notes = [f"The test {_ended(test.outcome)}: there is no failure to explain."] if not test.has_failed else []
    notes += [f"Recorded with a note: {note}." for note in test.notes]
    plain = FailureExplanation(test_id=test.id, outcome=test.outcome, message=test.message, notes=tuple(notes))
    if test.trace is None or not len(test.trace):
        return _with(plain, notes=(*notes, f"There is no trace of it: {_reason(test)}."))
    index = TraceIndex(test.trace)
    step = _raise_step(index, test.id) if test.has_failed else None
    if step is None:
        notes += _unreached(test, test.trace)
        return _with(plain, steps=len(test.trace), notes=tuple(notes))
    return _explained(plain, index, step, notes)


def _with(plain: FailureExplanation, **fields: object) -> FailureExplanation:
    return FailureExplanation(**{**plain.__dict__, **fields})


def _ended(outcome: str) -> str:
    return outcome if outcome == "passed" else f"is {outcome}"


def _reason(test: RecordedTest) -> str:
    reasons = {"timeout": "it did not end in time", "crashed": "its process ended", "missing": "it was never reached"}
    return reasons.get(test.outcome, "no step of the repository was recorded")


def _unreached(test: RecordedTest, trace: Trace) -> list[str]:
    """Why the trace of a failing test has no exception."""
    if not test.has_failed:
        return []
    if trace.outcome.kind == "limit":
        why = f"The recording ended at its budget, after {len(trace):,} steps and before the test failed"
        return [f"{why}: pass a larger --max-steps."]
    if test.outcome == "timeout":
        return ["The test did not end in time: the last steps show where it was."]
    return ["No recorded frame raised the exception: it comes from code that was not stepped into."]


def _raise_step(index: TraceIndex, test_id: str) -> int | None:
    """The step at which the exception was raised first: of the test's own frame, else of a fixture or a thread."""
    left = [root for root in index.roots if index.trace[index.last(root)].event == "raise"]
    names = test_id.rpartition("::")[2].partition("[")[0]
    own = [root for root in left if index.frames[root].name.rpartition(".")[2] == names]
    if not left:
        return None
    step = index.last((own or left)[0])
    if index.trace.outcome.kind == "limit" and step == len(index.trace) - 1:
        return None  # the budget may have ended before somebody caught it
    while (inner := _raised_before(index, step)) is not None:
        step = inner
    return step


def _raised_before(index: TraceIndex, step: int) -> int | None:
    """The raise of a called frame that a raise hands on; None if it is the first."""
    event = index.trace[step]
    before = next((other for other in range(step - 1, -1, -1) if index.trace[other].event not in CHANGELESS), None)
    frame = None if before is None else index.trace.columns.frame[before]
    if frame is None or index.frames[frame].parent != event.frame or index.last(frame) != before:
        return None
    # Handlers that do not take the exception are lines after it.
    raises = [other for other in index.steps(frame) if index.trace[other].event == "raise"]
    return raises[-1] if raises and index.trace[raises[-1]].arg == event.arg else None


def _explained(plain: FailureExplanation, index: TraceIndex, step: int, notes: list[str]) -> FailureExplanation:
    evaluation = Evaluation(index, step)
    exception = index.trace[step].arg or ""
    statement = evaluation.node
    calls = _open_calls(index, step)
    values, path = _values(evaluation, exception) if statement is not None else ((), "")
    is_own = isinstance(statement, ast.Raise) or (
        exception.startswith("AssertionError") and statement is not None and is_assertion(statement)
    )
    if statement is not None and not is_own:
        if expects_exception(statement):
            notes.append("The expected exception was not raised by the block.")
        elif not any(value.writer for value in values) or not evaluation.calls:
            notes.append(_OUTSIDE)
    source = "" if statement is None else _header(index, evaluation)
    return _with(
        plain,
        exception=exception,
        raised=index.place(step),
        test_line=calls[-1].place if calls else None,
        statement=source,
        path=path,
        values=values,
        calls=calls,
        steps=step + 1,
        notes=tuple(notes),
    )


def _header(index: TraceIndex, evaluation: Evaluation) -> str:
    """The source of a statement on one line; of a compound one, its first line."""
    node = evaluation.node
    assert node is not None
    if hasattr(node, "body"):
        return index.line(evaluation.file, node.lineno)
    return " ".join(index.source(evaluation.file, node).split())


def _open_calls(index: TraceIndex, step: int) -> tuple[OpenCall, ...]:
    """The frames that were open at a step, innermost first."""
    calls, frame, at = list[OpenCall](), index.trace.columns.frame[step], step
    while frame >= 0:
        first = index.trace[index.first(frame)]
        arguments = tuple(first.delta.items()) if first.event == "call" else ()
        calls.append(OpenCall(frame=frame, place=index.place(at), arguments=arguments))
        frame, began = index.frames[frame].parent, first.i
        before = index.before(frame, began) if frame >= 0 else None
        if before is None:
            break
        at = before
    return tuple(calls)


def _values(evaluation: Evaluation, exception: str) -> tuple[tuple[AssertedValue, ...], str]:
    """The values in the failing statement with their histories, and where the two sides differ."""
    assert evaluation.node is not None
    nodes, is_equal = asserted_nodes(evaluation.node)
    if isinstance(evaluation.node, ast.With | ast.AsyncWith):
        return _of_block(evaluation, nodes), ""
    if isinstance(evaluation.node, ast.Raise):
        return _of_raise(evaluation, nodes), ""
    if not isinstance(evaluation.node, ast.Assert) and not is_equal:
        # What is not known has parts that are.
        simple = [node for node in nodes if isinstance(node, ast.Name) or evaluation.value(node) is not None]
        nodes = (simple or nodes)[:MAX_LOOSE_VALUES]
    nodes = nodes[:MAX_VALUES]
    known = [evaluation.value(node) for node in nodes]
    if isinstance(evaluation.node, ast.Assert) or is_equal:
        printed = printed_sides(_message(exception), len(nodes))
        known = [own if own is not None else other for own, other in zip(known, printed, strict=True)]
    path = ""
    if is_equal and known[0] is not None and known[1] is not None:
        first = difference(known[1], known[0])
        path = "" if first is None else first.path
    return tuple(_value(evaluation, node, text, path) for node, text in zip(nodes, known, strict=True)), path


def _of_raise(evaluation: Evaluation, nodes: list[ast.expr]) -> tuple[AssertedValue, ...]:
    """What a `raise` reads, and before it what the condition reads that decided it."""
    decision = deciding(evaluation.index, evaluation.step)
    reads = [] if decision is None else [read for read in decision.reads if isinstance(read, ExpressionRead)]
    places = [(read.evaluation, node) for read in reads for node in read_by(read.node)]
    places += [(evaluation, node) for node in nodes]
    values: dict[str, AssertedValue] = {}
    for place, node in places:
        text = place.value(node)
        if (isinstance(node, ast.Name) or text is not None) and len(values) < MAX_LOOSE_VALUES:
            value = _value(place, node, text, "")
            if value.links:
                values.setdefault(value.text, value)
    return tuple(values.values())


def _of_block(evaluation: Evaluation, nodes: list[ast.expr]) -> tuple[AssertedValue, ...]:
    """The last call of a block that should have raised: it ran before the step that raised."""
    index, values = evaluation.index, list[AssertedValue]()
    for node in nodes:
        steps = [step for step in index.steps(evaluation.frame) if step < evaluation.step]
        at = next((step for step in reversed(steps) if index.trace.columns.line[step] == node.lineno), None)
        if at is not None:
            inner = Evaluation(index, at)
            own = next((part for part in inner.calls if ast.unparse(part) == ast.unparse(node)), node)
            values.append(_value(inner, own, inner.value(own), ""))
    return tuple(values)


def _message(exception: str) -> str:
    """The text of an exception with one string as its argument."""
    start, end = exception.find("("), exception.rfind(")")
    inner = exception[start + 1 : end] if 0 <= start < end else ""
    if inner[:1] not in ("'", '"'):
        return exception
    try:
        return unquote(inner)
    except (ValueError, SyntaxError):
        return inner


def _value(evaluation: Evaluation, node: ast.AST, text: str | None, path: str) -> AssertedValue:
    source = " ".join(evaluation.index.source(evaluation.file, node).split())
    if isinstance(node, ast.expr) and is_literal(evaluation, node):
        return AssertedValue(text=source, value=text, is_literal=True)
    keys = keys_of(path)
    while keys and part_of(text, keys) is None:
        keys = keys[:-1]
    history = BackwardSlice(evaluation.index)
    history.follow(ExpressionRead(evaluation, node, keys))
    notes = list(history.notes)
    if not history.links:
        notes.append("no recorded step wrote it")
    return AssertedValue(text=source, value=text, links=tuple(history.links), notes=tuple(notes))
