"""What follows a trace or spoils its end: an answer in brackets, text that runs on, a stretch that repeats itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldline.codec.cwm_text import SPECIAL

ROUNDS = 8  # a stretch at the end that stands there so often
LEAST = 256  # and is so long in all is a repetition
WINDOW = 1 << 16  # characters at the end in which it is looked for

OPEN, CLOSE = "[ANSWER]", "[/ANSWER]"
_BLANK = re.compile(rf"(?:\s|{SPECIAL.pattern})*+(?:```\s*+)?+")  # and the end of a fence around all


@dataclass(frozen=True)
class Tail:
    """What stands after the outermost return: an answer, and where the text goes on to something else."""

    answer: str | None = None
    run_on: int | None = None


def tail_of(text: str, at: int) -> Tail:
    """What stands after a place. Prose that leads to a bracketed answer belongs to it; all other text runs on."""
    opened = text.find(OPEN, at)
    closed = text.find(CLOSE, opened) if opened >= 0 else -1
    answer = text[opened + len(OPEN) : closed].strip() if closed >= 0 else None
    after = _past_blank(text, closed + len(CLOSE) if closed >= 0 else at)
    return Tail(answer, None if after == len(text) else after)


def _past_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def repetition(text: str) -> int | None:
    """Where the stretch begins that a text repeats until its end; None where it does not repeat itself."""
    end = text[-WINDOW:][::-1]
    borders, best = [0] * len(end), 0  # Knuth, Morris and Pratt's, of the end read backwards
    for i in range(1, len(end)):
        k = borders[i - 1]
        while k and end[i] != end[k]:
            k = borders[k - 1]
        borders[i] = k + (end[i] == end[k])
        size = i + 1
        if size >= LEAST and size >= ROUNDS * (size - borders[i]):
            best = size
    return len(text) - best if best else None
