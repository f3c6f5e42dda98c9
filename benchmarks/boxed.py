"""What it costs around the recorder: a boxed recording end to end, decoding the wire, starting the command.

    python benchmarks/boxed.py [--json] [--programs N]

Boxed: `record_many` over distinct ten-line programs with every layer of the box on, one worker, after the box is warm;
each trace is checked. Once with the host and the box on one processor, by the wall and by the processor time of all
their processes (what kernel threads clear away later is not in it); once wherever the system puts them.
Decoding: steps a second from wire to columns, by the native decoder and by the readable one. Starting: CPU seconds of
`worldline --help`, best of five.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from measure import FILE, WORKLOADS
from peers import itself
from processes import family, family_seconds
from worldline_cores import LIMITS, fresh_wire, native_core

from worldline.core.program import Program
from worldline.recording import wire
from worldline.recording.guests.python import global_names
from worldline.recording.recorder import record_many

SOURCE = """\
def count(words, letter):
    found = {}
    total = 0
    for word in words:
        n = 0
        for c in word:
            if c == letter:
                n += 1
        found[word] = n
        total += n
    return total
"""


def boxed(number: int) -> dict[str, float]:
    """What a boxed recording takes, on one processor and on all that there are."""
    processors = os.sched_getaffinity(0)
    try:
        walls, worked = recorded(number, {max(processors)})
    finally:
        os.sched_setaffinity(0, processors)
    spread, _ = recorded(number, processors)
    return {
        "boxed, processor ms a program": 1000 * worked,
        "boxed, programs a processor second": 1 / worked,
        "boxed, on one processor, ms a program, median": 1000 * statistics.median(walls),
        "boxed, on one processor, programs a second": 1 / statistics.fmean(walls),
        "boxed, anywhere, ms a program, median": 1000 * statistics.median(spread),
        "boxed, anywhere, programs a second": 1 / statistics.fmean(spread),
    }


def recorded(number: int, processors: set[int]) -> tuple[list[float], float]:
    """Seconds from one trace to the next on these processors, once the box is warm, and processor seconds a program."""
    warm = 20
    programs = [Program(source=SOURCE, call=f"count(['berry', 'r{i}'], 'r')") for i in range(number + warm)]
    times: list[float] = []
    before = after = 0.0
    last = time.perf_counter()
    for trace in record_many(programs):
        times.append(time.perf_counter() - last)
        if trace.outcome.kind != "returned" or trace.outcome.detail != "3":
            raise RuntimeError(f"{trace.program.call} ended as {trace.outcome}: {trace.stderr}")
        if len(times) == warm:
            for process in family(os.getpid()):  # now, since a box undoes what it inherits
                os.sched_setaffinity(process, processors)
            before = family_seconds()
        if len(times) == len(programs):  # while the box stands
            after = family_seconds()
        last = time.perf_counter()
    return times[warm:], (after - before) / number


def wire_of(workload: str, rounds: int) -> bytes:
    """The wire of some rounds of a workload, by the native core."""
    fd = fresh_wire()
    recorder = native_core()(fd, {str(FILE): FILE.name}, LIMITS, global_names)
    chosen = WORKLOADS[workload]
    function = itself(chosen.function)
    recorder.start()
    for _ in range(rounds):
        function(*chosen.arguments())
    recorder.stop()
    recorder.end("returned", "")
    data = os.pread(fd, int.from_bytes(os.pread(fd, 8, 8), "little"), 0)
    os.close(fd)
    return data


def decoding(workload: str, rounds: int) -> dict[str, float]:
    """Steps a second through each decoder, which must agree."""
    data = wire_of(workload, rounds)
    fast, columns = clocked(lambda: wire.decode(data))
    slow, readable = clocked(lambda: wire._by_python(memoryview(data), None, wire.UNBOUNDED, wire.UNBOUNDED))
    if columns.columns != readable.columns:
        raise RuntimeError("the two decoders disagree")
    steps = len(columns.columns)
    return {
        f"decode, native, steps a second, {workload}": steps / fast,
        f"decode, readable, steps a second, {workload}": steps / slow,
    }


def clocked(act: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, best of three, and the last result."""
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        result = act()
        best = min(best, time.process_time() - begin)
    return best, result


def starting(*arguments: str) -> float:
    """CPU seconds of a child interpreter, user and system, best of five."""
    best = float("inf")
    for _ in range(5):
        quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
        child = os.posix_spawn(sys.executable, [sys.executable, *arguments], os.environ, file_actions=quiet)
        _, status, usage = os.wait4(child, 0)
        if status:
            raise RuntimeError(f"{arguments} exited with {os.waitstatus_to_exitcode(status)}")
        best = min(best, usage.ru_utime + usage.ru_stime)
    return best


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures = boxed(options.programs)
    figures |= decoding("int loop", 100) | decoding("bubble sort", 5)
    figures["worldline --help, CPU s"] = starting("-m", "worldline", "--help")
    figures["import worldline, CPU s"] = starting("-c", "import worldline")
    figures["python -c pass, CPU s"] = starting("-c", "pass")
    if options.json:
        print(json.dumps(figures, indent=1))
    else:
        print("\n".join(f"{name:<48}{figure:>14,.3f}" for name, figure in figures.items()))


if __name__ == "__main__":
    main()
