"""A warm sandbox in which one program is executed again and again, with its draws controlled."""

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
    """Open a sandbox and yield a function that executes the program under a control."""
    setup = prepare(limits=limits or Limits(), python=python, core="auto", trust=False)
    worker = BoxWorker(setup)

    def run(control: Control) -> Trace:
        return worker.record(program, control=control)

    try:
        yield run
    finally:
        worker.close()
