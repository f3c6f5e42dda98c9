"""The time of a controlled run: it advances only with waits and readings, or is the machine's own."""

from __future__ import annotations

import builtins
import time
from collections.abc import Callable

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away


class VirtualClock:
    """Nanoseconds since the start of the run; `live`: of the machine, where a wait really waits."""

    def __init__(self, *, live: bool) -> None:
        self.live, self._now = live, 0
        # Who swaps these says here what they were.
        self.real_now: Callable[[], int] = time.monotonic_ns
        self.real_sleep: Callable[[float], None] = time.sleep

    def now(self) -> int:
        """Return the time without recording it."""
        return self.real_now() if self.live else self._now

    def jump(self, to: int) -> None:
        """Advance to this time, unless it has passed."""
        if self.live:
            self.real_sleep(max(to - self.real_now(), 0) / 1e9)
        elif to > self._now:
            self._now = to
