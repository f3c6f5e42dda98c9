"""The interpreter's own continuation of a branch: what really happens from the intervention on, or why nobody can say.

The interpreter is taken along its own run to the place of the intervention, given the model's whole state there, and
the change. The truth of the branch is the model's text up to there and behind it what the interpreter does: what
differs is what the model does wrong from the same state on.

It can be taken there only where the model went the way that its own run went, up to there: a run has more to it than
its names (an iterator's place, a value half computed), so that no other place will do. Nothing is guessed: what it
cannot be given is said in `why`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from worldline.codec.compact.parse import parse
from worldline.codec.compact.turns import turns
from worldline.core.change import Change
from worldline.core.events import CHANGELESS
from worldline.core.trace import Step
from worldline.diagnose.debug import STEPS
from worldline.diagnose.trials import WHOLE
from worldline.errors import UsageError
from worldline.explore.branches.branch import Branch
from worldline.explore.branches.plan import Place, Plan, Run, behind
from worldline.explore.names_in_use import in_use
from worldline.limits import Limits
from worldline.predict.interpreter import Interpreter, RefusedChange, continued
from worldline.predict.predictor import Ask, Prediction


@dataclass(frozen=True)
class Course:
    """What really happens; where nobody can say, why. `changed`: the run was changed under way.

    `given` is how the model's text begins, where the interpreter spells it in another order of names.
    """

    truth: Prediction | None = None
    why: str = ""
    changed: bool = False
    given: bytes | None = None


def recorded(ask: Ask, *, limits: Limits | None = None, codec: str = "compact") -> Course:
    """The true run of an ask's program."""
    bounds = limits or Limits(steps=max(STEPS, ask.limit))
    whole = replace(ask, limit=WHOLE, given=b"")
    truth = next(iter(Interpreter(limits=bounds, codec=codec).predict([whole])))
    return Course(why=truth.note or "it could not be recorded") if _is_none(truth) else Course(truth)


def _is_none(truth: Prediction) -> bool:
    return truth.status == "fault" or bool(truth.note)


def course(
    lineage: list[Branch], plan: Plan, *, limits: Limits | None = None, codec: str = "compact"
) -> Course:
    """What happens behind an intervention on the last of a line of branches, the root first."""
    parent = lineage[-1]
    if plan.fresh:
        return recorded(plan.ask, limits=limits, codec=codec)
    if plan.place is None:  # a budget: the run is the same
        is_cut = parent.truth is not None and parent.truth.status != "ended" and not parent.changed
        again = recorded(plan.ask, limits=limits, codec=codec) if is_cut else Course()
        return again if again.truth else Course(parent.truth, parent.why, parent.changed)
    return _changed(Run.of(parent), lineage, plan, plan.place, limits)


def _trunk(lineage: list[Branch]) -> Branch | None:
    """The nearest branch of the same program whose true run was not changed."""
    program = lineage[-1].ask.program
    same = (one for one in reversed(lineage) if one.ask.program == program)
    return next((one for one in same if one.truth is not None and not one.changed), None)


def _changed(run: Run, lineage: list[Branch], plan: Plan, place: Place, limits: Limits | None) -> Course:
    trunk = _trunk(lineage)
    if trunk is None or trunk.truth is None:
        return Course(why=lineage[-1].why or "there is no true run to change")
    if run.ask.options.reveal != 1:
        return Course(why="the text does not show every state, so that the interpreter cannot be given it")
    true = _true_run(run, trunk.truth)
    left = _parting(run, true, place.steps)
    if left is not None:
        return Course(why=_left(run, lineage[-1], place, left))
    if not _is_done(true, place):
        return Course(
            why=f"the true run is not done with step {place.step} there: it calls somebody, or prints"
        )
    there = _names(true, place, plan.late)
    values = _differing(_names(run, place, plan.late), there)
    if plan.late and values:
        return Course(
            why=f"step {place.step} is not done where the text ends, and the model's state is another one"
        )
    mine = values.pop(place.frame, {})
    kept = {name: value for name, value in mine.items() if name not in plan.values}
    held = _held(true, place, {**values, place.frame: kept})
    if held:
        return Course(why=held)
    # To correct the model is to leave the interpreter as it is; any other edit is an assignment.
    right = {name for name in mine if plan.values.get(name) == there.get(place.frame, {}).get(name)}
    asked = {name: value for name, value in plan.values.items() if name not in right}
    values |= {place.frame: {**kept, **asked}} if kept or asked else {}
    # What stands before the step is true whatever is changed: it holds the program to the run that was recorded.
    before = true.text[: true.turns[place.step].start]
    ask = replace(run.ask, limit=WHOLE, given=before)
    bounds = limits or Limits(steps=max(STEPS, plan.ask.limit))
    found = continued(ask, Change(place.step, values, plan.line), limits=bounds)
    return (
        Course(why=found.why)
        if isinstance(found, RefusedChange)
        else _spliced(_true_run(run, found), found, plan, place)
    )


