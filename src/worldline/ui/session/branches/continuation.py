"""The interpreter's own continuation of a branch: what really happens from the intervention on, or why nobody can say.

The interpreter is taken along its own run to the place of the intervention, given the model's whole state there, and
the change. The truth of the branch is the model's text up to there and behind it what the interpreter does: what
differs is what the model does wrong from the same state on.

It can be taken there only where the model went the way that its own run went, up to there: a run has more to it than
its names (an iterator's place, a value half computed), so that no other place will do. Nothing is guessed: what it
cannot be given is said in `why`.
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
from worldline.core.trace import Hidden, Step
from worldline.diagnose.debug import DEFAULT_STEPS
from worldline.diagnose.trials import MAX_TRUTH_BYTES
from worldline.predict.interpreter import RefusedChange, continue_from
from worldline.predict.interpreter import record_request as run_of
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.branches.branch import Branch
from worldline.ui.session.branches.plan import BranchPlan, BranchPoint, ImaginedRun, behind


@dataclass(frozen=True)
class Continuation:
    """What really happens; where nobody can say, why. `changed`: the run was changed under way.

    `given` is how the model's text begins, where the interpreter spells it in another order of names. `hidden` are the
    hidden inputs of a run that was recorded for it.
    """

    truth: Prediction | None = None
    why: str = ""
    changed: bool = False
    given: bytes | None = None
    hidden: tuple[Hidden, ...] = ()


def recorded(
    ask: PredictionRequest, *, limits: Limits | None = None, codec: str = DEFAULT_NOTATION
) -> Continuation:
    """The true run of an ask's program."""
    bounds = limits or Limits(steps=max(DEFAULT_STEPS, ask.limit))
    whole = replace(ask, limit=MAX_TRUTH_BYTES, given=b"")
    truth, trace = run_of(whole, bounds, codec)
    if _is_none(truth):
        return Continuation(why=truth.note or "it could not be recorded")
    return Continuation(truth, hidden=trace.hidden)


def _is_none(truth: Prediction) -> bool:
    return truth.status == "fault" or bool(truth.note)


def continuation(
    lineage: list[Branch], plan: BranchPlan, *, limits: Limits | None = None, codec: str = DEFAULT_NOTATION
) -> Continuation:
    """What happens behind an intervention on the last of a line of branches, the root first."""
    parent = lineage[-1]
    if plan.fresh:
        return recorded(plan.ask, limits=limits, codec=codec)
    if plan.point is None:  # a budget: the run is the same
        is_cut = parent.truth is not None and parent.truth.status != "ended" and not parent.changed
        again = recorded(plan.ask, limits=limits, codec=codec) if is_cut else Continuation()
        return again if again.truth else Continuation(parent.truth, parent.why, parent.changed)
    return _changed(ImaginedRun.of(parent), lineage, plan, plan.point, limits)


def _trunk(lineage: list[Branch]) -> Branch | None:
    """The nearest branch of the same program whose true run was not changed."""
    program = lineage[-1].ask.program
    same = (one for one in reversed(lineage) if one.ask.program == program)
    return next((one for one in same if one.truth is not None and not one.changed), None)


def _changed(
    run: ImaginedRun, lineage: list[Branch], plan: BranchPlan, point: BranchPoint, limits: Limits | None
) -> Continuation:
    program = run.ask.program
    if refusal := program.lang.refusal(Feature.CHANGE, program.name):
        return Continuation(why=refusal)
    trunk = _trunk(lineage)
    if trunk is None or trunk.truth is None:
        return Continuation(why=lineage[-1].why or "there is no true run to change")
    if run.ask.options.reveal != 1:
        return Continuation(
            why="the text does not show every state, so that the interpreter cannot be given it"
        )
    true = _true_run(run, trunk.truth)
    left = _parting(run, true, point.steps)
    if left is not None:
        return Continuation(why=_left(run, lineage[-1], point, left))
    if not _is_done(true, point):
        return Continuation(
            why=f"the true run is not done with step {point.step} there: it calls somebody, or prints"
        )
    there = _names(true, point, plan.late)
    values = _differing(_names(run, point, plan.late), there)
    if plan.late and values:
        return Continuation(
            why=f"step {point.step} is not done where the text ends, and the model's state is another one"
        )
    mine = values.pop(point.frame, {})
    kept = {name: value for name, value in mine.items() if name not in plan.values}
    held = _held(true, point, {**values, point.frame: kept})
    if held:
        return Continuation(why=held)
    # To correct the model is to leave the interpreter as it is; any other edit is an assignment.
    right = {name for name in mine if plan.values.get(name) == there.get(point.frame, {}).get(name)}
    asked = {name: value for name, value in plan.values.items() if name not in right}
    values |= {point.frame: {**kept, **asked}} if kept or asked else {}
    # What stands before the step is true whatever is changed: it holds the program to the run that was recorded.
    before = true.text[: true.turns[point.step].start]
    ask = replace(run.ask, limit=MAX_TRUTH_BYTES, given=before)
    bounds = limits or Limits(steps=max(DEFAULT_STEPS, plan.ask.limit))
    found = continue_from(ask, Change(point.step, values, plan.line), limits=bounds)
    return (
        Continuation(why=found.why)
        if isinstance(found, RefusedChange)
        else _spliced(_true_run(run, found), found, plan, point)
    )


