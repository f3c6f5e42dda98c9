"""Where the draws are in a compact text, and of which kind each is."""

from __future__ import annotations

from dataclasses import dataclass

from worldline.codec.compact.turns import action_length
from worldline.codec.compact.words import read_name


@dataclass(frozen=True)
class DrawPlace:
    """A draw by its offsets: start of its line, start of its value, end of its line after the newline."""

    line: int
    start: int
    end: int
    kind: str


def find_draws(text: bytes) -> list[DrawPlace]:
    """Find every complete hidden line, in order."""
    places, at = list[DrawPlace](), 0
    while (stop := text.find(b"\n", at)) >= 0:
        line = text[at : stop + 1]
        if line.startswith(b"%"):
            head = action_length(line)
            kind = read_name(line[1:head].decode("utf-8", "replace"), 0)[0]
            places.append(DrawPlace(at, at + head + 1, stop + 1, kind))
        at = stop + 1
    return places


def up_to_last_draw(text: bytes) -> bytes:
    """Return a text without what follows its last hidden line."""
    places = find_draws(text)
    return text[: places[-1].end] if places else b""
