"""A recorded program is the same whoever launched it: what a shell sets for its commands does not reach it."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOMY = {"CPU": 3_000, "NOFILE": 1024, "FSIZE": 1 << 40, "DATA": 1 << 36, "AS": 1 << 40, "STACK": 64 << 20}
SMALL = {"NPROC": 400, "MEMLOCK": 1 << 16, "MSGQUEUE": 1000, "SIGPENDING": 300, "RSS": 1 << 33}
RLIMIT_LOCKS = 10
CAP_SYS_NICE, CAP_SYS_RESOURCE = 23, 24


def may(capability: int) -> bool:
    """Whether this process has a capability."""
    status = Path("/proc/self/status").read_text()
    return bool(int(status.split("CapEff:")[1].split()[0], 16) >> capability & 1)


def derange() -> None:
    """Between fork and exec: hand down whatever a shell, `nohup`, `nice`, `ulimit` and their like can set."""
    libc = ctypes.CDLL(None)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
    os.umask(0o077)
    for name, bound in {**ROOMY, **SMALL}.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        resource.setrlimit(kind, (bound, bound if may(CAP_SYS_RESOURCE) else resource.getrlimit(kind)[1]))
    resource.setrlimit(RLIMIT_LOCKS, (77, resource.getrlimit(RLIMIT_LOCKS)[1]))
    if may(CAP_SYS_NICE):
        os.nice(5)
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    libc.syscall(ctypes.c_long({"x86_64": 251, "aarch64": 30}[os.uname().machine]), 1, 0, 2 << 13 | 7)
    libc.personality(0x0020000)  # ADDR_COMPAT_LAYOUT
    libc.prctl(29, ctypes.c_ulong(1_000_000), 0, 0, 0)  # timer slack
    libc.prctl(41, 1, 0, 0, 0)  # no transparent huge pages
    libc.prctl(38, 1, 0, 0, 0)  # no_new_privs
    for name, text in (("coredump_filter", "0x7"), ("oom_score_adj", "300")):
        with contextlib.suppress(OSError), open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def seen(tmp_path: Path, **how: Any) -> dict[str, Any]:
    """What the program prints, recorded by a command of its own."""
    command = [sys.executable, "-m", "worldline", "record", str(HERE / "inherited.py"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, **how)
    assert done.returncode == 0, done.stderr
    output = json.loads(done.stdout)["output"]
    assert output, done.stdout[-2000:]
    found: dict[str, Any] = json.loads(output)
    return found


@pytest.mark.usefixtures("sandbox")
def test_a_program_is_the_same_whoever_launched_it(tmp_path: Path) -> None:
    fresh = seen(tmp_path)
    deranged = seen(tmp_path, preexec_fn=derange, env={**os.environ, "PYTHONSTARTUP": "x", "LANG": "de_DE"})
    assert deranged == fresh
    assert (fresh["umask"], fresh["policy"]) == (0o022, os.SCHED_OTHER)


@pytest.mark.long(reason="test_a_program_is_the_same_whoever_launched_it bounds the stack too")
@pytest.mark.usefixtures("sandbox")
def test_a_program_does_not_see_how_its_launcher_is_bounded(tmp_path: Path) -> None:
    """An unlimited stack has the kernel map everything else elsewhere, and addresses decide the order of sets."""

    def unlimited() -> None:
        resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("the stack is limited here, for good")
    assert seen(tmp_path, preexec_fn=unlimited) == seen(tmp_path)
