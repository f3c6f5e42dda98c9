"""C, C++ and Rust programs compiled and run plainly: no box, no recorder, with rlimits and a deadline."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from heeding import heed_interrupts
from stepping import command

DEADLINE = 120.0


@dataclass(frozen=True)
class Plain:
    """What a plain run wrote and how it ended (a negative status is a signal); None of it: it did not compile."""

    stdout: bytes
    stderr: bytes
    status: int


@cache
def run(text: str, name: str, stdin: str = "", flags: tuple[str, ...] = (), argv: tuple[str, ...] = ()) -> Plain | None:
    """One plain run of a program; None where it does not compile."""
    with tempfile.TemporaryDirectory(prefix="plain-") as folder:
        source, target = Path(folder, name), Path(folder, "program")
        source.write_text(text)
        made = subprocess.run(command(source, target, flags), capture_output=True, cwd=folder)
        if made.returncode:
            return None
        done = subprocess.run(
            [str(target), *argv], input=stdin.encode(), capture_output=True, timeout=DEADLINE, cwd=folder,
            preexec_fn=_bounds, env={"PATH": "/usr/bin:/bin", "HOME": folder}, start_new_session=True,
        )  # fmt: skip
        return Plain(done.stdout, done.stderr, done.returncode)


def _bounds() -> None:
    heed_interrupts()
    for what, most in ((resource.RLIMIT_CPU, 20), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 64 << 20)):
        resource.setrlimit(what, (most, most))
    os.nice(5)
