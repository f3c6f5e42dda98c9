"""The search for a fix: candidates in order, each executed in the sandbox, the failing test first, then all others.

A reported patch has passed every test by execution. The cost is counted in executions: one test of one program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, Protocol

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.core.value import kind
from worldline.parallel.pool import WorkerPool, grouped, in_order
from worldline.plan.answer import ExecutionCost
from worldline.plan.repair.candidate import Defect, Proposer, RepairCandidate, drop_duplicates, patch, patch_size
from worldline.plan.repair.checks import CheckSet, RepairCheck, shorten
from worldline.plan.repair.edits.parsed import ParsedSource
from worldline.plan.repair.edits.proposer import may_matter
from worldline.plan.repair.imagine import predict_candidates
from worldline.plan.repair.order import ORACLES, order_candidates, with_priors
from worldline.predict.predictor import Predictor
from worldline.recording.calls import CallBatch, CallEnd, Caller

DEFAULT_TEST_SECONDS = 0.2  # of CPU
SLOW_TEST_FACTOR = 20  # more time for tests that hit the limit, once
RECORDING_LIMITS = Limits(steps=20_000, wall=20.0)  # of the failing test
DEFAULT_EXECUTIONS = 2_000
DEFAULT_PATCHES = 3
DEFAULT_PREDICTED = 32
CANDIDATES_PER_TASK = 8
_MISSING_IMPORT = re.compile(
    r"(?:ModuleNotFoundError|ImportError)\(.*?(?:No module named |cannot import name )\\?'([^'\\]+)"
)


class RunsCalls(Protocol):
    """Executes calls in the sandbox: `recording.calls.Caller`."""

    def run(self, batch: CallBatch, /) -> list[CallEnd]:
        """Return the result of each call of a batch."""
        ...


@dataclass(frozen=True, kw_only=True)
class RepairPlan:
    """The settings of a search. `imagined`: at most this many candidates are predicted."""

    oracle: str = "prior"
    executions: int = DEFAULT_EXECUTIONS
    patches: int = DEFAULT_PATCHES
    imagined: int = DEFAULT_PREDICTED
    seconds: float = DEFAULT_TEST_SECONDS
    seed: int = 0

    def __post_init__(self) -> None:
        if self.oracle not in ORACLES:
            raise UsageError(f"the oracle must be one of {', '.join(ORACLES)}, not {self.oracle!r}")

    @property
    def imagines(self) -> bool:
        """Whether the model is used."""
        return self.oracle in ("imagined", "mixed")


@dataclass(frozen=True, kw_only=True)
class PassingPatch:
    """A change that passed every test: the patch, its kind, its proposer, and after how many executions."""

    source: str
    patch: str
    kind: str
    by: str
    size: tuple[int, int]
    after: int
    tried: int

    def as_json(self) -> dict[str, Any]:
        """Return all fields but the source."""
        return {"patch": self.patch, "kind": self.kind, "by": self.by, "executions": self.after, "tried": self.tried}


@dataclass(frozen=True, kw_only=True)
class Repair:
    """The result of a search: patches that pass, smallest first, and the cost."""

    name: str
    oracle: str
    tests: int
    failing: int = 0
    first_failing: str = ""
    candidates: int = 0
    tried: int = 0
    patches: tuple[PassingPatch, ...] = ()
    spent: ExecutionCost = field(default_factory=ExecutionCost)
    imagined: int = 0
    left_out: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the object that `plan repair --json` prints."""
        return {
            "name": self.name,
            "oracle": self.oracle,
            "tests": self.tests,
            "failing": self.failing,
            "first_failing": self.first_failing,
            "candidates": self.candidates,
            "tried": self.tried,
            "imagined": self.imagined,
            "left_out": self.left_out,
            "executions": self.spent.executions,
            "bytes_imagined": self.spent.bytes,
            "patches": [item.as_json() for item in self.patches],
        }


@dataclass
class _Counter:
    """Executes calls and counts them."""

    runs: RunsCalls
    tests: CheckSet
    seconds: float
    most: int
    executions: int = field(default=0)

    @property
    def is_spent(self) -> bool:
        return self.executions >= self.most

    def call(self, source: str, checks: Sequence[RepairCheck]) -> list[CallEnd]:
        self.executions += len(checks)
        return self.runs.run(self.tests.batch(source, checks, self.seconds))

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

    def passes(self, source: str, checks: Sequence[RepairCheck]) -> bool:
        """Run each test in its own process, until one fails or no execution is left."""
        return all(not self.is_spent and check.passes(self.call(source, [check])[0]) for check in checks)


