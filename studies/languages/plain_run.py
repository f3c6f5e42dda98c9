"""One program compiled and run as anyone would: no box, no recorder."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from worldline.core.program import Program

DEADLINE = 300.0
_JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
# The language's version is the recorder's; nothing else of its options is.
COMPILING = {
    "java": ("javac", *(f"-J{flag}" for flag in _JVM), "-nowarn", "-proc:none", "{name}"),
    "c": ("gcc", "-w", "-o", "program", "{name}", "-lm"),
    "cpp": ("g++", "-w", "-std=gnu++20", "-o", "program", "{name}", "-lm"),
    "rust": ("rustc", "--cap-lints=allow", "--edition=2021", "-o", "program", "{name}"),
}
RUNNING = {"java": ("java", *_JVM, "Main"), "js": ("node", "{name}")}


@dataclass(frozen=True)
class Ran:
    """How a plain run ended (a negative status is a signal) and what it printed."""

    status: int
    stdout: str


def run(program: Program) -> Ran | str:
    """A plain run; the compiler's first words where it does not compile."""
    with tempfile.TemporaryDirectory(prefix="plain-") as folder:
        Path(folder, program.name).write_text(program.source, encoding="utf-8")
        if command := COMPILING.get(program.language):
            done = _do(command, program, folder)
            if done.returncode:
                return done.stderr.decode("utf-8", "replace").strip()[:300] or "the compiler says nothing"
        done = _do(RUNNING.get(program.language, ("./program",)), program, folder)
        return Ran(done.returncode, done.stdout.decode("utf-8", "backslashreplace"))


def _do(command: tuple[str, ...], program: Program, folder: str) -> subprocess.CompletedProcess[bytes]:
    words = [word.format(name=program.name) for word in command]
    return subprocess.run(
        words, cwd=folder, input=program.stdin.encode(), capture_output=True, timeout=DEADLINE, check=False
    )
