"""`record_many` over small programs, while its workers are killed, its disk is full and its clock jumps.

Run as a program, this file is the process that records: it prints the number and the outcome of each program.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

from faults import faults
from watching import ROUNDS, Held, Memory, Row, Tally, Watch, descendants

from worldline.core.program import Program
from worldline.recording.recorder import record_many

WORKERS = 2
DEADLINE = 60.0  # between two outcomes
KILL_EVERY = 40  # programs, on average


def programs(count: int) -> Iterator[Program]:
    """Yield programs that differ, each with a right answer."""
    for number in range(count):
        yield Program(source=f"def f(n):\n    m = n + {number}\n    return m\n", call="f(1)")


def record(count: int) -> None:
    """Record them all, and wait for the end of the standard input."""
    for number, trace in enumerate(record_many(programs(count), workers=WORKERS)):
        print(number, trace.outcome.kind, trace.outcome.detail.replace("\n", " ")[:200], flush=True)
    print("end", flush=True)
    sys.stdin.read()


def kill_one(pid: int, rng: Random) -> bool:
    """Kill a sandbox or a worker of the process. Return whether there was one."""
    found = descendants(pid)
    with suppress(ProcessLookupError):
        if found:
            os.kill(rng.choice(found), signal.SIGKILL)
    return bool(found)


def judge(line: str, number: int) -> str:
    """Return how a program ended: `ok`, `cancelled` by a fault, or `error`."""
    at, kind, detail = [*line.strip().split(maxsplit=2), "", "", ""][:3]
    if at != str(number):
        return "error"
    if (kind, detail) == ("returned", str(number + 1)):
        return "ok"
    # A program whose process was killed, or that finds no space, says so; a wrong answer never counts as one of these.
    return "cancelled" if kind not in ("returned", "") else "error"


def soak_record_many(folder: Path, count: int, slack: float) -> Row:
    """Record `count` programs and kill processes meanwhile."""
    tally, began, rng, kills = Tally(DEADLINE * slack), time.monotonic(), Random("soak record"), 0
    outcomes: dict[str, int] = {}
    with faults(folder, count) as undone:
        log = (folder / "log").open("w")
        process = subprocess.Popen(
            [sys.executable, __file__, str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            text=True, cwd=undone.disk.folder, env=undone.environment,
        )  # fmt: skip
        guard = threading.Timer(max(600.0, count * 0.5), process.kill)
        guard.start()
        try:
            assert process.stdout is not None
            before = Held(0, 0, 0)
            watch, last = Watch(process.pid), time.monotonic()
            for number in range(count):
                line = process.stdout.readline()
                now, last = time.monotonic() - last, time.monotonic()
                ended = judge(line, number)
                kind = (line.split() or ["", "nothing"])[1]
                outcomes[kind] = outcomes.get(kind, 0) + 1
                tally.count(ended, now if number else 0.0, f"program {number}: {line.strip()!r}")
                if not line:
                    break
                undone.before(number)
                if number % max(1, count // ROUNDS) == 0:
                    watch.note(number)
                if number == count // 10:
                    before = Held.of(process.pid)
                if rng.random() < 1 / KILL_EVERY:
                    kills += kill_one(process.pid, rng)
            tally.promise(
                process.stdout.readline() == "end\n", "record_many has no end: " + (folder / "log").read_text()[-300:]
            )
            after = Held.of(process.pid)
            tally.promise(after.children == 0, f"{after.children} processes are left over")
        finally:
            guard.cancel()
            process.kill()
            process.communicate()
            log.close()
    print(f"record_many: {kills} processes killed; outcomes {outcomes}", flush=True)
    seconds = time.monotonic() - began
    return Row("`record_many`", tally, Memory.of(watch.samples), before, after, seconds, undone.notes)


if __name__ == "__main__":
    record(int(sys.argv[1]))
