"""How far a training run is, by steps or by the clock, and what follows from it: learning rates and row lengths.

A leased accelerator is a clock: with `minutes` progress is elapsed time over the budget, so that the warm-down ends
when the lease does. Nothing here trains.
"""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Phase:
    """From `start` (a share of the run) on, batches are `rows` rows of `time` bytes."""

    start: float
    time: int
    rows: int


class Clock:
    """Progress from 0 to 1 by steps, or by minutes, those of earlier sessions included."""

    def __init__(self, *, steps: int = 0, minutes: float = 0.0, elapsed: float = 0.0) -> None:
        self._steps, self._seconds = steps, minutes * 60
        self._begun = time.monotonic() - elapsed

    @property
    def elapsed(self) -> float:
        """Seconds trained so far."""
        return time.monotonic() - self._begun

    def progress(self, step: int) -> float:
        """How much of the run lies behind before this step."""
        return min(1.0, step / self._steps if self._steps else self.elapsed / self._seconds)


def factor(progress: float, step: int, *, warmup: int, cooldown: float) -> float:
    """What the learning rates are multiplied by: up over `warmup` steps, constant, down to 0 over the last share."""
    rising = min(1.0, (step + 1) / warmup) if warmup else 1.0
    falling = min(1.0, (1.0 - progress) / cooldown) if cooldown else 1.0
    return max(0.0, rising * falling)


def phase_at(phases: tuple[Phase, ...], progress: float) -> Phase:
    """The last phase that has begun."""
    return [phase for phase in phases if phase.start <= progress][-1]
