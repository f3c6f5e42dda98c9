"""Search in the model's own state against searches that only run: goals reached, real executions, and what each costs.

`python studies/plan/reach.py [--n 12] [--seed 0] [--depth 4] [--executions 20] [--simulations 120]
[--leaves 1] [--out FILE]`

Goals are real states of the shipped machines that some plan of up to `--depth` commands reaches, drawn by `--seed`, no
two the same. Searches of one machine share what was imagined and what was run: each is charged for all of it, in bytes,
executions and CPU seconds, as if it had been alone. `--out` keeps a line a goal and a way; lines that are there are not
made again. Breadth-first search and the others by running may take 2,000 executions.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any

from worldline.core.program import Program
from worldline.core.stats import wilson
from worldline.plan.reach.executed import breadth_first, nearest_first, random_plans
from worldline.plan.reach.goal import StateGoal, read_goal
from worldline.plan.reach.machine import CommandMachine, read_machine, shipped_machines
from worldline.plan.reach.predicted_machine import PredictedMachine, Snapshot
from worldline.plan.reach.runs import MachineRuns, MachineStop, MachineWorld, sandboxed_machine
from worldline.plan.reach.search import WAYS, ReachBudget, reach
from worldline.predict.models import load_local

RUNNING = ("breadth-first", "nearest-first", "random")
MOST = 2_000  # executions of a search that only runs
NAMES = {"robot": ("x", "y"), "stack": ("stack",), "counter": ("total", "step")}


class SharedRuns:
    """Runs that are made once and charged every time, in seconds of a clock: by default, of this process's CPU."""

    def __init__(
        self, world: MachineWorld, machine: CommandMachine, clock: Callable[[], float] = time.process_time
    ) -> None:
        self._clock = clock
        self._runs, self._known = (
            MachineRuns(world, machine),
            dict[tuple[int, ...], tuple[list[MachineStop], float]](),
        )
        self.executions, self.cpu = 0, 0.0

    def after(self, plan: tuple[int, ...]) -> list[MachineStop]:
        """Where it stood behind each command."""
        if plan not in self._known:
            began = self._clock()
            self._known[plan] = self._runs.after(plan), self._clock() - began
        stops, cpu = self._known[plan]
        self.executions += 1
        self.cpu += cpu
        return stops


class SharedPredictions:
    """Predictions made once and charged every time: they depend on the text alone."""

    def __init__(self, inner: PredictedMachine) -> None:
        self._inner, self._known = inner, dict[tuple[Any, ...], tuple[Any, int, float]]()
        self.written, self.cpu = 0, 0.0

    def _once(self, key: tuple[Any, ...], act: Callable[[], Any]) -> Any:
        if key not in self._known:
            began, before = time.process_time(), self._inner.written
            found = act()
            self._known[key] = found, self._inner.written - before, time.process_time() - began
        found, size, cpu = self._known[key]
        self.written += size
        self.cpu += cpu
        return found

    def begin(self) -> Snapshot:
        """Before the first command."""
        found: Snapshot = self._once(("begin",), self._inner.begin)
        return found

    def after_text(self, text: bytes) -> Snapshot:
        """Behind a true text."""
        found: Snapshot = self._once(("told", text), lambda: self._inner.after_text(text))
        return found

    def follow(self, forks: Sequence[tuple[Snapshot, int]]) -> list[Snapshot]:
        """Behind each command."""
        key = ("follow", *((bytes(origin.draft.text), command, origin.logprob) for origin, command in forks))
        found: list[Snapshot] = self._once(key, lambda: self._inner.follow(forks))
        return found


def goals(runs: SharedRuns, machine: CommandMachine, names: Sequence[str], n: int, depth: int, seed: int) -> list[str]:
    """Conditions on real states, none of them so at the start."""
    random, found = Random(seed), dict[str, None]()
    start = runs.after(())[0]
    for _ in range(200 * n):
        plan = tuple(random.randrange(len(machine.commands)) for _ in range(random.randint(2, depth)))
        stop = runs.after(plan)[-1]
        told = " and ".join(f"{name} == {stop.names[name]}" for name in names if name in stop.names)
        if stop.way == "asks" and told and not read_goal(told).holds(start.names):
            found[told] = None
        if len(found) == n:
            break
    return list(found)


