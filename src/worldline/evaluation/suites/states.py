"""The states suite: how often a single step is right, under each forcing, on the programs of any other suite.

A free rollout mixes two effects: how often a step is right from a right state, and what wrong states do to later steps.
Forcing separates them: `actions` feeds the true path and keeps the model's values, `states` feeds the true values and
keeps the model's path (counted until it leaves the true one), `next` feeds everything true before each step. What was
fed is in no rate. Steps of one program are not independent: intervals are by program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldline.codec.cwm.text import token
from worldline.codec.reading import Event
from worldline.core.clusters.shares import clustered as clustered_share
from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, call_or_fault, iterate_or_fault
from worldline.core.limits import Limits
from worldline.core.stats import Share
from worldline.core.value import equal
from worldline.diagnose.diverge import diverge, same_action
from worldline.diagnose.interventions import SLACK
from worldline.diagnose.reading import read
from worldline.diagnose.reconcile import read_beside
from worldline.evaluation.run.truth import Truth, truth_or_fault
from worldline.evaluation.score import judge
from worldline.evaluation.suites import REUSABLE
from worldline.evaluation.suites import load as load_suite
from worldline.evaluation.suites.measurement import Measurement, failed, skipped
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.suites.value_groups import Counts, by_value, count_values
from worldline.evaluation.table import Between, Cell, Table
from worldline.predict.forcing.forced import roll
from worldline.predict.forcing.forced_rollout import ForcedRollout, NextStep
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.recording.recorder import record_many

FORCES = ("free", "actions", "states", "next")
ENDS = (b".\n", token("end_of_text").encode())  # texts that are not steps
COUNT = 50  # programs by default
BATCH = 64  # programs that are predicted together

Right = tuple[bool, ...]


@dataclass(frozen=True)
class ForcedSteps:
    """One program under one forcing: which of the model's own steps were right.

    Attributes:
        group: The task's row.
        answer: Whether the answer is right; None if it was fed.
        actions: Whether each action is right; None if they were fed.
        states: Whether each state is right; None if they were fed.
        reach: How many steps were right before the first wrong one.
        length: The number of true steps.
        program: The place in the suite, which several samples of a program share.
        values: Under `next`, wrong values and all values by what they hold.
    """

    group: str
    answer: bool | None
    actions: Right | None
    states: Right | None
    reach: int
    length: int
    program: int = 0
    values: Counts | None = None

    @property
    def both(self) -> Right:
        """Whether each step was right in everything that was not fed."""
        own = [part for part in (self.actions, self.states) if part is not None]
        return tuple(all(parts) for parts in zip(*own, strict=True))


def load(*, of: str = "generated", **options: Any) -> Suite:
    """Load the tasks of the suite `of`, with its options."""
    if of not in REUSABLE:
        raise UsageError(f"the suite states takes the programs of {', '.join(REUSABLE)}, not of {of!r}")
    suite = load_suite(of, **options)
    return Suite(name="states", tasks=suite.tasks, count=COUNT, limits=suite.limits)


@dataclass(frozen=True)
class StepMeter:
    """Measures every step of each program, under each forcing in turn."""

    forces: tuple[str, ...] = FORCES
    batch: int = BATCH
    no_scratchpad: str = ""

    def measure(self, tasks: Sequence[Task], predictor: Predictor, limits: Limits, /) -> Iterator[Measurement]:
        """Measure each program, in order."""
        truths = recorded_truths(tasks, limits)
        known = [(task, true) for task, true in zip(tasks, truths, strict=True) if isinstance(true, Truth)]
        rolled = [_forced_steps(predictor, known, force) for force in self.forces]
        by_program = map(_joined, zip(*rolled, strict=True))
        for true in truths:
            if isinstance(true, Truth):
                yield next(by_program)
            else:
                yield skipped() if true is None else failed(true)

    def count(self, tasks: Sequence[Task], limits: Limits, /) -> int:
        """Count the programs that have a true answer, or on which the tool fails."""
        return sum(true is not None for true in recorded_truths(tasks, limits))

    def tables(self, rows: Sequence[Measurement], /) -> tuple[Table, ...]:
        """Sum up programs by forcing, and their answers by the tasks' rows."""
        by_forcing = {
            force: [_parsed(row.at, row.figures[force]) for row in rows if row.figures[force] is not None]
            for force in self.forces
        }
        values = by_value(by_forcing.get("next", ()))
        return by_force(by_forcing), by_group(by_forcing), *([values] if values.rows else [])


def meter(*, force: str | Sequence[str] = FORCES) -> StepMeter:
    """Return a meter of steps under these forcings."""
    forces = (force,) if isinstance(force, str) else tuple(force)
    unknown = [name for name in forces if name not in FORCES]
    if unknown or not forces:
        raise UsageError(f"steps are measured under {', '.join(FORCES)}, not {', '.join(unknown) or 'none'}")
    return StepMeter(forces)


