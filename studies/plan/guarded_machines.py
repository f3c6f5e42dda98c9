"""Search in the model's own state on drawn machines with guards, with a value learned from its own searches.

`python studies/plan/guarded_machines.py [--machines 12] [--goals 3] [--taught 8] [--seed 0] [--out FILE]`

Machines have keys, doors, walls and resources; a guard decides whether a command does anything. They are of the kind
that the shipped model was trained on, and in its test split: none of these programs was trained on. A goal is a whole
state that takes `--depth` commands or fewer to reach, but at least 3 (found by executing, not charged). Ways:

- `learned value`: PUCT over the model's snapshots; the value was fitted on the graphs of searches on other machines,
  `--taught` of them in each of two rounds, the second guided by the value of the first. Training is charged apart.
- `learned value, best first`: the same value, and always the best node next.
- `distance`: best first by probability and distance from the goal, without learning.
- `breadth-first`, `random plans`: executions alone, at most 2,000 of them.

The first three execute at most `--executions` plans. Seconds are CPU for predictions and wall time for executions,
whose sandbox is another process. What two searches share is computed once and charged to both. `--out` keeps one line
per goal and way; lines that are there are not made again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import count
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

from reach import MOST, SharedPredictions, SharedRuns, interval

from worldline.core.stats import wilson
from worldline.plan.reach.executed import breadth_first, random_plans
from worldline.plan.reach.goal import goal_of_state, read_goal
from worldline.plan.reach.machine import CommandMachine, read_machine
from worldline.plan.reach.predicted_machine import ASKS, PredictedMachine
from worldline.plan.reach.runs import MachineWorld, sandboxed_machine, state_key
from worldline.plan.reach.search import ReachBudget, ReachResult, reach
from worldline.plan.reach.value import FEATURES, LearnedValue, ValueLesson, fit_value, lessons_of
from worldline.predict.local import Local
from worldline.predict.models import load_local
from worldline.programs import machines
from worldline.programs.split import program_key, split_of

WAYS = ("learned value", "learned value, best first", "distance", "breadth-first", "random plans")
LEVELS = (1, 2, 8, 20, 100, MOST)  # executions, within which goals are counted
MIN_COMMANDS = 3  # of the shortest plan to a goal
MAX_LOOKED = 300  # executions that look for goals of one machine
Row = dict[str, Any]


def drawn_machines(split: str, seed: int) -> Iterator[CommandMachine]:
    """Yield machines of a split that read commands without end; `reach` needs a state without a turn counter."""
    for number in count():
        program = machines.commanded(Random(f"guarded {split} {seed} {number}"))
        if "while True" in program.source and split_of(program_key(program)) == split:
            yield read_machine(program)


def far_goals(runs: SharedRuns, machine: CommandMachine, wanted: int, depth: int, seed: int) -> list[str]:
    """Return states that take at least MIN_COMMANDS commands, drawn from those that executions up to a depth meet."""
    level: list[tuple[int, ...]] = [()]
    seen, far = set[object](), list[str]()
    for size in range(depth + 1):
        new = []
        for plan in level:
            if runs.executions >= MAX_LOOKED:
                break
            stop = runs.after(plan)[-1]
            key = state_key(stop.names, machine.name)
            if stop.way != ASKS or key in seen:
                continue
            seen.add(key)
            new.append(plan)
            goal = goal_of_state(stop.names, machine.name)
            far += [goal.text] if goal is not None and size >= MIN_COMMANDS else []
        level = [(*plan, command) for plan in new for command in range(len(machine.commands))]
    return Random(f"goals {seed}").sample(far, min(wanted, len(far)))


class Ground:
    """One machine with its shared executions and predictions, and goals that are far enough."""

    def __init__(self, world: MachineWorld, local: Local, machine: CommandMachine, asked: Any) -> None:
        self.machine, self.asked = machine, asked
        looked = SharedRuns(world, machine)
        self.goals = far_goals(looked, machine, asked.goals, asked.depth, asked.seed)
        self.runs = SharedRuns(world, machine, time.perf_counter)
        self.predicted = SharedPredictions(PredictedMachine(local, machine))

    def reach(
        self, goal: str, value: LearnedValue | None, executions: int, simulations: int, way: str = "uct"
    ) -> ReachResult:
        """Search in the model's state."""
        budget = ReachBudget(
            executions=executions, simulations=simulations, bytes=1 << 18, depth=self.asked.depth + 2, leaves=1
        )
        kinds = len(self.machine.commands)
        name = self.machine.name
        return reach(
            self.predicted, self.runs, read_goal(goal), kinds, budget=budget, way=way, ignored=name, value=value
        )

    def row(self, goal: str, way: str, value: LearnedValue) -> Row:
        """Search for one goal in one way, and charge it."""
        executed, waited = self.runs.executions, self.runs.cpu
        size, cpu = self.predicted.written, self.predicted.cpu
        row: Row = {"machine": self.machine.program.source, "goal": goal, "way": way}
        if way in WAYS[:3]:
            learned, order = value if way.startswith("learned") else None, "uct" if way == WAYS[0] else "near"
            done = self.reach(goal, learned, self.asked.executions, self.asked.simulations, order)
            states = [node.state for node in done.nodes if node.state.is_true and node.parent is not None]
            # Behind a wrong prediction, the rest of an executed plan was not predicted.
            checked = [state for state in states if state.corrected or not state.text]
            plan = done.plan
            row |= {"why": done.why, "expanded": done.simulations, "checked": len(checked)}
            row |= {"right": sum(not state.corrected for state in checked)}
        else:
            commands, wanted = len(self.machine.commands), read_goal(goal)
            depth = self.asked.depth + 2
            if way == "random plans":
                plan = random_plans(
                    self.runs, wanted, commands, executions=MOST, depth=depth, seed=self.asked.seed
                ).plan
            else:
                name = self.machine.name
                plan = breadth_first(self.runs, wanted, commands, executions=MOST, depth=depth, ignored=name).plan
        return row | {
            "reached": plan is not None, "length": None if plan is None else len(plan),
            "executions": self.runs.executions - executed, "bytes": self.predicted.written - size,
            "seconds": self.runs.cpu - waited + self.predicted.cpu - cpu,
        }  # fmt: skip


