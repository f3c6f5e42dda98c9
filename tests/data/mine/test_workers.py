"""Processes that share work: one that cannot begin, or is killed, is one line that says so, and nothing hangs."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from worldline.data.mine.near import read_programs
from worldline.data.mine.workers import shared
from worldline.errors import FormatError, WorldlineError


@pytest.mark.parametrize("workers", [1, 2])
def test_why_a_worker_cannot_begin_is_told(workers: int) -> None:
    hire: Callable[[], Any] = partial(read_programs, "/nowhere.jsonl")
    with pytest.raises(FormatError, match="nowhere"), shared(hire, [1, 2, 3], workers) as results:
        list(results)


def test_a_worker_that_is_killed_is_told_of() -> None:
    hire: Callable[[], Any] = partial(os._exit, 9)
    with pytest.raises(WorldlineError, match="was killed"), shared(hire, [1, 2, 3], 2) as results:
        list(results)
