"""What every candidate of a buggy program truly does: passes the failing test or not, all tests or not; and fuzzing.

Used by repair.py. A change of a line that the failing test does not reach cannot pass it and is not run.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from worldline.core.program import Program
from worldline.plan.repair.checks import CheckSet
from worldline.plan.repair.diagnosis import RepairDiagnosis, diagnose_failures
from worldline.plan.repair.edits.parsed import ParsedSource
from worldline.plan.repair.edits.proposer import EditProposer, may_matter
from worldline.plan.repair.order import RankedCandidate, with_priors
from worldline.plan.repair.search import RECORDING_LIMITS
from worldline.recording.calls import Caller
from worldline.recording.recorder import record

SECONDS = 0.1  # of CPU, a test
PATIENCE = 10
LETTERS = "abcdefgh xyz()"


def kept_tests(tests: CheckSet, right: str, runs: Caller) -> CheckSet:
    """The tests that the right program passes in time: QuixBugs leaves out two that take minutes, too."""
    found = runs.run(tests.batch(right, tests.checks, SECONDS))
    checks = tuple(check for check, end in zip(tests.checks, found, strict=True) if check.passes(end))
    return replace(tests, checks=checks)


def diagnosed(program: Program, tests: CheckSet, runs: Caller) -> RepairDiagnosis | None:
    """What fails before any change."""
    found = runs.run(tests.batch(program.source, tests.checks, SECONDS))
    return diagnose_failures(program, tests, found, partial(record, limits=RECORDING_LIMITS))


def ranked_candidates(known: RepairDiagnosis) -> tuple[list[RankedCandidate], int]:
    """The candidates on reached lines with their priors, likeliest first, and how many there are on any line."""
    every = list(EditProposer().propose(replace(known.defect, reached=None)))
    code = ParsedSource(known.defect.source)
    some = [each for each in every if may_matter(code, each.lines, known.defect.reached)]
    return with_priors(some, known.defect.source), len(every)


def truth(name: str, program: Program, tests: CheckSet, right: str, runs: Caller) -> dict[str, Any]:
    """One program's row: for each candidate in the prior's order, whether it passes the failing test, and all."""
    began = time.time()
    kept = kept_tests(tests, right, runs)
    known = diagnosed(program, kept, runs)
    if known is None:
        return {"name": name, "failing": 0}
    ranked, every = ranked_candidates(known)
    rows = []
    for one in ranked:
        source = one.candidate.source
        first = passes(kept, source, [known.first], runs)
        rows.append((one.candidate.kind, one.prior, first, first and passes(kept, source, known.rest, runs)))
    fixes = [ranked[i].candidate.source for i, row in enumerate(rows) if row[3]]
    return {
        "name": name, "failing": len(known.failing), "tests": len(kept.checks),
        "dropped": len(tests.checks) - len(kept.checks), "every": every,
        "steps": len(known.trace) if known.trace else 0, "candidates": rows, "fixes": fixes,
        "seconds": time.time() - began,
    }  # fmt: skip


def passes(tests: CheckSet, source: str, checks: Sequence[Any], runs: Caller) -> bool:
    """Whether a program passes these tests, one after the other."""
    return all(check.passes(runs.run(tests.batch(source, [check], SECONDS))[0]) for check in checks)


def fuzzed(rows: list[Any], right: str, sources: Sequence[str], name: str, wrap: str, runs: Caller, *, n: int, seed: int
) -> list[float | None]:  # fmt: skip
    """The share of drawn inputs on which each source does what the right one does; inputs are those of tests, changed.

    Only inputs on which the right program returns count. A list that is sorted in every test stays sorted.
    """
    rng = Random(f"fuzz {name} {seed}")
    inputs = [row[0] if isinstance(row[0], list) else [row[0]] for row in rows]
    ordered = [all(isinstance(args[i], list) and _is_sorted(args[i]) for args in inputs) for i in range(len(inputs[0]))]
    calls = []
    for _ in range(n):
        args = [changed(copy.deepcopy(each), rng) for each in rng.choice(inputs)]
        args = [sorted(each) if keep and _sortable(each) else each for each, keep in zip(args, ordered, strict=True)]
        calls.append(wrap.format(f"{name}({', '.join(map(repr, args))})"))
    tests = CheckSet(name=f"{name}.py", checks=())
    ends = runs.run(replace(tests.batch(right, (), SECONDS), calls=tuple(calls)))
    usable = [i for i, end in enumerate(ends) if end.kind == "returned"]
    found: list[float | None] = []
    for source in sources:
        batch = tests.batch(source, (), PATIENCE * SECONDS)  # time decides nothing here
        batch = replace(batch, calls=tuple(calls[i] for i in usable))
        pairs = zip(usable, runs.run(batch), strict=True)
        same = [end.kind == "returned" and end.value == ends[i].value for i, end in pairs]
        found.append(sum(same) / len(same) if same else None)
    return found


def _is_sorted(values: list[Any]) -> bool:
    return _sortable(values) and values == sorted(values)


def _sortable(values: Any) -> bool:
    return (
        isinstance(values, list)
        and len({type(each) for each in values}) <= 1
        and not any(isinstance(each, list | dict) for each in values)
    )


def changed(value: Any, rng: Random) -> Any:
    """A value like another: numbers moved, items dropped, doubled, exchanged, letters replaced."""
    if isinstance(value, bool) or value is None or rng.random() < 0.2:
        return value
    if isinstance(value, int):
        return max(value + rng.randint(-4, 4), 0) if value >= 0 else value + rng.randint(-4, 4)
    if isinstance(value, float):
        return round(value * rng.uniform(0.5, 2), 2)
    if isinstance(value, str):
        letters = list(value)
        for _ in range(rng.randint(0, 2)):
            at = rng.randint(0, len(letters))
            letters[at : at + rng.randint(0, 1)] = rng.choice([value[:1] or "a", rng.choice(LETTERS), ""])
        return "".join(letters)
    if isinstance(value, list):
        return _changed_list(value, rng)
    return value


def _changed_list(value: list[Any], rng: Random) -> list[Any]:
    if not value:
        return value
    if (isinstance(value[0], list) and rng.random() < 0.5) or rng.random() < 0.5:
        at = rng.randrange(len(value))
        value[at] = changed(value[at], rng)
    elif rng.random() < 0.5:
        value.pop(rng.randrange(len(value)))
    else:
        value.insert(rng.randrange(len(value)), copy.deepcopy(rng.choice(value)))
    return value
