"""The states suite: how often one step is right, under each forcing, on the programs of any other suite.

Free running mixes two things: how often a step is right from a right state, and what wrong states do to later steps.
Forcing takes them apart: `actions` gives the true path and keeps the model's own values, `states` gives the true values
and keeps its own path (counted up to where it leaves the true one), `next` gives everything true before each step.
What was given is in no rate. Steps of one program are not independent: intervals are by program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

from worldline.codec.cwm.text import token
from worldline.codec.reading import Event
from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, call_or_fault, iterate_or_fault
from worldline.core.limits import Limits
from worldline.core.stats import Share, wilson
from worldline.core.value import equal
from worldline.diagnose.diverge import diverge, same_action
from worldline.diagnose.interventions import SLACK
from worldline.diagnose.reading import read
from worldline.diagnose.reconcile import read_beside
from worldline.evaluation.run.truth import Truth, fenced_truth
from worldline.evaluation.score import judge
from worldline.evaluation.suites import ASKED
from worldline.evaluation.suites import load as load_suite
from worldline.evaluation.suites.measurement import Measurement, failed, skipped
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Between, Cell, Table
from worldline.predict.forcing.forced import roll
from worldline.predict.forcing.forced_rollout import ForcedRollout, NextStep
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.recording.recorder import record_many

FORCES = ("free", "actions", "states", "next")
ENDS = (b".\n", token("end_of_text").encode())  # what is no step
COUNT = 50  # programs, where nobody says how many
BATCH = 64  # programs that are rolled together

Right = tuple[bool, ...]


@dataclass(frozen=True)
class ForcedSteps:
    """One program under one forcing: its row, its answer, and whether each step that was the model's own was right.

    None stands for what was given. `reach` is how many steps were right before the first wrong one, of `length`.
    `program` is its place in the suite, which several samples of it share.
    """

    group: str
    answer: bool | None
    actions: Right | None
    states: Right | None
    reach: int
    length: int
    program: int = 0

    @property
    def both(self) -> Right:
        """Whether each step was right in all that was the model's own."""
        own = [part for part in (self.actions, self.states) if part is not None]
        return tuple(all(each) for each in zip(*own, strict=True))


def load(*, of: str = "generated", **options: Any) -> Suite:
    """The tasks of the suite `of`, with its options."""
    if of not in ASKED:
        raise UsageError(f"states are of the programs of {', '.join(ASKED)}, not of {of!r}")
    suite = load_suite(of, **options)
    return Suite(name="states", tasks=suite.tasks, count=COUNT, limits=suite.limits)


@dataclass(frozen=True)
class StepMeter:
    """Every step of each program, under each forcing in turn."""

    forces: tuple[str, ...] = FORCES
    batch: int = BATCH
    no_scratchpad: str = ""

    def measure(
        self, tasks: Sequence[Task], predictor: Predictor, limits: Limits, /
    ) -> Iterator[Measurement]:
        """Measure each program, in order."""
        truths = recorded_truths(tasks, limits)
        known = [(task, true) for task, true in zip(tasks, truths, strict=True) if isinstance(true, Truth)]
        rolled = [_forced_steps(predictor, known, force) for force in self.forces]
        by_program = map(_together, zip(*rolled, strict=True))
        for true in truths:
            if isinstance(true, Truth):
                yield next(by_program)
            else:
                yield skipped() if true is None else failed(true)

    def count(self, tasks: Sequence[Task], limits: Limits, /) -> int:
        """Count the programs that have a true answer, or on which the tool fails."""
        return sum(true is not None for true in recorded_truths(tasks, limits))

    def tables(self, rows: Sequence[Measurement], /) -> tuple[Table, ...]:
        """Sum up programs by forcing, and their answers by the suite's own rows."""
        found = {
            force: [_parsed(row.at, row.figures[force]) for row in rows if row.figures[force] is not None]
            for force in self.forces
        }
        return by_force(found), by_group(found)


