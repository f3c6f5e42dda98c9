"""Whether a text ends in a block that is written over and over. Linear: it looks back a bounded distance."""

from __future__ import annotations

from dataclasses import dataclass

WINDOW = 1 << 14


@dataclass(frozen=True)
class Repetition:
    """The repeated tail of a text: its start, the length of its block, and how often the block fits (rounded down)."""

    start: int
    period: int
    times: int


def repetition(text: str | bytes, *, times: int = 4, least: int = 64) -> Repetition | None:
    """Return the longest repetition that a text ends in, or None.

    It has at least `times` blocks and `least` characters in all.
    """
    tail = text[-WINDOW:][::-1]
    best = 0, 0
    # For each prefix of the reversed tail, its longest border: the rest is its period.
    borders = [0] * len(tail)
    length = 0
    for i in range(1, len(tail)):
        while length and tail[i] != tail[length]:
            length = borders[length - 1]
        length += tail[i] == tail[length]
        borders[i] = length
        period = i + 1 - length
        if i + 1 >= max(least, times * period):
            best = i + 1, period
    covered, period = best
    if not covered:
        return None
    start = len(text) - covered
    while start and text[start - 1] == text[start - 1 + period]:
        start -= 1
    return Repetition(start, period, (len(text) - start) // period)