def _is_done(true: ImaginedRun, point: BranchPoint) -> bool:
    """Whether the step is done in the true run where it is done in the model's."""
    try:
        return true.branch_point(point.step).steps == point.steps
    except UsageError:
        return False


def _true_run(run: ImaginedRun, truth: Prediction) -> ImaginedRun:
    return ImaginedRun(run.ask, truth.text, parse(truth.text, run.ask.prompt), turns(truth.text))


def _left(run: ImaginedRun, parent: Branch, point: BranchPoint, step: int) -> str:
    """Why there is no way to the point."""
    own = parent.truth if parent.changed else None
    if own is not None and _parting(run, _true_run(run, own), point.steps) is None:
        return f"its place is reached only by the change of branch {parent.id}, and a run can be changed once"
    return f"the model has left the true way at step {step}: no true run comes to this place"


def _spliced(true: ImaginedRun, found: Prediction, plan: BranchPlan, point: BranchPoint) -> Continuation:
    """The model's text up to the point, and behind it what the interpreter does: from the same state, so it fits."""
    cut = behind(true, point, late=plan.late)
    given, start = plan.ask.given, true.text[:cut]
    if (
        sorted(start) == sorted(given)
        and parse(start, true.ask.prompt).steps == parse(given, true.ask.prompt).steps
    ):
        given = start
    return Continuation(replace(found, text=given + true.text[cut:]), changed=True, given=given)


def _parting(run: ImaginedRun, true: ImaginedRun, count: int) -> int | None:
    """The first of so many steps in which two runs do not do the same; values are not looked at."""
    found, wanted = run.parsed.steps, true.parsed.steps
    for i in range(count):
        if i >= len(wanted) or _action(found[i]) != _action(wanted[i]):
            return i
    return None


def _action(step: Step) -> tuple[str, int, int]:
    return step.event, step.frame, step.line


def _names(run: ImaginedRun, point: BranchPoint, late: bool) -> dict[int, dict[str, str]]:
    """The names of the frames that run or are suspended, as a point finds them.

    What the newest step of a frame that waits has changed is not done yet, but for the point's own, unless that is to
    come (`late`); arguments are there at once.
    """
    steps = run.parsed.steps[: point.steps]
    newest = {step.frame: step for step in steps if step.event not in CHANGELESS}
    live = {*run.stack(point.steps - 1), point.frame}
    live |= {frame for frame, step in newest.items() if step.event == "yield"}
    names: dict[int, dict[str, str]] = {frame: {} for frame in sorted(live)}
    for step in steps:
        waits = (
            newest.get(step.frame) is step and step.event != "call" and (late or step.frame != point.frame)
        )
        if step.frame in names and not waits:
            for name in step.gone:
                names[step.frame].pop(name, None)
            names[step.frame].update(step.delta)
    return names


def _differing(
    wanted: Mapping[int, Mapping[str, str]], there: Mapping[int, Mapping[str, str]]
) -> dict[int, dict[str, str | None]]:
    """What must be changed to come from one state to another."""
    found: dict[int, dict[str, str | None]] = {}
    for frame, names in wanted.items():
        old = there.get(frame, {})
        other = {name: names.get(name) for name in [*names, *old] if names.get(name) != old.get(name)}
        if other:
            found[frame] = dict(other)
    return found


def _held(true: ImaginedRun, point: BranchPoint, values: Mapping[int, Mapping[str, object]]) -> str:
    """Why some of the model's values cannot be given: the interpreter holds what it has made of the true ones.

    A loop goes on over what it began with, and a line that waits for a call has read some of its names already.
    """
    steps = true.parsed.steps[: point.steps]
    for frame, names in values.items():
        newest = next(
            step for step in reversed(steps) if step.frame == frame and step.event not in CHANGELESS
        )
        source = true.source(frame)
        used = {} if source is None else names_in_use(source, newest.line, waits=frame != point.frame)
        for name in names:
            if name in used:
                return (
                    f"the model has another {name}, and line {used[name]} goes on with what it has read of it"
                )
    return ""


@lru_cache(maxsize=64)
def names_in_use(source: str, line: int, *, waits: bool) -> dict[str, int]:
    """The names that a line under way has read already, each with the line that reads it. Reads source only.

    Other values for them would come too late: a loop goes on over what it began with, and so does a comprehension.
    A frame that `waits` at a line, for a call or to be resumed, may have read any name of the expression that it waits
    in; which of them it has is not found out.
    """
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.For | ast.AsyncFor) and _is_in(line, node.iter, node.body[-1]):
            _read(node.iter, found)
        elif isinstance(node, ast.expr) and _is_in(line, node, node):
            if waits:
                _read(node, found)
            for loop in getattr(node, "generators", ()):
                _read(loop.iter, found)
    return found


def _is_in(line: int, first: ast.expr, last: ast.stmt | ast.expr) -> bool:
    return first.lineno <= line <= (last.end_lineno or last.lineno)


def _read(node: ast.expr, found: dict[str, int]) -> None:
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found.setdefault(part.id, part.lineno)
