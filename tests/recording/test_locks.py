"""Locks on files that a program can only read stay in its sandbox; without an overlay the sandbox still starts."""

from __future__ import annotations

import fcntl
import json
import marshal
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from worldline.core.program import Program
from worldline.recording import launch, native, sandbox_plan
from worldline.recording.interpreter import find
from worldline.recording.recorder import record

GUEST = sandbox_plan.GUESTS / "behavior.py"
INSIDE = f"{sandbox_plan.HOME}/guests/behavior.py"
TRY = """
import fcntl, json, os, sys
def free(path, lock, how):
    fd = os.open(path, os.O_RDONLY)
    try:
        lock(fd, how | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
paths = json.loads(sys.argv[1])
held = [path for path in paths if not free(path, fcntl.flock, fcntl.LOCK_EX)]
held += ["POSIX " + path for path in paths[:1] if not free(path, fcntl.lockf, fcntl.LOCK_SH)]
print(json.dumps(held))
"""

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture
def held() -> Iterator[list[str]]:
    """The host's files that a sandbox shows, all of them locked by this process."""
    recorder = native.recorder_for(find(None).executable)
    paths = [GUEST, Path(os.__file__), Path(sys.executable), Path("/usr/bin/env"), Path("/etc/ld.so.cache")]
    paths += [Path("/usr"), Path("/dev/null"), *([recorder] if recorder else [])]
    with ExitStack() as stack:
        for path in paths:
            fd = os.open(path, os.O_RDONLY)
            stack.callback(os.close, fd)
            fcntl.flock(fd, fcntl.LOCK_SH)
        # What a POSIX lock holds is dropped when any descriptor of the file is closed, so it comes last.
        file = stack.enter_context(GUEST.open("r+b"))
        fcntl.lockf(file, fcntl.LOCK_EX)
        yield [str(path) for path in paths]


def tried(paths: list[str], *, trust: bool = False) -> list[str]:
    """Which of the files a program finds locked."""
    trace = record(Program(source=TRY, argv=(json.dumps(paths),)), trust=trust)
    assert trace.outcome.kind == "returned", trace.outcome
    found: list[str] = json.loads(trace.output)
    return found


def test_no_lock_of_a_program_meets_one_of_the_host(held: list[str]) -> None:
    if os.geteuid():  # only root may make device nodes
        held.remove("/dev/null")
    inside = {str(GUEST): INSIDE}
    inside |= {path: f"{sandbox_plan.HOME}/native/{Path(path).name}" for path in held if path.endswith(".so")}
    assert tried([inside.get(path, path) for path in held]) == []


def test_without_a_sandbox_they_meet(held: list[str]) -> None:
    assert tried(held, trust=True) == [*held, f"POSIX {GUEST}"]


def test_what_is_mounted_below_a_folder_is_staged_too(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root mounts")
    script = f"""
import os, sys
sys.path.insert(0, {str(Path(launch.__file__).parent)!r})
import launch
launch._enter_namespace()
for name, text in (("a", "below"), ("b", "beside")):
    os.makedirs(f"{tmp_path}/outer/{{name}}")
    launch._mount("tmpfs", f"{tmp_path}/outer/{{name}}", b"tmpfs", 0)
    launch._write(f"{tmp_path}/outer/{{name}}/file", text)
os.mkdir("{tmp_path}/stage")
launch._write("{tmp_path}/over", "over")
launch._mount("{tmp_path}/over", "{tmp_path}/outer/b/file", None, launch.MS_BIND)
launch.stage(["{tmp_path}/outer", "{tmp_path}/outer/b/file"], "{tmp_path}/stage")
for name in ("0/a/file", "0/b/file", "1"):
    print(open(f"{tmp_path}/stage/{{name}}").read())
kinds = dict((line.split()[4], line.split(" - ")[1].split()[0]) for line in open("/proc/self/mountinfo"))
print(*(kinds[f"{tmp_path}/stage/0{{part}}"] for part in ("", "/a", "/b")))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:-1] == ["below", "over", "over", "overlay overlay overlay"], done.stderr


@pytest.mark.parametrize("at", ["/nowhere", "/tmp"])
def test_files_that_cannot_be_staged_come_from_their_own_place(at: str) -> None:
    sources = ["/usr/bin", "/nowhere"] if at == "/tmp" else ["/usr/bin"]
    config: dict[str, object] = {
        "cgroups": (),
        "uid": None,
        "stage": sources,
        "at": at,
        "anew": False,
        "environment": {},
    }
    words = marshal.dumps({**config, "command": ["/bin/echo", f"{at}/0", "word"]}).hex()
    command = [sys.executable, "-I", "-S", launch.__file__, words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("/usr/bin word\n", "")
