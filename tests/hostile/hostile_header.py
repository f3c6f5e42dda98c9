"""The header of a hostile program: what its recording must lead to, as comment lines at the top of its file.

    # outcome: raised KeyError          how the recording ends; the first line of every file
    # outcome[3.11 python]: tampered    the same for one interpreter version, one core, or both
    # item: 25                          which item of the hostile list it stands for
    # core: native                      the only core that runs it (the other is too slow for it)
    # python: 3.12+                     the oldest interpreter that can run it
    # also: 3.12 3.13                   interpreters other than the suite's own that run it too
    # limits: wall=1 steps=2000         limits other than the default ones
    # stdin: 'Ada\\n36\\n'                what it reads
    # plain: skip                       a plain run would never end or would hurt the machine
    # perturbed: why                    recorded and plain are known to differ (then they must)
    # twice: nondeterministic           recorded twice, the trace says so (or `same`: it must not say so)

Every other line is a fact, see `hostile_facts`. Nothing here runs anything.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.core.limits import Limits

LINE = re.compile(r"# ([a-z-]+)(?:\[([^\]]+)\])?: ?(.*)")
KEYS = {
    "outcome", "item", "core", "python", "also", "limits", "stdin", "plain", "perturbed", "twice",
    "delta", "series", "gone", "same", "arg", "lines", "steps", "note", "hidden", "leaves-no",
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One header line; `tags` are the versions and cores it is for (none: all)."""

    key: str
    tags: frozenset[str]
    value: str

    def applies(self, version: str, core: str) -> bool:
        """Whether the line speaks about this interpreter version and core."""
        versions = {tag for tag in self.tags if tag[0].isdigit()}
        cores = self.tags - versions
        return (not versions or version in versions) and (not cores or core in cores)


@dataclass(frozen=True)
class Header:
    """All header lines of one program."""

    lines: tuple[Line, ...]

    def values(self, key: str, version: str, core: str) -> list[str]:
        """The values of `key`, in file order."""
        return [line.value for line in self.lines if line.key == key and line.applies(version, core)]

    def value(self, key: str, version: str, core: str) -> str | None:
        """The one value of `key`: the line with the most tags that applies."""
        lines = [line for line in self.lines if line.key == key and line.applies(version, core)]
        return max(lines, key=lambda line: len(line.tags)).value if lines else None

    def marked(self, key: str) -> bool:
        """Whether `key` occurs for any version or core."""
        return any(line.key == key for line in self.lines)

    @property
    def limits(self) -> Limits:
        """The limits to record under."""
        given: dict[str, Any] = {}
        for part in " ".join(line.value for line in self.lines if line.key == "limits").split():
            name, number = part.split("=")
            given[name] = float(number) if name == "wall" else int(number)
        # A busy machine must not turn another outcome into `limit time`.
        return Limits(**{"wall": 120.0, **given})

    @property
    def stdin(self) -> str:
        """What the program reads."""
        texts = [line.value for line in self.lines if line.key == "stdin"]
        return str(ast.literal_eval(texts[0])) if texts else ""

    def runs_on(self, version: str) -> bool:
        """Whether an interpreter of this version can run the program at all."""
        oldest = [line.value.rstrip("+") for line in self.lines if line.key == "python"]
        return not oldest or _number(version) >= _number(oldest[0])

    def runs_in(self, core: str) -> bool:
        """Whether this recorder core runs the program."""
        return all(line.value == core for line in self.lines if line.key == "core")

    def also_on(self, version: str) -> bool:
        """Whether the program is in the small set that other interpreters run too."""
        return any(version in line.value.split() for line in self.lines if line.key == "also")


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def parse(text: str) -> Header:
    """The header of a program's source; an unknown key is an error, so that no fact is lost to a slip."""
    lines = []
    for row in text.splitlines():
        match = LINE.fullmatch(row)
        if match is None:
            break
        key, tags, value = match.groups()
        if key not in KEYS:
            raise ValueError(f"unknown header key {key!r}")
        lines.append(Line(key, frozenset((tags or "").split()), value))
    if not lines or lines[0].key != "outcome":
        raise ValueError("the first line must be the outcome")
    return Header(tuple(lines))


def load(path: Path) -> Header:
    """The header of a program's file."""
    return parse(path.read_text(encoding="utf-8"))
