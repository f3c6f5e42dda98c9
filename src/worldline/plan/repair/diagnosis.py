"""The state before a change: which tests fail, the recorded run of the first, and the changes that can matter there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.core.value import kind
from worldline.plan.repair.candidate import Defect, Proposer, RepairCandidate, drop_duplicates
from worldline.plan.repair.checks import CheckSet, RepairCheck, describe_end, shorten
from worldline.plan.repair.edits.parsed import ParsedSource
from worldline.plan.repair.edits.proposer import may_matter
from worldline.recording.calls import CallEnd

_MISSING_IMPORT = re.compile(
    r"(?:ModuleNotFoundError|ImportError)\(.*?(?:No module named |cannot import name )\\?'([^'\\]+)"
)


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


def propose_candidates(defect: Defect, proposers: Iterable[Proposer]) -> Iterator[RepairCandidate]:
    """Yield all proposals once, without those that cannot alter the failing run."""
    code = ParsedSource(defect.source, defect.name)
    every = (candidate for proposer in proposers for candidate in proposer.propose(defect))
    for candidate in drop_duplicates(defect, every):
        if may_matter(code, candidate.lines, defect.reached) or not candidate.lines:
            yield candidate
