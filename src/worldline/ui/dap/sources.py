"""Which text a line is of: files by their paths, and texts without one (a program given as text, a rewritten one) by
references. Paths are compared with those of the launched program only: no other file is ever opened for a client.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.ui.dap.messages import Arguments

SourceKey = tuple[int, str | None]
"""Which program (0: as launched), and which file of it (None: the main one)."""


@dataclass
class ProgramSources:
    """The programs of a session, as launched and as rewritten, and the references that were given to their texts."""

    root: Path | None
    programs: list[Program]
    given: list[SourceKey] = field(default_factory=list)

    def number(self, program: Program) -> int:
        """The number of a program, given when it is first met."""
        if program not in self.programs:
            self.programs.append(program)
        return self.programs.index(program)

    def described(self, place: SourceKey) -> dict[str, Any]:
        """A source as the protocol wants it."""
        number, file = place
        name = file or self.programs[number].name
        if number == 0 and self.root is not None:
            return {"name": Path(name).name, "path": str(self.root / name)}
        if place not in self.given:
            self.given.append(place)
        origin = "as given to launch" if number == 0 else "rewritten"
        return {"name": name, "sourceReference": self.given.index(place) + 1, "origin": origin}

    def find(self, asked: Arguments) -> SourceKey | None:
        """The place that a client's source means; None for one that is no part of the program."""
        reference = asked.number("sourceReference", 0)
        if reference:
            return self.given[reference - 1] if 0 < reference <= len(self.given) else None
        path = asked.maybe("path")
        if path is None or self.root is None:
            return None
        wanted = _path(path)
        for file in (None, *(name for name, _ in self.programs[0].files)):
            if _same(self.root / (file or self.programs[0].name), wanted):
                return 0, file
        return None

    def text(self, asked: Arguments) -> str:
        """The text that a source stands for."""
        place = self.find(asked)
        if place is None:
            raise UsageError("this source is no part of the program")
        number, file = place
        return self.programs[number].source if file is None else dict(self.programs[number].files)[file]

    def all(self) -> list[dict[str, Any]]:
        """Every source of the program as launched, and of those that were rewritten."""
        places: list[SourceKey] = [(number, None) for number in range(len(self.programs))]
        places += [(0, file) for file, _ in self.programs[0].files]
        return [self.described(place) for place in places]


def _path(text: str) -> Path:
    """A path, or the one that a file's URI has."""
    try:
        return Path(unquote(urlsplit(text).path) if text.startswith("file://") else text)
    except ValueError:  # a URI that is none
        return Path(text)


def _same(one: Path, other: Path) -> bool:
    try:
        return one == other or one.resolve() == other.resolve()
    except (OSError, ValueError, RuntimeError):  # a path with a NUL, a circle of links
        return False
