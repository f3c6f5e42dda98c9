"""What follows a trace: an answer in brackets, or text that runs on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldline.codec.cwm.text import SPECIAL

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
