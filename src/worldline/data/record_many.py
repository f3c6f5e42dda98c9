"""Many programs recorded and, if asked, stored as they come: what `worldline.record_many` is."""

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

UNIT = 32  # programs that a cluster's worker is given at once


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
    """Record many programs, in sandboxes that are reused.

    Args:
        programs: The programs.
        out: A folder or URL where each trace is stored too; programs that it holds are neither recorded nor yielded,
            so that a run that was cut off resumes.
        recipe: Becomes part of the fingerprint of the folder.
        limits: What one program may use.
        python: The Python interpreter that executes them.
        core: The recorder: `native`, `python` or `auto`.
        trust: Execute without a sandbox, as yourself.
        workers: Processes at once.
        twice: Execute each program twice, and note `nondeterministic` where the runs differ.
        control: Who decides the hidden inputs of each.
        ray: The address of a Ray cluster that records them; `auto` for the one that is there, or a new one here.

    Returns:
        The traces, in the order of the programs. With `out`, what was stored is whole when the iterator ends.
    """
    options: dict[str, Any] = {"limits": limits, "python": python, "core": core, "trust": trust}
    options |= {"twice": twice, "control": control}

    def record(some: Iterable[Program]) -> Iterator[Trace]:
        if ray is not None:
            return _spread(some, ray, options)
        return recorder.record_many(some, workers=workers, **options)

    if out is None:
        return record(programs)
    found = find(python)
    who = InterpreterInfo(found.name, found.version, "")
    mark = fingerprint(limits=limits, interpreter=who, recipe=recipe)
    return _stored(programs, place(out), mark, record)


def _stored(
    programs: Iterable[Program],
    out: Folder,
    mark: dict[str, Any],
    record: Callable[[Iterable[Program]], Iterator[Trace]],
) -> Iterator[Trace]:
    from worldline.data.shards import ShardWriter  # pyarrow comes with it

    with ShardWriter(out, fingerprint=mark) as writer:
        fresh = (program for program in programs if not writer.holds(program))
        for trace in record(fresh):
            writer.add(trace)
            yield trace


class _Recorder:
    """One worker: records some programs, in a box that stays."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._waiting: list[Program] = []
        self._traces = recorder.record_many(self._programs(), **options)

    def _programs(self) -> Iterator[Program]:
        while self._waiting:
            yield self._waiting.pop()

    def __call__(self, some: Sequence[Program]) -> list[Trace]:
        """The trace of each."""
        self._waiting[:] = reversed(some)
        return [next(self._traces) for _ in some]

    def close(self) -> None:
        """Let go of the box."""
        getattr(self._traces, "close", lambda: None)()


def _spread(programs: Iterable[Program], address: str, options: dict[str, Any]) -> Iterator[Trace]:
    """The traces in the order of the programs, recorded by a cluster."""
    from worldline.parallel.ray_pool import RayWorkshop, connect

    connect(address)
    shop = RayWorkshop(trust=options["trust"])
    for traces in in_order(shop.map(partial(_Recorder, options), grouped(programs, UNIT))):
        yield from traces
