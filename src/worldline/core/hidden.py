"""Kinds of hidden inputs: which values a draw can have, and what decides the draws of an execution.

A kind names its domain: `below 6`, `bits 8`, `urandom 4`, `float`, `clock`, `input`, `id`, `thread 0 2`, ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from worldline.core.errors import UsageError
from worldline.core.spelling import unquote_bytes
from worldline.core.trace import Hidden

THREAD = "thread"
# Which thread has each turn, where threads switch at accesses: the first hidden input of such a run.
SCHEDULE = "schedule"
MAX_SCHEDULE_PARTS = 100_000
# A line of stdin: no control decides it.
READ = "input"


def parse_schedule(text: str) -> tuple[tuple[int, int], ...]:
    """Read a schedule such as `0:5,1:3`: five turns of thread 0, then three of thread 1.

    Raises:
        UsageError: The text is malformed.
    """
    parts = list[tuple[int, int]]()
    for part in text.split(",") if text else ():
        thread, _, count = part.strip().partition(":")
        if not (thread.isdecimal() and count.isdecimal()) or int(count) < 1 or len(thread + count) > 15:
            raise UsageError(f"{part!r} is not THREAD:TURNS; a schedule is written as 0:5,1:3")
        parts.append((int(thread), int(count)))
    if len(parts) > MAX_SCHEDULE_PARTS:
        raise UsageError(f"a schedule has at most {MAX_SCHEDULE_PARTS:,} parts, not {len(parts):,}")
    return tuple(parts)


def format_schedule(threads: Iterable[int]) -> str:
    """Write the schedule that gives these threads one turn each, in this order."""
    return ",".join(f"{thread}:{len(list(turns))}" for thread, turns in groupby(threads))


def possibilities(kind: str) -> int | None:
    """Return how many equally likely values a draw of this kind has, or None if they are not finite."""
    word, _, rest = kind.partition(" ")
    if word == THREAD:
        return len(rest.split())
    if not rest.isdecimal() or word not in ("below", "bits", "urandom"):
        return None
    n = int(rest)
    return n if word == "below" else 1 << (n if word == "bits" else 8 * n)


def values(kind: str) -> Iterator[str]:
    """Yield every value of a finite kind as canonical text."""
    word, _, rest = kind.partition(" ")
    if word == THREAD:
        yield from rest.split()
    elif word == "urandom":
        size = int(rest)
        yield from (repr(i.to_bytes(size, "big")) for i in range(256**size))
    elif (n := possibilities(kind)) is not None:
        yield from map(str, range(n))


def in_words(kind: str) -> str:
    """Describe a hidden input of this kind for people."""
    word, _, rest = kind.partition(" ")
    if word == THREAD and rest:
        several = " or ".join(rest.split())
        return f"who runs, of threads {several}" if " or " in several else "who runs"
    if word in ("below", "bits", "urandom") and rest.isdecimal():
        return {
            "below": f"a draw of 0 to {int(rest) - 1}",
            "bits": f"a draw of {rest} bits",
            "urandom": f"a draw of {rest} bytes",
        }[word]
    return _WORDS.get(kind, kind)


_WORDS = {
    "float": "a draw from 0 up to 1",
    "clock": "the clock",
    "input": "what is read",
    "id": "an address",
    "stat": "a file's times",
    "load": "the load of the machine",
    "proc": "a file of the kernel",
    "schedule": "which thread has each turn",
    "state": "a generator's state",
    "times": "processor times",
    "usage": "resources used",
    "uuid": "a UUID's 16 bytes",
}


def is_possible(kind: str, value: str) -> bool:
    """Whether a draw of this kind can have a canonical value. True for kinds without a known domain."""
    word, _, rest = kind.partition(" ")
    try:
        if word == THREAD:
            return value in rest.split()
        if word == "float":
            return 0 <= float(value) < 1
        if word in ("urandom", "uuid"):
            return len(unquote_bytes(value)) == int(rest or 16)
        count = possibilities(kind)
        return count is None or 0 <= int(value, 0) < count
    except (ValueError, IndexError):
        return False


@dataclass(frozen=True, kw_only=True)
class TurnPlan:
    """How threads take turns at accesses: a schedule, the threads that sleep after it, and whether to log."""

    schedule: str = ""
    asleep: tuple[int, ...] = ()
    is_logged: bool = False


@dataclass(frozen=True, kw_only=True)
class Control:
    """What decides the hidden inputs of an execution.

    Attributes:
        seed: Seeds the generator of all draws, with virtual clocks. None uses and records the real ones.
        schedule: Seeds the thread switches at line events. None switches only where a thread waits or ends.
        given: Hidden inputs that come first, in order. `seed` decides after them, and after an input of another kind.
        whole: The execution must use exactly the given inputs. The notes of the trace report where it does not.
        turns: Threads switch before accesses to what they share, by this plan. A given `schedule` does the same.
    """

    seed: int | None = 0
    schedule: int | None = None
    given: tuple[Hidden, ...] = ()
    whole: bool = False
    turns: TurnPlan | None = None

    def __post_init__(self) -> None:
        for name in ("seed", "schedule"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < 1 << 64:
                raise UsageError(f"{name} must be a number from 0 to 2**64 - 1, not {value!r}")


def replaying(hidden: tuple[Hidden, ...]) -> Control:
    """Return the control under which an execution has exactly these hidden inputs."""
    return Control(given=hidden, whole=True)
