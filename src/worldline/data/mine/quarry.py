"""Where functions are mined: packages as an interpreter finds them, folders, files, and clones that the user brings.

A recipe's quarry names packages and repositories, of which nothing is part of this package. A package that is not there
is refused; a clone that is not there is left out and told of, as whoever mines has those he has.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES, Feature, language_of

CLONES = "~/quarry"
_SKIPPED = {
    "test", "tests", "testing", "idlelib", "lib2to3", "tkinter", "turtledemo", "site-packages", "ensurepip",
    "distutils", "__pycache__", "encodings", "pydoc_data", "msilib", "curses", "dbm", "wsgiref", "_vendor",
    "unicode_codes",
}  # fmt: skip
_WHERE = """
import importlib.util, json, sys, sysconfig
found = {}
for name in sys.argv[1:]:
    if name == "stdlib":
        found[name] = sysconfig.get_path("stdlib")
        continue
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    file = spec and (getattr(spec.loader_state, "filename", None) or spec.origin)
    folders = list(spec and spec.submodule_search_locations or [])
    found[name] = folders[0] if folders else file if file and file.endswith(".py") else None
print(json.dumps(found))
"""


@dataclass(frozen=True, kw_only=True)
class Quarry:
    """The mining part of a recipe: packages (`stdlib` is the standard library), folders or files, and repositories.

    A repository is `owner/name`; its clone is the folder `owner+name` or `owner/name` of `clones`.
    """

    places: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    clones: str = CLONES
    seed: int = 0

    def here(self) -> tuple[list[str], list[str]]:
        """The places with the clones that are there, and the repositories that have none."""
        root, found = Path(self.clones).expanduser(), list(self.places)
        missing: list[str] = []
        for name in self.repositories:
            folders = [root / name.replace("/", "+"), root / name]
            there = [str(folder) for folder in folders if folder.is_dir()]
            (found if there else missing).append(there[0] if there else name)
        return found, missing


def read_quarry(path: str | Path, *, clones: str = CLONES) -> Quarry:
    """The quarry of a text file: `package NAME LICENCE` or `repository OWNER/NAME LICENCE`, one a line; # comments."""
    named: dict[str, list[str]] = {"package": [], "repository": []}
    for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), 1):
        words = line.partition("#")[0].split()
        if words and (len(words) < 3 or words[0] not in named):
            raise UsageError(
                f"{path}:{number}: not `package NAME LICENCE` or `repository OWNER/NAME LICENCE`"
            )
        if words:
            named[words[0]].append(words[1])
    return Quarry(places=tuple(named["package"]), repositories=tuple(named["repository"]), clones=clones)


def locate(places: Sequence[str], python: str | None = None) -> list[Path]:
    """Where packages, folders and files are; UsageError for what is none of them."""
    found = {place: Path(place) for place in places if Path(place).exists()}
    for place, path in found.items():
        if path.is_file():
            LANGUAGES[language_of(path.name)].require(Feature.MINE, place)
    names = [place for place in places if place not in found]
    if names:
        command = [python or sys.executable, "-I", "-c", _WHERE, *names]
        try:
            done = subprocess.run(command, capture_output=True, check=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            raise UsageError(f"{command[0]} could not be asked where packages are: {error}") from None
        answers: dict[str, str | None] = json.loads(done.stdout)
        for name, where in answers.items():
            if where is None:
                raise UsageError(f"there is no package, folder or file {name!r}, or none with Python source")
            found[name] = Path(where)
    return [found[place] for place in places]


def python_files(places: Iterable[Path]) -> Iterator[Path]:
    """The Python files of folders, sorted, without tests and what is vendored."""
    return (path for path, taken in _files(places) if taken)


def known_tests(places: Iterable[Path]) -> Iterator[Path]:
    """The tests among the Python files of folders, sorted."""
    return (path for path, taken in _files(places) if not taken and _is_test(path))


def _files(places: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Every Python file, and whether functions are looked for in it."""
    for place in places:
        if place.is_file():
            yield place, True
            continue
        for path in sorted(place.rglob("*.py")):
            parts = path.relative_to(place).parts
            yield path, not _SKIPPED.intersection(parts) and not _is_test(path)


def _is_test(path: Path) -> bool:
    name = path.stem
    return (
        name.startswith("test_")
        or name.endswith(("_test", "_tests"))
        or path.parent.name in ("test", "tests")
    )
