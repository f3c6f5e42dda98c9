"""The actual continuation of a branch: what the interpreter does after an edit, or why that is not known.

The interpreter executes up to the place of the edit and is given the model's complete state there, with the edit. The
truth of the branch is the model's text up to there, then what the interpreter does: every difference after the edit is
the model's own.

This works only if the model's actions were right up to there: an execution has more state than its names (the position
of an iterator, a partial result), so it must come to the same place. Nothing is guessed: `why` says what is missing.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from worldline.codec.compact.parse import parse
from worldline.codec.compact.turns import turns
from worldline.codec.names import DEFAULT_NOTATION
from worldline.core.change import Change
from worldline.core.errors import UsageError
from worldline.core.events import CHANGELESS
from worldline.core.language import Feature
from worldline.core.limits import Limits
from worldline.core.trace import Hidden, Step, Trace
from worldline.diagnose.debug import DEFAULT_STEPS
from worldline.diagnose.trials import MAX_TRUTH_BYTES
from worldline.predict.interpreter import RefusedChange, continue_from
from worldline.predict.interpreter import record_request as run_of
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.scratchpad import fold_text
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.branches.plan import BranchPlan, BranchPoint, EditableRun, continuation_start


@dataclass(frozen=True)
class Continuation:
    """The actual continuation of a branch; if `truth` is None, `why` gives the reason.

    `changed`: the execution was changed on the way. `given` is the start of the model's text, if the interpreter writes
    its names in another order. `hidden` are the hidden inputs of the recorded run, and `trace` is its recording.
    """

    truth: Prediction | None = None
    why: str = ""
    changed: bool = False
    given: bytes | None = None
    hidden: tuple[Hidden, ...] = ()
    trace: Trace | None = None


def record_truth(
    ask: PredictionRequest, *, limits: Limits | None = None, codec: str = DEFAULT_NOTATION, is_folded: bool = False
) -> Continuation:
    """Record the true run of a request's program; folded, it can be compared with a prediction on a scratchpad."""
    bounds = limits or Limits(steps=max(DEFAULT_STEPS, ask.limit))
    whole = replace(ask, limit=MAX_TRUTH_BYTES, given=b"")
    truth, trace = run_of(whole, bounds, codec, containers=True)
    if truth.status == "fault" or truth.note:
        return Continuation(why=truth.note or "the program could not be recorded")
    if is_folded:
        truth = replace(truth, text=fold_text(ask.program, ask.options, truth.text))
    return Continuation(truth, hidden=trace.hidden, trace=trace)


class _CannotContinue(Exception):
    """The interpreter cannot continue from an edit; the text says why."""


def continue_truth(
    lineage: list[Branch], plan: BranchPlan, *, limits: Limits | None = None, codec: str = DEFAULT_NOTATION
) -> Continuation:
    """Continue the true run after an edit of the last branch of a lineage, which starts with the root."""
    parent = lineage[-1]
    if plan.fresh:
        return record_truth(plan.ask, limits=limits, codec=codec)
    if plan.point is None:  # another budget: the true run is the same
        is_cut = parent.truth is not None and parent.truth.status != "ended" and not parent.changed
        again = record_truth(plan.ask, limits=limits, codec=codec) if is_cut else Continuation()
        return again if again.truth else Continuation(parent.truth, parent.why, parent.changed)
    try:
        return _edited_run(EditableRun.of(parent), lineage, plan, plan.point, limits)
    except _CannotContinue as reason:
        return Continuation(why=str(reason))


def _trunk(lineage: list[Branch]) -> Branch | None:
    """The nearest branch of the same program whose execution was not changed."""
    program = lineage[-1].ask.program
    same = (branch for branch in reversed(lineage) if branch.ask.program == program)
    return next((branch for branch in same if branch.truth is not None and not branch.changed), None)


def _edited_run(
    run: EditableRun, lineage: list[Branch], plan: BranchPlan, point: BranchPoint, limits: Limits | None
) -> Continuation:
    true = _run_to_edit(run, lineage, point)
    values = _values_to_set(run, true, plan, point)
    # The text before the step holds the program to the recorded run, whatever is changed after it.
    ask = replace(run.ask, limit=MAX_TRUTH_BYTES, given=true.text[: true.turns[point.step].start])
    bounds = limits or Limits(steps=max(DEFAULT_STEPS, plan.ask.limit))
    truth = continue_from(ask, Change(point.step, values, plan.line), limits=bounds)
    if isinstance(truth, RefusedChange):
        raise _CannotContinue(truth.why)
    return _spliced(_true_run(run, truth), truth, plan, point)


def _run_to_edit(run: EditableRun, lineage: list[Branch], point: BranchPoint) -> EditableRun:
    """The true run that comes to the point of the edit."""
    program = run.ask.program
    if refusal := program.lang.refusal(Feature.CHANGE, program.name):
        raise _CannotContinue(refusal)
    trunk = _trunk(lineage)
    if trunk is None or trunk.truth is None:
        raise _CannotContinue(lineage[-1].why or "there is no actual run to change")
    if run.ask.options.reveal != 1:
        raise _CannotContinue("the text does not show every state, and the interpreter needs all of them")
    true = _true_run(run, trunk.truth)
    diverged = _first_other_action(run, true, point.steps)
    if diverged is not None:
        raise _CannotContinue(_unreachable(run, lineage[-1], point, diverged))
    if not _is_complete(true, point):
        raise _CannotContinue(f"in the actual run step {point.step} is not complete there: it calls or prints")
    return true


