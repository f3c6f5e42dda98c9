"""One measurement in one process: a recorder, a workload, the best of some repetitions, as one JSON object.

Time is the CPU time of this process, user and system, so that neighbours disturb less; the number of steps
(call, line and return events of that file) is counted once by a plain trace function. The workload is
repeated until a repetition takes about `--seconds`. A recorder that changed the result or captured too little is an
error.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import workloads
from peers import PEERS, Recorder, Session
from worldline_cores import CORES, final_state

from worldline.recording.wire import Decoded

FILE = Path(workloads.__file__).resolve()
RECORDERS: dict[str, Recorder] = {**PEERS, **CORES}


@dataclass(frozen=True)
class Workload:
    """A function of workloads.py and fresh arguments for it; fewer for a core that would take minutes."""

    function: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    few: Callable[[], tuple[Any, ...]] | None = None


# 500 nodes that reach each other, and 12 more that reach only themselves: as large a graph, a shorter walk.
GRAPH = {i: [(i * 2 + 1) % 500, (i * 3 + 2) % 500, (i * 7 + 3) % 500] for i in range(500)}
GRAPH |= {500 + i: [500 + (i * 2 + 1) % 12, 500 + (i + 5) % 12] for i in range(12)}
UNSORTED = [i * 7919 % 1009 for i in range(128)]

WORKLOADS = {
    "int loop": Workload(workloads.int_loop, lambda: (2000,)),
    "string build": Workload(workloads.string_build, lambda: (200,)),
    "bubble sort": Workload(workloads.bubble_sort, lambda: (list(UNSORTED),)),
    "dict BFS": Workload(workloads.dict_bfs, lambda: (GRAPH, 0), lambda: (GRAPH, 500)),
    "fib": Workload(workloads.fib, lambda: (14,)),
}


@dataclass(frozen=True)
class Truth:
    """What one round is, by a plain trace function: its steps, and the outermost frame's last values as text."""

    steps: int
    final: dict[str, str]


def truth(workload: Workload) -> Truth:
    """Count the call, line and return events of one round, and keep how it ended."""
    count = 0
    final: dict[str, str] = {}

    def local(frame: Any, event: str, arg: Any) -> Any:
        nonlocal count
        count += 1
        if event == "return" and frame.f_back.f_code.co_filename != path:
            final.update({name: repr(value) for name, value in frame.f_locals.items()}, **{"return": repr(arg)})
        return local

    def entered(frame: Any, event: str, arg: Any) -> Any:
        return local(frame, event, arg) if frame.f_code.co_filename == path else None

    arguments, path = workload.arguments(), str(FILE)
    sys.settrace(entered)
    try:
        workload.function(*arguments)
    finally:
        sys.settrace(None)
    return Truth(count, final)


def timed(recorder: Recorder, workload: Workload, rounds: int, true: Truth) -> float:
    """CPU seconds of so many rounds, recorded; raises when the result or the capture is wrong."""
    gc.collect()
    with recorder(FILE) as session:
        function, arguments = session.wrap(workload.function), workload.arguments
        begin = time.process_time()
        for _ in range(rounds):
            result = function(*arguments())
        seconds = time.process_time() - begin
        if repr(result) != true.final["return"]:
            raise RuntimeError(f"recorded, the workload returned {result!r}")
        check(session, rounds, true)
    return seconds


def check(session: Session, rounds: int, true: Truth) -> None:
    """Refuse a recorder that captured too little, and a worldline wire that does not tell the truth."""
    captured = session.captured()
    count = len(captured.columns) if isinstance(captured, Decoded) else captured
    if count < 1 or (session.exact and count != rounds * true.steps):
        raise RuntimeError(f"{count} events were captured of {rounds * true.steps} steps")
    if isinstance(captured, Decoded) and final_state(captured) != true.final:
        raise RuntimeError(f"recorded {final_state(captured)}, true is {true.final}")


def measure(name: str, workload: Workload, seconds: float, repeats: int) -> dict[str, Any]:
    """Steps a second, best of `repeats` after finding how many rounds take `seconds`."""
    if name == "worldline (python)" and workload.few is not None:
        workload = replace(workload, arguments=workload.few)
    recorder, true = RECORDERS[name], truth(workload)
    rounds = 1
    while (spent := timed(recorder, workload, rounds, true)) < seconds / 2:
        rounds = max(rounds + 1, int(rounds * min(seconds / max(spent, 1e-4), 100)))
    repeats = repeats if spent < 5 * seconds else 1
    best = min([spent, *(timed(recorder, workload, rounds, true) for _ in range(repeats - 1))])
    steps = rounds * true.steps
    return {"steps": true.steps, "rounds": rounds, "seconds": best, "steps_per_second": steps / best}


def main() -> None:
    """The child of recorders.py."""
    parser = argparse.ArgumentParser()
    parser.add_argument("recorder", choices=list(RECORDERS))
    parser.add_argument("workload", choices=list(WORKLOADS))
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(json.dumps(measure(options.recorder, WORKLOADS[options.workload], options.seconds, options.repeats)))


if __name__ == "__main__":
    main()
