"""A hostile program run plainly: the interpreter alone, with rlimits and a deadline, in an empty folder."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from heeding import heed_interrupts

DEADLINE = 120.0
ENVIRONMENT = {
    "PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin",
}  # fmt: skip


@dataclass(frozen=True)
class Plain:
    """What a plain run wrote and how it ended (a negative status is a signal, as in subprocess)."""

    stdout: bytes
    stderr: bytes
    status: int


@cache
def run(source: bytes, name: str, stdin: str, python: str = sys.executable) -> Plain:
    """One plain run; the whole process group is gone when it returns."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        file = Path(folder, name)
        file.write_bytes(source)
        process = subprocess.Popen(
            [python, "-s", "-P", "-B", str(file)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=folder, env={**ENVIRONMENT, "HOME": folder, "TMPDIR": folder},
            start_new_session=True, preexec_fn=_bounds,
        )  # fmt: skip
        try:
            stdout, stderr = process.communicate(stdin.encode("utf-8"), timeout=DEADLINE)
        finally:
            _end(process)
        return Plain(stdout, stderr, process.returncode)


def _bounds() -> None:
    heed_interrupts()
    for what, most in (
        (resource.RLIMIT_AS, 2 << 30),
        (resource.RLIMIT_CPU, 20),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 64 << 20),
    ):
        resource.setrlimit(what, (most, most))


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
