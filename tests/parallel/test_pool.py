"""Processes that share work: one that cannot begin, or is killed, is one line that says so, and nothing hangs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import count, islice
from typing import Any

import pytest

from worldline.core.errors import UsageError, WorldlineError
from worldline.core.limits import Limits
from worldline.data.mine.near import read_programs
from worldline.parallel.fingerprint import accept, local_fingerprint
from worldline.parallel.pool import REORDER_WINDOW, LocalPool, flowing, grouped, in_order
from worldline.recording import recorder


def test_a_worker_trusts_programs_as_long_as_its_asker_does() -> None:
    def is_boxed() -> bool:
        return recorder.prepare(limits=Limits(), python=None, core="auto", trust=False).plan.sandboxed

    sandboxed, trusting = local_fingerprint(), local_fingerprint(trust=True)
    assert (sandboxed.sandboxed, trusting.sandboxed) == (True, False)
    with warnings.catch_warnings():
        for terms in (trusting, sandboxed, trusting, trusting, sandboxed):
            accept(terms, "here")
            assert is_boxed() == terms.sandboxed


@pytest.mark.parametrize("workers", [1, 2])
def test_why_a_worker_cannot_begin_is_told(workers: int) -> None:
    start_worker: Callable[[], Any] = partial(read_programs, "/nowhere.jsonl")
    with pytest.raises(UsageError, match="nowhere"):
        list(LocalPool(workers).map(start_worker, [1, 2, 3]))


def test_a_worker_that_is_killed_is_told_of() -> None:
    start_worker: Callable[[], Any] = partial(os._exit, 9)
    with pytest.raises(WorldlineError, match="was killed"):
        list(LocalPool(2).map(start_worker, [1, 2, 3]))


class Doubling:
    """A worker that needs nothing."""

    def __call__(self, number: int) -> int:
        return 2 * number

    def close(self) -> None:
        pass


@pytest.mark.parametrize("shop", [LocalPool(1), LocalPool(2), LocalPool(3, threads=True)], ids=repr)
def test_every_unit_comes_back_with_its_number(shop: LocalPool) -> None:
    found = list(shop.map(Doubling, range(50)))
    assert sorted(found) == [(number, 2 * number) for number in range(50)]


def test_units_without_end_are_taken_as_there_is_room() -> None:
    results = in_order(LocalPool(2, threads=True).map(Doubling, count()))
    assert list(islice(results, 30)) == [2 * number for number in range(30)]
    results.close()


def test_results_that_come_in_any_order_are_put_in_order_and_do_not_pile_up() -> None:
    """The oldest of the units under way is done last: the others stop a bounded number of units behind it."""
    taken: list[int] = []

    def units() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    def newest_first(flight: Collection[int]) -> list[int]:
        return [max(flight)]

    flow = flowing(units(), lambda unit: unit, newest_first, lambda: 4)
    assert next(flow) == (3, 3)
    for _ in range(40):
        number, _ = next(flow)
        if number == 0:
            break
    assert number == 0
    assert len(taken) <= 4 * REORDER_WINDOW
    assert list(in_order(flowing(range(99), lambda unit: unit, newest_first, lambda: 4))) == list(range(99))
    assert list(grouped(range(5), 2)) == [(0, 1), (2, 3), (4,)]
