"""Two sequences of actions side by side: where they run together, and the stretches where they do not.

Greedy and linear: they run together until they part; then the nearest place is sought where both go on alike for
GRAM actions, in windows that double, so that a search costs no more than what it skips. It knows nothing of values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

GRAM = 3  # actions that must agree before two sequences count as running together again
_WINDOW = 4


@dataclass(frozen=True)
class Span:
    """A stretch: `wanted` true actions from `truth` on beside `got` found ones from `found` on."""

    truth: int
    found: int
    wanted: int
    got: int
    agrees: bool


def align(
    truth: Sequence[Hashable], found: Sequence[Hashable], same: Callable[[int, int], bool]
) -> Iterator[Span]:
    """The stretches in order, each with something on one side at least; `same` says whether two actions agree."""
    i = j = 0
    while i < len(truth) or j < len(found):
        start = i
        while i < len(truth) and j < len(found) and same(i, j):
            i, j = i + 1, j + 1
        if i > start:
            yield Span(start, j - (i - start), i - start, i - start, True)
        if i < len(truth) or j < len(found):
            a, b = _meet(truth, found, i, j)
            yield Span(i, j, a - i, b - j, False)
            i, j = a, b


def _meet(truth: Sequence[Hashable], found: Sequence[Hashable], i: int, j: int) -> tuple[int, int]:
    """The nearest pair of places after (i, j) from which both go on alike; the ends of both where there is none."""
    width = _WINDOW
    while i < len(truth) and j < len(found):
        firsts: dict[tuple[Hashable, ...], int] = {}
        for a in range(i, min(i + width, len(truth))):
            firsts.setdefault(tuple(truth[a : a + GRAM]), a)
        near: list[tuple[int, int, int, int]] = []
        for b in range(j, min(j + width, len(found))):
            meets = firsts.get(tuple(found[b : b + GRAM]))
            if meets is not None and (meets, b) != (i, j):
                # Of places equally near, the one that skips as much on both sides: a wrong step, not two lost ones.
                near.append((meets + b, abs((meets - i) - (b - j)), meets, b))
        if near:
            return min(near)[2:]
        if width >= max(len(truth) - i, len(found) - j):
            break
        width *= 2
    return len(truth), len(found)
