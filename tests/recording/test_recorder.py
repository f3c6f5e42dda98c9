"""`record` and `record_many`: outcomes that only a box can tell, order, replacement of boxes, second runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Outcome
from worldline.recording.recorder import SandboxWorker, encode, prepare, record, record_many
from worldline.recording.sandbox import SandboxRun
from worldline.recording.verdict import judge, readable

LIMITS = Limits(wall=30, memory=256 << 20, processes=8, disk=4 << 20, output=10_000)


def program(source: str, **more: str) -> Program:
    return Program(source=source, **more)  # type: ignore[arg-type]


ENDS = {
    "print(1)": Outcome("returned"),
    "import os; os._exit(0)": Outcome("exited", "0"),
    "import os; os._exit(3)": Outcome("exited", "3"),
    "import sys; sys.exit(4)": Outcome("exited", "4"),
    "import os; os.abort()": Outcome("killed", "SIGABRT"),
    "import ctypes; ctypes.string_at(0)": Outcome("killed", "SIGSEGV"),
    "import os; os.kill(os.getpid(), 9)": Outcome("killed", "SIGKILL"),
    "f = open('x', 'wb', 0)\nwhile True: f.write(bytes(65536))": Outcome("limit", "disk"),
    "open('x', 'wb').truncate(1 << 40)": Outcome("limit", "disk"),
    "while True: print('x' * 1000)": Outcome("limit", "output"),
    "x = []\nwhile True: x.append(b'x' * (1 << 23))": Outcome("limit", "memory"),
    "raise ValueError(5)": Outcome("raised", "ValueError(5)"),
}


@pytest.fixture(scope="module")
def worker() -> Iterator[SandboxWorker]:
    made = SandboxWorker(prepare(limits=LIMITS, python=None, core="auto", trust=False))
    yield made
    made.close()


@pytest.mark.parametrize("source", ENDS)
def test_how_a_program_ended(worker: SandboxWorker, source: str) -> None:
    trace = worker.record(program(source))
    assert trace.outcome == ENDS[source]
    assert len(trace) > 0


def test_a_sleeper_is_ended_by_the_clock_and_its_trace_is_kept() -> None:
    trace = record(program("import time\nx = 1\ntime.sleep(600)\n"), limits=Limits(wall=2))
    assert trace.outcome == Outcome("limit", "time")
    assert [step.line for step in trace.steps if step.event == "line"] == [1, 2, 3]


def test_a_family_that_eats_all_memory_is_named(worker: SandboxWorker) -> None:
    child = "    if os.fork() == 0:\n        x = b'x' * (90 << 20)\n"
    source = f"import os, time\nfor _ in range(5):\n{child}time.sleep(60)"
    worker.record(program("1"))
    if worker.sandbox is None or worker.sandbox.group is None:
        pytest.skip("no cgroup can be had here")
    assert worker.record(program(source)).outcome == Outcome("limit", "memory")


def test_traces_come_in_order_whoever_is_first() -> None:
    sources = [f"import time\ntime.sleep({0.2 if n % 5 == 0 else 0})\nprint({n})" for n in range(12)]
    traces = list(record_many(map(program, sources), limits=LIMITS, workers=2))
    assert [trace.output for trace in traces] == [f"{n}\n" for n in range(12)]


def test_a_batch_may_be_left_early() -> None:
    for workers in (1, 2):
        traces = record_many((program(f"print({n})") for n in range(100)), limits=LIMITS, workers=workers)
        assert next(traces).output == "0\n"
        traces.close()  # type: ignore[attr-defined]


def test_a_box_that_broke_is_replaced(worker: SandboxWorker) -> None:
    worker.record(program("1"))
    assert worker.sandbox is not None
    first = worker.sandbox._process
    first.send_signal(signal.SIGKILL)
    first.wait()
    while worker.sandbox._process is first:  # the zygote may outlive bubblewrap by a moment, and no longer
        assert worker.record(program("print(2)")).output == "2\n"


def test_a_second_run_that_differs_is_noted() -> None:
    sources = ["x = 1", "import os\nprint(os.urandom(8))", "import os\nx = os.urandom(8)"]
    traces = list(record_many(map(program, sources), limits=LIMITS, twice=True))
    assert ["nondeterministic" in trace.notes for trace in traces] == [False, True, True]


def test_trust_is_in_the_trace_and_changes_nothing_else() -> None:
    source = "def f(n):\n    return n * 2\nprint(f(4))\n"
    sandboxed, trusted = record(program(source)), record(program(source), trust=True)
    assert (sandboxed.notes, trusted.notes) == ((), ("trusted",))
    assert (sandboxed.columns, sandboxed.output) == (trusted.columns, trusted.output)


def test_who_ran_it_is_in_the_trace() -> None:
    trace = record(program("1"), core="python")
    assert (trace.interpreter.name, trace.interpreter.core) == ("cpython", "python")


def test_unusable_options_are_refused() -> None:
    with pytest.raises(UsageError, match="core"):
        record(program("1"), core="fast")
    with pytest.raises(UsageError, match="workers"):
        record_many([], workers=0)


def test_surrogates_travel(worker: SandboxWorker) -> None:
    trace = worker.record(program("print(ascii(input()))\nx = '\\ud800'", stdin="\udcc3\udca9\n"))
    assert trace.output == "'\\xe9'\n"
    assert encode("a\ud800") == b"a\xed\xa0\x80"


def test_output_is_readable_whatever_it_was(worker: SandboxWorker) -> None:
    trace = worker.record(program("import os\nos.write(1, b'\\xff\\x00ok')"))
    assert trace.output == "\\xff\0ok"
    assert readable("aé".encode()[:2], 2) == "a"
    assert readable("aé".encode()[:2], 100) == "a\\xc3"


FINE, DEAD = Outcome("returned", "1"), SandboxRun(status=9)


@pytest.mark.parametrize(
    ("run", "end", "damage", "expected"),
    [
        (SandboxRun(status=0), FINE, None, FINE),
        (SandboxRun(status=0), FINE, 70, Outcome("tampered", "the wire is damaged at byte 70")),
        (SandboxRun(status=0), None, None, Outcome("exited", "0")),
        (SandboxRun(status=0, hit="output"), FINE, None, Outcome("limit", "output")),
        (SandboxRun(status=9, hit="memory"), None, None, Outcome("limit", "memory")),
        (SandboxRun(status=9, hit="time"), None, None, Outcome("limit", "time")),
        (SandboxRun(status=9, hit="time"), FINE, None, FINE),
        (SandboxRun(status=0, hit="output"), Outcome("limit", "steps"), None, Outcome("limit", "steps")),
        (SandboxRun(status=0, disk_full=True), FINE, None, Outcome("limit", "disk")),
        (SandboxRun(status=None, hit="memory"), None, None, Outcome("limit", "memory")),
        (SandboxRun(status=None), None, None, Outcome("host-fault", "the sandbox did not say how the program ended")),
        (SandboxRun(status=70 << 8, fault="OSError: x"), None, None, Outcome("host-fault", "OSError: x")),
        (SandboxRun(status=signal.SIGXCPU), None, None, Outcome("killed", "SIGXCPU")),
        (SandboxRun(status=signal.SIGXCPU, hit="time"), None, None, Outcome("limit", "time")),
        (SandboxRun(status=signal.SIGXFSZ), None, None, Outcome("killed", "SIGXFSZ")),
        (SandboxRun(status=signal.SIGXFSZ, disk_full=True), None, None, Outcome("limit", "disk")),
        (SandboxRun(status=signal.SIGRTMIN + 1), None, None, Outcome("killed", "SIGRT+1")),
        (SandboxRun(status=0), Outcome("raised", "MemoryError()"), None, Outcome("raised", "MemoryError()")),
        (SandboxRun(status=70 << 8, report="limit disk"), None, 0, Outcome("limit", "disk")),
        (SandboxRun(status=70 << 8, report="host-fault OSError: x"), None, 0, Outcome("host-fault", "OSError: x")),
        (SandboxRun(status=9, report="", hit="memory"), None, 0, Outcome("limit", "memory")),
        (SandboxRun(report="", fault="the sandbox broke"), None, 0, Outcome("host-fault", "the sandbox broke")),
        (
            SandboxRun(status=9, report="", hit="time"),
            None,
            0,
            Outcome("host-fault", "the program was not set up in time"),
        ),
        (
            SandboxRun(status=70 << 8, report=""),
            None,
            0,
            Outcome("host-fault", "the program was not set up: exited 70"),
        ),
        (DEAD, None, None, Outcome("killed", "SIGKILL")),
    ],
)
def test_the_verdict(run: SandboxRun, end: Outcome | None, damage: int | None, expected: Outcome) -> None:
    assert judge(run, end, damage) == expected


def test_nobody_is_left_when_everything_is_closed() -> None:
    before = _children()
    assert record(program("print(1)")).output == "1\n"
    assert _children() <= before


def _children() -> set[str]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return set(file.read().split())