def meter(*, force: str | Sequence[str] = FORCES) -> StepMeter:
    """Measure steps under these forcings."""
    forces = (force,) if isinstance(force, str) else tuple(force)
    strange = [name for name in forces if name not in FORCES]
    if strange or not forces:
        raise UsageError(f"steps are measured under {', '.join(FORCES)}, not {', '.join(strange) or 'none'}")
    return StepMeter(forces)


def _forced_steps(predictor: Predictor, known: Sequence[tuple[Task, Truth]], force: str) -> list[Measurement]:
    """The steps of each program under one forcing; None where the tool failed."""
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


def _together(parts: Sequence[Measurement]) -> Measurement:
    """One program under every forcing."""
    figures = {force: steps for part in parts for force, steps in part.figures.items()}
    notes = (part.note for part in parts if part.note)
    seconds, faults = sum(part.seconds for part in parts), sum(part.faults for part in parts)
    return Measurement(figures=figures, seconds=seconds, faults=faults, note=next(notes, ""))


def _written(own: ForcedSteps) -> dict[str, Any]:
    """The figures as JSON: a digit for each step, 1 where it is right."""
    return {
        "group": own.group, "answer": own.answer, "actions": _digits(own.actions), "states": _digits(own.states),
        "reach": own.reach, "length": own.length,
    }  # fmt: skip


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
    """The rollouts from an ask on: whoever fences them begins again behind one that failed."""
    return lambda at: roll(predictor, asks[at:], truths[at:], force=force)


def recorded_truths(tasks: Sequence[Task], limits: Limits) -> list[Truth | RowFault | None]:
    """What is true of each task; None where it has no answer, a fault where the tool could not tell."""
    traces = record_many([task.program for task in tasks], limits=limits)
    return [fenced_truth(task, trace) for task, trace in zip(tasks, traces, strict=True)]


def _ask(task: Task, true: Truth, codec: str) -> PredictionRequest:
    return PredictionRequest(
        program=task.program, options=task.options, limit=2 * len(true.text_in(codec)) + SLACK
    )


def steps(task: Task, ask: PredictionRequest, true: Truth, rolled: ForcedRollout) -> ForcedSteps:
    """What one rollout says about each true step."""
    if rolled.force == "next":
        return _ahead(task, ask, true, rolled.steps)
    answer = judge(task, true, rolled.prediction, ask=ask).answer == "right"
    codec = rolled.prediction.codec
    truth = read(ask, Prediction(text=true.text_in(codec), status="ended", codec=codec))
    wanted, found = truth.events, read_beside(ask, rolled.prediction, truth).events
    own = len(wanted) if rolled.left is None else min(len(wanted), rolled.left + 1)
    beside = [*found[:own], *[None] * (own - len(found))]
    pairs = list(zip(wanted[:own], beside, strict=True))
    actions = tuple(two is not None and _same_action(one, two) for one, two in pairs)
    states = tuple(two is not None and _same_state(one, two) for one, two in pairs)
    given = rolled.force
    return _settled(
        task,
        None if given == "states" else answer,
        None if given == "actions" else actions,
        None if given == "states" else states,
        len(wanted),
    )


def _ahead(task: Task, ask: PredictionRequest, true: Truth, found: Sequence[NextStep]) -> ForcedSteps:
    """Steps that were each written behind the truth; the end is no step."""
    own, at = list[tuple[bool, bool]](), 0
    for each in found:
        if each.wanted not in ENDS:
            own.append((each.same_action, each.same_state or _as_values(ask, true.text[:at], each)))
        at += len(each.wanted)
    actions, states = tuple(one for one, _ in own), tuple(two for _, two in own)
    return _settled(task, bool(own) and all(own[-1]), actions, states, len(own))


def _settled(
    task: Task, answer: bool | None, actions: Right | None, states: Right | None, length: int
) -> ForcedSteps:
    both = ForcedSteps(task.group, answer, actions, states, 0, length).both
    reach = next((at for at, each in enumerate(both) if not each), len(both))
    return ForcedSteps(task.group, answer, actions, states, reach, length)


