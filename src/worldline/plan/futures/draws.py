"""The draws of a compact text, by their places: what a hidden line says was drawn, and of what kind."""

from __future__ import annotations

from dataclasses import dataclass

from worldline.codec.compact.turns import action_length
from worldline.codec.compact.words import read_name


@dataclass(frozen=True)
class DrawPlace:
    """A draw in a text by its offsets: its line begins, its value begins, its line ends behind the newline."""

    line: int
    start: int
    end: int
    kind: str


def draw_places(text: bytes) -> list[DrawPlace]:
    """Every whole hidden line, in order."""
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
    """A text without what follows its last hidden line."""
    places = draw_places(text)
    return text[: places[-1].end] if places else b""