def _is_done(true: Run, place: Place) -> bool:
    """Whether the step is done in the true run where it is done in the model's."""
    try:
        return true.place(place.step).steps == place.steps
    except UsageError:
        return False


def _true_run(run: Run, truth: Prediction) -> Run:
    return Run(run.ask, truth.text, parse(truth.text, run.ask.prompt), turns(truth.text))


def _left(run: Run, parent: Branch, place: Place, step: int) -> str:
    """Why there is no way to the place."""
    own = parent.truth if parent.changed else None
    if own is not None and _parting(run, _true_run(run, own), place.steps) is None:
        return f"its place is reached only by the change of branch {parent.id}, and a run can be changed once"
    return f"the model has left the true way at step {step}: no true run comes to this place"


def _spliced(true: Run, found: Prediction, plan: Plan, place: Place) -> Course:
    """The model's text up to the place, and behind it what the interpreter does: from the same state, so it fits."""
    cut = behind(true, place, late=plan.late)
    given, start = plan.ask.given, true.text[:cut]
    if (
        sorted(start) == sorted(given)
        and parse(start, true.ask.prompt).steps == parse(given, true.ask.prompt).steps
    ):
        given = start
    return Course(replace(found, text=given + true.text[cut:]), changed=True, given=given)


def _parting(run: Run, true: Run, count: int) -> int | None:
    """The first of so many steps in which two runs do not do the same; values are not looked at."""
    found, wanted = run.parsed.steps, true.parsed.steps
    for i in range(count):
        if i >= len(wanted) or _action(found[i]) != _action(wanted[i]):
            return i
    return None


def _action(step: Step) -> tuple[str, int, int]:
    return step.event, step.frame, step.line


def _names(run: Run, place: Place, late: bool) -> dict[int, dict[str, str]]:
    """The names of the frames that run or are suspended, as a place finds them.

    What the newest step of a frame that waits has changed is not done yet, but for the place's own, unless that is to
    come (`late`); arguments are there at once.
    """
    steps = run.parsed.steps[: place.steps]
    newest = {step.frame: step for step in steps if step.event not in CHANGELESS}
    live = {*run.stack(place.steps - 1), place.frame}
    live |= {frame for frame, step in newest.items() if step.event == "yield"}
    names: dict[int, dict[str, str]] = {frame: {} for frame in sorted(live)}
    for step in steps:
        waits = (
            newest.get(step.frame) is step and step.event != "call" and (late or step.frame != place.frame)
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


def _held(true: Run, place: Place, values: Mapping[int, Mapping[str, object]]) -> str:
    """Why some of the model's values cannot be given: the interpreter holds what it has made of the true ones.

    A loop goes on over what it began with, and a line that waits for a call has read some of its names already.
    """
    steps = true.parsed.steps[: place.steps]
    for frame, names in values.items():
        newest = next(
            step for step in reversed(steps) if step.frame == frame and step.event not in CHANGELESS
        )
        source = true.source(frame)
        used = {} if source is None else in_use(source, newest.line, waits=frame != place.frame)
        for name in names:
            if name in used:
                return (
                    f"the model has another {name}, and line {used[name]} goes on with what it has read of it"
                )
    return ""