@dataclass(frozen=True)
class RepairDiagnosis:
    """The state before any change: the failing tests, the one tried first, and its recorded run."""

    failing: tuple[RepairCheck, ...]
    rest: tuple[RepairCheck, ...]
    defect: Defect
    trace: Trace | None

    @property
    def first(self) -> RepairCheck:
        """The failing test that every candidate is tried on first."""
        return self.failing[0]


def diagnose_failures(
    program: Program, tests: CheckSet, ends: Sequence[CallEnd], record: Callable[[Program], Trace]
) -> RepairDiagnosis | None:
    """Diagnose the test results; None if all pass. The shortest failing test comes first."""
    pairs = list(zip(tests.checks, ends, strict=True))
    _require_imports(tests, pairs)
    failing = [(check, call) for check, call in pairs if not check.passes(call)]
    if not failing:
        return None
    failing.sort(key=lambda pair: (pair[1].kind == "limit", len(pair[0].call)))
    (first, call), failing_checks = failing[0], [check for check, _ in failing]
    trace = record(tests.program(program.source, first))
    defect = Defect(
        source=program.source,
        name=program.name,
        failing=first.call,
        expected=first.expected,
        found=describe_end(call),
        reached=reached_lines(trace, program.name),
        kinds=kinds_seen(trace, program.name),
    )
    rest = [check for check, call in pairs if check.passes(call)]
    return RepairDiagnosis(tuple(failing_checks), (*failing_checks[1:], *rest), defect, trace)


def describe_end(call: CallEnd) -> str:
    """Describe the result of a call."""
    if call.kind == "returned":
        return call.value
    return f"raises {call.value}" if call.kind == "raised" else f"{call.kind}: {call.value}"


def reached_lines(trace: Trace, name: str) -> frozenset[int] | None:
    """Return the lines of a file that a run reached; None if the trace is unusable."""
    if trace.outcome.kind in ("host-fault", "unsupported") or not len(trace):
        return None
    return frozenset(step.line for step in trace.steps if trace.frames[step.frame].file == name)


def kinds_seen(trace: Trace, name: str) -> dict[str, frozenset[str]]:
    """Return the kinds of value that each name of a file had in a run."""
    kinds_by_name: dict[str, set[str]] = {}
    for step in trace.steps:
        if trace.frames[step.frame].file == name:
            for changed, value in step.delta.items():
                kinds_by_name.setdefault(changed, set()).add(kind(value))
    return {changed: frozenset(kinds) for changed, kinds in kinds_by_name.items()}


def _require_imports(tests: CheckSet, pairs: Sequence[tuple[RepairCheck, CallEnd]]) -> None:
    absent = [
        match[1] for _, call in pairs if (match := _MISSING_IMPORT.search(call.value)) and call.kind != "returned"
    ]
    if pairs and len(absent) == len(pairs):
        raise UsageError(
            f"{tests.file or tests.name} imports {absent[0]}, which is not available: the sandbox has the files "
            "next to the program, and the packages of the interpreter"
        )
    if pairs and all(call.kind == "fault" for _, call in pairs):
        raise UsageError(f"the tests cannot be run: {shorten(pairs[0][1].value)}")


