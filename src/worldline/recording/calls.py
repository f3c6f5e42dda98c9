"""Many calls of a program, each run and none recorded, in one boxed process: what each returns or raises.

A process costs more than a small call: 1,000 of them in one take about a second. The box is recording's own, with
nothing shared between two batches; calls of one batch share a process, and the module is made anew for each. What a
call says of itself is not trusted further than the call: who reports a result to a user records it first.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

import msgspec

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.recording.exchange import BEGUN, WIRE_HEADER
from worldline.recording.idle_boxes import discard_box, release_box, take_box
from worldline.recording.recorder import prepare
from worldline.recording.sandbox import Box, SandboxRun

LIMITS = Limits(wall=60.0, trace_bytes=64 << 20)  # of a whole batch
EXTRA_CALL_SECONDS = (
    5.0  # seconds that a call has beyond those of its module and its own, until the host ends it
)
WIRE_FULL_STATUS = 75  # of the guest: the wire is full, and the rest has another one
KINDS = ("returned", "raised", "limit", "fault")


@dataclass(frozen=True)
class CallBatch:
    """Calls of one source: expressions, each evaluated in the source's module, made anew if `fresh`."""

    source: str
    calls: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()
    name: str = "program.py"
    seconds: float = 2.0  # of one call
    fresh: bool = True
    lines: bool = False  # whether the lines that each call reaches are wanted; it costs time

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= 3600:  # nan is not
            raise UsageError(f"the seconds of a call must be above 0 and at most 3600, not {self.seconds!r}")


@dataclass(frozen=True)
class CallEnd:
    """What one call came to.

    Of `returned` and `raised` the value is canonical text; of `limit` what was met (`time`, `memory`, ...; `batch`:
    the batch's own time was up before this call), of `fault` why the call could not be made or did not end.
    """

    kind: str
    value: str = ""
    lines: frozenset[int] | None = None


class Caller:
    """Makes calls in a box, which is opened when the first batch comes and replaced when it breaks."""

    def __init__(self, *, limits: Limits | None = None, trust: bool = False) -> None:
        self.limits = LIMITS if limits is None else limits
        setup = prepare(limits=self.limits, python=None, core="python", trust=trust)
        self._plan = replace(setup.plan, guest="untraced.calls", native=None)
        self._box: Box | None = None
        self.seconds = 0.0  # of a processor, that all calls have used so far

    def run(self, batch: CallBatch) -> list[CallEnd]:
        """What each call of a batch came to, in their order; one that ended the process costs no other."""
        done: list[CallEnd] = []
        deadline = time.monotonic() + self.limits.wall
        while len(done) < len(batch.calls):
            if done and time.monotonic() >= deadline:
                done.append(CallEnd("limit", "batch"))
                continue
            rest = batch.calls[len(done) :]
            done += self._run_until_exit(batch, rest)
        return done

    def run_many(self, batches: Iterable[CallBatch]) -> Iterator[list[CallEnd]]:
        """Likewise of many batches, each in a process of its own."""
        for batch in batches:
            yield self.run(batch)

    def _run_until_exit(self, batch: CallBatch, calls: tuple[str, ...]) -> list[CallEnd]:
        """At least one of the calls, in a fresh process: up to one that ends it."""
        run = self._boxed(batch, calls)
        if run.report != BEGUN.decode():
            discard_box(self._box)
            run = self._boxed(batch, calls)  # a second chance, as recording has
        if run.report != BEGUN.decode():
            return [CallEnd("fault", run.report or run.fault or "the program was not set up")] * len(calls)
        ends = _read(run, len(calls), batch.source.count("\n") + 1)
        is_complete = len(ends) == len(calls) or (ends and run.status == WIRE_FULL_STATUS << 8)
        return ends if is_complete else [*ends, _end(run)]

    def _boxed(self, batch: CallBatch, calls: tuple[str, ...]) -> SandboxRun:
        if self._box is None or not self._box.alive:
            self.close()
            self._box = take_box(self._plan, self.limits)
        spec: dict[str, Any] = {
            "name": batch.name,
            "source": batch.source,
            "files": dict(batch.files),
            "argv": [],
            "call": None,
            "limits": asdict(self.limits),
            "calls": calls,
            "seconds": batch.seconds,
            "fresh": batch.fresh,
            "lines": batch.lines,
        }
        run = self._box.run(spec, b"", patience=2 * batch.seconds + EXTRA_CALL_SECONDS)
        self.seconds += run.seconds
        return run

    def close(self) -> None:
        """Put the box away."""
        if self._box is not None:
            release_box(self._box)
            self._box = None


@contextmanager
def caller(*, limits: Limits | None = None, trust: bool = False) -> Iterator[Caller]:
    """One warm box for many batches; `limits` are a batch's: `wall` is the most seconds it may take."""
    new_caller = Caller(limits=limits, trust=trust)
    try:
        yield new_caller
    finally:
        new_caller.close()


class _Row(msgspec.Struct):
    """A line of the guest's: one call's end, or (`whole`) what is so for every call."""

    kind: str
    value: str
    lines: list[int] | None = None
    whole: bool = False


def _read(run: SandboxRun, max_calls: int, line_count: int) -> list[CallEnd]:
    """The calls that came to an end; a line that is none of ours ends them."""
    ends: list[CallEnd] = []
    for line in bytes(run.wire[WIRE_HEADER:]).splitlines():
        try:
            row = msgspec.json.decode(line, type=_Row)
        except msgspec.MsgspecError:
            break
        if row.kind not in KINDS or len(ends) == max_calls:
            break
        reached = (
            None
            if row.lines is None
            else frozenset(number for number in row.lines if 0 < number <= line_count)
        )
        ends.append(CallEnd(row.kind, row.value, reached))
        if row.whole:
            return ends[-1:] * max_calls
    return ends


def _end(run: SandboxRun) -> CallEnd:
    """What a call came to that ended its process."""
    if run.hit:
        return CallEnd("limit", run.hit)
    if run.disk_full:
        return CallEnd("limit", "disk")
    if run.status is not None and os.WIFSIGNALED(run.status):
        number = os.WTERMSIG(run.status)
        if number == signal.SIGPROF:
            return CallEnd("limit", "time")
        return CallEnd("fault", f"killed by signal {number}")
    return CallEnd("fault", run.fault or "the call ended its process")
