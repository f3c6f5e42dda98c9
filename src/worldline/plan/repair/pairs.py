"""Second edits: where no single edit passes, edit again the candidates that came nearest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.plan.inputs.nearness import FAILED_DISTANCE, comparison_gap, read_value
from worldline.plan.paths.distance import Verbatim
from worldline.plan.repair.candidate import Proposer, RepairCandidate, changed_lines
from worldline.plan.repair.checks import RepairCheck
from worldline.plan.repair.diagnosis import RepairDiagnosis, diagnose_failures, propose_candidates
from worldline.plan.repair.order import RankedCandidate, with_priors
from worldline.plan.repair.trials import TestRunner, Trial
from worldline.recording.calls import CallEnd

MAX_SURVEYED = 240  # candidates of which every test is executed
MAX_BASES = 12  # candidates that are edited again
MAX_ALIKE = 2  # of them with the same results
MAX_SECOND_EDITS = 300  # of one base


@dataclass(frozen=True)
class TriedCandidate:
    """A candidate, its prior, and how far it came."""

    ranked: RankedCandidate
    trial: Trial


@dataclass(frozen=True)
class SecondEditBase:
    """A candidate that is edited again, with the results of all tests."""

    ranked: RankedCandidate
    ends: tuple[CallEnd, ...]
    far: tuple[float, ...]  # from passing: the failing tests, the distance of their results, the prior

    @property
    def source(self) -> str:
        """The candidate's source."""
        return self.ranked.candidate.source


def find_bases(known: RepairDiagnosis, tried: Sequence[TriedCandidate], runner: TestRunner) -> list[SecondEditBase]:
    """Execute every test of the most promising candidates, and return those nearest to passing all."""
    checks = (known.first, *known.rest)

    def rank(item: TriedCandidate) -> tuple[float, ...]:
        failure = item.trial.failure
        far = FAILED_DISTANCE if failure is None else _distance(checks[item.trial.passed], failure)
        return (-item.trial.passed, far, -item.ranked.prior)

    by_result = sorted(tried, key=rank)[: MAX_SURVEYED // 2]
    by_prior = sorted(tried, key=lambda item: -item.ranked.prior)[:MAX_SURVEYED]
    chosen = list({item.ranked.candidate.source: item for item in (*by_result, *by_prior)}.values())[:MAX_SURVEYED]
    bases = list[SecondEditBase]()
    for item in chosen:
        # Half of the executions are left to the second edits.
        if 2 * (runner.executions + len(runner.tests.checks)) > runner.most:
            break
        ends = tuple(runner.call(item.ranked.candidate.source, runner.tests.checks))
        results = list(zip(runner.tests.checks, ends, strict=True))
        failing = [(check, end) for check, end in results if not check.passes(end)]
        distance = sum(_distance(check, end) for check, end in failing)
        bases.append(SecondEditBase(item.ranked, ends, (len(failing), distance, -item.ranked.prior)))
    return _distinct(sorted(bases, key=lambda base: base.far))


def _distinct(bases: Sequence[SecondEditBase]) -> list[SecondEditBase]:
    """Return the first bases, few of them with the same results."""
    chosen, alike = list[SecondEditBase](), Counter[tuple[CallEnd, ...]]()
    for base in bases:
        alike[base.ends] += 1
        if alike[base.ends] <= MAX_ALIKE:
            chosen.append(base)
    return chosen[:MAX_BASES]


def _distance(check: RepairCheck, failure: CallEnd) -> float:
    if failure.kind != "returned" or not check.is_valued:
        return FAILED_DISTANCE
    value = read_value(failure.value)
    return FAILED_DISTANCE if isinstance(value, Verbatim) else comparison_gap(value, "==", check.value)


def propose_second_edits(
    program: Program,
    bases: Sequence[SecondEditBase],
    proposers: Sequence[Proposer],
    runner: TestRunner,
    record: Callable[[Program], Trace],
) -> tuple[list[RankedCandidate], tuple[RepairCheck, ...]]:
    """Edit each base again; return the new candidates in order, and the checks, those that fail most bases first."""
    ranked, failing = list[RankedCandidate](), Counter[str]()
    seen = {program.source, *(base.source for base in bases)}
    for place, base in enumerate(bases):
        if runner.is_spent:
            break
        known = diagnose_failures(replace(program, source=base.source), runner.tests, base.ends, record)
        runner.executions += 1  # the recording
        if known is None:
            continue
        failing.update(check.call for check in known.failing)
        again = [item for item in _edited_again(program, base, known, proposers) if item.candidate.source not in seen]
        for item in again[:MAX_SECOND_EDITS]:
            seen.add(item.candidate.source)
            ranked.append(replace(item, prior=item.prior / (1 + place)))
    checks = sorted(runner.tests.checks, key=lambda check: -failing[check.call])
    return sorted(ranked, key=lambda item: -item.prior), tuple(checks)


def _edited_again(
    program: Program, base: SecondEditBase, known: RepairDiagnosis, proposers: Sequence[Proposer]
) -> Iterator[RankedCandidate]:
    first = base.ranked.candidate
    candidates = list(propose_candidates(known.defect, proposers))
    for item in with_priors(candidates, first.source):
        second = item.candidate
        joined = RepairCandidate(
            source=second.source,
            kind=f"{first.kind} and {second.kind}",
            lines=changed_lines(program.source, second.source),
            by=second.by,
        )
        yield replace(item, candidate=joined)
