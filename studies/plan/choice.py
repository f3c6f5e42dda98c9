"""Many calls that nobody has run, and a budget of executions: which to run and learn from?

    python studies/plan/choice.py FOLDER -o OUT [--budget 16] [--pool 60] [--held-out 50] [--steps 16] [--seed 0]

The shipped model imagines a pool of calls of one code base; each arm chooses so many of them by what the model makes
of them, runs those, and trains the same changes for the same steps. Asked then: calls held out, the same for all arms.
A study that was stopped goes on: OUT has each arm's predictions and its result.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import torch
from code_base import Imagination, Weights, imagined, short_calls, taught

from worldline.core.stats import mcnemar, wilson
from worldline.learning.own_calls import OwnCall, hash_function
from worldline.model import checkpoint
from worldline.model.low_rank import merge_changes
from worldline.model.shape import Shape
from worldline.model.train.low_rank import AdaptationConfig
from worldline.storage import files

LOW, HIGH = 0.1, 0.9  # within reach: a probability of the whole text between these
HELD_BACK = 4  # calls that say when it is best; the same for all arms, and run on top of the budget

Chooser = Callable[[Sequence[OwnCall], Mapping[str, Imagination], Random], list[OwnCall]]


def at_random(pool: Sequence[OwnCall], asked: Mapping[str, Imagination], rng: Random) -> list[OwnCall]:
    """In any order."""
    return rng.sample(pool, len(pool))


def least_sure(pool: Sequence[OwnCall], asked: Mapping[str, Imagination], rng: Random) -> list[OwnCall]:
    """What the model is least sure of first."""
    return sorted(pool, key=lambda call: asked[call.name].sure)


def within_reach(pool: Sequence[OwnCall], asked: Mapping[str, Imagination], rng: Random) -> list[OwnCall]:
    """What is neither known nor hopeless, in any order; then what is nearest to that."""

    def distance(call: OwnCall) -> float:
        sure = asked[call.name].sure
        return max(LOW - sure, sure - HIGH, 0.0)

    return sorted(at_random(pool, asked, rng), key=distance)


def spread(pool: Sequence[OwnCall], asked: Mapping[str, Imagination], rng: Random) -> list[OwnCall]:
    """One call of each function, then another one of each, and so on."""
    turns: dict[str, int] = {}
    placed = []
    for call in at_random(pool, asked, rng):
        function = hash_function(call.program)
        placed.append((turns.get(function, 0), call))
        turns[function] = turns.get(function, 0) + 1
    return [call for _, call in sorted(placed, key=lambda place: place[0])]


CHOOSERS: dict[str, Chooser] = {
    "random": at_random, "within reach": within_reach, "spread": spread, "least sure": least_sure,
}  # fmt: skip


def arm(
    name: str, shape: Shape, weights: Weights, lessons: Sequence[OwnCall], held: Sequence[Sequence[OwnCall]],
    *, how: AdaptationConfig, out: Path,
) -> dict[str, Any]:  # fmt: skip
    """One arm: its lessons learned, the calls held out asked; stored, and read again where that was done."""
    stored = out / f"{name.replace(' ', '-')}.json"
    if stored.exists():
        done: dict[str, Any] = json.loads(stored.read_bytes())
        return done
    held_back, held_out = held
    made = taught(shape, weights, lessons, held_back, how=how)
    after = imagined(shape, merge_changes(weights, made.tensors), held_out, out=out / f"{name.replace(' ', '-')}-asked")
    functions = {hash_function(call.program) for call in lessons}
    result = {
        "arm": name, "lessons": [call.name for call in lessons], "functions": len(functions), "steps": made.steps,
        "documents": made.documents, "nats": [look.nats for look in made.evaluations],
        "cpu_seconds": round(made.cpu_seconds, 1), "answers": {each.name: each.answer for each in after},
        "traces": {each.name: each.trace for each in after},
    }  # fmt: skip
    files.write(stored, json.dumps(result, indent=1).encode())
    return result


def row(result: Mapping[str, Any], before: Mapping[str, Imagination]) -> dict[str, Any]:
    """An arm as counts: right after, with Wilson's interval; mended, broken and McNemar's p beside the base."""
    told: dict[str, Any] = {
        key: result[key] for key in ("arm", "functions", "steps", "documents", "cpu_seconds", "nats")
    }
    for what in ("answers", "traces"):
        after = result[what]
        was = {name: getattr(before[name], what.removesuffix("s")) for name in after}
        right, n = sum(after.values()), len(after)
        mended = sum(after[name] and not was[name] for name in after)
        broken = sum(was[name] and not after[name] for name in after)
        interval = [round(end, 3) for end in wilson(right, n)]
        flips = {"mended": mended, "broken": broken, "p": round(mcnemar(broken, mended), 3)}
        told[what] = {"right": right, "n": n, "interval": interval, "before": sum(was.values()), **flips}
    return told


def main() -> None:
    """A row an arm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--budget", type=int, default=16, help="executions")
    parser.add_argument("--pool", type=int, default=60)
    parser.add_argument("--held-out", type=int, default=50)
    parser.add_argument("--steps", type=int, default=16, help="of training, four documents each")
    parser.add_argument("--longest", type=int, default=800, help="bytes of a document")
    parser.add_argument("--arms", nargs="+", choices=CHOOSERS, default=list(CHOOSERS))
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    asked.out.mkdir(parents=True, exist_ok=True)
    calls = short_calls(asked.folder, asked.out / "calls.json", longest=asked.longest, rounds=2)
    Random(f"choice {asked.seed}").shuffle(calls)
    ends = (HELD_BACK, HELD_BACK + asked.held_out, HELD_BACK + asked.held_out + asked.pool)
    held_back, held_out, pool = calls[: ends[0]], calls[ends[0] : ends[1]], calls[ends[1] : ends[2]]
    shape, weights = checkpoint.read_weights(checkpoint.SHIPPED)
    place = asked.out / f"seed-{asked.seed}"
    place.mkdir(exist_ok=True)
    before = {each.name: each for each in imagined(shape, weights, [*held_out, *pool], out=place / "base-asked")}
    pool = [call for call in pool if call.name in before]
    how, rows = AdaptationConfig(steps=asked.steps, evaluations=3, patience=3, warmup=4, seed=asked.seed), []
    for name in asked.arms:
        order = CHOOSERS[name](pool, before, Random(f"choice {asked.seed}"))
        rows.append(
            row(arm(name, shape, weights, order[: asked.budget], (held_back, held_out), how=how, out=place), before)
        )
        print(json.dumps(rows[-1]), flush=True)
    table(rows, pool=len(pool), budget=asked.budget)


def table(rows: Sequence[Mapping[str, Any]], *, pool: int, budget: int) -> None:
    """The arms beside one another."""
    print(
        f"{budget} of {pool} calls run\n{'arm':14} functions  answers (95 %)            traces (95 %)             CPU-s"
    )
    for each in rows:
        cells = []
        for what in ("answers", "traces"):
            some = each[what]
            low, high = some["interval"]
            cells.append(f"{some['before']:3} -> {some['right']:3} of {some['n']:3} ({low:.2f}-{high:.2f})")
        print(f"{each['arm']:14} {each['functions']:9}  {cells[0]}  {cells[1]}  {each['cpu_seconds']:6.0f}")


if __name__ == "__main__":
    main()
