"""Quantiles of Student's distribution, for intervals of few clusters."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

MAX_DEGREES = 2_000  # above, the distribution is the normal one to four digits
_TAIL = 0.025


@lru_cache(maxsize=4096)
def student(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's distribution with some degrees of freedom."""
    if degrees > MAX_DEGREES:
        return NormalDist().inv_cdf(1 - _TAIL)
    low, high = 0.0, 16.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _upper_tail(middle, degrees) > _TAIL else (low, middle)
    return (low + high) / 2


def _upper_tail(t: float, degrees: int) -> float:
    """The probability of more than t, by the finite series for whole degrees (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    angle = math.atan2(t, math.sqrt(degrees))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    if degrees % 2:
        term, total = math.cos(angle), 0.0
        for k in range(3, degrees + 1, 2):
            total += term
            term *= square * (k - 1) / k
        inside = 2 / math.pi * (angle + sine * total)
    else:
        term, total = 1.0, 0.0
        for k in range(2, degrees + 1, 2):
            total += term
            term *= square * (k - 1) / k
        inside = sine * total
    return (1 - inside) / 2
