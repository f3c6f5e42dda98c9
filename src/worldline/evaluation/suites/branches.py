"""The branches suite: at each decision of an execution, which line comes next, given the true steps before it.

Programs are generated ones of the test split or, with `data`, HumanEval's solutions. After the true text before each
decision, the model predicts one step (`forcing.next_step`), so that a wrong value before does not count. Results are by
kind of condition, by the types it tests, and by whether it held. Decisions of one program are not independent:
intervals are by program.
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

COUNT = 50  # programs by default


@dataclass(frozen=True)
class BranchDecision:
    """One decision of one program, and whether the model predicted it."""

    program: int
    kind: str
    types: str
    taken: bool
    right: bool


def load(
    *, data: str | Path = "", seed: int = 0, calls: int = humaneval.CALLS, reveal: int = 1, delta: str = "whole"
) -> Suite:
    """Load generated programs, without end; with `data` (HumanEval's file), `calls` calls of each solution."""
    if not reveal:
        raise UsageError("branches depend on values: reveal is 1 or more")
    if data:
        suite = humaneval.load(data=data, seed=seed, calls=calls, reveal=reveal, delta=delta)
    else:
        suite = load_generated(seed=seed, reveal=reveal, delta=delta)
    tasks = (task for task in suite.tasks if any(decisions(task.program.source).values()))
    return Suite(name="branches", tasks=tasks, count=COUNT, limits=suite.limits)


@dataclass(frozen=True)
class BranchMeter:
    """Measures every decision of each program, one step ahead."""

    batch: int = BATCH
    no_scratchpad: str = "it is about the conditions of the program as it is written"

    def measure(self, tasks: Sequence[Task], predictor: Predictor, limits: Limits, /) -> Iterator[Measurement]:
        """Measure each program, in order."""
        if not notation(predictor.info.notation).has_modes:
            raise UsageError("the suite branches needs a model that writes the compact notation")
        truths = recorded_truths(tasks, limits)
        known = [(task, true) for task, true in zip(tasks, truths, strict=True) if isinstance(true, Truth)]
        asks = [
            PredictionRequest(program=task.program, options=task.options, limit=len(true.text)) for task, true in known
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
        """Sum up decisions by kind of condition, by the types it tests, and by whether it held."""
        decisions_made = [BranchDecision(row.at, *figures) for row in rows for figures in row.figures["decisions"]]
        note = "the types of the tested names, before the test"
        return (
            _table("by kind", decisions_made, lambda decision: decision.kind, "the kind of condition"),
            _table("by types", decisions_made, lambda decision: decision.types, note),
            _table("by outcome", decisions_made, lambda decision: "held" if decision.taken else "did not hold", ""),
        )


def meter(*, force: Sequence[str] = ()) -> BranchMeter:
    """Return a meter of decisions. Nothing else can be forced, as everything before a decision is true."""
    if force:
        raise UsageError("the suite branches takes no --force: everything before a decision is already true")
    return BranchMeter()


def _measurement(true: Truth, rolled: ForcedRollout | RowFault) -> Measurement:
    """The decisions of one program; none if the tool failed."""
    if isinstance(rolled, RowFault) or rolled.prediction.status == "fault":
        note = rolled.note if isinstance(rolled, RowFault) else rolled.prediction.note
        return Measurement(figures={"decisions": []}, faults=1, note=note)
    rows = [[decision.kind, decision.types, decision.taken, decision.right] for decision in decided(0, true, rolled)]
    return Measurement(figures={"decisions": rows}, seconds=rolled.prediction.seconds)


def decided(number: int, true: Truth, rolled: ForcedRollout) -> list[BranchDecision]:
    """Return the decisions of one program, each judged by the next step of its frame."""
    trace, text = true.trace, true.text
    cut = turns(text)
    following, tested = _following(trace), conditions(trace)
    typed, by_step = _types(trace, tested), {condition.step: condition for condition in rolled.steps}
    judged = []
    for condition, types in zip(tested, typed, strict=True):
        step = following.get(condition.step)
        ahead = by_step.get(step) if step is not None else None
        if step is None or ahead is None or step >= len(cut):
            continue
        is_right = _has_true_action(ahead, cut[step], text)
        judged.append(BranchDecision(number, condition.kind, types, condition.taken, is_right))
    return judged


def _has_true_action(ahead: NextStep, turn: Turn, text: bytes) -> bool:
    """Whether the predicted step is the true event on the true line, whatever it changes."""
    return ahead.same_action or _action(ahead.found or b"") == turn.action(text)


def _action(text: bytes) -> bytes:
    first = next(iter(turns(text)), None)
    return first.action(text) if first is not None else b""


def _following(trace: Trace) -> dict[int, int]:
    """For each step, the next step of its frame."""
    newest, following = dict[int, int](), dict[int, int]()
    for step in trace.steps:
        if step.event in CHANGELESS:
            continue
        if step.frame in newest:
            following[newest[step.frame]] = step.i
        newest[step.frame] = step.i
    return following


def _types(trace: Trace, tested: Sequence[Condition]) -> list[str]:
    """For each condition, the types of what it tests, in the state before its step."""
    state, at, typed = State(), 0, list[str]()
    for condition in tested:
        while at < condition.step:
            state.apply(trace[at])
            at += 1
        frame = state.frames.get(trace.columns.frame[condition.step], {})
        kinds = sorted({kind_of(frame[name]) for name in names_of(condition) if name in frame})
        typed.append(" and ".join(kinds) or "-")
    return typed


def _table(
    title: str, decisions_made: Iterable[BranchDecision], row_of: Callable[[BranchDecision], str], note: str
) -> Table:
    rows: dict[str, dict[int, list[bool]]] = {}
    for decision in decisions_made:
        for row in (row_of(decision), "all"):
            rows.setdefault(row, {}).setdefault(decision.program, []).append(decision.right)
    sizes = {row: sum(map(len, by.values())) for row, by in rows.items()}
    order = sorted(rows, key=lambda row: (row == "all", -sizes[row], row))
    cells: list[tuple[Cell, ...]] = [
        (row, sizes[row], len(rows[row]), clustered(tuple(outcomes) for outcomes in rows[row].values()))
        for row in order
    ]
    criterion = "the next step is the true event on the true line; intervals are by program"
    return Table(
        title, ("row", "decisions", "programs", "right"), tuple(cells), "; ".join(filter(None, (note, criterion)))
    )
