"""Libraries of this machine that programs may use: jars, archives, crates and folders, read-only in the sandbox.

A library is named by the user of a command, never by a program or a stored row: whoever writes those must not
choose what the sandbox shows. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES
from worldline.core.program import Program

_NO_LIBRARIES = {
    True: "name the interpreter that has the package with --python",
    False: "they have the standard library alone; leave it out",
}
_BARE_IMPORT = re.compile(r"""\b(?:from|import|require)\s*\(?\s*["'](?!node:)[^."'/\n]""")


@dataclass(frozen=True)
class LibraryRules:
    """The libraries that programs of a language may use: files by their suffixes, and folders of them."""

    suffixes: tuple[str, ...]
    words: str
    decides_compilation: bool = True  # what was compiled with one version is compiled anew with another
    beside: str = ""  # the folder that is found beside a program which imports a package, or above it


_C = LibraryRules((".a", ".so", ".o"), "a .a, .so or .o file, or a folder of headers and libraries")
LIBRARY_RULES: Mapping[str, LibraryRules] = {
    "c": _C,
    "cpp": _C,
    "rust": LibraryRules((".rlib",), "an .rlib file, or the target folder of Cargo"),
    "java": LibraryRules((".jar",), "a .jar file, or a folder of jars or classes"),
    "js": LibraryRules(
        (), "a folder of packages, such as node_modules", decides_compilation=False, beside="node_modules"
    ),
}
"""The languages whose programs use libraries; a language without rules uses those of the language it extends."""


@dataclass(frozen=True)
class HostLibrary:
    """A file or folder of this machine.

    Attributes:
        path: Its absolute path.
        version: Of a file, its size and the time of its last change; empty for a folder, which is read as it is.
    """

    path: str
    version: str = ""

    @property
    def digest(self) -> str:
        """A digest of the names, sizes and times of all its files."""
        hasher = hashlib.sha256(self.version.encode())
        for path in _files(self.path):
            about = os.stat(path, follow_symlinks=False)
            hasher.update(f"{path}\0{about.st_size}\0{about.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
        return hasher.hexdigest()


def _files(path: str) -> Iterator[str]:
    for folder, folders, names in os.walk(path):
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names))


_chosen: list[tuple[HostLibrary, ...]] = []  # those of the open `using_libraries` contexts


def find_library(path: str | os.PathLike[str]) -> HostLibrary:
    """Return a library by its path.

    Raises:
        UsageError: There is no such file or folder, or no program uses files of its kind.
    """
    absolute = os.path.abspath(path)
    if os.path.isdir(absolute):
        return HostLibrary(absolute)
    try:
        about = os.stat(absolute)
    except OSError as error:
        raise UsageError(
            f"--library {os.fspath(path)}: {error.strerror}; name a file or folder of this machine"
        ) from None
    if not any(absolute.endswith(rules.suffixes) for rules in LIBRARY_RULES.values()):
        kinds = "; ".join(f"{LANGUAGES[name].title}: {rules.words}" for name, rules in LIBRARY_RULES.items())
        raise UsageError(f"--library {os.fspath(path)}: no program uses such a file. Name one of these: {kinds}")
    return HostLibrary(absolute, f"{about.st_size} {about.st_mtime_ns} {about.st_ino}")


@contextmanager
def using_libraries(*paths: str | os.PathLike[str]) -> Iterator[None]:
    """Let every program use these libraries while the context is open: what `--library` does.

    They are jars, archives, crates or folders of this machine, and read-only in the sandbox.

    Args:
        paths: The files and folders.

    Returns:
        The context.

    Raises:
        UsageError: There is no such file or folder, or no program uses files of its kind.
    """
    _chosen.append(tuple(map(find_library, paths)))
    try:
        yield
    finally:
        _chosen.pop()


def chosen_libraries() -> tuple[HostLibrary, ...]:
    """Return the libraries that programs may use now, each once."""
    return tuple(dict.fromkeys(library for libraries in _chosen for library in libraries))


def require_readable(libraries: tuple[HostLibrary, ...]) -> None:
    """Raise a UsageError if root names a library that only root may read: the sandbox has another user."""
    for library in libraries if os.geteuid() == 0 else ():
        needed = 0o004 if library.version else 0o005
        if os.stat(library.path).st_mode & needed != needed:
            raise UsageError(
                f"--library {library.path}: only its owner may read it, and programs are executed as another user; "
                f"allow it with `chmod -R o+rX {library.path}`"
            )


def rules_of(language: str) -> LibraryRules | None:
    """Return the rules of a language; None if its programs use no libraries."""
    return LIBRARY_RULES.get(language) or LIBRARY_RULES.get(LANGUAGES[language].extends)


def is_used_by(library: HostLibrary, language: str) -> bool:
    """Whether programs of a language may use a library."""
    rules = rules_of(language)
    return rules is not None and (not library.version or library.path.endswith(rules.suffixes))


def require_used(libraries: tuple[HostLibrary, ...], program: Program) -> None:
    """Raise a UsageError if a program cannot use one of the libraries."""
    for library in libraries:
        if not is_used_by(library, program.language):
            rules = rules_of(program.language)
            advice = f"name {rules.words}" if rules else _NO_LIBRARIES[program.lang.runs_in_interpreter]
            raise UsageError(f"--library {library.path}: {program.lang.title} programs cannot use it; {advice}")


def packages_beside(file: str | os.PathLike[str], program: Program) -> HostLibrary | None:
    """Return the folder of packages (`node_modules`) beside the file of a program that imports one, or above it."""
    rules = rules_of(program.language)
    if rules is None or not rules.beside:
        return None
    if not any(map(_BARE_IMPORT.search, (program.source, *(text for _, text in program.files)))):
        return None
    path = Path(file).resolve()
    homes = (path, *path.parents) if path.is_dir() else path.parents
    folder = next((home / rules.beside for home in homes if (home / rules.beside).is_dir()), None)
    return HostLibrary(str(folder)) if folder is not None else None
