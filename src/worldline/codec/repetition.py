"""Whether a text ends in one block, written over and over. Linear; it looks back a bounded way and then extends."""

from __future__ import annotations

from dataclasses import dataclass

WINDOW = 1 << 14


@dataclass(frozen=True)
class Repetition:
    """A tail of a text: where it begins, how long its block is, how often the block stands there (rounded down)."""

    start: int
    period: int
    times: int


def repetition(text: str | bytes, *, times: int = 4, least: int = 64) -> Repetition | None:
    """The longest repetition that a text ends in, of a block so often and of so much text; None where there is none."""
    tail = text[-WINDOW:][::-1]
    best = 0, 0
    # Of each prefix of the reversed tail its longest border: the rest is its period.
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
