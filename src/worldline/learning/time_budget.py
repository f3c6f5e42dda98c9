"""Divides the minutes of an adaptation: finding and drawing calls, evaluating before, training, evaluating after.

The evaluation after training repeats the one before, so its time is known before training starts. Training gets what
is left.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from worldline.core.errors import UsageError

SMALLEST_MINUTES = 1.0  # for one round of everything on two cores
MINING_SHARE = 0.25  # of the whole budget, until calls are found
DRAWING_SHARE = 0.33  # until more calls are drawn
BEFORE_SHARE = 0.55  # until the first evaluation has ended
UNTRAINED_BEFORE_SHARE = 0.62  # the same if nothing is trained between the evaluations
MIN_TRAINING_SECONDS = 10.0
SAFETY = 1.2  # the second evaluation may be slower than the first

ReportProgress = Callable[[float, str], None]


class TimeBudget:
    """The time of a whole adaptation; without minutes, nothing is bounded and training reports its own share."""

    def __init__(self, minutes: float | None, progress: ReportProgress | None = None) -> None:
        if minutes is not None and minutes < SMALLEST_MINUTES:
            raise _too_short(minutes, SMALLEST_MINUTES)
        self._minutes, self._progress = minutes, progress
        self._seconds = math.inf if minutes is None else 60 * minutes
        self._started = time.monotonic()

    @property
    def is_bounded(self) -> bool:
        """Whether the command has a time limit."""
        return self._minutes is not None

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self._started

    def has_passed(self, share: float, *, after: float = 0.0) -> bool:
        """Whether a share of the budget is used up, or will be `after` some seconds."""
        return self.elapsed + after >= share * self._seconds

    def finding_is_late(self) -> bool:
        """Report that calls are searched, and return whether to stop."""
        self.report("finding and recording calls")
        return self.has_passed(MINING_SHARE)

    def report(self, text: str, share: float = 0.0) -> None:
        """Report what happens, with the share of the whole time; without a budget, with the given share."""
        if self._progress is not None:
            self._progress(min(0.99, self.elapsed / self._seconds) if self.is_bounded else share, text)

    def training_minutes(self, evaluation_seconds: float) -> float:
        """Return the minutes left for training, so that the evaluation after it still fits.

        Args:
            evaluation_seconds: Seconds of the evaluation before training.

        Raises:
            UsageError: Nothing is left.
        """
        left = self._seconds - self.elapsed - SAFETY * evaluation_seconds
        if left < MIN_TRAINING_SECONDS:
            raise self.too_short(evaluation_seconds)
        return left / 60

    def too_short(self, evaluation_seconds: float) -> UsageError:
        """Describe a budget that leaves no time for training, with the smallest that does, by the time so far."""
        needed = self.elapsed + SAFETY * evaluation_seconds + MIN_TRAINING_SECONDS
        return _too_short(self._seconds / 60, math.ceil(needed / 6) / 10)


def _too_short(minutes: float, smallest: float) -> UsageError:
    return UsageError(
        f"--minutes {minutes:g} is too short: it covers finding calls, two evaluations and the training between them, "
        f"and one round of these takes longer; pass --minutes {smallest:g} or more"
    )
