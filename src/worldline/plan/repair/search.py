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
from worldline.plan.repair.candidate import Defect, Proposer, RepairCandidate, distinct, patch, patch_size
from worldline.plan.repair.checks import CheckSet, RepairCheck, in_sentence
from worldline.plan.repair.edits.parsed import ParsedSource
from worldline.plan.repair.edits.proposer import may_matter
from worldline.plan.repair.imagine import imagine
from worldline.plan.repair.order import ORACLES, ordered, with_priors
from worldline.predict.predictor import Predictor
from worldline.recording.calls import CallBatch, CallEnd, Caller

SECONDS = 0.2  # of CPU that one test may take; those that take more are tried once with so many times more
PATIENCE = 20
RECORDED = Limits(steps=20_000, wall=20.0)  # of the failing test's one recording: a loop without end is cut
EXECUTIONS = 2_000
PATCHES = 3
IMAGINED = 32
TRIED = 8  # candidates that a pool worker is given at once
_ABSENT = re.compile(
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
    executions: int = EXECUTIONS
    patches: int = PATCHES
    imagined: int = IMAGINED
    seconds: float = SECONDS
    seed: int = 0

    def __post_init__(self) -> None:
        if self.oracle not in ORACLES:
            raise UsageError(f"an oracle is one of {', '.join(ORACLES)}, not {self.oracle!r}")

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
        """All but the source."""
        return {
            "patch": self.patch,
            "kind": self.kind,
            "by": self.by,
            "executions": self.after,
            "tried": self.tried,
        }


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
        """What `plan repair --json` prints."""
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

    def called(self, source: str, checks: Sequence[RepairCheck]) -> list[CallEnd]:
        self.executions += len(checks)
        return self.runs.run(self.tests.batch(source, checks, self.seconds))

    def patiently(self, source: str) -> list[CallEnd]:
        """Every test; where some take too long and end when given more time, all later runs are given it."""
        checks = self.tests.checks
        if self.most <= len(checks):
            raise UsageError(
                f"{len(checks):,} tests and the recording of one take {len(checks) + 1:,} executions, "
                f"and {self.most:,} are allowed"
            )
        ends = self.called(source, checks)
        slow = [i for i, called in enumerate(ends) if called.kind == "limit"]
        if slow and self.executions + len(slow) < self.most:
            quick, self.seconds = self.seconds, self.seconds * PATIENCE
            again = self.called(source, [checks[i] for i in slow])
            ends = [again[slow.index(i)] if i in slow else called for i, called in enumerate(ends)]
            if all(called.kind == "limit" for called in again):
                self.seconds = quick
        return ends

    def passes(self, source: str, checks: Sequence[RepairCheck]) -> bool:
        """Each test in a process of its own, up to the first that fails, or for which no execution is left."""
        return all(not self.is_spent and check.passes(self.called(source, [check])[0]) for check in checks)


@dataclass(frozen=True)
class RepairDiagnosis:
    """What is known before any change: which tests fail, which one is tried first, and its recorded run."""

    failing: tuple[RepairCheck, ...]
    rest: tuple[RepairCheck, ...]
    defect: Defect
    trace: Trace | None

    @property
    def first(self) -> RepairCheck:
        """The failing test that every candidate is tried on first."""
        return self.failing[0]


def diagnosed(
    program: Program, tests: CheckSet, ends: Sequence[CallEnd], record: Callable[[Program], Trace]
) -> RepairDiagnosis | None:
    """Diagnose the test results; None if all pass. The shortest failing test comes first."""
    pairs = list(zip(tests.checks, ends, strict=True))
    _refuse_absent(tests, pairs)
    failing = [(check, called) for check, called in pairs if not check.passes(called)]
    if not failing:
        return None
    failing.sort(key=lambda pair: (pair[1].kind == "limit", len(pair[0].call)))
    (first, called), failing_checks = failing[0], [check for check, _ in failing]
    trace = record(tests.program(program.source, first))
    defect = Defect(
        source=program.source,
        name=program.name,
        failing=first.call,
        expected=first.expected,
        found=end_words(called),
        reached=reached(trace, program.name),
        kinds=kinds_seen(trace, program.name),
    )
    rest = [check for check, called in pairs if check.passes(called)]
    return RepairDiagnosis(tuple(failing_checks), (*failing_checks[1:], *rest), defect, trace)


def end_words(called: CallEnd) -> str:
    """Describe the result of a call."""
    if called.kind == "returned":
        return called.value
    return f"raises {called.value}" if called.kind == "raised" else f"{called.kind}: {called.value}"


def reached(trace: Trace, name: str) -> frozenset[int] | None:
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


def _refuse_absent(tests: CheckSet, pairs: Sequence[tuple[RepairCheck, CallEnd]]) -> None:
    absent = [
        match[1]
        for _, called in pairs
        if (match := _ABSENT.search(called.value)) and called.kind != "returned"
    ]
    if pairs and len(absent) == len(pairs):
        raise UsageError(
            f"{tests.file or tests.name} imports {absent[0]}, which is not there: tests run in the box, with the "
            "files beside the program and what the interpreter has installed"
        )
    if pairs and all(called.kind == "fault" for _, called in pairs):
        raise UsageError(f"the tests cannot be run: {in_sentence(pairs[0][1].value)}")


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

    A `pool` tries the candidates, where that is not here; some are then tried that are not needed, and not counted.
    """
    counter = _Counter(runs, tests, plan.seconds, plan.executions)
    known = diagnosed(program, tests, counter.patiently(program.source), record)
    done = Repair(name=program.name, oracle=plan.oracle, tests=len(tests.checks), left_out=tests.left_out)
    if known is None:
        return replace(done, spent=ExecutionCost(executions=counter.executions))
    counter.executions += 1  # the recording
    candidates = list(candidates_of(known.defect, proposers))
    ranked, predicted, written = with_priors(candidates, program.source), 0, 0
    if plan.imagines and predictor is not None:
        seen = imagine(ranked, tests, known.first, known.trace, predictor, most=plan.imagined)
        ranked, predicted, written = list(seen.ranked), seen.asked, seen.bytes
    ranking = [item.candidate for item in ordered(ranked, plan.oracle, seed=plan.seed)]
    passing, tried = _verified(program, ranking, known, counter, plan.patches, pool)
    return replace(
        done,
        failing=len(known.failing),
        first_failing=in_sentence(known.first.call),
        candidates=len(candidates),
        tried=tried,
        patches=tuple(sorted(passing, key=lambda item: item.size)),
        imagined=predicted,
        spent=ExecutionCost(executions=counter.executions, bytes=written),
    )


def _verified(
    program: Program,
    candidates: Sequence[RepairCandidate],
    known: RepairDiagnosis,
    counter: _Counter,
    most: int,
    pool: WorkerPool | None,
) -> tuple[list[PassingPatch], int]:
    """Those that pass every test by running, and how many were tried: the failing test first."""
    passing, tried, checks = list[PassingPatch](), 0, (known.first, *known.rest)
    sources = [candidate.source for candidate in candidates]
    trials = _tried_here(sources, checks, counter)
    if pool is not None and not counter.is_spent:
        trials = _tried_elsewhere(sources, checks, counter, pool)
    with closing(trials):
        for candidate in candidates:
            if counter.is_spent or len(passing) >= most:
                break
            tried += 1
            if next(trials):
                passing.append(_passing(program, candidate, counter.executions, tried))
    return passing, tried


def _tried_here(
    sources: Sequence[str], checks: Sequence[RepairCheck], counter: _Counter
) -> Generator[bool, None, None]:
    for source in sources:
        yield counter.passes(source, checks)


def _tried_elsewhere(
    sources: Sequence[str], checks: Sequence[RepairCheck], counter: _Counter, pool: WorkerPool
) -> Generator[bool, None, None]:
    """The same, by the workers of a pool: one that would have met the end of the executions here has met it."""
    start_worker = partial(_Trier, counter.tests, tuple(checks), counter.seconds)
    with closing(in_order(pool.map(start_worker, grouped(sources, TRIED)))) as results:
        for is_passed, executions in chain.from_iterable(results):
            left = counter.most - counter.executions
            counter.executions += min(executions, left)
            yield is_passed and executions <= left


class _Trier:
    """One worker: a sandbox in which the tests of candidates are executed."""

    def __init__(self, tests: CheckSet, checks: Sequence[RepairCheck], seconds: float) -> None:
        self._tests, self._checks, self._seconds = tests, checks, seconds
        self._caller = Caller()

    def __call__(self, sources: Sequence[str]) -> list[tuple[bool, int]]:
        """Of each candidate whether it passes every test, and after how many executions that is known."""
        return [self._tried(source) for source in sources]

    def _tried(self, source: str) -> tuple[bool, int]:
        counter = _Counter(self._caller, self._tests, self._seconds, len(self._checks) + 1)
        return counter.passes(source, self._checks), counter.executions

    def close(self) -> None:
        """Close the sandbox."""
        self._caller.close()


def candidates_of(defect: Defect, proposers: Iterable[Proposer]) -> Iterator[RepairCandidate]:
    """Yield all proposals once, without those that cannot alter the failing run."""
    code = ParsedSource(defect.source, defect.name)
    every = (candidate for proposer in proposers for candidate in proposer.propose(defect))
    for candidate in distinct(defect, every):
        if may_matter(code, candidate.lines, defect.reached) or not candidate.lines:
            yield candidate


def _passing(program: Program, candidate: RepairCandidate, after: int, tried: int) -> PassingPatch:
    return PassingPatch(
        source=candidate.source,
        patch=patch(program.source, candidate.source, program.name),
        kind=candidate.kind,
        by=candidate.by,
        size=patch_size(program.source, candidate.source),
        after=after,
        tried=tried,
    )
