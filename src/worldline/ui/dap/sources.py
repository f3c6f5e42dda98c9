"""The sources of a session: files by path, and texts without a file (given to `launch`, or rewritten) by reference.

A client's path is only compared with those of the launched program: no other file is opened for it.
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
"""A program (0: as launched) and a file of it (None: the main one)."""


@dataclass
class ProgramSources:
    """The programs of a session, as launched and as rewritten, and the references of their texts."""

    root: Path | None
    programs: list[Program]
    referenced: list[SourceKey] = field(default_factory=list)

    def number(self, program: Program) -> int:
        """Return the number of a program; a new program gets a new one."""
        if program not in self.programs:
            self.programs.append(program)
        return self.programs.index(program)

    def described(self, place: SourceKey) -> dict[str, Any]:
        """Return a source in the form of the protocol."""
        number, file = place
        name = file or self.programs[number].name
        if number == 0 and self.root is not None:
            return {"name": Path(name).name, "path": str(self.root / name)}
        if place not in self.referenced:
            self.referenced.append(place)
        origin = "from the launch configuration" if number == 0 else "rewritten"
        return {"name": name, "sourceReference": self.referenced.index(place) + 1, "origin": origin}

    def find(self, arguments: Arguments) -> SourceKey | None:
        """Find a client's source; None if it is not part of the program."""
        reference = arguments.number("sourceReference", 0)
        if reference:
            return self.referenced[reference - 1] if 0 < reference <= len(self.referenced) else None
        path = arguments.maybe("path")
        if path is None or self.root is None:
            return None
        wanted = _path(path)
        for file in (None, *(name for name, _ in self.programs[0].files)):
            if _same(self.root / (file or self.programs[0].name), wanted):
                return 0, file
        return None

    def text(self, arguments: Arguments) -> str:
        """Return the text of a client's source; UsageError if it is not part of the program."""
        place = self.find(arguments)
        if place is None:
            raise UsageError("this source is not part of the program")
        number, file = place
        return self.programs[number].source if file is None else dict(self.programs[number].files)[file]

    def all(self) -> list[dict[str, Any]]:
        """List every source of the launched program and of its rewritten versions."""
        places: list[SourceKey] = [(number, None) for number in range(len(self.programs))]
        places += [(0, file) for file, _ in self.programs[0].files]
        return [self.described(place) for place in places]


def _path(text: str) -> Path:
    """A path, or that of a file URI."""
    try:
        return Path(unquote(urlsplit(text).path) if text.startswith("file://") else text)
    except ValueError:  # an invalid URI
        return Path(text)


def _same(left: Path, right: Path) -> bool:
    try:
        return left == right or left.resolve() == right.resolve()
    except (OSError, ValueError, RuntimeError):  # a path with a NUL, a cycle of links
        return False
