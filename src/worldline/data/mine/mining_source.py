"""Where functions are mined: packages, folders, files, and clones of repositories that the user provides.

A recipe's mining source names packages and repositories; none of them is part of this package. A missing
package is an error. A missing clone is skipped and reported.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES, Feature, language_of
from worldline.storage.inputs import read_input

DEFAULT_CLONES = "~/quarry"
_SKIPPED_FOLDERS = {
    "test", "tests", "testing", "idlelib", "lib2to3", "tkinter", "turtledemo", "site-packages", "ensurepip",
    "distutils", "__pycache__", "encodings", "pydoc_data", "msilib", "curses", "dbm", "wsgiref", "_vendor",
    "unicode_codes",
}  # fmt: skip
_LOCATE_SCRIPT = """
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


_KINDS = ("package", "repository")


@dataclass(frozen=True)
class SourceLicence:
    """A package or repository whose functions are mined, and its licence."""

    kind: str
    name: str
    licence: str


@dataclass(frozen=True, kw_only=True)
class MiningSource:
    """Mining part of a recipe.

    Attributes:
        places: Packages (`stdlib` is the standard library), folders or files.
        repositories: Repositories as `owner/name`.
        clones: Folder with clones, each `owner+name` or `owner/name`.
        seed: Seed of the file order.
    """

    places: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    clones: str = DEFAULT_CLONES
    seed: int = 0

    def here(self) -> tuple[list[str], list[str]]:
        """Return the places, existing clones included, and the repositories without a clone."""
        root, places = Path(self.clones).expanduser(), list(self.places)
        missing: list[str] = []
        for name in self.repositories:
            folders = [root / name.replace("/", "+"), root / name]
            existing = [str(folder) for folder in folders if folder.is_dir()]
            (places if existing else missing).append(existing[0] if existing else name)
        return places, missing


def read_mining_source(path: str | Path, *, clones: str = DEFAULT_CLONES) -> MiningSource:
    """Read a mining source from a text file.

    Args:
        path: File with lines `package NAME LICENCE` or `repository OWNER/NAME LICENCE`; `#` starts a comment.
        clones: Folder with clones.

    Returns:
        The mining source.

    Raises:
        UsageError: A line has another form.
    """
    named: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for source in read_source_licences(path):
        named[source.kind].append(source.name)
    return MiningSource(places=tuple(named["package"]), repositories=tuple(named["repository"]), clones=clones)


def read_source_licences(path: str | Path) -> list[SourceLicence]:
    """Read the licence of every source of a mining source's file.

    Args:
        path: File with lines `package NAME LICENCE` or `repository OWNER/NAME LICENCE`; `#` starts a comment.

    Returns:
        The sources in the order of the file.

    Raises:
        UsageError: A line has another form.
    """
    sources = []
    for number, line in enumerate(read_input(path).decode().splitlines(), 1):
        words = line.partition("#")[0].split()
        if words and (len(words) < 3 or words[0] not in _KINDS):
            raise UsageError(f"{path}:{number}: not `package NAME LICENCE` or `repository OWNER/NAME LICENCE`")
        if words:
            sources.append(SourceLicence(words[0], words[1], " ".join(words[2:])))
    return sources


def locate_places(places: Sequence[str], python: str | None = None) -> list[Path]:
    """Locate packages, folders and files.

    Args:
        places: Names or paths.
        python: Interpreter whose packages are meant; by default this one.

    Returns:
        One path per place.

    Raises:
        UsageError: A place does not exist or has no Python source.
    """
    located = {place: Path(place) for place in places if Path(place).exists()}
    for place, path in located.items():
        if path.is_dir():
            continue
        if not path.is_file():
            raise UsageError(f"{place} is neither a folder nor a regular file")
        LANGUAGES[language_of(path.name)].require(Feature.MINE, place)
    names = [place for place in places if place not in located]
    if names:
        command = [python or sys.executable, "-I", "-c", _LOCATE_SCRIPT, *names]
        try:
            done = subprocess.run(command, capture_output=True, check=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            raise UsageError(f"{command[0]} could not locate packages: {error}") from None
        answers: dict[str, str | None] = json.loads(done.stdout)
        for name, location in answers.items():
            if location is None:
                raise UsageError(f"no package, folder or file {name!r} with Python source")
            located[name] = Path(location)
    return [located[place] for place in places]


def find_python_files(places: Iterable[Path]) -> Iterator[Path]:
    """Yield the Python files of folders in order, without tests and vendored code."""
    return (path for path, taken in _list_files(places) if taken)


def find_tests(places: Iterable[Path]) -> Iterator[Path]:
    """Yield the test files of folders in order."""
    return (path for path, taken in _list_files(places) if not taken and is_test_file(path))


def _list_files(places: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Every Python file, and whether functions are mined from it."""
    for place in places:
        if place.is_file():
            yield place, True
            continue
        for path in sorted(place.rglob("*.py")):
            if not path.is_file():  # a folder, a pipe, a device
                continue
            parts = path.relative_to(place).parts
            yield path, not _SKIPPED_FOLDERS.intersection(parts) and not is_test_file(path)


def is_test_file(path: PurePath) -> bool:
    """Whether a file holds tests, by its name or its folder."""
    name = path.stem
    return name.startswith("test_") or name.endswith(("_test", "_tests")) or path.parent.name in ("test", "tests")
