"""Where units of work are done: a seam, and `Here`, the workers of this machine.

A worker is made once where it works (`hire`, which is pickled) and stays: it holds a box, or a model. Results come in
any order, each with its unit's number; who needs them in order takes `in_order`. Nothing is kept here: who calls notes
what is done, and leaves it out the next time. For one worker there is no second process. A process whose parent was
killed ends too, so that no box is left behind.
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

Item = TypeVar("Item", contravariant=True)
Result = TypeVar("Result", covariant=True)
_Unit = TypeVar("_Unit")
_Done = TypeVar("_Done")
_Handle = TypeVar("_Handle", bound=Hashable)

AHEAD = 2  # units under way for each worker, so that none waits for the next
WINDOW = (
    8  # units for each one under way, from the oldest that is not done: what waits for its turn is bounded
)


class Hand(Protocol[Item, Result]):
    """One worker: does a unit of work, and lets go of its box at the end."""

    def __call__(self, item: Item, /) -> Result:
        """What comes of one unit."""

    def close(self) -> None:
        """No more work comes; what is under way is wanted no more."""


class Workshop(Protocol):
    """Whoever has units of work done."""

    def map(
        self, hire: Callable[[], Hand[_Unit, _Done]], units: Iterable[_Unit]
    ) -> Generator[tuple[int, _Done], None, None]:
        """What comes of each unit with its number, in any order; units are taken as there is room."""

    @property
    def summary(self) -> str:
        """Where the work is done and how fast, for a line of progress; empty where there is nothing to add."""


@dataclass(frozen=True)
class Here:
    """Workers of this machine: processes, or `threads` for work that is done by processes of its own."""

    workers: int
    threads: bool = False
    summary: str = ""

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise UsageError(f"workers must be at least 1, not {self.workers}")

    def map(
        self, hire: Callable[[], Hand[_Unit, _Done]], units: Iterable[_Unit]
    ) -> Generator[tuple[int, _Done], None, None]:
        """What comes of each unit with its number."""
        if self.workers == 1 and not self.threads:
            with closing(hire()) as hand:
                for number, unit in enumerate(units):
                    yield number, hand(unit)
            return
        hands: list[Hand[Any, Any]] = []  # of threads
        pool = self._pool(hire, hands)
        flight = flowing(units, lambda unit: pool.submit(_act, unit), _finished, lambda: self.workers + 1)
        try:
            for number, future in flight:
                yield number, future.result()
        except BrokenProcessPool as error:
            raise WorldlineError("a worker was killed: was there too little memory for so many?") from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for hand in hands:
                hand.close()
            pool.shutdown()

    def _pool(
        self, hire: Callable[[], Hand[Any, Any]], hands: list[Hand[Any, Any]]
    ) -> ThreadPoolExecutor | ProcessPoolExecutor:
        if self.threads:
            return ThreadPoolExecutor(
                self.workers, "worldline-work", initializer=_start, initargs=(hire, hands.append)
            )
        context = multiprocessing.get_context("spawn")  # threads and boxes must not be copied
        return ProcessPoolExecutor(
            self.workers, mp_context=context, initializer=_start_process, initargs=(hire,)
        )


def flowing(
    units: Iterable[_Unit],
    submit: Callable[[_Unit], _Handle],
    finished: Callable[[Collection[_Handle]], Iterable[_Handle]],
    most: Callable[[], int],
) -> Generator[tuple[int, _Handle], None, None]:
    """Each unit's number and handle once it is done, at most `most` under way, none far ahead of the oldest."""
    flight: dict[_Handle, int] = {}
    coming, following, more = iter(units), 0, True
    while True:
        while more and len(flight) < (room := most()):
            if flight and following - next(iter(flight.values())) >= WINDOW * room:
                break
            try:
                unit = next(coming)
            except StopIteration:
                more = False
            else:
                flight[submit(unit)] = following
                following += 1
        if not flight:
            return
        for handle in finished(flight):
            yield flight.pop(handle), handle


def in_order(numbered: Generator[tuple[int, _Done], None, None]) -> Generator[_Done, None, None]:
    """Results in the order of their units."""
    waiting: dict[int, _Done] = {}
    following = 0
    with closing(numbered):
        for number, done in numbered:
            waiting[number] = done
            while following in waiting:
                yield waiting.pop(following)
                following += 1


def grouped(items: Iterable[_Unit], size: int) -> Generator[tuple[_Unit, ...], None, None]:
    """Units of so many items; the last may have fewer."""
    coming = iter(items)
    while some := tuple(islice(coming, size)):
        yield some


def _finished(flight: Collection[Future[_Done]]) -> Iterable[Future[_Done]]:
    return wait(flight, return_when=FIRST_COMPLETED).done


class _Own(threading.local):
    """The worker of this thread, or why it has none."""

    hand: Hand[Any, Any] | None = None
    refusal: WorldlineError | None = None


_own = _Own()


def _start(hire: Callable[[], Hand[Any, Any]], hired: Callable[[Hand[Any, Any]], object]) -> None:
    try:
        _own.hand = hire()
    except WorldlineError as error:  # told with the first unit: a pool would hide it
        _own.refusal = error
    else:
        hired(_own.hand)


def _start_process(hire: Callable[[], Hand[Any, Any]]) -> None:
    warnings.simplefilter("ignore")
    threading.Thread(target=_follow, daemon=True).start()
    _start(hire, lambda hand: atexit.register(hand.close))


def _act(unit: Any) -> Any:
    if _own.refusal is not None:
        raise _own.refusal
    assert _own.hand is not None  # _start ran
    return _own.hand(unit)


def _follow() -> None:
    """End with the parent."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # a pool's process has one
    parent.join()
    os._exit(1)
