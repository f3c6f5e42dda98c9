"""Execute the tests of candidates in the sandbox, here or in a pool, and count the executions."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Protocol

from worldline.core.errors import UsageError
from worldline.parallel.pool import WorkerPool, grouped, in_order
from worldline.plan.repair.checks import CheckSet, RepairCheck
from worldline.recording.calls import CallBatch, CallEnd, Caller

SLOW_TEST_FACTOR = 20  # more time for tests that hit the limit, once
CANDIDATES_PER_TASK = 8


class RunsCalls(Protocol):
    """Executes calls in the sandbox: `recording.calls.Caller`."""

    def run(self, batch: CallBatch, /) -> list[CallEnd]:
        """Return the result of each call of a batch."""
        ...


@dataclass(frozen=True)
class Trial:
    """How far a source came: the tests that it passed in a row, and the result of the first that failed.

    Without a failure and with fewer tests than there are, the executions ran out.
    """

    passed: int
    failure: CallEnd | None = None


@dataclass
class TestRunner:
    """Executes tests and counts them."""

    __test__ = False

    runs: RunsCalls
    tests: CheckSet
    seconds: float
    most: int
    executions: int = field(default=0)

    @property
    def is_spent(self) -> bool:
        """Whether no execution is left."""
        return self.executions >= self.most

    def call(self, source: str, checks: Sequence[RepairCheck]) -> list[CallEnd]:
        """Execute checks of a source, whatever is left."""
        self.executions += len(checks)
        ends: dict[int, CallEnd] = {}
        for in_program in (False, True):
            places = [at for at, check in enumerate(checks) if check.in_program == in_program]
            if places:
                batch = self.tests.batch(source, [checks[at] for at in places], self.seconds)
                ends |= zip(places, self.runs.run(batch), strict=True)
        return [ends[at] for at in range(len(checks))]

    def run_all(self, source: str) -> list[CallEnd]:
        """Run every test. If slow ones end with more time, all later runs get that time."""
        checks = self.tests.checks
        if self.most <= len(checks):
            raise UsageError(
                f"{len(checks):,} tests and the recording of one take {len(checks) + 1:,} executions, "
                f"and {self.most:,} are allowed"
            )
        ends = self.call(source, checks)
        slow = [i for i, call in enumerate(ends) if call.kind == "limit"]
        if slow and self.executions + len(slow) < self.most:
            quick, self.seconds = self.seconds, self.seconds * SLOW_TEST_FACTOR
            again = self.call(source, [checks[i] for i in slow])
            ends = [again[slow.index(i)] if i in slow else call for i, call in enumerate(ends)]
            if all(call.kind == "limit" for call in again):
                self.seconds = quick
        return ends

    def try_source(self, source: str, checks: Sequence[RepairCheck]) -> Trial:
        """Run each test in its own process, until one fails or no execution is left."""
        for number, check in enumerate(checks):
            if self.is_spent:
                return Trial(number)
            (end,) = self.call(source, [check])
            if not check.passes(end):
                return Trial(number, end)
        return Trial(len(checks))

    def try_sources(
        self, sources: Sequence[str], checks: Sequence[RepairCheck], pool: WorkerPool | None = None
    ) -> Generator[Trial, None, None]:
        """Try sources in order, here or in a pool; one that exceeds the executions left counts as stopped."""
        if pool is None or self.is_spent:
            yield from (self.try_source(source, checks) for source in sources)
            return
        start_worker = partial(_TrialWorker, self.tests, tuple(checks), self.seconds)
        with closing(in_order(pool.map(start_worker, grouped(sources, CANDIDATES_PER_TASK)))) as results:
            for trial, executions in chain.from_iterable(results):
                left = self.most - self.executions
                self.executions += min(executions, left)
                yield trial if executions <= left else Trial(min(trial.passed, left))


class _TrialWorker:
    """One worker: a sandbox in which the tests of candidates are executed."""

    def __init__(self, tests: CheckSet, checks: Sequence[RepairCheck], seconds: float) -> None:
        self._tests, self._checks, self._seconds = tests, checks, seconds
        self._caller = Caller()

    def __call__(self, sources: Sequence[str]) -> list[tuple[Trial, int]]:
        """Return how far each candidate comes, and the executions."""
        return [self._tried(source) for source in sources]

    def _tried(self, source: str) -> tuple[Trial, int]:
        runner = TestRunner(self._caller, self._tests, self._seconds, len(self._checks) + 1)
        return runner.try_source(source, self._checks), runner.executions

    def close(self) -> None:
        """Close the sandbox."""
        self._caller.close()
