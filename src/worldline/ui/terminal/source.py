"""The source of a program as coloured, printable lines, by file."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from worldline.core.language import all_lines, language_of
from worldline.core.program import Program
from worldline.core.text import printable
from worldline.ui.session.marks.syntax import spans

MAX_HIGHLIGHTED = 200_000  # characters; longer files are not coloured
TAB_WIDTH = 4
MAX_PLACE = 32  # columns of a file with its line
STYLES = {
    "keyword": "bright_blue", "string": "yellow", "number": "bright_magenta", "comment": "dim",
    "defined": "bright_green", "builtin": "cyan", "directive": "bright_cyan",
}  # fmt: skip


def _coloured(lines: list[str], language: str) -> list[Text]:
    code = "\n".join(lines)
    painted = [Text(line) for line in lines]
    for line, pieces in zip(painted, spans(code, language) if len(code) <= MAX_HIGHLIGHTED else (), strict=False):
        for start, end, kind in pieces:
            line.stylize(STYLES[kind], start, end)
    return painted


def place_in_source(file: str, line: int | None, *, has_files: bool) -> str:
    """Return a line as text, after its file if the lines beside it are of several files (`has_files`)."""
    number = "" if line is None else str(line)
    return printable(f"{file}:{number}") if has_files else number


def place_column(places: Iterable[str]) -> int:
    """Return the width of a column of places: at least that of a line number."""
    return min(max((4, *(len(place) for place in places))), MAX_PLACE)


def fitted_place(place: str, width: int) -> str:
    """Cut a place to a column: the end of a long path is the part that tells."""
    return f"…{place[1 - width :]}" if len(place) > width else place


class HighlightedSource:
    """The lines of every file of a program, coloured on first use."""

    def __init__(self, program: Program, *, coloured: bool = True) -> None:
        self._coloured = coloured
        self._texts = {**dict(program.files), program.name: program.source}
        self._lines: dict[str, list[Text]] = {}

    def line(self, file: str, number: int) -> Text:
        """Return line `number` (from 1) of a file; empty if there is none."""
        if file not in self._lines:
            language = language_of(file)
            texts = [printable(line.expandtabs(TAB_WIDTH)) for line in all_lines(self._texts.get(file, ""), language)]
            self._lines[file] = _coloured(texts, language) if self._coloured else [Text(text) for text in texts]
        lines = self._lines[file]
        return lines[number - 1].copy() if 0 < number <= len(lines) else Text()
