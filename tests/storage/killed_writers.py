"""Kills a writing process at random instants, many times, and says what was found afterwards, as JSON.

usage: killed_writers.py DIRECTORY KILLS SEED

Its own process, because it forks: the children need pyarrow, and importing it once for each of them would take
longer than all the rest. A child stores ever more traces, a shard every second one, and reports each commit on a
pipe after `flush` returned. It is killed at any moment between its start and a few commits later, its first sweep and
its taking over of the lock included.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from stored_traces import FINGERPRINT, facts, store, trace

from worldline.data import manifest, shards

PER_DIRECTORY = 4  # kills that one directory suffers before it is left


def child(directory: Path, pipe: int, fsync: bool) -> None:
    """Store traces for as long as this process lives."""
    with shards.ShardWriter(directory, fingerprint=FINGERPRINT, rows_per_shard=1000, fsync=fsync) as writer:
        first = writer.stored
        os.write(pipe, b"open\n")
        for n in range(first, first + 1000):
            writer.add(trace(n))
            if n % 2:
                writer.flush()
                os.write(pipe, f"{n}\n".encode())


def killed(directory: Path, dice: random.Random) -> list[int]:
    """Let a child write and kill it; the traces it said were stored."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            child(directory, writer, fsync=dice.random() < 0.3)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        # 0: it may be killed while it opens the directory; counted in its own reports, so that a slow machine
        # kills it in the same places
        lines = [pipe.readline() for _ in range(dice.choice((0, 1, 2, 2)))]
        time.sleep(dice.random() * 0.012)
        os.kill(pid, signal.SIGKILL)
        lines += pipe.readlines()
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status), "the child ended by itself"
    return [int(line) for line in lines if line.strip().isdigit() and line.endswith(b"\n")]


def left_behind(directory: Path) -> str:
    """In what state the kill left the directory: named for the report, so that every window is seen to be hit."""
    names = os.listdir(directory) if directory.exists() else []
    if ".manifest.json" not in names:
        return "no manifest"
    listed = len(manifest.load(directory).shards)  # raises if it is torn
    if manifest.shard_name(listed) in names:
        return "shard named, not listed"
    if any(name.endswith(".tmp") for name in names):
        return "draft left"
    return "lock left" if ".lock" in names else "nothing left"


def check(directory: Path, promised: int) -> str:
    """What is wrong after a kill, or nothing: before and after the next writer opens the directory."""
    harmless = {"leftover"} if (directory / ".manifest.json").exists() else {"manifest", "leftover"}
    if directory.exists() and {problem.kind for problem in shards.verify(directory)} - harmless:
        return f"before reopening: {shards.verify(directory)}"
    with shards.ShardWriter(directory, fingerprint=FINGERPRINT, fsync=False) as writer:
        stored = writer.stored
    if stored <= promised:
        return f"{stored} stored, {promised + 1} promised"
    if problems := shards.verify(directory):
        return f"after reopening: {problems}"
    if extra := set(os.listdir(directory)) - {".manifest.json"} - set(map(manifest.shard_name, range(stored))):
        return f"left over: {extra}"
    return ""


def main(root: Path, kills: int, seed: int) -> None:
    """Kill, check, report; at the end of each directory the whole content is compared."""
    store(root / "warm", [trace(0)])  # imports all of pyarrow before the first fork
    list(shards.read(root / "warm"))
    commits = 0
    dice, states, faults = random.Random(seed), Counter[str](), list[str]()
    for n in range(kills):
        directory = root / str(n // PER_DIRECTORY)
        if n % PER_DIRECTORY == 0:
            promised = -1
        reported = killed(directory, dice)
        commits += len(reported)
        promised = max([promised, *reported])
        states[left_behind(directory)] += 1
        fault = check(directory, promised)
        if not fault and n % PER_DIRECTORY == PER_DIRECTORY - 1:
            found = [facts(stored) for stored in shards.read(directory)]
            if found != [facts(trace(n)) for n in range(len(found))]:
                fault = "not the traces that were stored"
        faults += [f"kill {n}: {fault}"] if fault else []
    print(json.dumps({"kills": kills, "commits": commits, "states": states, "faults": faults}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