def _values_to_set(
    run: EditableRun, true: EditableRun, plan: BranchPlan, point: BranchPoint
) -> dict[int, dict[str, str | None]]:
    """The values that give the interpreter the model's state at the point, with the edit, by frame."""
    actual = _names(true, point, plan.late)
    values = _differing(_names(run, point, plan.late), actual)
    if plan.late and values:
        raise _CannotContinue(f"the text ends before step {point.step} is complete, and its state diverges")
    differing = values.pop(point.frame, {})
    unedited = {name: value for name, value in differing.items() if name not in plan.values}
    _refuse_names_in_use(true, point, {**values, point.frame: unedited})
    # An edit that corrects the model leaves the interpreter as it is. Any other edit is an assignment.
    corrected = {name for name in differing if plan.values.get(name) == actual.get(point.frame, {}).get(name)}
    edited = {name: value for name, value in plan.values.items() if name not in corrected}
    return {**values, point.frame: {**unedited, **edited}} if unedited or edited else values


def _is_complete(true: EditableRun, point: BranchPoint) -> bool:
    """Whether the step is complete in the true run where it is in the model's."""
    try:
        return true.branch_point(point.step).steps == point.steps
    except UsageError:
        return False


def _true_run(run: EditableRun, truth: Prediction) -> EditableRun:
    return EditableRun(run.ask, truth.text, parse(truth.text, run.ask.prompt), turns(truth.text))


def _unreachable(run: EditableRun, parent: Branch, point: BranchPoint, diverged: int) -> str:
    """Why no execution comes to the point."""
    own = parent.truth if parent.changed else None
    if own is not None and _first_other_action(run, _true_run(run, own), point.steps) is None:
        return f"only the edit of branch {parent.id} leads here, and an execution can be changed once"
    return f"the model diverges at step {diverged}: no execution comes to this place"


def _spliced(true: EditableRun, truth: Prediction, plan: BranchPlan, point: BranchPoint) -> Continuation:
    """The model's text up to the point, then what the interpreter does from the same state."""
    end = continuation_start(true, point, late=plan.late)
    prefix, start = plan.ask.given, true.text[:end]
    if sorted(start) == sorted(prefix) and parse(start, true.ask.prompt).steps == parse(prefix, true.ask.prompt).steps:
        prefix = start
    return Continuation(replace(truth, text=prefix + true.text[end:]), changed=True, given=prefix)


def _first_other_action(run: EditableRun, true: EditableRun, count: int) -> int | None:
    """The first of `count` steps with another action than the true run; values are not compared."""
    predicted, actual = run.parsed.steps, true.parsed.steps
    for i in range(count):
        if i >= len(actual) or _action(predicted[i]) != _action(actual[i]):
            return i
    return None


def _action(step: Step) -> tuple[str, int, int]:
    return step.event, step.frame, step.line


def _names(run: EditableRun, point: BranchPoint, late: bool) -> dict[int, dict[str, str]]:
    """The names of the live frames at a point.

    The changes of a waiting frame's latest step do not count yet, except the point's own if they are not `late`.
    Arguments count at once.
    """
    steps = run.parsed.steps[: point.steps]
    newest = {step.frame: step for step in steps if step.event not in CHANGELESS}
    live = {*run.stack(point.steps - 1), point.frame}
    live |= {frame for frame, step in newest.items() if step.event == "yield"}
    names: dict[int, dict[str, str]] = {frame: {} for frame in sorted(live)}
    for step in steps:
        waits = newest.get(step.frame) is step and step.event != "call" and (late or step.frame != point.frame)
        if step.frame in names and not waits:
            for name in step.gone:
                names[step.frame].pop(name, None)
            names[step.frame].update(step.delta)
    return names


def _differing(
    wanted: Mapping[int, Mapping[str, str]], actual: Mapping[int, Mapping[str, str]]
) -> dict[int, dict[str, str | None]]:
    """The values to set, by frame, to get from the actual state to the wanted one."""
    values: dict[int, dict[str, str | None]] = {}
    for frame, names in wanted.items():
        old = actual.get(frame, {})
        differing = {name: names.get(name) for name in [*names, *old] if names.get(name) != old.get(name)}
        if differing:
            values[frame] = differing
    return values


def _refuse_names_in_use(true: EditableRun, point: BranchPoint, values: Mapping[int, Mapping[str, object]]) -> None:
    """Refuse values that the interpreter has used already.

    A loop continues over the object it started with, and a line that waits for a call has read some of its names.
    """
    steps = true.parsed.steps[: point.steps]
    for frame, names in values.items():
        newest = next(step for step in reversed(steps) if step.frame == frame and step.event not in CHANGELESS)
        source = true.source(frame)
        used = {} if source is None else names_in_use(source, newest.line, waits=frame != point.frame)
        for name in names:
            if name in used:
                raise _CannotContinue(
                    f"the model has another {name}, and line {used[name]} has already read the actual one"
                )


@lru_cache(maxsize=64)
def names_in_use(source: str, line: int, *, waits: bool) -> dict[str, int]:
    """Return the names that an executing line has already read, each with the line that reads it.

    New values for them would come too late: a loop or a comprehension continues over the object it started with. A
    frame that `waits` at a line, for a call or to be resumed, may have read any name of the expression it waits in.
    """
    names: dict[str, int] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.For | ast.AsyncFor) and _is_in(line, node.iter, node.body[-1]):
            _read(node.iter, names)
        elif isinstance(node, ast.expr) and _is_in(line, node, node):
            if waits:
                _read(node, names)
            for loop in getattr(node, "generators", ()):
                _read(loop.iter, names)
    return names


def _is_in(line: int, first: ast.expr, last: ast.stmt | ast.expr) -> bool:
    return first.lineno <= line <= (last.end_lineno or last.lineno)


def _read(node: ast.expr, names: dict[str, int]) -> None:
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            names.setdefault(part.id, part.lineno)