def search(
    way: str, machine: CommandMachine, goal: StateGoal, runs: SharedRuns, asked: Any, imagined: Any
) -> dict[str, Any]:
    """One goal by one way."""
    executed, cpu, size, dreamt = runs.executions, runs.cpu, imagined.written, imagined.cpu
    kind, count, right = len(machine.commands), {"executions": MOST, "depth": asked.depth + 2}, None
    if way in WAYS:
        budget = ReachBudget(
            executions=asked.executions,
            simulations=asked.simulations,
            depth=asked.depth + 2,
            bytes=1 << 18,
            leaves=asked.leaves,
        )
        done = reach(imagined, runs, goal, kind, budget=budget, way=way, ignored=machine.name)
        plan, told = (
            done.plan,
            [state for node in done.nodes if (state := node.state).is_true and (state.corrected or not state.text)],
        )
        right = [sum(not state.corrected for state in told), len(told)]
    elif way == "random":
        plan = random_plans(runs, goal, kind, seed=asked.seed, **count).plan
    else:
        by = breadth_first if way == "breadth-first" else nearest_first
        plan = by(runs, goal, kind, ignored=machine.name, **count).plan
    return {
        "machine": machine.program.name, "goal": goal.text, "way": way, "reached": plan is not None,
        "length": None if plan is None else len(plan), "executions": runs.executions - executed,
        "bytes": imagined.written - size, "cpu": runs.cpu - cpu + imagined.cpu - dreamt, "right": right,
    }  # fmt: skip


def interval(numbers: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """95 % of the means of 2,000 resamples."""
    random = Random(seed)
    means = sorted(mean(random.choices(numbers, k=len(numbers))) for _ in range(2_000))
    return means[50], means[1949]


def table(rows: Sequence[dict[str, Any]]) -> None:
    """By machine and way: reached, executions, bytes, CPU seconds."""
    print(f"{'machine':10} {'way':14} {'reached':>22} {'executions, mean':>24} {'median':>6} {'bytes':>9} {'CPU s':>7}")
    machines = list(dict.fromkeys(row["machine"] for row in rows))
    for name in [*machines, "all"]:
        for way in (*WAYS, *RUNNING):
            some = [row for row in rows if row["way"] == way and name in (row["machine"], "all")]
            if not some:
                continue
            hits, used = sum(row["reached"] for row in some), [row["executions"] for row in some]
            low, high = wilson(hits, len(some))
            least, most = interval(used)
            told = f"{hits} of {len(some)} ({low:.2f} - {high:.2f})"
            print(
                f"{name:10} {way:14} {told:>22} {f'{mean(used):.1f} ({least:.1f} - {most:.1f})':>24} {median(used):>6g}"
                f" {sum(row['bytes'] for row in some):>9,} {sum(row['cpu'] for row in some):>7.1f}"
            )


def main() -> None:
    """Every goal by every way."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("n", 12), ("seed", 0), ("depth", 4), ("executions", 20), ("simulations", 120), ("leaves", 1)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--ways", nargs="*", default=[*WAYS, *RUNNING])
    parser.add_argument("--machines", nargs="*", default=list(NAMES))
    parser.add_argument("--model", default="default")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    rows = [json.loads(line) for line in asked.out.read_text().splitlines()] if asked.out and asked.out.exists() else []
    done = {(row["machine"], row["goal"], row["way"]) for row in rows}
    local = load_local(asked.model, {"guard": "true", "threads": "1"})
    with sandboxed_machine() as world:
        for name in asked.machines:
            machine = read_machine(Program(source=shipped_machines()[name], name=name, call=f"{name}()"))
            runs, imagined = SharedRuns(world, machine), SharedPredictions(PredictedMachine(local, machine))
            for text in goals(runs, machine, NAMES[name], asked.n, asked.depth, asked.seed):
                for way in asked.ways:
                    if (name, text, way) in done:
                        continue
                    rows.append(search(way, machine, read_goal(text), runs, asked, imagined))
                    if asked.out:
                        with asked.out.open("a") as file:
                            file.write(json.dumps(rows[-1]) + "\n")
    table(rows)
    print(json.dumps({"n": len(rows), "settings": {k: str(v) for k, v in vars(asked).items()}}))


if __name__ == "__main__":
    main()
