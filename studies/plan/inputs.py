"""Inputs that lead to an output: how many are found within so many executions, by way of proposing.

`python studies/plan/inputs.py --humaneval HumanEval.jsonl.gz --n 50 --out he.jsonl`
`python studies/plan/inputs.py --crux cruxeval.jsonl --n 0 --executions 1000 --ways constants,climb --out crux.jsonl`

HumanEval: the output is that of one call of a problem's own tests. CRUXEval: it is the row's. The search sees the code
and the output, never the input: types come of annotations, or of how the code uses a name. Docstrings are not read.
What is stored in OUT is not measured again. A table with intervals (Wilson, 95 %) and one JSON object are printed.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.evaluation.suites import crux_input, humaneval
from worldline.plan.inputs.finding import propose_by_crosshair
from worldline.plan.inputs.goal import goal_of_return
from worldline.plan.inputs.search import InputSearch
from worldline.recording.calls import Caller, caller
from worldline.recording.recorder import SandboxWorker, prepare

WITHIN = (1, 10, 100, 1_000, 2_000)


def tasks(given: argparse.Namespace, worker: SandboxWorker) -> Iterator[tuple[str, str, str, str]]:
    """Name, source, function, output."""
    if given.crux:
        for task in crux_input.load(data=given.crux, seed=given.seed).tasks:
            yield task.name, task.program.source, "f", str(task.answer)
        return
    for task in humaneval.load(data=given.humaneval, seed=given.seed, calls=1).tasks:
        outcome = worker.record(task.program).outcome
        if outcome.kind == "returned":
            function = str(task.program.call).partition("(")[0]
            yield task.name, task.program.source, function, outcome.detail


def one(
    way: str, task: tuple[str, str, str, str], given: argparse.Namespace, calls: Caller, worker: SandboxWorker
) -> dict[str, Any]:
    """What a way came to on a task."""
    name, source, function, output = task
    how = InputSearch(
        executions=given.executions, way=way, seed=given.seed, seconds=given.seconds, simplifying=0,
        solver=propose_by_crosshair(seconds=given.solver) if way == "solver" else None,
    )  # fmt: skip
    before, guest, begun = _processor(), calls.seconds, time.monotonic()
    row: dict[str, Any] = {"way": way, "task": name, "seed": given.seed}
    try:
        goal = goal_of_return(source, function, output)
    except UsageError as error:
        return {**row, "fault": str(error)}
    found = how.find(goal, Program(source=source), calls.run, worker.record)
    spent = _processor() - before + calls.seconds - guest
    return {
        **row, "found_at": found.found_at, "executions": found.executions, "call": found.call, "cpu": round(spent, 3),
        "wall": round(time.monotonic() - begun, 2),
    }  # fmt: skip


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def table(rows: list[dict[str, Any]], ways: list[str]) -> dict[str, Any]:
    """Printed by way, and returned."""
    made = {}
    for way in ways:
        own = [row for row in rows if row["way"] == way and "fault" not in row]
        hits = [row["found_at"] for row in own if row["found_at"] is not None]
        shares = {most: Share(sum(hit <= most for hit in hits), len(own)) for most in WITHIN}
        cpu = sum(row["cpu"] for row in own)
        told = "  ".join(f"{most}: {share.some}" for most, share in shares.items())
        best = shares[WITHIN[-1]]
        low, high = best.interval if best.n else (0.0, 0.0)
        print(f"{way:10} n {len(own):4}  found within {told}  ({100 * low:.0f} to {100 * high:.0f} %)  CPU {cpu:.0f} s")
        made[way] = {
            "n": len(own), "found": {most: share.some for most, share in shares.items()}, "interval": [low, high],
            "cpu": round(cpu, 1), "executions": sum(row["executions"] for row in own),
        }  # fmt: skip
    either = {row["task"] for row in rows if row.get("found_at") is not None}
    print(f"found by any of them: {len(either)}; faults: {sum('fault' in row for row in rows)}")
    return {**made, "any": len(either)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--humaneval")
    parser.add_argument("--crux")
    parser.add_argument("--n", type=int, default=50, help="tasks; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--executions", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=0.3, help="of one call")
    parser.add_argument("--solver", type=float, default=5.0, help="seconds of CrossHair")
    parser.add_argument("--ways", default="random,constants,climb")
    parser.add_argument("--out", type=Path, required=True, help="a JSONL of what was measured")
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.out.read_text().splitlines()] if given.out.exists() else []
    done = {(row["way"], row["task"], row["seed"]) for row in rows}
    worker = SandboxWorker(prepare(limits=Limits(), python=None, core="auto", trust=False))
    ways = given.ways.split(",")
    with caller() as calls, given.out.open("a") as out:
        for number, task in enumerate(tasks(given, worker)):
            if given.n and number >= given.n:
                break
            for way in ways:
                if (way, task[0], given.seed) not in done:
                    rows.append(one(way, task, given, calls, worker))
                    out.write(json.dumps(rows[-1]) + "\n")
                    out.flush()
    worker.close()
    print(json.dumps(table(rows, ways)))


if __name__ == "__main__":
    main()
