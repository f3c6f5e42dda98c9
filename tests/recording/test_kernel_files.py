"""Files that the kernel writes anew are hidden inputs: a seed decides some, and a replay has all of them again."""

from __future__ import annotations

from itertools import groupby

import pytest
from interpreters import FOUND

from worldline.core.hidden import Control, replaying
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import record

DECIDED = """\
import os, pathlib
fd = os.open("/dev/urandom", os.O_RDONLY)
a = os.read(fd, 5)
os.close(fd)
with open("/dev/random", "rb", buffering=0) as file:
    b = file.read(3)
    c = bytearray(2)
    n = file.readinto(c)
with open("/dev/urandom", "rb") as file:
    d = file.read(300)
e = pathlib.Path("/proc/uptime").read_text()
f = open("/proc/sys/kernel/random/uuid").read()
g = os.getloadavg()
fd = os.open("/proc/loadavg", os.O_RDONLY)
h = [os.read(fd, 3), os.read(fd, 100), os.read(fd, 100)]
with open("/proc/uptime", "rb", buffering=0) as file:
    i = file.readall()
"""
STATED = """\
a = open("/proc/self/status").readlines()[0]
b = open("/proc/stat", "rb", buffering=0).readall()
c = open("/proc/meminfo").read()
"""
OWN = """\
import io
with open("own.txt", "w") as file:
    file.write("text")
a = open("own.txt").read()
b = open("own.txt", "rb", buffering=0).readall()
c = io.BytesIO(b"x").read()
d = open(__file__).read()
"""


def run(source: str, control: Control, **options: str) -> Trace:
    trace = record(Program(source=source), control=control, limits=Limits(wall=60), **options)  # type: ignore[arg-type]
    assert trace.outcome.kind == "returned", trace.stderr
    return trace


def facts(trace: Trace) -> dict[str, object]:
    whole = trace.as_json()
    return {key: whole[key] for key in ("outcome", "steps", "frames", "output", "hidden", "notes")}


@pytest.mark.parametrize("version", FOUND)
def test_a_seed_decides_random_bytes_uptime_and_load(version: str) -> None:
    first, again = (run(DECIDED, Control(seed=5), python=FOUND[version], core=core) for core in ("native", "python"))
    assert facts(first) == facts(again)
    kinds = [hidden.kind for hidden in first.hidden]
    assert kinds[:5] == ["urandom 5", "urandom 3", "urandom 2", "urandom 256", "urandom 256"]
    # How often a file is read to its end is the interpreter's business.
    assert [kind for kind, _ in groupby(kinds[5:])] == ["proc", "load", "proc"]
    other = run(DECIDED, Control(seed=6), python=FOUND[version])
    assert [each.value for each in other.hidden[:5]] != [each.value for each in first.hidden[:5]]
    names = {name: value for step in first.steps for name, value in step.delta.items()}
    assert names["g"] == "(0.0, 0.0, 0.0)"
    assert names["h"] == r"[b'0.0', b'0 0.00 0.00 1/1 1\n', b'']"


@pytest.mark.parametrize("version", FOUND)
@pytest.mark.parametrize("source", [DECIDED, STATED])
def test_a_replay_has_what_the_kernel_said(version: str, source: str) -> None:
    live = run(source, Control(seed=None), python=FOUND[version])
    assert live.hidden
    again = run(source, replaying(live.hidden), python=FOUND[version])
    assert facts(again) == facts(live)


def test_a_program_reads_its_own_files_as_ever() -> None:
    assert run(OWN, Control(seed=5)).hidden == ()
