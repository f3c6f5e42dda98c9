"""Record many programs and optionally store the traces: `worldline.record_many`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import InterpreterInfo, Trace
from worldline.data.manifest import fingerprint
from worldline.parallel.pool import grouped, in_order
from worldline.recording import recorder
from worldline.recording.interpreter import find
from worldline.storage.remote import Folder, place

# Programs per task of a Ray worker.
RAY_BATCH_PROGRAMS = 32


def record_many(
    programs: Iterable[Program],
    *,
    out: str | Folder | None = None,
    recipe: object = None,
    limits: Limits = recorder.DEFAULT_LIMITS,
    python: str | None = None,
    core: str = "auto",
    trust: bool = False,
    workers: int = 1,
    twice: bool = False,
    control: Control | None = None,
    ray: str | None = None,
) -> Iterator[Trace]:
    """Record many programs, in order, with reused sandboxes.

    Args:
        programs: Programs to record.
        out: Directory or URL to store traces in, as parquet shards. Programs already stored there are neither
            recorded nor yielded, so an interrupted run resumes. Complete when the iterator ends or closes.
        recipe: Becomes part of the directory's fingerprint.
        limits: Limits of each run.
        python: Interpreter to run.
        core: Recorder core: `native`, `python` or `auto`.
        trust: Whether to run without a sandbox.
        workers: Number of parallel workers.
        twice: Whether to run each program twice and note `nondeterministic` if the runs differ.
        control: Decides hidden inputs. A directory holds one trace per program.
        ray: Address of a Ray cluster to record on; `auto` uses or starts one.

    Returns:
        Iterator of the traces, in the order of the programs.
    """
    options: dict[str, Any] = {"limits": limits, "python": python, "core": core, "trust": trust}
    options |= {"twice": twice, "control": control}

    def record(batch: Iterable[Program]) -> Iterator[Trace]:
        if ray is not None:
            return _record_on_ray(batch, ray, options)
        return recorder.record_many(batch, workers=workers, **options)

    if out is None:
        return record(programs)
    interpreter = find(python)
    interpreter_info = InterpreterInfo(interpreter.name, interpreter.version, "")
    run_fingerprint = fingerprint(limits=limits, interpreter=interpreter_info, recipe=recipe)
    return _record_and_store(programs, place(out), run_fingerprint, record)


def _record_and_store(
    programs: Iterable[Program],
    out: Folder,
    mark: dict[str, Any],
    record: Callable[[Iterable[Program]], Iterator[Trace]],
) -> Iterator[Trace]:
    # Imported here because it needs pyarrow.
    from worldline.data.shards import ShardWriter

    with ShardWriter(out, fingerprint=mark) as writer:
        fresh = (program for program in programs if not writer.holds(program))
        for trace in record(fresh):
            writer.add(trace)
            yield trace


class _Recorder:
    """A worker that records programs in one sandbox."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._waiting: list[Program] = []
        self._traces = recorder.record_many(self._programs(), **options)

    def _programs(self) -> Iterator[Program]:
        while self._waiting:
            yield self._waiting.pop()

    def __call__(self, batch: Sequence[Program]) -> list[Trace]:
        """Return the trace of each program."""
        self._waiting[:] = reversed(batch)
        return [next(self._traces) for _ in batch]

    def close(self) -> None:
        """Release the sandbox."""
        getattr(self._traces, "close", lambda: None)()


def _record_on_ray(programs: Iterable[Program], address: str, options: dict[str, Any]) -> Iterator[Trace]:
    """Traces in the order of the programs, recorded on a cluster."""
    from worldline.parallel.ray_pool import RayWorkshop, connect

    connect(address)
    shop = RayWorkshop(trust=options["trust"])
    for traces in in_order(shop.map(partial(_Recorder, options), grouped(programs, RAY_BATCH_PROGRAMS))):
        yield from traces