def _forced_steps(predictor: Predictor, known: Sequence[tuple[Task, Truth]], force: str) -> list[Measurement]:
    """The steps of each program under one forcing; None if the tool failed."""
    codec = predictor.info.notation
    asks = [_ask(task, true, codec) for task, true in known]
    truths = [Prediction(text=true.text_in(codec), status="ended", codec=codec) for _, true in known]
    rollouts = iterate_or_fault(rolled_from(predictor, asks, truths, force), len(asks))
    measured = []
    for (task, true), ask, rolled in zip(known, asks, rollouts, strict=True):
        own = _own_steps(task, ask, true, rolled)
        seconds = 0.0 if isinstance(rolled, RowFault) else rolled.prediction.seconds
        if isinstance(own, ForcedSteps):
            measured.append(Measurement(figures={force: _written(own)}, seconds=seconds))
        else:
            measured.append(Measurement(figures={force: None}, seconds=seconds, faults=1, note=own.note))
    return measured


def _own_steps(
    task: Task, ask: PredictionRequest, true: Truth, rolled: ForcedRollout | RowFault
) -> ForcedSteps | RowFault:
    if isinstance(rolled, RowFault):
        return rolled
    if rolled.prediction.status == "fault":
        return RowFault(rolled.prediction.note or "no prediction")
    return call_or_fault(steps, task, ask, true, rolled)


def _joined(parts: Sequence[Measurement]) -> Measurement:
    """One program under every forcing."""
    figures = {force: steps for part in parts for force, steps in part.figures.items()}
    notes = (part.note for part in parts if part.note)
    seconds, faults = sum(part.seconds for part in parts), sum(part.faults for part in parts)
    return Measurement(figures=figures, seconds=seconds, faults=faults, note=next(notes, ""))


def _written(own: ForcedSteps) -> dict[str, Any]:
    """The figures as JSON, with one digit per step: 1 if it is right."""
    figures = {key: getattr(own, key) for key in ("group", "answer", "actions", "states", "reach", "length")}
    values = {} if own.values is None else {"values": own.values}
    return figures | {"actions": _digits(own.actions), "states": _digits(own.states)} | values


def _parsed(program: int, row: Mapping[str, Any]) -> ForcedSteps:
    parts = {part: _right(row[part]) for part in ("actions", "states")}
    return ForcedSteps(**{**row, **parts}, program=program)


def _digits(part: Right | None) -> str | None:
    return None if part is None else "".join("1" if is_right else "0" for is_right in part)


def _right(digits: str | None) -> Right | None:
    return None if digits is None else tuple(digit == "1" for digit in digits)


def rolled_from(
    predictor: Predictor, asks: Sequence[PredictionRequest], truths: Sequence[Prediction], force: str
) -> Callable[[int], Iterator[ForcedRollout]]:
    """Return a function that starts the rollouts at a request, so that they continue after one that failed."""
    return lambda at: roll(predictor, asks[at:], truths[at:], force=force)


def recorded_truths(tasks: Sequence[Task], limits: Limits) -> list[Truth | RowFault | None]:
    """Return the truth of each task; None if it has no answer, a fault if the tool failed."""
    traces = record_many([task.program for task in tasks], limits=limits)
    return [truth_or_fault(task, trace) for task, trace in zip(tasks, traces, strict=True)]


def _ask(task: Task, true: Truth, codec: str) -> PredictionRequest:
    limit = 2 * len(true.text_in(codec)) + SLACK
    return PredictionRequest(program=task.program, name=task.name, options=task.options, limit=limit)


def steps(task: Task, ask: PredictionRequest, true: Truth, rolled: ForcedRollout) -> ForcedSteps:
    """Compare a rollout with each true step."""
    if rolled.force == "next":
        return replace(_ahead(task, ask, true, rolled.steps), values=count_values(ask, rolled, ENDS))
    answer = judge(task, true, rolled.prediction, ask=ask).answer == "right"
    codec = rolled.prediction.codec
    truth = read(ask, Prediction(text=true.text_in(codec), status="ended", codec=codec))
    actual, predicted = truth.events, read_beside(ask, rolled.prediction, truth).events
    own = len(actual) if rolled.left is None else min(len(actual), rolled.left + 1)
    padded = [*predicted[:own], *[None] * (own - len(predicted))]
    pairs = list(zip(actual[:own], padded, strict=True))
    actions = tuple(event is not None and _same_action(expected, event) for expected, event in pairs)
    states = tuple(event is not None and _same_state(expected, event) for expected, event in pairs)
    if rolled.force == "actions":
        return _forced(task, answer, None, states, len(actual))
    if rolled.force == "states":
        return _forced(task, None, actions, None, len(actual))
    return _forced(task, answer, actions, states, len(actual))


