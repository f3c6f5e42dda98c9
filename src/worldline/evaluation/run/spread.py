"""Predicts and judges the tasks of a run on the workers of a pool; the records are stored in the order of the suite.

A worker loads the predictor once. Predictions made elsewhere are sent along with their tasks. Stored tasks are not sent
out, and each unit is on disk before the next is read. No more tasks go out than are still wanted, so that no prediction
is wasted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from worldline.core.limits import Limits
from worldline.evaluation.external.predictions import ExternalPrediction
from worldline.evaluation.run.record import Record
from worldline.evaluation.run.run import BatchExecutor, RunState, judge_batch, select_tasks, stored_record
from worldline.evaluation.run.shard import SuiteShard
from worldline.evaluation.run.truth import truth_recorder
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites.suite import Suite, Task
from worldline.parallel.pool import WorkerPool, grouped, in_order
from worldline.predict.interpreter import recorder
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor

UNIT = 8  # tasks per unit of work
MAX_ROUND = 1 << 12  # tasks handed out at once, if all are wanted


@dataclass(frozen=True)
class RowUnit:
    """Some tasks by their places in the suite, with their predictions if those were made elsewhere."""

    rows: tuple[tuple[int, Task], ...]
    external: Mapping[str, ExternalPrediction] = field(default_factory=dict)


class RowJudge:
    """A worker that predicts and judges tasks: a sandbox, and a predictor unless predictions are sent along."""

    def __init__(self, load: Callable[[], Predictor] | None, codec: str, limits: Limits) -> None:
        self._predictor = None if load is None else load()
        self._codec, self._limits = codec, limits
        self._sandbox = ExitStack()
        self._record = self._sandbox.enter_context(truth_recorder(limits))

    def __call__(self, unit: RowUnit) -> list[Record]:
        """Return the records of a unit's tasks, in order."""
        records: list[Record] = []
        again = recorder(self._limits, hash_seed=1)
        state = RunState(None, self._record, again, records.append, unit.external)

        def answers(tasks: Sequence[Task], requests: Sequence[PredictionRequest]) -> Iterator[Prediction]:
            if self._predictor is not None:
                return self._predictor.predict(requests)
            return (unit.external[task.name].prediction for task in tasks)

        suite = Suite(name="", tasks=[task for _, task in unit.rows], limits=self._limits)
        for _ in judge_batch(list(select_tasks(suite, state, None, None)), answers, self._codec, state):
            pass
        ordered = sorted(records, key=lambda record: record.at)
        return [replace(record, at=unit.rows[record.at][0]) for record in ordered]

    def close(self) -> None:
        """Close the sandbox."""
        self._sandbox.close()


def spread(pool: WorkerPool, load: Callable[[], Predictor] | None, codec: str) -> BatchExecutor:
    """Return an executor that predicts and judges on the workers of a pool.

    Args:
        pool: The workers.
        load: Makes the predictor on a worker; it is pickled. None judges predictions made elsewhere.
        codec: The notation of the predictions.
    """

    def batches(
        suite: Suite, state: RunState, wanted: int | None, shard: SuiteShard | None
    ) -> Iterator[Iterable[Verdict]]:
        start_worker = partial(RowJudge, load, codec, suite.limits)
        places, counted = _places(suite, state, wanted, shard), 0
        while rows := list(islice(places, MAX_ROUND if wanted is None else wanted - counted)):
            stored = {at: record for at, task in rows if (record := _final(at, task, state)) is not None}
            for record in stored.values():
                counted += record.kind == "asked"
                yield _counted(record, state)
            fresh = grouped((row for row in rows if row[0] not in stored), UNIT)
            units = (_unit(unit_rows, state) for unit_rows in fresh)
            with closing(in_order(pool.map(start_worker, units))) as results:
                for records in results:
                    counted += sum(record.kind == "asked" for record in records)
                    for record in records:
                        state.add(record)
                        yield _counted(record, state)

    return batches


def _places(suite: Suite, state: RunState, wanted: int | None, shard: SuiteShard | None) -> Iterator[tuple[int, Task]]:
    """The tasks that may be sent out. A shard with a count must record the tasks before its own (`select_tasks`)."""
    if shard is None or wanted is None:
        return ((at, task) for at, task in enumerate(suite.tasks) if shard is None or shard.has(at))
    return ((known.at, known.task) for known in select_tasks(suite, state, wanted, shard))


def _final(at: int, task: Task, state: RunState) -> Record | None:
    """The stored record of a task that need not be predicted again."""
    record = stored_record(at, task, state)
    return record if record is not None and (record.counts or record.kind != "asked") else None


def _unit(rows: tuple[tuple[int, Task], ...], state: RunState) -> RowUnit:
    names = [task.name for _, task in rows]
    return RowUnit(rows, {name: state.external[name] for name in names if name in state.external})


def _counted(record: Record, state: RunState) -> list[Verdict]:
    """The verdict of a record, if it has one; other records are counted."""
    if record.counts:
        return [record.verdict()]
    if record.is_fault:
        state.count_fault(record)
    else:
        state.leave_out(record)
    return []