def _as_values(ask: PredictionRequest, before: bytes, step: NextStep) -> bool:
    """Whether a step that is spelled otherwise says the same: only an order of keys or fields can make it so."""
    if step.wanted.startswith(b"<|"):  # frames of Meta's format were compared as values
        return False
    if not step.same_action or step.found is None or sorted(step.found) != sorted(step.wanted):
        return False
    texts = (Prediction(text=before + text, status="budget") for text in (step.wanted, step.found))
    one, two = (read(ask, text) for text in texts)
    return not diverge(one, two)


def _same_action(one: Event, two: Event) -> bool:
    if one.whole or two.whole or one.line is None:  # Meta's format may leave open which of equal lines it is
        return same_action(one, two)
    return (one.event, one.frame, one.line, one.file) == (two.event, two.frame, two.line, two.file)


def _same_state(one: Event, two: Event) -> bool:
    return (
        one.values.keys() == two.values.keys()
        and set(one.gone) == set(two.gone)
        and all(_same(value, two.values[name]) for name, value in one.values.items())
        and _same(one.arg, two.arg)
    )


def _same(one: str | None, two: str | None) -> bool:
    return one == two or (one is not None and two is not None and equal(one, two))


def by_force(found: dict[str, list[ForcedSteps]]) -> Table:
    """Under each forcing: answers, and steps right in action, in state, in both."""
    rows: list[tuple[Cell, ...]] = []
    for force, some in found.items():
        answers = [each.answer for each in some if each.answer is not None]
        answer = Share(answers.count(True), len(answers)) if answers else None
        both, actions, states = (
            clustered(_by_program((each.program, getattr(each, part)) for each in some))
            for part in ("both", "actions", "states")
        )
        length = sum(each.length for each in some)
        reach = 100 * sum(each.reach for each in some) / length if length else None
        rows.append((force, answer, both, actions, states, reach))
    heads = ("forced", "answers", "steps", "actions", "states", "% of steps before a wrong one")
    note = (
        "what is right. actions: the true path is given; states: the true values, counted until the path is another; "
        "next: all that is before each step. What is given is in no rate; intervals are by program"
    )
    return Table("by forcing", heads, tuple(rows), note)


def _by_program(parts: Iterable[tuple[int, Right | None]]) -> Iterator[Right]:
    """The steps of each program, those of all its samples together."""
    joined: dict[int, Right] = {}
    for program, part in parts:
        if part is not None:
            joined[program] = joined.get(program, ()) + part
    return iter(joined.values())


def by_group(found: dict[str, list[ForcedSteps]]) -> Table:
    """Answers right by the tasks' own rows (a length, a depth), under each forcing that leaves the answer open."""
    forces = [force for force in found if force != "states"]
    groups = dict.fromkeys(each.group for force in forces for each in found[force])
    rows: list[tuple[Cell, ...]] = []
    for group in sorted(groups, key=lambda name: [int(part) for part in name.split("/") if part.isdecimal()]):
        answers = [[each.answer for each in found[force] if each.group == group] for force in forces]
        rows.append((group or "all", *(Share(some.count(True), len(some)) for some in answers)))
    return Table("answers right by row", ("row", *forces), tuple(rows))


def clustered(parts: Iterable[Right | None]) -> Between | None:
    """The share of all steps that are right, with an interval for as many independent ones as they are worth.

    That number follows from how much programs differ (the variance of a ratio of sums). It is between the number of
    programs and that of steps; where programs do not differ at all, each counts once.
    """
    some = [part for part in parts if part]
    total, right = sum(map(len, some)), sum(map(sum, some))
    if not total:
        return None
    rate = right / total
    squares = sum((sum(part) - rate * len(part)) ** 2 for part in some)
    worth = total * total * rate * (1 - rate) / squares if squares else 0.0
    n = max(len(some), min(total, floor(worth)))
    low, high = wilson(round(rate * n), n)
    return Between(rate, min(low, rate), max(high, rate))
