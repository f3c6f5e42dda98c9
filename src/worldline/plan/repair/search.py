"""The search for a fix: candidates in order, each executed in the sandbox, the failing test first, then all others.

A reported patch has passed every test by execution. The cost is counted in executions: one test of one program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.parallel.pool import WorkerPool
from worldline.plan.answer import ExecutionCost
from worldline.plan.repair.candidate import PassingPatch, Proposer, RepairCandidate, patch, patch_size
from worldline.plan.repair.checks import CheckSet, RepairCheck, shorten
from worldline.plan.repair.comparison import PatchComparison, compare_patches
from worldline.plan.repair.diagnosis import diagnose_failures, propose_candidates
from worldline.plan.repair.imagine import predict_candidates
from worldline.plan.repair.order import ORACLES, RankedCandidate, order_candidates, with_priors
from worldline.plan.repair.pairs import TriedCandidate, find_bases, propose_second_edits
from worldline.plan.repair.trials import RunsCalls, TestRunner
from worldline.predict.predictor import Predictor

DEFAULT_TEST_SECONDS = 0.2  # of CPU
RECORDING_LIMITS = Limits(steps=20_000, wall=20.0)  # of the failing test
DEFAULT_EXECUTIONS = 10_000
DEFAULT_PATCHES = 12
DEFAULT_PREDICTED = 32


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
class Repair:
    """The result of a search: patches that pass, the likeliest result first, how they differ, and the cost."""

    name: str
    oracle: str
    tests: int
    failing: int = 0
    first_failing: str = ""
    candidates: int = 0
    tried: int = 0
    patches: tuple[PassingPatch, ...] = ()
    comparison: PatchComparison = field(default_factory=PatchComparison)
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
            "comparison": self.comparison.as_json(),
        }


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
    """Find patches that make every test pass, within the plan's executions, and compare them on drawn inputs.

    Single edits come first; if none passes, the nearest are edited again. With a `pool`, its workers try the
    candidates; candidates tried in vain are not counted.
    """
    runner = TestRunner(runs, tests, plan.seconds, plan.executions)
    known = diagnose_failures(program, tests, runner.run_all(program.source), record)
    done = Repair(name=program.name, oracle=plan.oracle, tests=len(tests.checks), left_out=tests.left_out)
    if known is None:
        return replace(done, spent=ExecutionCost(executions=runner.executions))
    runner.executions += 1  # the recording
    candidates = list(propose_candidates(known.defect, proposers))
    ranked, predicted, written = with_priors(candidates, program.source), 0, 0
    if plan.imagines and predictor is not None:
        seen = predict_candidates(ranked, tests, known.first, known.trace, predictor, most=plan.imagined)
        ranked, predicted, written = list(seen.ranked), seen.predicted, seen.bytes
    search = _Search(program, runner, plan.patches, pool)
    search.try_candidates(order_candidates(ranked, plan.oracle, seed=plan.seed), (known.first, *known.rest))
    second = list[RankedCandidate]()
    if not search.passing and not runner.is_spent:
        bases = find_bases(known, search.tried, runner)
        second, checks = propose_second_edits(program, bases, proposers, runner, record)
        search.try_candidates(second, checks)
    comparison = PatchComparison()
    if plan.patches > 1:
        comparison = compare_patches(
            program, tests, search.passing, runs, record, seconds=runner.seconds, seed=plan.seed
        )
    patches = [item for group in comparison.groups for item in group.patches]
    return replace(
        done,
        failing=len(known.failing),
        first_failing=shorten(known.first.call),
        candidates=len(candidates) + len(second),
        tried=len(search.tried),
        patches=tuple(patches or sorted(search.passing, key=lambda item: item.size)),
        comparison=comparison,
        imagined=predicted,
        spent=ExecutionCost(executions=runner.executions, bytes=written),
    )


@dataclass
class _Search:
    """The candidates tried so far, and those that pass every test."""

    program: Program
    runner: TestRunner
    most: int  # patches
    pool: WorkerPool | None
    tried: list[TriedCandidate] = field(default_factory=list)
    passing: list[PassingPatch] = field(default_factory=list)

    def try_candidates(self, ranked: Sequence[RankedCandidate], checks: Sequence[RepairCheck]) -> None:
        """Execute candidates in order, until there are enough patches or no executions are left."""
        sources = [item.candidate.source for item in ranked]
        with closing(self.runner.try_sources(sources, checks, self.pool)) as trials:
            for item in ranked:
                if self.runner.is_spent or len(self.passing) >= self.most:
                    break
                trial = next(trials)
                self.tried.append(TriedCandidate(item, trial))
                if trial.passed == len(checks):
                    self.passing.append(self._patch(item.candidate, item.prior))

    def _patch(self, candidate: RepairCandidate, prior: float) -> PassingPatch:
        return PassingPatch(
            source=candidate.source,
            patch=patch(self.program.source, candidate.source, self.program.name),
            kind=candidate.kind,
            by=candidate.by,
            size=patch_size(self.program.source, candidate.source),
            after=self.runner.executions,
            tried=len(self.tried),
            prior=prior,
        )
