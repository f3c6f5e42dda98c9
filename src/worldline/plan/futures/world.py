"""A program's world: a warm box in which it runs again and again, under whoever decides its draws."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.futures.walk import ControlledRunner
from worldline.recording.recorder import BoxWorker, prepare


@contextmanager
def boxed(
    program: Program, *, limits: Limits | None = None, python: str | None = None
) -> Iterator[ControlledRunner]:
    """The world of a program, as long as its box stands."""
    setup = prepare(limits=limits or Limits(), python=python, core="auto", trust=False)
    worker = BoxWorker(setup)

    def run(control: Control) -> Trace:
        return worker.record(program, control=control)

    try:
        yield run
    finally:
        worker.close()
