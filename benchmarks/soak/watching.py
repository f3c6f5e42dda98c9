"""What a process holds while requests go on, and the row that a part of the soak adds to the table."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression

FLAT_BYTES = 16 << 20  # that RSS may grow after 20 % of the requests, by the slope of a line through the samples
FLAT_SHARE = 0.10  # or this share of what it was there, if that is more
ROUNDS = 10  # after each, RSS is sampled
MIN_REQUESTS = 500  # with fewer no slope is tested
SPARE_FILES = 8  # open when nothing is in progress, beyond those before the first request
SPARE_THREADS = 8  # of asyncio's own pool, which keeps its threads
MiB = 1 << 20


def status_value(pid: int, name: str) -> int:
    """Return a number of /proc/PID/status; 0 if the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)


def open_files(pid: int) -> int:
    """Return the number of open files of a process."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def descendants(pid: int) -> list[int]:
    """Return the children of a process, their children and so on."""
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in listed.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


@dataclass(frozen=True)
class Held:
    """What a process holds at one moment."""

    files: int
    threads: int
    children: int

    @classmethod
    def of(cls, pid: int) -> Held:
        """Look at a process."""
        return cls(open_files(pid), status_value(pid, "Threads"), len(descendants(pid)))


@dataclass
class Tally:
    """What became of the requests of a part. Threads count together."""

    deadline: float
    ended: Counter[str] = field(default_factory=Counter)
    oldest: float = 0.0
    broken: list[str] = field(default_factory=list)  # promises, in words
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, kind: str, seconds: float, why: str = "") -> None:
        """Count a request that ended as `ok`, `refused`, `cancelled` or `error`."""
        with self._lock:
            self.ended[kind] += 1
            self.oldest = max(self.oldest, seconds)
            if kind == "error":
                self.broken.append(why)

    def promise(self, is_kept: bool, words: str) -> None:
        """Note a promise that is not kept."""
        if not is_kept:
            with self._lock:
                self.broken.append(words)

    @property
    def requests(self) -> int:
        """The number of requests that have ended."""
        return sum(self.ended.values())


def rounds(count: int) -> list[range]:
    """Split the numbers of requests into rounds. Memory is compared after each, when nothing is in progress."""
    return [range(count * number // ROUNDS, count * (number + 1) // ROUNDS) for number in range(ROUNDS)]


class Watch:
    """RSS of a process after so many requests."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.samples: list[tuple[int, int]] = []

    def note(self, requests: int) -> None:
        """Take a sample."""
        self.samples.append((requests, status_value(self._pid, "VmRSS") * 1024))


@dataclass(frozen=True)
class Memory:
    """RSS at 20 % and at 100 % of the requests, and its growth between by a line's slope (None: too few)."""

    early: int
    late: int
    growth: int | None

    @classmethod
    def of(cls, samples: list[tuple[int, int]]) -> Memory:
        """Fit a line through the samples from 20 % of the requests on."""
        if not samples:
            return cls(0, 0, None)
        last = samples[-1][0]
        after = [(at, rss) for at, rss in samples if at >= last / 5] or samples
        early, late = after[0][1], after[-1][1]
        if last < MIN_REQUESTS:
            return cls(early, late, None)
        slope = linear_regression([at for at, _ in after], [rss for _, rss in after]).slope
        return cls(early, late, int(slope * (after[-1][0] - after[0][0])))

    @property
    def is_flat(self) -> bool:
        """Whether the growth is within bounds."""
        return self.growth is None or self.growth <= max(FLAT_BYTES, FLAT_SHARE * self.early)


@dataclass(frozen=True)
class Row:
    """One part of the soak."""

    part: str
    tally: Tally
    memory: Memory
    before: Held
    after: Held
    seconds: float
    notes: list[str]

    def check(self) -> list[str]:
        """Return the promises that are broken."""
        tally, memory, before, after = self.tally, self.memory, self.before, self.after
        tally.promise(tally.oldest <= tally.deadline, f"a request took {tally.oldest:.1f} of {tally.deadline:g} s")
        grown = (memory.growth or 0) / MiB
        tally.promise(memory.is_flat, f"RSS grew by {grown:.0f} MiB after 20 % of the requests")
        tally.promise(after.files <= before.files + SPARE_FILES, f"open files: {before.files}, then {after.files}")
        more = after.threads - before.threads
        tally.promise(more <= SPARE_THREADS, f"threads: {before.threads}, then {after.threads}")
        tally.promise(after.children <= before.children, f"children: {before.children}, then {after.children}")
        return [f"{self.part}: {words}" for words in tally.broken]

    def markdown(self) -> str:
        """Return the row of the table."""
        ended, memory = self.tally.ended, self.memory
        growth = "too few samples" if memory.growth is None else f"{memory.growth / MiB:+.1f}"
        cells = [
            self.part, f"{self.tally.requests:,}", *(f"{ended[kind]:,}" for kind in KINDS),
            f"{self.tally.oldest:.1f} of {self.tally.deadline:g}",
            f"{memory.early / MiB:.0f} and {memory.late / MiB:.0f}", growth,
            f"{self.before.files} and {self.after.files}", f"{self.seconds:.0f}",
        ]  # fmt: skip
        return f"| {' | '.join(cells)} |"


KINDS = ("ok", "refused", "cancelled", "error")
HEAD = (
    "| part | requests | ok | refused | cancelled | errors | oldest, s, of its deadline "
    "| RSS at 20 % and at the end, MiB | by slope, MiB | open files, before and after | seconds |\n" + "|---" * 11 + "|"
)


def wait_for(is_true: Callable[[], bool], seconds: float) -> bool:
    """Wait until something is true, at most so long."""
    end = time.monotonic() + seconds
    while not (found := is_true()) and time.monotonic() < end:
        time.sleep(0.05)
    return found
