"""The branches suite: at each decision of a run, which line comes next, all before it being true.

Programs are generated ones of the test split, or HumanEval's solutions with `data`; the input is the task's own call.
A model is asked one step ahead from the true text before each decision's next step (`forcing.next_step`), so that what
is counted is judging the condition, and no wrong value before it. Told apart: the kind of the condition, the types that
it is of, and whether it held. Decisions of one program are not independent: intervals are by program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldline.analyze.flow.conditions import Condition, conditions, names_of
from worldline.analyze.flow.conditions.decisions import decisions
from worldline.codec.compact.turns import Turn, turns
from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.core.events import CHANGELESS
from worldline.core.fault import RowFault, iterate_or_fault
from worldline.core.limits import Limits
from worldline.core.state import State
from worldline.core.trace import Trace
from worldline.core.value import kind as kind_of
from worldline.evaluation.run.truth import Truth
from worldline.evaluation.suites import humaneval
from worldline.evaluation.suites.generated import load as load_generated
from worldline.evaluation.suites.measurement import Measurement, failed, skipped
from worldline.evaluation.suites.states import BATCH, clustered, recorded_truths, rolled_from
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Cell, Table
from worldline.predict.forcing.forced_rollout import ForcedRollout, NextStep
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

COUNT = 50  # programs, where nobody says how many


@dataclass(frozen=True)
class Decided:
    """One decision of one program, and whether the model went the true way."""

    program: int
    kind: str
    types: str
    taken: bool
    right: bool


def load(
    *,
    data: str | Path = "",
    seed: int = 0,
    calls: int = humaneval.CALLS,
    reveal: int = 1,
    delta: str = "whole",
) -> Suite:
    """Generated programs, without end; with `data` (HumanEval's file) its solutions, so many calls of each."""
    if not reveal:
        raise UsageError("branches are decided by values: reveal is 1 or more")
    if data:
        suite = humaneval.load(data=data, seed=seed, calls=calls, reveal=reveal, delta=delta)
    else:
        suite = load_generated(seed=seed, reveal=reveal, delta=delta)
    tasks = (task for task in suite.tasks if any(decisions(task.program.source).values()))
    return Suite(name="branches", tasks=tasks, count=COUNT, limits=suite.limits)


@dataclass(frozen=True)
class BranchMeter:
    """Every decision of each program, one step ahead."""

    batch: int = BATCH
    no_scratchpad: str = "it asks about the conditions of the program as it is written"

    def measure(
        self, tasks: Sequence[Task], predictor: Predictor, limits: Limits, /
    ) -> Iterator[Measurement]:
        """Measure each program, in order."""
        if not notation(predictor.info.notation).has_modes:
            raise UsageError("branches are asked in the compact notation")
        truths = recorded_truths(tasks, limits)
        known = [(task, true) for task, true in zip(tasks, truths, strict=True) if isinstance(true, Truth)]
        asks = [
            PredictionRequest(program=task.program, options=task.options, limit=len(true.text))
            for task, true in known
        ]
        texts = [Prediction(text=true.text, status="ended") for _, true in known]
        rollouts = iterate_or_fault(rolled_from(predictor, asks, texts, "next"), len(asks))
        for true in truths:
            if isinstance(true, Truth):
                yield _measurement(true, next(rollouts))
            else:
                yield skipped() if true is None else failed(true)

    def count(self, tasks: Sequence[Task], limits: Limits, /) -> int:
        """Count the programs that have a true answer, or on which the tool fails."""
        return sum(true is not None for true in recorded_truths(tasks, limits))

    def tables(self, rows: Sequence[Measurement], /) -> tuple[Table, ...]:
        """Sum up decisions by kind of condition, by the types that it tests, and by whether it held."""
        found = [Decided(row.at, *figures) for row in rows for figures in row.figures["decisions"]]
        note = "the types of the names that are tested, before the test"
        return (
            _table("by kind", found, lambda one: one.kind, "what decides"),
            _table("by types", found, lambda one: one.types, note),
            _table("by outcome", found, lambda one: "held" if one.taken else "did not hold", ""),
        )


def meter(*, force: Sequence[str] = ()) -> BranchMeter:
    """Measure decisions; nothing can be forced, as all that is before a decision is true anyway."""
    if force:
        raise UsageError("at branches all that is before a step is true: nothing else is forced")
    return BranchMeter()


def _measurement(true: Truth, rolled: ForcedRollout | RowFault) -> Measurement:
    """The decisions of one program; none where the tool failed."""
    if isinstance(rolled, RowFault) or rolled.prediction.status == "fault":
        note = rolled.note if isinstance(rolled, RowFault) else rolled.prediction.note
        return Measurement(figures={"decisions": []}, faults=1, note=note)
    some = [[one.kind, one.types, one.taken, one.right] for one in decided(0, true, rolled)]
    return Measurement(figures={"decisions": some}, seconds=rolled.prediction.seconds)


def decided(number: int, true: Truth, rolled: ForcedRollout) -> list[Decided]:
    """The decisions of one program: each by the step that follows it in its frame."""
    trace, text = true.trace, true.text
    cut = turns(text)
    following, found = _following(trace), conditions(trace)
    typed, by_step = _types(trace, found), {one.step: one for one in rolled.steps}
    some = []
    for one, types in zip(found, typed, strict=True):
        step = following.get(one.step)
        ahead = by_step.get(step) if step is not None else None
        if step is None or ahead is None or step >= len(cut):
            continue
        some.append(Decided(number, one.kind, types, one.taken, _goes_there(ahead, cut[step], text)))
    return some


def _goes_there(ahead: NextStep, turn: Turn, text: bytes) -> bool:
    """Whether the step that was written is the true event on the true line; what it changes is not asked."""
    return ahead.same_action or _action(ahead.found or b"") == turn.action(text)


def _action(text: bytes) -> bytes:
    first = next(iter(turns(text)), None)
    return first.action(text) if first is not None else b""


def _following(trace: Trace) -> dict[int, int]:
    """Of each step the next of its frame."""
    newest, found = dict[int, int](), dict[int, int]()
    for step in trace.steps:
        if step.event in CHANGELESS:
            continue
        if step.frame in newest:
            found[newest[step.frame]] = step.i
        newest[step.frame] = step.i
    return found


def _types(trace: Trace, found: Sequence[Condition]) -> list[str]:
    """Of each condition the types of what it tests, as the state before its step has them."""
    state, at, typed = State(), 0, list[str]()
    for one in found:
        while at < one.step:
            state.apply(trace[at])
            at += 1
        frame = state.frames.get(trace.columns.frame[one.step], {})
        kinds = sorted({kind_of(frame[name]) for name in names_of(one) if name in frame})
        typed.append(" and ".join(kinds) or "-")
    return typed


def _table(title: str, found: Iterable[Decided], row_of: Callable[[Decided], str], note: str) -> Table:
    rows: dict[str, dict[int, list[bool]]] = {}
    for one in found:
        for row in (row_of(one), "all"):
            rows.setdefault(row, {}).setdefault(one.program, []).append(one.right)
    sizes = {row: sum(map(len, by.values())) for row, by in rows.items()}
    order = sorted(rows, key=lambda row: (row == "all", -sizes[row], row))
    cells: list[tuple[Cell, ...]] = [
        (row, sizes[row], len(rows[row]), clustered(tuple(some) for some in rows[row].values()))
        for row in order
    ]
    said = "the next step is the true event on the true line; intervals are by program"
    return Table(
        title, ("row", "decisions", "programs", "right"), tuple(cells), "; ".join(filter(None, (note, said)))
    )
