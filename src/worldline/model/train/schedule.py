"""Progress of a training run, by steps or by the clock, and the learning rates and batch sizes it sets.

With `minutes`, progress is elapsed time over the budget, so the cooldown ends when the budget does.
"""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class BatchPhase:
    """From `start` (a share of the run) on, batches have `rows` rows of `time` bytes."""

    start: float
    time: int
    rows: int


class Clock:
    """Progress from 0 to 1 by steps or minutes, earlier sessions included."""

    def __init__(self, *, steps: int = 0, minutes: float = 0.0, elapsed: float = 0.0) -> None:
        self._steps, self._seconds = steps, minutes * 60
        self._started = time.monotonic() - elapsed

    @property
    def elapsed(self) -> float:
        """Seconds trained so far."""
        return time.monotonic() - self._started

    def progress(self, step: int) -> float:
        """Return the share of the run completed before this step."""
        return min(1.0, step / self._steps if self._steps else self.elapsed / self._seconds)


def rate_factor(progress: float, step: int, *, warmup: int, cooldown: float) -> float:
    """Compute the factor of the learning rates: rise over the warmup, stay constant, fall to 0 in the cooldown.

    Args:
        progress: Share of the run completed.
        step: Number of the step.
        warmup: Steps over which the rates rise.
        cooldown: Last share of the run, over which they fall.

    Returns:
        A factor from 0 to 1.
    """
    rising = min(1.0, (step + 1) / warmup) if warmup else 1.0
    falling = min(1.0, (1.0 - progress) / cooldown) if cooldown else 1.0
    return max(0.0, rising * falling)


def find_phase(phases: tuple[BatchPhase, ...], progress: float) -> BatchPhase:
    """Return the last phase that has started."""
    return [phase for phase in phases if phase.start <= progress][-1]
