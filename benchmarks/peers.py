"""The recorders that worldline is timed beside, as context managers that yield a `Session`.

Set-up and tear-down lie outside what is timed. Every value-capturing peer is told to look at the workloads'
file alone and keeps what it captured in memory; nothing is written to a disk or a terminal.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

Function = Callable[..., Any]
Row = tuple[str, int, dict[str, str]]


@dataclass(frozen=True)
class Session:
    """A recorder that is on: how to make a function a recorded one, and what was captured (this ends it).

    A recorder that fell silent would be the fastest of all, so `measure` refuses one that captured too
    little; `exact` says that the count must be the number of steps and not just more than nothing. worldline
    gives a decoded wire, whose steps are counted and whose values are checked too.
    """

    wrap: Callable[[Function], Function]
    captured: Callable[[], Any]
    exact: bool = False


Recorder = Callable[[Path], contextlib.AbstractContextManager[Session]]


def itself(function: Function) -> Function:
    """The function as it is: the recorder is on already."""
    return function


@contextlib.contextmanager
def untraced(file: Path) -> Iterator[Session]:
    """The program alone."""
    yield Session(itself, lambda: 1)


@contextlib.contextmanager
def coverage_lines(file: Path) -> Iterator[Session]:
    """coverage.py's C trace function: which lines ran, no values."""
    os.environ["COVERAGE_CORE"] = "ctrace"
    import coverage

    measured = coverage.Coverage(data_file=None, config_file=False, include=[str(file)])
    measured.start()
    collector = measured._collector
    if collector is None or collector.tracer_name() != "CTracer":
        raise RuntimeError("coverage.py was installed without its C extension")
    try:
        yield Session(itself, lambda: len(measured.get_data().lines(str(file)) or ()))
    finally:
        measured.stop()


@contextlib.contextmanager
def settrace_repr(file: Path) -> Iterator[Session]:
    """The usual fifteen lines: sys.settrace, and `repr` of every local, kept where it changed."""
    path = str(file)
    kept: list[Row] = []
    shadows: dict[FrameType, dict[str, str]] = {}

    def local(frame: FrameType, event: str, arg: Any) -> Any:
        shadow = shadows.setdefault(frame, {})
        changed = {}
        for name, value in frame.f_locals.items():
            text = repr(value)
            if shadow.get(name) != text:
                changed[name] = shadow[name] = text
        if event == "return":
            changed["return"] = repr(arg)
            del shadows[frame]
        kept.append((event, frame.f_lineno, changed))
        return local

    sys.settrace(lambda frame, event, arg: local(frame, event, arg) if frame.f_code.co_filename == path else None)
    try:
        yield Session(itself, lambda: len(kept), exact=True)
    finally:
        sys.settrace(None)


@contextlib.contextmanager
def hunter_action(file: Path) -> Iterator[Session]:
    """hunter's compiled tracer with a custom action that keeps the changed locals of each event."""
    import hunter

    kept: list[Row] = []
    shadows: dict[int, dict[str, str]] = {}

    def capture(event: Any) -> None:
        # hunter gives calls and returns the depth of their caller, and lines that of their own frame.
        depth = event.depth - (event.kind == "line")
        if event.kind == "call":
            shadows[depth] = {}
        shadow = shadows[depth]
        changed = {}
        for name, value in event.locals.items():
            text = repr(value)
            if shadow.get(name) != text:
                changed[name] = shadow[name] = text
        if event.kind == "return":
            changed["return"] = repr(event.arg)
        kept.append((event.kind, event.lineno, changed))

    tracer = hunter.trace(filename=str(file), action=capture)
    try:
        yield Session(itself, lambda: len(kept), exact=True)
    finally:
        tracer.stop()


@contextlib.contextmanager
def pysnooper(file: Path) -> Iterator[Session]:
    """PySnooper into memory, with its own default of at most 100 characters a value."""
    import pysnooper as snooper

    log = io.StringIO()
    # Functions that a recorded one calls are recorded as well; 1,000 is deeper than any workload.
    snoop = snooper.snoop(log, depth=1000)
    yield Session(snoop, lambda: log.getvalue().count("\n"))


@contextlib.contextmanager
def viztracer_variables(file: Path) -> Iterator[Session]:
    """viztracer with arguments, return values and every assigned name logged, as `--log_var .*` does it.

    Changes made by a method (`queue.append`) are not assignments, and so are not captured at all.
    """
    from viztracer import VizTracer
    from viztracer.code_monkey import CodeMonkey

    monkey = CodeMonkey(str(file))
    monkey.add_instrument("log_var", {"varnames": [".*"]})
    tracer = VizTracer(
        verbose=0, include_files=[str(file)], log_func_args=True, log_func_retval=True, tracer_entries=10_000_000
    )
    namespace: dict[str, Any] = {"__viz_tracer__": tracer, "__name__": "instrumented"}
    code: CodeType = monkey.compile(file.read_text(), str(file), "exec")
    exec(code, namespace)
    tracer.start()
    try:
        yield Session(lambda function: namespace[function.__name__], lambda: _viztracer_events(tracer))
    finally:
        tracer.stop()
        tracer.clear()


def _viztracer_events(tracer: Any) -> int:
    tracer.stop()
    return int(tracer.parse())


PEERS: dict[str, Recorder] = {
    "untraced": untraced,
    "coverage": coverage_lines,
    "settrace": settrace_repr,
    "hunter": hunter_action,
    "pysnooper": pysnooper,
    "viztracer": viztracer_variables,
}
"""Everything that is timed beside worldline."""

CAPTURING = ("settrace", "hunter", "pysnooper", "viztracer")
"""Those that capture values."""
