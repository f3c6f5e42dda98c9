"""The worker pool protocol, and `LocalPool`: processes or threads of this machine.

Each worker is created once, where it works, by a pickled function. It keeps its sandbox or model between units.
Results arrive in any order with their unit's number; `in_order` sorts them. A pool stores nothing: callers record what
is done and skip it when they resume. A single worker runs in the calling process. Worker processes exit when their
parent is killed, so that no sandbox is left behind.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import threading
import warnings
from collections.abc import Callable, Collection, Generator, Hashable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

from worldline.core.errors import UsageError, WorldlineError

_Input = TypeVar("_Input", contravariant=True)
_Output = TypeVar("_Output", covariant=True)
_Unit = TypeVar("_Unit")
_Done = TypeVar("_Done")
_Handle = TypeVar("_Handle", bound=Hashable)

# Units in flight per worker, so that no worker waits for its next unit.
UNITS_IN_FLIGHT = 2
# Bounds how far results may run ahead of the oldest unfinished unit, in units per unit in flight.
REORDER_WINDOW = 8


class Worker(Protocol[_Input, _Output]):
    """Processes one unit of work at a time."""

    def __call__(self, item: _Input, /) -> _Output:
        """Process one unit."""

    def close(self) -> None:
        """Release resources. The result of a unit in progress is no longer needed."""


class WorkerPool(Protocol):
    """Distributes units of work to workers."""

    def map(
        self, start_worker: Callable[[], Worker[_Unit, _Done]], units: Iterable[_Unit]
    ) -> Generator[tuple[int, _Done], None, None]:
        """Process units in parallel.

        Args:
            start_worker: Creates a worker. Must be picklable.
            units: The work. Taken lazily, as workers become free.

        Yields:
            The number of each unit and its result, in any order.
        """

    @property
    def summary(self) -> str:
        """Throughput and location for a progress line, or an empty string."""


@dataclass(frozen=True)
class LocalPool:
    """Workers on this machine: processes, or threads for work that starts its own processes."""

    workers: int
    threads: bool = False
    summary: str = ""

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise UsageError(f"workers must be at least 1, not {self.workers}")

    def map(
        self, start_worker: Callable[[], Worker[_Unit, _Done]], units: Iterable[_Unit]
    ) -> Generator[tuple[int, _Done], None, None]:
        """Process units in parallel; see `WorkerPool.map`."""
        if self.workers == 1 and not self.threads:
            with closing(start_worker()) as worker:
                for number, unit in enumerate(units):
                    yield number, worker(unit)
            return
        started: list[Worker[Any, Any]] = []
        executor = self._executor(start_worker, started)
        results = flowing(units, lambda unit: executor.submit(_process, unit), _finished, lambda: self.workers + 1)
        try:
            for number, future in results:
                yield number, future.result()
        except BrokenProcessPool as error:
            raise WorldlineError(
                "A worker process was killed, perhaps for lack of memory. Try fewer workers."
            ) from error
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            for worker in started:
                worker.close()
            executor.shutdown()

    def _executor(
        self, start_worker: Callable[[], Worker[Any, Any]], started: list[Worker[Any, Any]]
    ) -> ThreadPoolExecutor | ProcessPoolExecutor:
        if self.threads:
            return ThreadPoolExecutor(
                self.workers, "worldline-work", initializer=_start, initargs=(start_worker, started.append)
            )
        # Forking would copy threads and sandboxes.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(
            self.workers, mp_context=context, initializer=_start_process, initargs=(start_worker,)
        )


def flowing(
    units: Iterable[_Unit],
    submit: Callable[[_Unit], _Handle],
    finished: Callable[[Collection[_Handle]], Iterable[_Handle]],
    max_in_flight: Callable[[], int],
) -> Generator[tuple[int, _Handle], None, None]:
    """Submit units and yield the number and handle of each finished one, within bounds.

    Args:
        units: The work, taken lazily.
        submit: Starts a unit and returns its handle.
        finished: Waits until at least one handle is done and returns all that are.
        max_in_flight: The number of units that may be in flight, asked again as work proceeds.

    Yields:
        The number and handle of each finished unit.
    """
    in_flight: dict[_Handle, int] = {}
    remaining, next_number, has_more = iter(units), 0, True
    while True:
        while has_more and len(in_flight) < (capacity := max_in_flight()):
            if in_flight and next_number - next(iter(in_flight.values())) >= REORDER_WINDOW * capacity:
                break
            try:
                unit = next(remaining)
            except StopIteration:
                has_more = False
            else:
                in_flight[submit(unit)] = next_number
                next_number += 1
        if not in_flight:
            return
        for handle in finished(in_flight):
            yield in_flight.pop(handle), handle


def in_order(numbered: Generator[tuple[int, _Done], None, None]) -> Generator[_Done, None, None]:
    """Yield results in the order of their units."""
    waiting: dict[int, _Done] = {}
    next_number = 0
    with closing(numbered):
        for number, done in numbered:
            waiting[number] = done
            while next_number in waiting:
                yield waiting.pop(next_number)
                next_number += 1


def grouped(items: Iterable[_Unit], size: int) -> Generator[tuple[_Unit, ...], None, None]:
    """Split items into units of `size`; the last may be smaller."""
    remaining = iter(items)
    while unit := tuple(islice(remaining, size)):
        yield unit


def _finished(in_flight: Collection[Future[_Done]]) -> Iterable[Future[_Done]]:
    return wait(in_flight, return_when=FIRST_COMPLETED).done


class _Current(threading.local):
    """The worker of this thread, or the reason why it has none."""

    worker: Worker[Any, Any] | None = None
    refusal: WorldlineError | None = None


_current = _Current()


def _start(start_worker: Callable[[], Worker[Any, Any]], on_start: Callable[[Worker[Any, Any]], object]) -> None:
    try:
        _current.worker = start_worker()
    except WorldlineError as error:  # raised with the first unit: an executor would hide it
        _current.refusal = error
    else:
        on_start(_current.worker)


def _start_process(start_worker: Callable[[], Worker[Any, Any]]) -> None:
    warnings.simplefilter("ignore")
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    _start(start_worker, lambda worker: atexit.register(worker.close))


def _process(unit: Any) -> Any:
    if _current.refusal is not None:
        raise _current.refusal
    assert _current.worker is not None  # set by _start
    return _current.worker(unit)


def _exit_with_parent() -> None:
    """Exit when the parent process ends."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # worker processes have a parent
    parent.join()
    os._exit(1)
