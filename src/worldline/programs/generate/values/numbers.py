"""Numbers of generated programs: mostly small, within the program's span, some negative, some long."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from worldline.programs.generate.language.construction import SPANS, Construction

CHOICES: dict[str, tuple[Any, ...]] = {
    "cnt": (0, 1, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12),
    "small": (1, 2, 2, 2, 3, 3, 3, 4, 5),
    "pos": (2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 10, 10, 12, 16, 60, 97, 100),
    "shift": (1, 1, 2, 3, 3, 5, 7, 10, 13, 13, 20, 25, -1, -3),
    "bool": (True, False),
    "mark": ("*", "-", "_", "#", "+", "!", "?", ".", "~", "=", "x", "X", "0", "@", "$", "&"),
    "joiner": (" ", ", ", ",", "-", "_", "|", ";", "/", " - ", ":", "\n", "+", ".", "--", "=>", "", ""),
}


def integer(rng: Random) -> int:
    """Draw an int of any size, mostly small."""
    roll = rng.random()
    if roll < 0.45:
        return rng.randint(0, 12)
    if roll < 0.62:
        return rng.randint(-20, 99)
    if roll < 0.78:
        return rng.randint(10, 200)
    if roll < 0.86:
        return -rng.randint(1, 300)
    if roll < 0.97:
        return rng.randint(100, 10 ** rng.randint(3, 6))
    return rng.randint(-(10**12), 10**12)


def of_span(scope: Construction) -> int:
    """Draw an int of the program's span, or of another."""
    return scope.rng.randint(*(scope.span if scope.rng.random() < 0.6 else scope.rng.choice(SPANS)))


def argument(scope: Construction, limits: Sequence[str] = ()) -> int:
    """Draw an int between the limits; without them any, sometimes one that an earlier list holds."""
    rng = scope.rng
    if limits:
        return rng.randint(int(limits[0]), int(limits[1]))
    for other in reversed(scope.passed_values):
        if isinstance(other, list | tuple) and other and isinstance(other[0], int):
            if rng.random() < 0.4:
                return int(rng.choice(other))
            break
    return integer(rng) if rng.random() < 0.6 else of_span(scope)


def threshold(scope: Construction, *, high: bool) -> int:
    """Draw a constant to compare the program's numbers with."""
    rng = scope.rng
    low, top = scope.span
    if rng.random() < 0.65:
        middle = (low + top) // 2
        return rng.randint(middle, top) if high else rng.randint(low, middle)
    if high:
        return rng.randint(10, 60) if rng.random() < 0.85 else rng.choice((50, 100, 100, 1000))
    return rng.randint(0, 9)


def real(rng: Random, limits: Sequence[str] = ()) -> float:
    """Draw a float with few decimals, mostly."""
    if limits:
        return round(rng.uniform(int(limits[0]), int(limits[1])), rng.choice((1, 1, 2, 2, 3)))
    roll = rng.random()
    if roll < 0.4:
        return rng.randint(-20, 200) / 2
    if roll < 0.7:
        return round(rng.uniform(-10, 100), rng.randint(1, 2))
    if roll < 0.85:
        return float(rng.randint(-9, 100))
    return round(rng.uniform(0, 1), 3) if rng.random() < 0.7 else rng.uniform(-1e4, 1e4)
