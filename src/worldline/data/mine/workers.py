"""Work shared by processes, each with a worker of its own that stays; results come in the order of the work.

For one worker there is no second process. A process whose parent was killed ends too, so that no box is left behind.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import Thread
from typing import Any, Protocol, TypeVar

from worldline.errors import WorldlineError

Item = TypeVar("Item", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Hand(Protocol[Item, Result]):
    """One worker: does a piece of work, and lets go of its box at the end."""

    def __call__(self, item: Item, /) -> Result:
        """What comes of one piece."""

    def close(self) -> None:
        """No more work comes."""


_hand: Hand[Any, Any] | None = None  # of a process of the pool
_refusal: WorldlineError | None = None  # why it has none


@contextmanager
def shared(
    hire: Callable[[], Hand[Item, Result]], items: Sequence[Item], workers: int
) -> Iterator[Iterator[Result]]:
    """What comes of each piece, done by so many workers, which `hire` (it is pickled) makes."""
    if workers == 1:
        hand = hire()
        try:
            yield map(hand, items)
        finally:
            hand.close()
        return
    context = multiprocessing.get_context("spawn")  # threads and boxes must not be copied
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start, initargs=(hire,))
    try:
        yield pool.map(_act, items)
    except BrokenProcessPool as error:
        raise WorldlineError("a worker was killed: was there too little memory for so many?") from error
    finally:
        pool.shutdown(cancel_futures=True)


def _start(hire: Callable[[], Hand[Any, Any]]) -> None:
    global _hand, _refusal
    warnings.simplefilter("ignore")
    Thread(target=_follow, daemon=True).start()
    try:
        _hand = hire()
    except WorldlineError as error:  # told with the first piece: a pool would hide it
        _refusal = error
    else:
        atexit.register(_hand.close)


def _act(item: Any) -> Any:
    if _refusal is not None:
        raise _refusal
    assert _hand is not None  # _start ran
    return _hand(item)


def _follow() -> None:
    """End with the parent."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # a pool's process has one
    parent.join()
    os._exit(1)