def taught_value(world: MachineWorld, local: Local, asked: Any) -> Row:
    """Learn a value from searches on machines of the training split, in two rounds; return it with its cost."""
    began, lessons, weights = time.process_time(), list[ValueLesson](), (0.0,) * len(FEATURES)
    source, searches = drawn_machines("train", asked.seed), 0
    for _ in range(2):
        for _ in range(asked.taught):
            ground = Ground(world, local, next(source), asked)
            for goal in ground.goals[:1]:
                done = ground.reach(goal, LearnedValue(weights), 1, asked.taught_simulations)
                lessons += lessons_of(done.nodes, ignored=ground.machine.name, seed=searches)
                searches += 1
        weights = fit_value(lessons).weights
    cpu = time.process_time() - began
    return {"way": "value", "weights": weights, "lessons": len(lessons), "searches": searches, "cpu": cpu}


def table(rows: Sequence[Row]) -> None:
    """Print, by way, the goals reached within so many executions, and the cost of a goal."""
    for way in WAYS:
        some = [row for row in rows if row["way"] == way]
        if not some:
            continue
        print(f"\n{way}: {len(some)} goals of {len({row['machine'] for row in some})} machines")
        for level in LEVELS:
            hits = sum(row["reached"] and row["executions"] <= level for row in some)
            low, high = wilson(hits, len(some))
            print(f"  reached within {level:5,} executions: {hits:3} ({100 * low:.0f}-{100 * high:.0f} %)")
        used, seconds = [row["executions"] for row in some], [row["seconds"] for row in some]
        print(f"  executions per goal {mean(used):.1f} ({interval(used)[0]:.1f} - {interval(used)[1]:.1f})")
        print(f"  seconds per goal {mean(seconds):.2f} ({interval(seconds)[0]:.2f} - {interval(seconds)[1]:.2f})")
        if checked := sum(row.get("checked", 0) for row in some):
            right = sum(row["right"] for row in some)
            low, high = wilson(right, checked)
            print(f"  executed commands that were predicted right: {right} of {checked} ({low:.3f} - {high:.3f})")
            print(f"  expansions per goal {mean(row['expanded'] for row in some):.1f}")


def main() -> None:
    """Teach a value, then search for every goal in every way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = {"machines": 12, "goals": 3, "taught": 8, "seed": 0, "depth": 5, "executions": 8, "simulations": 40}
    for name, number in {**usual, "taught-simulations": 12}.items():
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--model", default="default")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    rows = [json.loads(line) for line in asked.out.read_text().splitlines()] if asked.out and asked.out.exists() else []

    def keep(row: Row) -> Row:
        rows.append(row)
        if asked.out:
            with asked.out.open("a") as file:
                file.write(json.dumps(row) + "\n")
        return row

    local = load_local(asked.model, {"guard": "true", "threads": "1"})
    with sandboxed_machine() as world:
        known = next((row for row in rows if row["way"] == "value"), None)
        taught = known if known is not None else keep(taught_value(world, local, asked))
        value = LearnedValue(tuple(taught["weights"]))
        done = {(row["machine"], row["goal"], row["way"]) for row in rows if "goal" in row}
        searched, source = 0, drawn_machines("test", asked.seed)
        while searched < asked.machines:
            ground = Ground(world, local, next(source), asked)
            searched += bool(ground.goals)
            for goal in ground.goals:
                for way in WAYS:
                    if (ground.machine.program.source, goal, way) not in done:
                        keep(ground.row(goal, way, value))
    table(rows)
    weights = dict(zip(FEATURES, (round(weight, 2) for weight in value.weights), strict=True))
    facts = {**asdict(value), **taught, "weights": weights}
    print(json.dumps({"value": facts, "settings": {name: str(text) for name, text in vars(asked).items()}}))


if __name__ == "__main__":
    main()
