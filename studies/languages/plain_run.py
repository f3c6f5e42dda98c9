"""One program compiled and run as anyone would: no box, no recorder.

javac is the JDK's own, called many times in one JVM.
"""

from __future__ import annotations

import base64
import functools
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from worldline.core.program import Program

DEADLINE = 300.0
JAVAC = Path(__file__).resolve().parents[2] / "tests" / "languages" / "jvm" / "Javac.java"
_JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
# The language's version is the recorder's; nothing else of its options is.
COMPILING = {
    "c": ("gcc", "-w", "-o", "program", "{name}", "-lm"),
    "cpp": ("g++", "-w", "-std=gnu++20", "-o", "program", "{name}", "-lm"),
    "go": ("go", "build", "-o", "program", "{name}"),
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
        if wrong := _compiled(program, folder):
            return wrong[:300]
        done = _do(RUNNING.get(program.language, ("./program",)), program, folder)
        return Ran(done.returncode, done.stdout.decode("utf-8", "backslashreplace"))


def _compiled(program: Program, folder: str) -> str:
    """What the compiler says where it does not compile."""
    if program.language == "java":
        return _javac_says(Path(folder, program.name))
    command = COMPILING.get(program.language)
    done = _do(command, program, folder) if command else None
    if done is None or done.returncode == 0:
        return ""
    return done.stderr.decode("utf-8", "replace").strip() or "the compiler says nothing"


@functools.cache
def _javac() -> subprocess.Popen[str]:
    command = ["java", *_JVM, str(JAVAC)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def _javac_says(path: Path) -> str:
    javac = _javac()
    assert javac.stdin is not None
    assert javac.stdout is not None
    javac.stdin.write(f"{path}\n")
    status, _, errors = javac.stdout.readline().strip().partition(" ")
    return base64.b64decode(errors).decode() or "javac says nothing" if int(status) else ""


def _do(command: tuple[str, ...], program: Program, folder: str) -> subprocess.CompletedProcess[bytes]:
    words = [word.format(name=program.name) for word in command]
    return subprocess.run(
        words, cwd=folder, input=program.stdin.encode(), capture_output=True, timeout=DEADLINE, check=False
    )
