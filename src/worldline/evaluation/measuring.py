"""Measures a suite that has its own meter: in this process, in a shard, or on the workers of a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from worldline.core.errors import FingerprintError
from worldline.core.limits import Limits
from worldline.evaluation.run.measurements import MeasurementLog, open_measurements
from worldline.evaluation.run.run import run_config
from worldline.evaluation.run.shard import SuiteShard
from worldline.evaluation.suites.measurement import MEASURED, SKIPPED, Measurement, SuiteMeter
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Measured
from worldline.parallel.pool import WorkerPool, grouped, in_order
from worldline.predict.predictor import Predictor
from worldline.storage.remote import Folder

UNIT = 4  # programs per unit of work
MAX_ROUND = 1 << 12  # programs handed out at once, if all are wanted

Places = Sequence[tuple[int, Task]]
MeasureRows = Callable[[Places], Iterable[Measurement]]


class MeasureWorker:
    """A worker that loads a predictor once and measures programs with it."""

    def __init__(self, load: Callable[[], Predictor], meter: SuiteMeter, limits: Limits) -> None:
        self._rows = partial(_measure_rows, meter, load(), limits)

    def __call__(self, unit: Places) -> list[Measurement]:
        """Measure the programs of one unit."""
        return list(self._rows(unit))

    def close(self) -> None:
        """Close nothing: a meter holds no resources."""


@dataclass(frozen=True)
class MeasureExecutor:
    """Where programs are measured, and how many are handed out at once."""

    rows: MeasureRows
    batch: int


def local_executor(meter: SuiteMeter, predictor: Predictor, limits: Limits) -> MeasureExecutor:
    """Measure in this process."""
    return MeasureExecutor(partial(_measure_rows, meter, predictor, limits), meter.batch)


def pool_executor(
    pool: WorkerPool, load: Callable[[], Predictor], meter: SuiteMeter, limits: Limits
) -> MeasureExecutor:
    """Measure on the workers of a pool; `load` is pickled and makes the predictor there."""
    start = partial(MeasureWorker, load, meter, limits)

    def rows(places: Places) -> Iterator[Measurement]:
        with closing(in_order(pool.map(start, grouped(places, UNIT)))) as results:
            for measured in results:
                yield from measured

    return MeasureExecutor(rows, MAX_ROUND)


def measure(
    suite: Suite,
    meter: SuiteMeter,
    predictor: Predictor,
    *,
    limit: int | None = None,
    shard: SuiteShard | None = None,
    executor: MeasureExecutor | None = None,
    out: Folder | None = None,
    config: Mapping[str, Any] | None = None,
    on_measurement: Callable[[Measurement], None] | None = None,
) -> tuple[Measured, list[Measurement]]:
    """Measure the first programs of a suite that have a true answer.

    Args:
        suite: The programs.
        meter: How they are measured.
        predictor: The model.
        limit: The number of programs; by default the suite's count. A resumed run keeps what it has, if that is more.
        shard: Measure only the programs of this shard.
        executor: Where programs are measured; by default in this process.
        out: A folder that stores the measurements. A run stored there is resumed.
        config: What else decides the figures, for the folder.
        on_measurement: Called with every measurement.

    Returns:
        The tables, and the measurements that they sum up.
    """
    count = suite.count if limit is None else limit
    suite = suite.posed_in(predictor.info.notation)
    place = executor or local_executor(meter, predictor, suite.limits)
    how = dict(predictor.info.config)
    settings = {**(config or {}), **({"how": how} if how else {})}
    with open_measurements(out, run_config(suite, predictor.info.name, settings, shard, count)) as log:
        if count is not None and shard is None:
            count = max(count, sum(row.kind != SKIPPED for row in log.rows.values()))
        rows: list[Measurement] = []
        for measured in _measured(suite, meter, place, log, count, shard):
            rows += measured
            log.add(measured)
            if on_measurement is not None:
                for row in measured:
                    on_measurement(row)
        summed = sum_up(rows, meter, suite=suite.name, model=predictor.info.name)
        log.finish(summed.as_json())
    return summed, rows


def sum_up(rows: Sequence[Measurement], meter: SuiteMeter, *, suite: str, model: str) -> Measured:
    """Sum up the measurements of a run, of its shards, or of several samples."""
    measured = [row for row in rows if row.kind == MEASURED]
    return Measured(
        suite,
        model,
        len(measured),
        meter.tables(measured),
        skipped=sum(row.kind == SKIPPED for row in rows),
        faults=sum(row.faults for row in rows),
        seconds=sum(row.seconds for row in rows),
        first_fault=next((f"{row.name}: {row.note}" for row in rows if row.faults and row.note), ""),
    )


def _measured(
    suite: Suite,
    meter: SuiteMeter,
    place: MeasureExecutor,
    log: MeasurementLog,
    limit: int | None,
    shard: SuiteShard | None,
) -> Iterator[list[Measurement]]:
    """The measurements in the order of the suite, batch by batch: how many programs count is known only then."""
    tasks, counted = enumerate(suite.tasks), 0
    while batch := list(islice(tasks, place.batch if limit is None else min(place.batch, limit - counted))):
        own = [(at, task) for at, task in batch if shard is None or shard.has(at)]
        if shard is not None and limit is not None:
            counted += meter.count([task for at, task in batch if not shard.has(at)], suite.limits)
        stored = {at: row for at, task in own if (row := _stored(log, at, task)) is not None}
        fresh = place.rows([(at, task) for at, task in own if at not in stored])
        rows = sorted([*stored.values(), *fresh], key=lambda row: row.at)
        counted += sum(row.kind != SKIPPED for row in rows)
        yield rows


def _stored(log: MeasurementLog, at: int, task: Task) -> Measurement | None:
    """The stored measurement of a program, unless the tool failed on it."""
    row = log.rows.get(at)
    if row is None or not row.is_final:
        return None
    if row.program != task.program.digest:
        raise FingerprintError(f"task {at}, {task.name}, is not the program that the stored run has there")
    return row


def _measure_rows(meter: SuiteMeter, predictor: Predictor, limits: Limits, places: Places) -> Iterator[Measurement]:
    measured = meter.measure([task for _, task in places], predictor, limits) if places else iter(())
    for (at, task), row in zip(places, measured, strict=True):
        yield replace(row, at=at, name=task.name, program=task.program.digest)
