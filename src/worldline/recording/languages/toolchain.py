"""The toolchain of a language on this host: found, its version asked for, and which directories a box needs of it.

Toolchains are trusted; what they compile is not, and is compiled and run in a box.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_VERSION = re.compile(r"(\d+(?:\.\d+)+(?:[-+.\w]*)?|\d+)")


def _say(command: list[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")


def _version(executable: str, option: str) -> str | None:
    match = _VERSION.search(_say([executable, option]) or "")
    return match[1] if match else None


def _released(command: str) -> str | None:
    """What a JDK says of itself in a file of its home; to ask javac takes a third of a second."""
    try:
        text = Path(command).parents[1].joinpath("release").read_text()
    except (OSError, ValueError):
        return None
    match = re.search(r'^JAVA_VERSION="([-+.\w]+)"$', text, re.MULTILINE)
    return match[1] if match else None


def _no_release(command: str) -> None:
    """Most toolchains have no file that says their version."""


def _behind_rustup(executables: Mapping[str, str]) -> Mapping[str, str]:
    """With the compiler itself: rustup's command of its name starts it and needs a home, which a box has not."""
    root = (_say([executables["rustc"], "--print", "sysroot"]) or "").strip()
    inside = os.path.join(root, "bin", "rustc")
    return {**executables, "rustc": inside} if root and os.path.exists(inside) else executables


def _behind_links(executables: Mapping[str, str]) -> Mapping[str, str]:
    return {name: os.path.realpath(path) for name, path in executables.items()}


def _as_found(executables: Mapping[str, str]) -> Mapping[str, str]:
    return executables


@dataclass(frozen=True)
class ToolchainKind:
    """How the programs of a language are run: by which guest, with which commands, of which Debian packages."""

    guest: str
    name: str  # as a trace's interpreter says it
    core: str  # what is instrumented
    commands: tuple[str, ...]  # the first one is asked for its version
    packages: str
    version_option: str = "--version"
    wide: bool = False  # maps far more memory than it uses
    prepares: bool = True  # a program is prepared before it is run
    has_tools: bool = False  # its guest makes something once for a toolchain, before any program
    resolve: Callable[[Mapping[str, str]], Mapping[str, str]] = (
        _as_found  # its commands, where they really lie
    )
    read_release: Callable[[str], str | None] = _no_release  # the version that a file of its home says


KINDS = {
    "js": ToolchainKind("node", "node", "source", ("node",), "nodejs", wide=True, prepares=False),
    "ts": ToolchainKind("node", "node", "source", ("node",), "nodejs", wide=True, prepares=False),
    "java": ToolchainKind(
        "jvm",
        "openjdk",
        "bytecode",
        ("javac", "java"),
        "default-jdk-headless",
        wide=True,
        has_tools=True,
        resolve=_behind_links,
        read_release=_released,
    ),
    "c": ToolchainKind(
        "compiled",
        "gcc",
        "asm",
        ("gcc", "as"),
        "gcc libc6-dev",
        version_option="-dumpfullversion",
        has_tools=True,
    ),
    "cpp": ToolchainKind(
        "compiled",
        "g++",
        "asm",
        ("g++", "gcc", "as"),
        "g++",
        version_option="-dumpfullversion",
        has_tools=True,
    ),
    "rust": ToolchainKind(
        "compiled",
        "rustc",
        "asm",
        ("rustc", "gcc", "as"),
        "rustc gcc libc6-dev",
        has_tools=True,
        resolve=_behind_rustup,
    ),
}


@dataclass(frozen=True)
class Toolchain:
    """One language's toolchain as it was found."""

    language: str
    kind: ToolchainKind
    version: str
    executables: tuple[tuple[str, str], ...]
    directories: tuple[str, ...]  # that a box must have of the host, beside /usr

    def as_config(self) -> dict[str, Any]:
        """What a guest is told of it."""
        return {"language": self.language, "version": self.version, "executables": dict(self.executables)}


@functools.lru_cache(maxsize=32)
def find(language: str) -> Toolchain | str:
    """The toolchain of a language; where it is not whole, which package is missing."""
    kind = KINDS[language]
    executables: dict[str, str] = {}
    for command in kind.commands:
        path = shutil.which(command)
        if path is None:
            return f"toolchain: no {command}; install the package {kind.packages}"
        executables[command] = path
    executables = dict(kind.resolve(executables))
    first = executables[kind.commands[0]]
    version = kind.read_release(first) or _version(first, kind.version_option)
    if version is None:
        return f"toolchain: {first} does not work; install the package {kind.packages}"
    return Toolchain(language, kind, version, tuple(executables.items()), _directories(executables.values()))


def _directories(executables: Any) -> tuple[str, ...]:
    """The homes of the commands outside /usr, and what links inside homes of any lead to elsewhere (Debian's JDK)."""
    wanted: list[str] = []
    for path in executables:
        home = Path(os.path.realpath(path)).parents[1]
        if home in (Path("/usr"), Path("/")):
            continue
        wanted.append(str(home))
        entries = [link for pattern in ("*", "conf/**/*", "lib/*", "lib/*/*") for link in home.glob(pattern)]
        links = [link.resolve() for link in entries if link.is_symlink() and link.exists()]
        wanted += [str(link if link.is_dir() else link.parent) for link in links]
    outside = [path for path in wanted if not Path(path).is_relative_to("/usr")]
    whole = sorted({path for path in outside if os.path.isdir(path)})
    return tuple(path for path in whole if not any(path.startswith(other + "/") for other in whole))
