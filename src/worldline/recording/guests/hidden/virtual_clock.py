"""The time of a controlled run: it stands still but for who waits and who asks; or it is the machine's own."""

from __future__ import annotations

import builtins
import time
from collections.abc import Callable

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away


class VirtualClock:
    """Nanoseconds since the run began. `live`: those of the machine, where who waits really waits."""

    def __init__(self, *, live: bool) -> None:
        self.live, self._now = live, 0
        # Who swaps these says here what they were.
        self.real_now: Callable[[], int] = time.monotonic_ns
        self.real_sleep: Callable[[float], None] = time.sleep

    def now(self) -> int:
        """What time it is, told to nobody."""
        return self.real_now() if self.live else self._now

    def jump(self, to: int) -> None:
        """It is that late now, if it was not yet."""
        if self.live:
            self.real_sleep(max(to - self.real_now(), 0) / 1e9)
        elif to > self._now:
            self._now = to
