"""Hidden inputs by their kinds: what a draw could have been, and who decides the draws of a run.

A kind says what could have been: `below 6`, `bits 8`, `urandom 4`, `float`, `clock`, `input`, `id`, `thread 0 2`, ...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from worldline.core.errors import UsageError
from worldline.core.spelling import unquote_bytes
from worldline.core.trace import Hidden

THREAD = "thread"
READ = "input"  # comes from the program's stdin, in any run: no control decides it


def possibilities(kind: str) -> int | None:
    """How many values a draw of this kind has, each as likely as the others; None where they are not finite."""
    word, _, rest = kind.partition(" ")
    if word == THREAD:
        return len(rest.split())
    if not rest.isdecimal() or word not in ("below", "bits", "urandom"):
        return None
    n = int(rest)
    return n if word == "below" else 1 << (n if word == "bits" else 8 * n)


def values(kind: str) -> Iterator[str]:
    """Every value that a finite kind has, as canonical text."""
    word, _, rest = kind.partition(" ")
    if word == THREAD:
        yield from rest.split()
    elif word == "urandom":
        size = int(rest)
        yield from (repr(i.to_bytes(size, "big")) for i in range(256**size))
    elif (n := possibilities(kind)) is not None:
        yield from map(str, range(n))


def in_words(kind: str) -> str:
    """What a hidden input of this kind is, and what it could have been, for people."""
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
    "float": "a draw from 0 up to 1", "clock": "the clock", "input": "what is read", "id": "an address",
    "stat": "a file's times", "state": "a generator's state", "times": "processor times",
    "usage": "resources used", "uuid": "a UUID's 16 bytes",
}  # fmt: skip


def is_possible(kind: str, value: str) -> bool:
    """Whether a canonical value is one that a draw of this kind can have; of a kind without a known domain, always."""
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
class Control:
    """Who decides what a program's text does not.

    `seed`: draws come from a generator seeded with it and clocks are virtual; None: they are the real ones (live), and
    recorded. `schedule`: threads change at line events by this seed; None: only where one waits or ends. `given` are
    hidden inputs that come first, in their order; behind them, and from the first of another kind on, `seed` decides.
    With `whole` that is a parting, which the trace's notes tell, as is a given one that nobody asked for.
    """

    seed: int | None = 0
    schedule: int | None = None
    given: tuple[Hidden, ...] = ()
    whole: bool = False

    def __post_init__(self) -> None:
        for name in ("seed", "schedule"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < 1 << 64:
                raise UsageError(f"{name} is a number from 0 to 2**64 - 1, not {value!r}")


def replaying(hidden: tuple[Hidden, ...]) -> Control:
    """The control under which a run has these hidden inputs, and no others."""
    return Control(given=hidden, whole=True)
