"""Every sandbox is the same to an ordinary program: the same trace, the same facts, the same limits, and nothing left.

test_escape.py and test_hoards.py hold them against hostile programs.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import record, record_many, using_sandbox

LIMITS = Limits(wall=20, memory=128 << 20, processes=8, disk=2 << 20, output=10_000)
FACTS = """\
import os, sys, socket
def facts(text):
    found = [os.getpid(), os.getuid(), os.getgid(), os.getcwd(), sorted(os.environ), socket.gethostname()]
    found.append((sorted(os.listdir()), sys.argv, sys.stdin.read(), hash(text)))
    print(found)
    with open(os.path.join(os.environ["TMPDIR"], "own"), "w") as file:
        file.write(text)
    return sorted(set(text))
"""
# What ends a program, and how that is reported.
ENDINGS = {
    "raise ValueError(3)": ("raised", "ValueError(3)"),
    "import sys; sys.exit(5)": ("exited", "5"),
    "import os; os._exit(6)": ("exited", "6"),
    "import os; os.kill(os.getpid(), 9)": ("killed", "SIGKILL"),
    "while True: pass": ("limit", "time"),
    "print('x' * 100_000)": ("limit", "output"),
    "b'x' * (1 << 29)": ("limit", "memory"),
    "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(9,), daemon=True).start()": (
        "limit",
        "processes",
    ),
    "open('big', 'wb').write(bytes(4 << 20))": ("limit", "disk"),
}


def facts() -> Trace:
    files = (("data.txt", "held"),)
    return record(
        Program(source=FACTS, call="facts('abca')", argv=("1", "é"), stdin="in\n", files=files), limits=LIMITS
    )


@pytest.mark.usefixtures("sandbox", "provider")
def test_an_ordinary_program_has_one_trace_in_every_sandbox() -> None:
    with using_sandbox("bwrap"):
        expected = facts()
    assert expected.outcome.kind == "returned", expected.stderr
    assert facts() == expected


@pytest.mark.usefixtures("provider")
def test_every_end_is_named() -> None:
    limits = Limits(wall=4, memory=LIMITS.memory, processes=8, disk=LIMITS.disk, output=LIMITS.output, steps=10**9)
    traces = record_many([Program(source=source) for source in ENDINGS], limits=limits)
    found = {trace.program.source: (trace.outcome.kind, trace.outcome.detail) for trace in traces}
    assert found == ENDINGS


@pytest.mark.usefixtures("provider")
def test_nothing_is_left_for_the_next_program() -> None:
    leaves = (
        "import os\ntmp = os.environ['TMPDIR']\nopen(tmp + '/left', 'w'); open('left', 'w')\n"
        "os.fork() or os.execv('/bin/sleep', ['sleep', '600'])"
    )
    sees = (
        "import os\nprocesses = [p for p in os.listdir('/proc') if p.isdigit()]\n"
        "print(os.listdir(os.environ['TMPDIR']), os.listdir(), processes)"
    )
    _, second = record_many([Program(source=leaves), Program(source=sees)], limits=LIMITS)
    assert second.output == "[] ['program.py'] ['1', '2']\n"


@pytest.mark.usefixtures("provider")
def test_a_sandbox_leaves_no_files_on_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert record(Program(source="x = 1"), limits=LIMITS).outcome.kind == "returned"
    assert os.listdir(tmp_path) == []
