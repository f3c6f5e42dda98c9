"""What a Ray cluster does, and what sending units costs: records and documents a second, and the coordinator's time.

    python benchmarks/ray_cluster.py [--programs N] [--documents N] [--units N] [--json]

Records and documents a second on 1, 2 and 4 workers of a cluster on this machine (more workers than cores share them),
boxed, once the workers are warm; bytes a stored step. The coordinator: empty units through `RayPool`, microseconds
of this process's processor time and of wall time for each, with 4 under way and with 2,000, as 1,000 workers have. Then
a simulation of 1,000 workers: one coordinator that spends so much processor time on each unit, and workers that take a
unit's seconds; how busy they are by the size of a unit. It knows no network and no node but this: a bound from above.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_ENABLE_UV_RUN_RUNTIME_ENV="0", RAY_worker_niceness="0")

import ray

from worldline.data.build.build import build_dataset
from worldline.data.build.shards import load_manifest
from worldline.data.mixture import TASKS, Mixture
from worldline.data.record_many import record_many
from worldline.parallel.ray_pool import RayPool
from worldline.programs import generate

WORKERS = (1, 2, 4)
STORE = 200 << 20
SIMULATED = 1_000
UNIT = 64  # documents
SECONDS = (0.01, 0.1, 0.5, 1.0, 5.0, 20.0)


class Nothing:
    """A worker whose units are empty."""

    def __call__(self, unit: int) -> int:
        """The same."""
        return unit

    def close(self) -> None:
        """Nothing is open."""


def cluster(workers: int) -> None:
    """A cluster of so many workers on this machine."""
    ray.init(
        address="local", num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="error",
        object_store_memory=STORE,
    )  # fmt: skip


def timed(act: Callable[[], Any]) -> tuple[Any, float, float]:
    """What an act gives, its seconds, and those of this process's processor."""
    wall, worked = time.perf_counter(), time.process_time()
    found = act()
    return found, time.perf_counter() - wall, time.process_time() - worked


def rates(workers: int, programs: int, documents: int) -> dict[str, float]:
    """Records, steps and documents a second, how large they are stored, and what each costs who stores it here."""
    some = [generate.program(Random(f"cluster/{number}")) for number in range(programs)]
    list(record_many(some[: 64 * workers], ray="auto"))  # imports and boxes
    with tempfile.TemporaryDirectory() as folder:
        traces, data = Path(folder) / "traces", Path(folder) / "data"
        coming = record_many(some, out=traces, ray="auto")
        steps, recorded, storing = timed(lambda: sum(map(len, coming)))
        size = sum(path.stat().st_size for path in traces.glob("*.parquet"))
        shop, mixture = RayPool(), Mixture(sources=(TASKS,))
        done, made, keeping = timed(lambda: build_dataset(mixture, data, count=documents, unit=UNIT, pool=shop))
        shards = load_manifest(data).shards
    return {
        "workers": workers,
        "records a second": len(some) / recorded,
        "steps a second": steps / recorded,
        "steps a program": steps / len(some),
        "stored bytes a step": size / steps,
        "coordinator's ms a record": 1000 * storing / len(some),
        "documents a second": done.documents / made,
        "bytes a document": done.size / done.documents,
        "lines a document": sum(shard.steps for shard in shards) / done.documents,
        "stored bytes a document": sum(shard.size for shard in shards) / done.documents,
        "coordinator's ms a document": 1000 * keeping / done.documents,
    }


class Crowd(RayPool):
    """A pool that takes the cluster for one of 1,000 workers: 2,000 units are under way."""

    def _look(self) -> tuple[int, int]:
        return SIMULATED, 1


def coordinator(shop: RayPool, units: int) -> dict[str, float]:
    """What an empty unit costs who sends it."""
    list(shop.map(Nothing, range(200)))
    wall, worked = time.perf_counter(), time.process_time()
    assert sum(1 for _ in shop.map(Nothing, range(units))) == units
    return {
        "units": units,
        "under way": 2 * shop._cluster_size()[0],
        "processor microseconds a unit": 1e6 * (time.process_time() - worked) / units,
        "wall microseconds a unit": 1e6 * (time.perf_counter() - wall) / units,
    }


def simulated(workers: int, seconds: float, cost: float, units: int = 20_000) -> float:
    """How busy workers are: a coordinator hands out and takes back one unit after the other, each at a cost."""
    free = [0.0] * workers
    clock = 0.0
    for _ in range(units):
        idle = heapq.heappop(free)
        clock = max(clock, idle) + cost
        heapq.heappush(free, clock + seconds)
    return units * seconds / (workers * max(free))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="records and documents a second, and a unit's cost")
    parser.add_argument("--programs", type=int, default=1_000)
    parser.add_argument("--documents", type=int, default=512)
    parser.add_argument("--units", type=int, default=5_000)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows: list[dict[str, float]] = []
    for workers in WORKERS:
        cluster(workers)
        rows.append(rates(workers, asked.programs, asked.documents))
        if workers == 2:
            sent = [coordinator(shop(trust=True), asked.units) for shop in (RayPool, Crowd)]
        ray.shutdown()
    cost = 1e-6 * sent[-1]["processor microseconds a unit"]
    busy = {str(seconds): simulated(SIMULATED, seconds, cost) for seconds in SECONDS}
    load = os.getloadavg()
    found: dict[str, Any] = {
        "cluster": rows, "coordinator": sent, "busy of 1,000 workers, by the seconds of a unit": busy,
        "load average": load, "cores": os.cpu_count(),
    }  # fmt: skip
    if asked.json:
        print(json.dumps(found))
        return
    for row in [*rows, *sent]:
        print(", ".join(f"{name} {value:,.1f}" for name, value in row.items()))
    for seconds, share in busy.items():
        print(f"units of {seconds} s: {SIMULATED:,} workers are busy {share:.1%} of the time")
    print(f"load average {', '.join(f'{each:.1f}' for each in load)} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
