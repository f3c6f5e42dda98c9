"""A suite with a meter of its own, measured program by program: here, in a shard, or by the workers of a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from worldline.core.errors import FingerprintError
from worldline.core.limits import Limits
from worldline.evaluation.run.measurements import MeasurementLog, opened
from worldline.evaluation.run.run import decided_by
from worldline.evaluation.run.shard import SuiteShard
from worldline.evaluation.suites.measurement import MEASURED, SKIPPED, Measurement, SuiteMeter
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.table import Measured
from worldline.parallel.pool import WorkerPool, grouped, in_order
from worldline.predict.predictor import Predictor
from worldline.storage.remote import Folder

UNIT = 4  # programs of one unit of work
MAX_ROUND = 1 << 12  # programs that are handed out at once, where all are wanted

Places = Sequence[tuple[int, Task]]
MeasureRows = Callable[[Places], Iterable[Measurement]]


class MeasureWorker:
    """A worker that measures programs with a predictor that it loads once."""

    def __init__(self, load: Callable[[], Predictor], meter: SuiteMeter, limits: Limits) -> None:
        self._rows = partial(_measured_here, meter, load(), limits)

    def __call__(self, unit: Places) -> list[Measurement]:
        """Measure the programs of one unit."""
        return list(self._rows(unit))

    def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True)
class MeasureExecutor:
    """Where programs are measured, and how many are handed out at once."""

    rows: MeasureRows
    batch: int


def local_executor(meter: SuiteMeter, predictor: Predictor, limits: Limits) -> MeasureExecutor:
    """Measure in this process."""
    return MeasureExecutor(partial(_measured_here, meter, predictor, limits), meter.batch)


def pool_executor(
    pool: WorkerPool, load: Callable[[], Predictor], meter: SuiteMeter, limits: Limits
) -> MeasureExecutor:
    """Measure on the workers of a pool; `load`, which is pickled, makes the predictor there."""
    start = partial(MeasureWorker, load, meter, limits)

    def rows(some: Places) -> Iterator[Measurement]:
        with closing(in_order(pool.map(start, grouped(some, UNIT)))) as results:
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
    each: Callable[[Measurement], None] | None = None,
) -> tuple[Measured, list[Measurement]]:
    """Measure the first programs of a suite that have a true answer.

    Args:
        suite: The programs.
        meter: How they are measured.
        predictor: The model.
        limit: How many programs; by default as many as the suite counts.
        shard: Measure only the programs of this shard.
        executor: Where programs are measured; by default in this process.
        out: A folder that keeps the measurements. A run that is there is resumed.
        config: What else decides the figures, for the folder.
        each: Called with every measurement.

    Returns:
        The tables, and the measurements that they sum up.
    """
    most = suite.count if limit is None else limit
    place = executor or local_executor(meter, predictor, suite.limits)
    decided = decided_by(suite, predictor.info.name, {**(config or {}), **_how(predictor)}, shard, most)
    with opened(out, decided) as log:
        rows: list[Measurement] = []
        for measured in _coming(suite, meter, place, log, most, shard):
            rows += measured
            log.add(measured)
            if each is not None:
                for row in measured:
                    each(row)
        summed = sum_up(rows, meter, suite=suite.name, model=predictor.info.name)
        log.finish(summed.as_json())
    return summed, rows


def sum_up(rows: Sequence[Measurement], meter: SuiteMeter, *, suite: str, model: str) -> Measured:
    """Sum up measurements: of a run, of its shards, or of several samples."""
    kinds = [row.kind for row in rows]
    return Measured(
        suite, model, kinds.count(MEASURED), meter.tables([row for row in rows if row.kind == MEASURED]),
        skipped=kinds.count(SKIPPED), faults=sum(row.faults for row in rows),
        seconds=sum(row.seconds for row in rows), first_fault=_first_fault(rows),
    )  # fmt: skip


def _first_fault(rows: Sequence[Measurement]) -> str:
    return next((f"{row.name}: {row.note}" for row in rows if row.faults and row.note), "")


def _how(predictor: Predictor) -> dict[str, Any]:
    how = dict(predictor.info.config)
    return {"how": how} if how else {}


def _coming(
    suite: Suite, meter: SuiteMeter, place: MeasureExecutor, log: MeasurementLog, most: int | None,
    shard: SuiteShard | None,
) -> Iterator[list[Measurement]]:  # fmt: skip
    """The measurements, in the order of the suite; which programs are among the first is known batch by batch."""
    coming, counted = enumerate(suite.tasks), 0
    while some := list(islice(coming, place.batch if most is None else min(place.batch, most - counted))):
        own = [(at, task) for at, task in some if shard is None or shard.has(at)]
        if shard is not None and most is not None:
            counted += meter.count([task for at, task in some if not shard.has(at)], suite.limits)
        stored = {at: row for at, task in own if (row := _stored(log, at, task)) is not None}
        fresh = place.rows([(at, task) for at, task in own if at not in stored])
        rows = sorted([*stored.values(), *fresh], key=lambda row: row.at)
        counted += sum(row.kind != SKIPPED for row in rows)
        yield rows


def _stored(log: MeasurementLog, at: int, task: Task) -> Measurement | None:
    """What is known of a program from before; a fault is nothing."""
    row = log.rows.get(at)
    if row is None or not row.is_final:
        return None
    if row.program != task.program.digest:
        raise FingerprintError(
            f"task {at}, {task.name}, is another program than the one that was measured then"
        )
    return row


def _measured_here(
    meter: SuiteMeter, predictor: Predictor, limits: Limits, some: Places
) -> Iterator[Measurement]:
    measured = meter.measure([task for _, task in some], predictor, limits) if some else iter(())
    for (at, task), row in zip(some, measured, strict=True):
        yield replace(row, at=at, name=task.name, program=task.program.digest)
