"""Repair, measured on ordinary bugs that the edits were not written for: 30 own ones, or QuixBugs'.

`python studies/plan/repair_bugs.py -o OUT [--data studies/plan/bugs | QuixBugs] [--executions 10000]`

Each folder of `bugs` has a right and a wrong program and rows of tests; the right one is used only to judge. A patch is
right if it agrees with it on every drawn input from which the right program returns.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from repair_truth import kept_tests

from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.evaluation.suites.quixbugs import read_quixbugs
from worldline.plan.repair.checks import CheckSet
from worldline.plan.repair.comparison import draw_calls
from worldline.plan.repair.edits.proposer import EditProposer
from worldline.plan.repair.rows import read_checks
from worldline.plan.repair.search import RECORDING_LIMITS, Repair, RepairPlan, repair
from worldline.recording.calls import CallBatch, Caller, caller
from worldline.recording.recorder import record

INPUTS, SECONDS = 200, 1.0
BUGS = Path(__file__).parent / "bugs"


@dataclass(frozen=True)
class Bug:
    """A wrong program, its tests, the right program, and whether it needs two changes."""

    name: str
    program: Program
    tests: CheckSet
    right: str
    is_double: bool = False


def own_bugs(folder: Path) -> list[Bug]:
    """Read the folders of right and wrong programs."""
    bugs = []
    for path in sorted(folder.iterdir()):
        program = Program(source=(path / "wrong.py").read_text("utf-8"), name=f"{path.name}.py")
        tests = read_checks(program, path / "tests.json", function=path.name)
        note = (path / "note.txt").read_text("utf-8")
        bugs.append(Bug(path.name, program, tests, (path / "right.py").read_text("utf-8"), note.startswith("two ")))
    return bugs


def quixbugs(folder: Path, runs: Caller) -> list[Bug]:
    """Read QuixBugs' programs, without the tests that the right program does not pass in time."""
    bugs = read_quixbugs(folder)
    return [Bug(bug.name, bug.program, kept_tests(bug.tests, bug.right, runs), bug.right) for bug in bugs]


def agreement(bug: Bug, sources: Sequence[str], runs: Caller) -> list[float]:
    """Return the share of drawn inputs on which each source does what the right program does."""
    right = Program(source=bug.right, name=bug.program.name, files=bug.program.files)
    calls = tuple(draw_calls(right, bug.tests, bug.name, count=INPUTS, seed=1))
    rows = []
    for source in (bug.right, *sources):
        batch = CallBatch(source=source, calls=calls, files=right.files, name=right.name, seconds=SECONDS)
        rows.append(runs.run(batch))
    usable = [at for at, end in enumerate(rows[0]) if end.kind == "returned"]
    return [
        sum((row[at].kind, row[at].value) == ("returned", rows[0][at].value) for at in usable) / max(len(usable), 1)
        for row in rows[1:]
    ]


def measure(bug: Bug, runs: Caller, plan: RepairPlan) -> dict[str, Any]:
    """Repair one program and judge its patches, one for each result that they have."""
    began = time.monotonic()
    report: Repair = repair(
        bug.program, bug.tests, runs, partial(record, limits=RECORDING_LIMITS), proposers=[EditProposer()], plan=plan
    )
    seconds = time.monotonic() - began
    shown = [group.patches[0] for group in report.comparison.groups]
    by_discovery = min(report.patches, key=lambda item: item.tried, default=None)
    shares = agreement(bug, [item.source for item in shown], runs)
    first = agreement(bug, [by_discovery.source], runs) if by_discovery else []
    return {
        "name": bug.name, "double": bug.is_double, "patches": len(report.patches), "groups": len(shown),
        "kinds": [item.kind for item in shown], "agreement": shares, "first by discovery": first,
        "deciding": len(report.comparison.deciding), "candidates": report.candidates, "tried": report.tried,
        "executions": report.spent.executions, "seconds": round(seconds, 1),
    }  # fmt: skip


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Count programs with a passing patch, with the right one first, and with the right one among those shown."""
    n = len(rows)
    return {
        "passing patch": Share(sum(row["patches"] > 0 for row in rows), n).as_json(),
        "right patch first": Share(sum(row["agreement"][:1] == [1.0] for row in rows), n).as_json(),
        "right patch shown": Share(sum(1.0 in row["agreement"] for row in rows), n).as_json(),
        "right if by discovery": Share(sum(row["first by discovery"] == [1.0] for row in rows), n).as_json(),
        "several results": sum(row["groups"] > 1 for row in rows),
        "of them with an input that decides": sum(row["groups"] > 1 and row["deciding"] > 0 for row in rows),
        "executions, mean": round(sum(row["executions"] for row in rows) / max(n, 1)),
        "seconds, mean": round(sum(row["seconds"] for row in rows) / max(n, 1), 1),
    }  # fmt: skip


def main() -> None:
    """Measure every bug, and print the table as JSON; a row that is in OUT is not measured again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=BUGS)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--executions", type=int, default=10_000)
    options = parser.parse_args()
    plan = RepairPlan(executions=options.executions, seconds=0.1)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    done = options.out.read_text("utf-8").splitlines() if options.out.is_file() else []
    rows = [json.loads(line) for line in done]
    with caller() as runs, options.out.open("a", encoding="utf-8") as file:
        bugs = own_bugs(options.data) if options.data == BUGS else quixbugs(options.data, runs)
        for bug in bugs:
            if bug.name not in {row["name"] for row in rows}:
                rows.append(measure(bug, runs, plan))
                file.write(json.dumps(rows[-1]) + "\n")
                file.flush()
                print(json.dumps(rows[-1]), flush=True)
    single = [row for row in rows if not row["double"]]
    double = [row for row in rows if row["double"]]
    print(json.dumps({"all": summary(rows), "one change": summary(single), "two changes": summary(double)}, indent=1))


if __name__ == "__main__":
    main()
