"""A program's source as coloured, printable lines, by file. Knows nothing of steps."""

from __future__ import annotations

from rich.text import Text

from worldline.core.escape import printable_lines
from worldline.core.program import Program

HIGHLIGHTED = 200_000  # characters: beyond, colouring costs more than it shows


def _coloured(lines: list[str]) -> list[Text]:
    from rich.syntax import Syntax  # colours take their time to start, and a pipe has none

    code = "\n".join(lines)
    if len(code) > HIGHLIGHTED:
        return [Text(line) for line in lines]
    painted = Syntax("", "python", theme="ansi_dark", background_color="default").highlight(code)
    split = painted.split("\n", allow_blank=True)
    return list(split)[: len(lines)] if len(split) >= len(lines) else [Text(line) for line in lines]


class HighlightedSource:
    """The lines of every file of a program, each file coloured (or not) when it is first asked for."""

    def __init__(self, program: Program, *, coloured: bool = True) -> None:
        self._coloured = coloured
        self._texts = {**dict(program.files), program.name: program.source}
        self._lines: dict[str, list[Text]] = {}

    def line(self, file: str, number: int) -> Text:
        """Line `number` (from 1) of a file; empty where there is none."""
        if file not in self._lines:
            texts = printable_lines(self._texts.get(file, ""))
            self._lines[file] = _coloured(texts) if self._coloured else [Text(text) for text in texts]
        lines = self._lines[file]
        return lines[number - 1].copy() if 0 < number <= len(lines) else Text()
