"""One measurement in one process: a recorder, a workload, the best of some repetitions, as one JSON object.

Time is the CPU time of this process, user and system, so that neighbours disturb less; the number of steps
(call, line and return events of that file) is counted once by a plain trace function. The workload is
repeated until a repetition takes `--seconds`. A recorder that changed the result or captured too little is an
error.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import workloads
from peers import PEERS, Recorder, Session
from worldline_cores import CORES

FILE = Path(workloads.__file__).resolve()
RECORDERS: dict[str, Recorder] = {**PEERS, **CORES}


@dataclass(frozen=True)
class Workload:
    """A function of workloads.py, fresh arguments for it, and the true result."""

    function: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    result: object


GRAPH = {i: [(i * 2 + 1) % 500, (i * 3 + 2) % 500, (i * 7 + 3) % 500] for i in range(500)}
UNSORTED = [i * 7919 % 1009 for i in range(128)]

WORKLOADS = {
    "int loop": Workload(workloads.int_loop, lambda: (2000,), 1999000),
    "string build": Workload(
        workloads.string_build, lambda: (200,), ("abcdefghijklmnopqrstuvwxyz" * 8)[:200]
    ),
    "bubble sort": Workload(workloads.bubble_sort, lambda: (list(UNSORTED),), sorted(UNSORTED)),
    "dict BFS": Workload(workloads.dict_bfs, lambda: (GRAPH, 0), workloads.dict_bfs(GRAPH, 0)),
    "fib": Workload(workloads.fib, lambda: (14,), 377),
}


def count_steps(workload: Workload) -> int:
    """How many call, line and return events one round has."""
    count = 0

    def local(frame: Any, event: str, arg: Any) -> Any:
        nonlocal count
        count += 1
        return local

    arguments, path = workload.arguments(), str(FILE)
    sys.settrace(
        lambda frame, event, arg: local(frame, event, arg) if frame.f_code.co_filename == path else None
    )
    try:
        workload.function(*arguments)
    finally:
        sys.settrace(None)
    return count


def timed(recorder: Recorder, workload: Workload, rounds: int, steps: int) -> float:
    """CPU seconds of so many rounds, recorded; raises when the result or the capture is wrong."""
    gc.collect()
    with recorder(FILE) as session:
        function, arguments = session.wrap(workload.function), workload.arguments
        begin = time.process_time()
        for _ in range(rounds):
            result = function(*arguments())
        seconds = time.process_time() - begin
        if result != workload.result:
            raise RuntimeError(f"recorded, the workload returned {result!r}")
        check(session, rounds * steps)
    return seconds


def check(session: Session, steps: int) -> None:
    """Refuse a recorder that captured too little."""
    captured = session.captured()
    if captured < 1 or (session.exact and captured != steps):
        raise RuntimeError(f"{captured} events were captured of {steps} steps")


def measure(name: str, workload: Workload, seconds: float, repeats: int) -> dict[str, Any]:
    """Steps a second, best of `repeats` after finding how many rounds take `seconds`."""
    recorder, steps = RECORDERS[name], count_steps(workload)
    rounds = 1
    while (spent := timed(recorder, workload, rounds, steps)) < seconds / 2:
        rounds = max(rounds + 1, int(rounds * min(seconds / max(spent, 1e-4), 100)))
    best = min([spent, *(timed(recorder, workload, rounds, steps) for _ in range(repeats - 1))])
    return {"steps": steps, "rounds": rounds, "seconds": best, "steps_per_second": rounds * steps / best}


def main() -> None:
    """The child of recorders.py."""
    parser = argparse.ArgumentParser()
    parser.add_argument("recorder", choices=list(RECORDERS))
    parser.add_argument("workload", choices=list(WORKLOADS))
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(
        json.dumps(measure(options.recorder, WORKLOADS[options.workload], options.seconds, options.repeats))
    )


if __name__ == "__main__":
    main()