def _ahead(task: Task, ask: PredictionRequest, true: Truth, steps_ahead: Sequence[NextStep]) -> ForcedSteps:
    """Compare steps that were each predicted after the truth; the end is not a step."""
    own, at = list[tuple[bool, bool]](), 0
    for step in steps_ahead:
        if step.wanted not in ENDS:
            own.append((step.same_action, step.same_state or _as_values(ask, true.text[:at], step)))
        at += len(step.wanted)
    actions, states = tuple(action for action, _ in own), tuple(state for _, state in own)
    return _forced(task, bool(own) and all(own[-1]), actions, states, len(own))


def _forced(task: Task, answer: bool | None, actions: Right | None, states: Right | None, length: int) -> ForcedSteps:
    both = ForcedSteps(task.group, answer, actions, states, 0, length).both
    reach = next((at for at, is_right in enumerate(both) if not is_right), len(both))
    return ForcedSteps(task.group, answer, actions, states, reach, length)


def _as_values(ask: PredictionRequest, before: bytes, step: NextStep) -> bool:
    """Whether a step with another spelling has the same values: keys or fields may be in another order."""
    if step.wanted.startswith(b"<|"):  # frames of the notation cwm were already compared as values
        return False
    if not step.same_action or step.found is None or sorted(step.found) != sorted(step.wanted):
        return False
    texts = (Prediction(text=before + text, status="budget") for text in (step.wanted, step.found))
    first, second = (read(ask, text) for text in texts)
    return not diverge(first, second)


def _same_action(first: Event, second: Event) -> bool:
    if first.whole or second.whole or first.line is None:  # in cwm, equal lines may be ambiguous
        return same_action(first, second)
    return (first.event, first.frame, first.line, first.file) == (second.event, second.frame, second.line, second.file)


def _same_state(first: Event, second: Event) -> bool:
    return (
        first.values.keys() == second.values.keys()
        and set(first.gone) == set(second.gone)
        and all(_same(value, second.values[name]) for name, value in first.values.items())
        and _same(first.arg, second.arg)
    )


def _same(first: str | None, second: str | None) -> bool:
    return first == second or (first is not None and second is not None and equal(first, second))


def by_force(by_forcing: dict[str, list[ForcedSteps]]) -> Table:
    """Return a table of right answers, and of steps right in action, in state and in both, by forcing."""
    rows: list[tuple[Cell, ...]] = []
    for force, programs in by_forcing.items():
        answers = [program.answer for program in programs if program.answer is not None]
        answer = Share(answers.count(True), len(answers)) if answers else None
        both, actions, states = (
            clustered(_by_program((program.program, getattr(program, part)) for program in programs))
            for part in ("both", "actions", "states")
        )
        length = sum(program.length for program in programs)
        reach = 100 * sum(program.reach for program in programs) / length if length else None
        rows.append((force, answer, both, actions, states, reach))
    heads = ("forced", "answers", "steps", "actions", "states", "% of steps before a wrong one")
    note = (
        "right under each forcing. actions: the true path is fed; states: the true values, counted until the path "
        "diverges; next: everything before each step. What is fed is in no rate; intervals are by program"
    )
    return Table("by forcing", heads, tuple(rows), note)


def _by_program(parts: Iterable[tuple[int, Right | None]]) -> Iterator[Right]:
    """The steps of each program, all its samples together."""
    joined: dict[int, Right] = {}
    for program, part in parts:
        if part is not None:
            joined[program] = joined.get(program, ()) + part
    return iter(joined.values())


def by_group(by_forcing: dict[str, list[ForcedSteps]]) -> Table:
    """Return a table of right answers by the tasks' rows, under each forcing that does not feed the answer."""
    forces = [force for force in by_forcing if force != "states"]
    groups = dict.fromkeys(program.group for force in forces for program in by_forcing[force])
    rows: list[tuple[Cell, ...]] = []
    for group in sorted(groups, key=lambda name: [int(part) for part in name.split("/") if part.isdecimal()]):
        answers = [[program.answer for program in by_forcing[force] if program.group == group] for force in forces]
        rows.append(
            (group or "all", *(Share(group_answers.count(True), len(group_answers)) for group_answers in answers))
        )
    return Table("answers right by row", ("row", *forces), tuple(rows))


def clustered(parts: Iterable[Right | None]) -> Between | None:
    """Return the share of steps that are right, with an interval for steps that are clustered by program."""
    share = clustered_share((sum(part), len(part)) for part in parts if part)
    return None if share.rate is None else Between(share.rate, *share.interval)
