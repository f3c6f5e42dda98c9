"""Boxes that stay warm between tests: programs go in on the left, their traces come out on the right."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import cache

import pytest

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.languages import toolchain
from worldline.recording.recorder import record_many


@cache
def bench(limits: Limits, language: str) -> tuple[deque[Program], Iterator[Trace]]:
    """One box a language and limits; what one program does to it is seen by the next ones too, which is the point."""
    feed: deque[Program] = deque()
    return feed, iter(record_many(iter(feed.popleft, None), limits=limits))


def record(program: Program, limits: Limits) -> Trace:
    """One recording in a warm box."""
    feed, traces = bench(limits, program.language)
    feed.append(program)
    return next(traces)


def recorded(source: str, name: str, stdin: str = "") -> Trace:
    """One recording with a generous deadline; the test is skipped where the language has no toolchain."""
    program = Program(source=source, name=name, stdin=stdin)
    if isinstance(why := toolchain.find(program.language), str):
        pytest.skip(why)
    return record(program, Limits(wall=120))