def repair(
    program: Program,
    tests: CheckSet,
    runs: RunsCalls,
    record: Callable[[Program], Trace],
    *,
    proposers: Sequence[Proposer],
    plan: RepairPlan,
    predictor: Predictor | None = None,
    pool: WorkerPool | None = None,
) -> Repair:
    """Find patches that make every test pass, within the plan's executions; smallest first.

    With a `pool`, its workers try the candidates; candidates tried in vain are not counted.
    """
    counter = _Counter(runs, tests, plan.seconds, plan.executions)
    known = diagnose_failures(program, tests, counter.run_all(program.source), record)
    done = Repair(name=program.name, oracle=plan.oracle, tests=len(tests.checks), left_out=tests.left_out)
    if known is None:
        return replace(done, spent=ExecutionCost(executions=counter.executions))
    counter.executions += 1  # the recording
    candidates = list(propose_candidates(known.defect, proposers))
    ranked, predicted, written = with_priors(candidates, program.source), 0, 0
    if plan.imagines and predictor is not None:
        seen = predict_candidates(ranked, tests, known.first, known.trace, predictor, most=plan.imagined)
        ranked, predicted, written = list(seen.ranked), seen.predicted, seen.bytes
    ranking = [item.candidate for item in order_candidates(ranked, plan.oracle, seed=plan.seed)]
    passing, tried = _verify(program, ranking, known, counter, plan.patches, pool)
    return replace(
        done,
        failing=len(known.failing),
        first_failing=shorten(known.first.call),
        candidates=len(candidates),
        tried=tried,
        patches=tuple(sorted(passing, key=lambda item: item.size)),
        imagined=predicted,
        spent=ExecutionCost(executions=counter.executions, bytes=written),
    )


def _verify(
    program: Program,
    candidates: Sequence[RepairCandidate],
    known: RepairDiagnosis,
    counter: _Counter,
    most: int,
    pool: WorkerPool | None,
) -> tuple[list[PassingPatch], int]:
    """Execute candidates, the failing test first; return those that pass, and the number tried."""
    passing, tried, checks = list[PassingPatch](), 0, (known.first, *known.rest)
    sources = [candidate.source for candidate in candidates]
    trials = _try_here(sources, checks, counter)
    if pool is not None and not counter.is_spent:
        trials = _try_in_pool(sources, checks, counter, pool)
    with closing(trials):
        for candidate in candidates:
            if counter.is_spent or len(passing) >= most:
                break
            tried += 1
            if next(trials):
                passing.append(_passing_patch(program, candidate, counter.executions, tried))
    return passing, tried


def _try_here(sources: Sequence[str], checks: Sequence[RepairCheck], counter: _Counter) -> Generator[bool, None, None]:
    for source in sources:
        yield counter.passes(source, checks)


def _try_in_pool(
    sources: Sequence[str], checks: Sequence[RepairCheck], counter: _Counter, pool: WorkerPool
) -> Generator[bool, None, None]:
    """Try candidates in a pool; one that exceeds the executions left counts as failed, as in this process."""
    start_worker = partial(_TrialWorker, counter.tests, tuple(checks), counter.seconds)
    with closing(in_order(pool.map(start_worker, grouped(sources, CANDIDATES_PER_TASK)))) as results:
        for is_passed, executions in chain.from_iterable(results):
            left = counter.most - counter.executions
            counter.executions += min(executions, left)
            yield is_passed and executions <= left


class _TrialWorker:
    """One worker: a sandbox in which the tests of candidates are executed."""

    def __init__(self, tests: CheckSet, checks: Sequence[RepairCheck], seconds: float) -> None:
        self._tests, self._checks, self._seconds = tests, checks, seconds
        self._caller = Caller()

    def __call__(self, sources: Sequence[str]) -> list[tuple[bool, int]]:
        """Return for each candidate whether it passes every test, and the executions."""
        return [self._tried(source) for source in sources]

    def _tried(self, source: str) -> tuple[bool, int]:
        counter = _Counter(self._caller, self._tests, self._seconds, len(self._checks) + 1)
        return counter.passes(source, self._checks), counter.executions

    def close(self) -> None:
        """Close the sandbox."""
        self._caller.close()


def propose_candidates(defect: Defect, proposers: Iterable[Proposer]) -> Iterator[RepairCandidate]:
    """Yield all proposals once, without those that cannot alter the failing run."""
    code = ParsedSource(defect.source, defect.name)
    every = (candidate for proposer in proposers for candidate in proposer.propose(defect))
    for candidate in drop_duplicates(defect, every):
        if may_matter(code, candidate.lines, defect.reached) or not candidate.lines:
            yield candidate


def _passing_patch(program: Program, candidate: RepairCandidate, after: int, tried: int) -> PassingPatch:
    return PassingPatch(
        source=candidate.source,
        patch=patch(program.source, candidate.source, program.name),
        kind=candidate.kind,
        by=candidate.by,
        size=patch_size(program.source, candidate.source),
        after=after,
        tried=tried,
    )
