"""Find the interpreter that executes a program, and the directories of the host that it needs.

The interpreter itself is asked once. It is trusted; the program is not.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import UsageError

MIN_PYTHON = (3, 11)
_QUESTION = """
import json, os, sys, sysconfig
names = ("stdlib", "platstdlib", "purelib", "platlib")
print(json.dumps({
    "executable": sys.executable, "version": sys.version.split()[0], "info": list(sys.version_info[:2]),
    "name": sys.implementation.name, "machine": os.uname().machine, "path": sys.path,
    "prefixes": [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix],
    "places": [sysconfig.get_path(name) for name in names] + [sysconfig.get_config_var("LIBDIR")],
}))
"""


@dataclass(frozen=True)
class Python:
    """One interpreter of the host."""

    executable: str
    name: str
    version: str
    machine: str
    prefixes: tuple[str, ...]
    places: tuple[str, ...]
    path: tuple[str, ...]

    @property
    def directories(self) -> tuple[str, ...]:
        """The directories of the host that it needs.

        These are its prefixes. If a prefix contains the home folder, they are the parts of the prefix.
        """
        wanted: list[str] = []
        for prefix in self.prefixes:
            if _too_wide(prefix):
                inside = [place for place in self.places if Path(place).is_relative_to(prefix)]
                wanted += [place for place in inside if not _too_wide(place)]
                wanted.append(os.path.join(prefix, "bin"))
            else:
                wanted.append(prefix)
        wanted += [os.path.dirname(os.path.realpath(self.executable)), os.path.dirname(self.executable)]
        return _outermost(path for path in wanted if os.path.isdir(path) and not _too_wide(path))

    @property
    def libraries(self) -> tuple[str, ...]:
        """The entries of its path inside its own directories or the system's, such as site-packages."""
        roots = (*self.directories, "/usr")
        return tuple(entry for entry in self.path if entry and any(Path(entry).is_relative_to(root) for root in roots))


def _too_wide(path: str) -> bool:
    homes = (os.path.expanduser("~"), os.path.realpath(os.path.expanduser("~")))
    return path in ("/etc", "/home", "/opt", "/tmp", "/var") or any(Path(home).is_relative_to(path) for home in homes)


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    outermost: list[str] = []
    for path in sorted({os.path.normpath(path) for path in paths}):
        if not any(Path(path).is_relative_to(other) for other in outermost):
            outermost.append(path)
    return tuple(outermost)


@functools.lru_cache(maxsize=32)
def find(python: str | None) -> Python:
    """Find an interpreter.

    Args:
        python: Its path or command name. None is the interpreter of worldline.

    Raises:
        UsageError: There is none, it does not work, or it is older than 3.11.
    """
    command = shutil.which(python) if python else sys.executable
    if not command:
        raise UsageError(f"there is no interpreter {python!r}")
    try:
        done = subprocess.run(
            [command, "-I", "-c", _QUESTION], capture_output=True, timeout=30, check=True, stdin=subprocess.DEVNULL
        )
        answer = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise UsageError(f"{command} is not a Python interpreter that works: {error}") from None
    if tuple(answer["info"]) < MIN_PYTHON:
        raise UsageError(f"{command} is Python {answer['version']}; recording needs 3.11 or newer")
    return Python(
        executable=answer["executable"],
        name=answer["name"],
        version=answer["version"],
        machine=answer["machine"],
        prefixes=tuple(dict.fromkeys(answer["prefixes"])),
        places=tuple(dict.fromkeys(place for place in answer["places"] if place)),
        path=tuple(answer["path"]),
    )
