"""Debuggers that step a plain program line by line: gdb, the JVM's own interface (JDI), V8's inspector, delve.

Each gives what it saw, stop by stop, as its program under debuggers/ wrote it. Nothing of worldline is known there: the
tests of languages use them as witnesses, `make bench` as the peers that recording is timed beside.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent / "debuggers"
DEADLINE = 300.0
GDB = shutil.which("gdb")
RUSTC = shutil.which("rustc") or shutil.which("rustc", path=str(Path.home() / ".cargo/bin"))
_COMPILERS = {".c": ["gcc", "-w"], ".cpp": ["g++", "-w", "-std=gnu++20"]}
_JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--add-modules", "jdk.jdi", "-cp"]


@dataclass(frozen=True)
class Walk:
    """How far to step: so many stops from the beginning of a function on, of a program with these arguments."""

    most: int = 0  # 0: to the program's end
    start: str = ""  # as the program begins
    arguments: tuple[str, ...] = ()


WHOLE = Walk()


def command(source: Path, target: Path, flags: tuple[str, ...] = ()) -> list[str]:
    """The command that compiles a C, C++ or Rust program as plainly as the recorder does."""
    if source.suffix == ".rs":
        return [str(RUSTC), "--cap-lints=allow", "--edition=2021", "-g", "-o", str(target), str(source)]
    compiler = [*_COMPILERS[source.suffix], "-g", "-O0", "-pthread", *flags]
    return [*compiler, "-o", str(target), str(source), "-lm"]


def gdb(target: Path, source: str, walk: Walk = WHOLE, *, deep: bool = False) -> list[list[Any]]:
    """What gdb_script.py saw: [function, line, depth, values]; the depth is 0 unless it is to be `deep`."""
    with tempfile.TemporaryDirectory(prefix="gdb-") as folder:
        out = Path(folder, "rows.json")
        told = {"SOURCE": source, "OUT": str(out), "MOST": str(walk.most), "START": walk.start, "HOME": folder}
        script = ["-q", "-batch", "-nx", "-x", str(HERE / "gdb_script.py")]
        _run([str(GDB), *script, "--args", str(target), *walk.arguments], folder, {**told, "DEEP": "1" if deep else ""})
        return list(json.loads(out.read_text()))


def jdi(classes: Path, walk: Walk = WHOLE) -> list[str]:
    """What Jdi.java saw of Main, compiled in a folder: depth, line, whether it begins, method, values; by tabs."""
    told = [str(classes), str(walk.most), walk.start, *walk.arguments]
    return _run([*_JAVA, _jdi(), "Jdi", *told], str(classes)).splitlines()


@functools.cache
def _jdi() -> str:
    """The folder of the compiled Jdi.java; it goes when the process does."""
    folder = tempfile.TemporaryDirectory(prefix="jdi-")
    _kept.append(folder)
    _run(["javac", "--add-modules", "jdk.jdi", "-d", folder.name, str(HERE / "Jdi.java")], folder.name)
    return folder.name


_kept: list[tempfile.TemporaryDirectory[str]] = []


def inspector(file: Path, walk: Walk = WHOLE) -> list[dict[str, Any]]:
    """What inspector.js saw: name, line, depth, values; the first pause is where it was told to begin."""
    with tempfile.TemporaryDirectory(prefix="inspector-") as folder:
        out = Path(folder, "pauses.json")
        told = [str(file), str(out), str(walk.most), walk.start, *walk.arguments]
        # It kills itself when all is written: see there.
        _run(["node", str(HERE / "inspector.js"), *told], folder, ended=-signal.SIGKILL)
        return list(json.loads(out.read_text()))


def delve(target: Path, source: str, walk: Walk = WHOLE) -> list[str]:
    """What delve.star saw of a Go program: function, line, depth, scalars; by tabs."""
    with tempfile.TemporaryDirectory(prefix="delve-") as folder:
        out, script, first = Path(folder, "rows.json"), Path(folder, "delve.star"), Path(folder, "first")
        told = {"$OUT": str(out), "$SOURCE": source, "$MOST": str(walk.most), "$START": f"main.{walk.start or 'main'}"}
        text = (HERE / "delve.star").read_text("utf-8")
        script.write_text(functools.reduce(lambda text, word: text.replace(word, told[word]), told, text), "utf-8")
        first.write_text(f"source {script}\nquit\n")
        asked = ["dlv", "exec", str(target), "--allow-non-terminal-interactive=true", "--init", str(first)]
        _run([*asked, "--", *walk.arguments], folder, {"HOME": folder})
        return str(json.loads(out.read_text("utf-8"))).splitlines()


def _run(command: list[str], folder: str, more: dict[str, str] | None = None, ended: int = 0) -> str:
    done = subprocess.run(
        command, env={**os.environ, **(more or {})}, cwd=folder, capture_output=True, text=True, errors="replace",
        stdin=subprocess.DEVNULL, timeout=DEADLINE, check=False,
    )  # fmt: skip
    if done.returncode != ended:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout
