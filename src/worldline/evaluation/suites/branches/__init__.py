"""The branches suite: at each decision of a run, which line comes next, all before it being true.

Programs are generated ones of the test split, or HumanEval's solutions with `data`; the input is the task's own call.
A model is asked one step ahead from the true text before each decision's next step (`forcing.next_step`), so that what
is counted is judging the condition, and no wrong value before it. Told apart: the kind of the condition, the types that
it is of, and whether it held. Decisions of one program are not independent: intervals are by program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldline.analyze.flow.conditions import Condition, conditions, names_of
from worldline.analyze.flow.conditions.decisions import decisions
from worldline.codec.compact.turns import Turn, turns
from worldline.codec.notation import notation
from worldline.core.errors import UsageError
from worldline.core.events import CHANGELESS
from worldline.core.fault import RowFault, fenced_each
from worldline.core.state import State
from worldline.core.trace import Trace
from worldline.core.value import kind as kind_of
from worldline.evaluation.run.truth import Truth
from worldline.evaluation.suites import humaneval
from worldline.evaluation.suites.generated import load as load_generated
from worldline.evaluation.suites.states import clustered, known_tasks, rolled_from
from worldline.evaluation.suites.suite import Suite
from worldline.evaluation.table import Cell, Measured, Table
from worldline.predict.forcing.rolled import Ahead, ForcedRollout
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

COUNT = 50  # programs, where nobody says how many


@dataclass(frozen=True)
class Decided:
    """One decision of one program, and whether the model went the true way."""

    program: int
    condition: Condition
    types: str
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


def measure(
    suite: Suite, predictor: Predictor, *, limit: int | None = None, force: Sequence[str] = ()
) -> Measured:
    """Every decision of the first `limit` programs, one step ahead."""
    if force:
        raise UsageError("at branches all that is before a step is true: nothing else is forced")
    if not notation(predictor.info.notation).has_modes:
        raise UsageError("branches are asked in the compact notation")
    known, skipped, faults = known_tasks(suite, suite.count if limit is None else limit)
    asks = [
        PredictionRequest(program=task.program, options=task.options, limit=len(true.text))
        for task, true in known
    ]
    truths = [Prediction(text=true.text, status="ended") for _, true in known]
    found, seconds = list[Decided](), 0.0
    begun = rolled_from(predictor, asks, truths, "next")
    for number, ((_, true), rolled) in enumerate(zip(known, fenced_each(begun, len(asks)), strict=True)):
        if isinstance(rolled, RowFault) or rolled.prediction.status == "fault":
            faults += 1
            continue
        seconds += rolled.prediction.seconds
        found += decided(number, true, rolled)
    tables = (
        _table(
            "by kind",
            found,
            lambda one: one.condition.kind,
            "what decides",
        ),
        _table(
            "by types",
            found,
            lambda one: one.types,
            "the types of the names that are tested, before the test",
        ),
        _table("by outcome", found, lambda one: "held" if one.condition.taken else "did not hold", ""),
    )
    return Measured(
        suite.name, predictor.info.name, len(known), tables, skipped=skipped, faults=faults, seconds=seconds
    )


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
        some.append(Decided(number, one, types, _goes_there(ahead, cut[step], text)))
    return some


def _goes_there(ahead: Ahead, turn: Turn, text: bytes) -> bool:
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
