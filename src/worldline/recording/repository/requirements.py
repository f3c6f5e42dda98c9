"""Read what tests need from requirements files and tox.ini. Nothing is executed, and only names of packages count.

A requirement is text as PEP 508 writes it, with a name and without an address: an address would be built, and
building executes code. What is left out is named in the notes.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from worldline.core.errors import DiskError
from worldline.storage import files

__all__ = ["TEST_GROUPS", "Requirements", "name_of", "read_text"]

MAX_METADATA_BYTES = 1 << 20
MAX_REQUIREMENTS = 400
#: The names under which projects list what their tests need, the best first.
TEST_GROUPS = ("test", "tests", "testing")
DEV_GROUPS = ("dev", "develop", "development")
_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*"
    r"(?:\[(?P<extras>[A-Za-z0-9._,\s-]*)\])?\s*"
    r"(?P<versions>\(?[^;@\[\]]*?\)?)\s*"
    r"(?:;(?P<marker>.*))?"
)
_VERSIONS = re.compile(r"\(?\s*((===?|~=|!=|[<>]=?)\s*[A-Za-z0-9_.*+!-]+\s*(,\s*|$|\)))*\)?")
_TOX_FACTOR = re.compile(r"^[\w.,{}!-]+:\s+")


def read_text(repository: Path, path: str) -> str | None:
    """Read a text file of a repository, or None if there is none. Links that leave the repository are not followed."""
    whole = repository / path
    with suppress(OSError, ValueError, DiskError):
        real = whole.resolve(strict=True)
        if real.is_relative_to(repository.resolve()):
            data = files.read(real, limit=MAX_METADATA_BYTES)
            if data is not None and len(data) <= MAX_METADATA_BYTES:
                return data.decode("utf-8-sig", "replace")
    return None


def name_of(requirement: str) -> str:
    """Return the normalised name of a requirement, or an empty string if it has none."""
    match = _REQUIREMENT.fullmatch(requirement.strip())
    return normalised(match["name"]) if match else ""


def extras_of(requirement: str) -> tuple[str, ...]:
    """Return the extras that a requirement asks for."""
    match = _REQUIREMENT.fullmatch(requirement.strip())
    extras = (match["extras"] or "") if match else ""
    return tuple(normalised(extra.strip()) for extra in extras.split(",") if extra.strip())


def normalised(name: str) -> str:
    """Return a package name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass
class Requirements:
    """The requirements of a repository in order of importance, without repetitions."""

    repository: Path
    texts: dict[str, None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, lines: object, origin: str) -> int:
        """Add literal requirements; return how many there were. What is not plain text is ignored."""
        if isinstance(lines, str):
            lines = lines.splitlines()
        if not isinstance(lines, Iterable) or isinstance(lines, dict):
            return 0
        count = 0
        for line in lines:
            if isinstance(line, str) and (text := line.split(" #")[0].strip()) and not text.startswith("#"):
                count += self._add_one(text, origin)
        return count

    def add_file(self, path: str, depth: int = 0) -> int:
        """Add the lines of a requirements file and of the files that it names; return how many there were."""
        text = read_text(self.repository, path)
        if text is None:
            return 0
        count = 0
        for line in _lines(text):
            option, _, value = line.partition(" ") if not line.startswith("-r") else ("-r", "", line[2:])
            value = value.strip().removeprefix("=").strip()
            if option in ("-r", "--requirement"):
                inner = (Path(path).parent / value).as_posix()
                count += self.add_file(inner, depth + 1) if depth < 8 else 0
            elif line.startswith("-"):
                self._note(f"{path}: the option {line!r} is ignored")
            else:
                count += self._add_one(line, path)
        return count

    def add_tox(self) -> int:
        """Add the literal `deps` of the environments of tox.ini that execute tests; return how many there were."""
        text = read_text(self.repository, "tox.ini") or _legacy_tox(self.repository)
        parser = read_ini(text or "")
        count = 0
        for section in ("testenv", *(f"testenv:{name}" for name in (*TEST_GROUPS, "py", "py3", "unit"))):
            for line in _lines(parser.get(section, "deps", fallback="", raw=True)):
                plain = _TOX_FACTOR.sub("", line).replace("{toxinidir}/", "").replace("{tox_root}/", "")
                if plain.startswith("-r"):
                    count += self.add_file(plain[2:].strip())
                elif "{" not in plain and not plain.startswith("-"):
                    count += self._add_one(plain, "tox.ini")
        return count

    def _add_one(self, text: str, origin: str) -> int:
        text = re.split(r"\s--(?:hash|config-settings|global-option)\b", text)[0].strip().rstrip("\\").strip()
        match = _REQUIREMENT.fullmatch(text)
        if text in ("", ".") or text.startswith((".[", "./", "-e")):
            return 0
        if not match or not _VERSIONS.fullmatch(match["versions"]) or "/" in text.partition(";")[0]:
            self._note(f"{origin}: {text!r} is left out: only packages by name are installed, from wheels")
            return 0
        if len(self.texts) < MAX_REQUIREMENTS:
            self.texts.setdefault(text)
        return 1

    def _note(self, text: str) -> None:
        if text not in self.notes and len(self.notes) < 50:
            self.notes.append(text)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a requirements file, continued lines joined, without comments."""
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if plain := re.sub(r"(^|\s)#.*", "", line).strip():
            yield plain


def read_ini(text: str) -> configparser.RawConfigParser:
    """Parse an ini file. What cannot be parsed is as if it were missing."""
    parser = configparser.RawConfigParser(strict=False)
    with suppress(configparser.Error):
        parser.read_string(text)
    return parser


def _legacy_tox(repository: Path) -> str | None:
    """Return tox's ini text inside pyproject.toml, an old way to write it."""
    section = re.search(r'legacy_tox_ini\s*=\s*"""(.*?)"""', read_text(repository, "pyproject.toml") or "", re.DOTALL)
    return section[1] if section else None
