"""Execute many calls of a program in one sandboxed process, without recording them.

A process costs more than a small call: 1,000 calls in one process take about a second. The sandbox
is the one for recording, and batches share nothing. Calls of one batch share a process; the module
is created anew for each call. A call could forge its own result, so record a call before you report
its result to a user.
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
from worldline.recording.idle_sandboxes import discard_sandbox, release_sandbox, take_sandbox
from worldline.recording.recorder import prepare
from worldline.recording.sandbox import Sandbox, SandboxRun

LIMITS = Limits(wall=60.0, trace_bytes=64 << 20)  # for a whole batch
# Beyond the time of the call and of its module, before the host kills the process.
EXTRA_CALL_SECONDS = 5.0
WIRE_FULL_STATUS = 75  # the guest exits with it if the wire is full; the rest gets a new one
KINDS = ("returned", "raised", "limit", "fault")


@dataclass(frozen=True)
class CallBatch:
    """Calls of one source: expressions that are evaluated in its module."""

    source: str
    calls: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()
    name: str = "program.py"
    seconds: float = 2.0  # for one call
    fresh: bool = True
    lines: bool = False  # also report the lines that each call reaches, which costs time

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= 3600:  # also refuses nan
            raise UsageError(f"the seconds of a call must be above 0 and at most 3600, not {self.seconds!r}")


@dataclass(frozen=True)
class CallEnd:
    """The result of one call.

    `value` is canonical text for `returned` and `raised`. For `limit` it names the limit (`time`,
    `memory`, ...; `batch` if the time of the batch ended before this call), for `fault` the reason.
    """

    kind: str
    value: str = ""
    lines: frozenset[int] | None = None


class Caller:
    """Executes calls in a sandbox, opened for the first batch and replaced when it breaks."""

    def __init__(self, *, limits: Limits | None = None, trust: bool = False) -> None:
        self.limits = LIMITS if limits is None else limits
        setup = prepare(limits=self.limits, python=None, core="python", trust=trust)
        self._plan = replace(setup.plan, guest="untraced.calls", native=None)
        self._sandbox: Sandbox | None = None
        self.seconds = 0.0  # the processor time of all calls so far

    def run(self, batch: CallBatch) -> list[CallEnd]:
        """Execute the calls of a batch.

        Returns:
            The result of each call, in order. A call that ends its process does not affect the others.
        """
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
        """Execute many batches, each in its own process."""
        for batch in batches:
            yield self.run(batch)

    def _run_until_exit(self, batch: CallBatch, calls: tuple[str, ...]) -> list[CallEnd]:
        """Execute at least one of the calls in a fresh process, up to a call that ends it."""
        run = self._sandboxed(batch, calls)
        if run.report != BEGUN.decode():
            discard_sandbox(self._sandbox)
            run = self._sandboxed(batch, calls)  # try once more, as recording does
        if run.report != BEGUN.decode():
            return [CallEnd("fault", run.report or run.fault or "the program was not set up")] * len(calls)
        ends = _read(run, len(calls), batch.source.count("\n") + 1)
        is_complete = len(ends) == len(calls) or (ends and run.status == WIRE_FULL_STATUS << 8)
        return ends if is_complete else [*ends, _end(run)]

    def _sandboxed(self, batch: CallBatch, calls: tuple[str, ...]) -> SandboxRun:
        if self._sandbox is None or not self._sandbox.alive:
            self.close()
            self._sandbox = take_sandbox(self._plan, self.limits)
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
        run = self._sandbox.run(spec, b"", patience=2 * batch.seconds + EXTRA_CALL_SECONDS)
        self.seconds += run.seconds
        return run

    def close(self) -> None:
        """Release the sandbox."""
        if self._sandbox is not None:
            release_sandbox(self._sandbox)
            self._sandbox = None


@contextmanager
def caller(*, limits: Limits | None = None, trust: bool = False) -> Iterator[Caller]:
    """Open one warm sandbox for many batches.

    Args:
        limits: The limits of one batch; `wall` is its time in seconds.
        trust: Execute without a sandbox, as yourself.
    """
    new_caller = Caller(limits=limits, trust=trust)
    try:
        yield new_caller
    finally:
        new_caller.close()


class _Row(msgspec.Struct):
    """One line that the guest writes: the end of one call or, if `whole`, of every call."""

    kind: str
    value: str
    lines: list[int] | None = None
    whole: bool = False


def _read(run: SandboxRun, max_calls: int, line_count: int) -> list[CallEnd]:
    """Decode the calls that ended, up to the first malformed line."""
    ends: list[CallEnd] = []
    for line in bytes(run.wire[WIRE_HEADER:]).splitlines():
        try:
            row = msgspec.json.decode(line, type=_Row)
        except msgspec.MsgspecError:
            break
        if row.kind not in KINDS or len(ends) == max_calls:
            break
        reached = None if row.lines is None else frozenset(number for number in row.lines if 0 < number <= line_count)
        ends.append(CallEnd(row.kind, row.value, reached))
        if row.whole:
            return ends[-1:] * max_calls
    return ends


def _end(run: SandboxRun) -> CallEnd:
    """Return the result of the call that ended its process."""
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
