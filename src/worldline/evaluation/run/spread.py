"""The rows of a run, asked and judged by the workers of a pool in units, and kept here in the order of the suite.

A worker loads the predictor once; for predictions made elsewhere a unit brings them. What is stored from before is not
sent out, and what comes back is on disk before the next unit is looked at. As many tasks go out as are still wanted: no
model is asked in vain where some of them have no true answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from worldline.core.limits import Limits
from worldline.evaluation.external.foreign import Foreign
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import Rows, RunState, selected, stored_row, truth_recorder, verdicts_on
from worldline.evaluation.run.shard import SuiteShard
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites.suite import Suite, Task
from worldline.parallel.pool import WorkerPool, grouped, in_order
from worldline.predict.interpreter import recorder
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

UNIT = 8  # tasks
ROUND = 1 << 12  # tasks that are looked through at once, where all are wanted


@dataclass(frozen=True)
class RowUnit:
    """Some tasks by their places in the suite, and what is said of them elsewhere."""

    rows: tuple[tuple[int, Task], ...]
    said: Mapping[str, Foreign] = field(default_factory=dict)


class RowJudge:
    """One worker that asks and judges tasks and keeps no run: a box, and a predictor unless all is said already."""

    def __init__(self, load: Callable[[], Predictor] | None, codec: str, limits: Limits) -> None:
        self._predictor = None if load is None else load()
        self._codec, self._limits = codec, limits
        self._boxes = ExitStack()
        self._record = self._boxes.enter_context(truth_recorder(limits))

    def __call__(self, unit: RowUnit) -> list[Record]:
        """The record of each task of a unit, in their order."""
        records: list[Record] = []
        state = RunState(None, self._record, recorder(self._limits, hash_seed=1), records.append, unit.said)

        def answers(tasks: Sequence[Task], asks: Sequence[PredictionRequest]) -> Iterator[Prediction]:
            if self._predictor is not None:
                return self._predictor.predict(asks)
            return (unit.said[task.name].prediction for task in tasks)

        suite = Suite(name="", tasks=[task for _, task in unit.rows], limits=self._limits)
        for _ in verdicts_on(list(selected(suite, state, None, None)), answers, self._codec, state):
            pass
        return [replace(each, at=unit.rows[each.at][0]) for each in sorted(records, key=lambda one: one.at)]

    def close(self) -> None:
        """Let go of the box."""
        self._boxes.close()


def spread(pool: WorkerPool, load: Callable[[], Predictor] | None, codec: str) -> Rows:
    """Who has rows asked of the predictor that `load` (it is pickled) makes; without one, judged as they were said."""

    def rows(
        suite: Suite, state: RunState, wanted: int | None, shard: SuiteShard | None
    ) -> Iterator[Iterable[Verdict]]:
        start_worker = partial(RowJudge, load, codec, suite.limits)
        coming, counted = _places(suite, state, wanted, shard), 0
        while some := list(islice(coming, ROUND if wanted is None else wanted - counted)):
            stored = {at: record for at, task in some if (record := _kept(at, task, state)) is not None}
            for record in stored.values():
                counted += record.kind == "asked"
                yield _settled(record, state)
            units = (
                _unit(few, state) for few in grouped((row for row in some if row[0] not in stored), UNIT)
            )
            with closing(in_order(pool.map(start_worker, units))) as results:
                for records in results:
                    counted += sum(record.kind == "asked" for record in records)
                    for record in records:
                        state.note(record)
                        yield _settled(record, state)

    return rows


def _places(
    suite: Suite, state: RunState, wanted: int | None, shard: SuiteShard | None
) -> Iterator[tuple[int, Task]]:
    """The tasks that may be sent out. Which of a shard's are among the first is known once all before are recorded."""
    if shard is None or wanted is None:
        return ((at, task) for at, task in enumerate(suite.tasks) if shard is None or shard.has(at))
    return ((known.at, known.task) for known in selected(suite, state, wanted, shard))


def _kept(at: int, task: Task, state: RunState) -> Record | None:
    """What is stored of a task and need not be asked again."""
    record = stored_row(at, task, state)
    return record if record is not None and (record.counts or record.kind != "asked") else None


def _unit(few: tuple[tuple[int, Task], ...], state: RunState) -> RowUnit:
    return RowUnit(few, {task.name: state.said[task.name] for _, task in few if task.name in state.said})


def _settled(record: Record, state: RunState) -> list[Verdict]:
    """The verdict of a record that has one; the others are counted."""
    if record.counts:
        return [record.verdict()]
    if record.is_fault:
        state.count_fault(record)
    else:
        state.leave_out(record)
    return []
