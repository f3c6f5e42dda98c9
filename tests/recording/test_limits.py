"""Limits: which can be, when one is named, and what becomes of a program that never reaches its first line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from interpreters import FOUND

from worldline.codec import json_text
from worldline.core.errors import FormatError, UsageError
from worldline.core.limits import MAX_LIMITS, Limits
from worldline.core.program import Program
from worldline.core.trace import Outcome
from worldline.recording import sandbox as sandbox_module
from worldline.recording.recorder import SandboxWorker, prepare, record, record_many
from worldline.recording.sandbox import open_sandbox

LIMITS = Limits(wall=60, memory=256 << 20, processes=8, disk=1 << 20, output=10_000)
INF, NAN = float("inf"), float("nan")
TINY = Program(source="x = 1\n")


@pytest.fixture(scope="module", params=["cgroup", "lean", "trusted"])
def worker(request: pytest.FixtureRequest) -> Iterator[SandboxWorker]:
    made = SandboxWorker(prepare(limits=LIMITS, python=None, core="auto", trust=request.param == "trusted"))
    if request.param == "lean":
        made.sandbox = open_sandbox(made.setup.plan, LIMITS, use_cgroup=False)
    yield made
    if made.sandbox is not None:
        # Nobody else may reuse a sandbox without a cgroup.
        made.sandbox.kill()
    made.close()


@pytest.mark.parametrize("name", [field.name for field in fields(Limits)])
@pytest.mark.parametrize("value", [0, -1, INF, -INF, NAN, 2**64, 10**400, True, "5", None, 1.5])
def test_a_limit_that_cannot_be_is_a_usage_error_that_names_it(name: str, value: Any) -> None:
    if (name, value) == ("wall", 1.5):
        assert Limits(wall=1.5).wall == 1.5
        return
    with pytest.raises(UsageError, match=f"limit {name} must be"):
        Limits(**{name: value})


@pytest.mark.long(reason="starts five commands; Limits itself refuses them in make test")
@pytest.mark.parametrize(
    "options",
    [["--wall", "inf"], ["--wall", "nan"], ["--max-steps", "1.5"], ["--disk", "1" * 30], ["--memory", "2000G"]],
)
def test_the_command_refuses_such_a_limit(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("x = 1\n")
    command = [sys.executable, "-m", "worldline", "record", str(tmp_path / "x.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert options[0].strip("-") in done.stderr


@pytest.mark.parametrize("trust", [False, True])
def test_every_limit_works_at_its_ends(trust: bool) -> None:
    largest: dict[str, Any] = dict(MAX_LIMITS)
    assert record(TINY, limits=Limits(**largest), trust=trust).outcome == Outcome("returned")
    smallest: dict[str, Any] = dict.fromkeys(set(MAX_LIMITS) - {"steps", "wall"}, 1)
    assert record(TINY, limits=Limits(**smallest), trust=trust).outcome == Outcome("returned")


def test_a_stored_trace_with_a_limit_that_cannot_be_is_of_no_format_of_ours() -> None:
    stored = json.loads("".join(json_text.encode(record(TINY))))
    stored["limits"]["disk"] = 2**63
    with pytest.raises(FormatError, match="limit disk"):
        json_text.parse(json.dumps(stored))


def test_a_clock_that_is_too_short_is_a_limit_and_nothing_else() -> None:
    for wall in (1e-9, 0.001, 0.01):
        assert record(TINY, limits=Limits(wall=wall)).outcome in (Outcome("returned"), Outcome("limit", "time"))
    endless = record(Program(source="while True: pass\n"), limits=Limits(wall=0.01))
    assert endless.outcome == Outcome("limit", "time")


SLOW_GUEST = """
import os, time
def run(spec, wire, report):
    time.sleep(3 * spec["limits"]["wall"])
    os.write(report, b"begun")
    os.close(report)
    if spec["source"]:
        time.sleep(600)
    os._exit(0)
"""


def test_the_clock_starts_with_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "python.py").write_text(SLOW_GUEST)
    setup = prepare(limits=Limits(wall=0.2), python=None, core="python", trust=False)
    spec = {"name": "x.py", "files": {}, "limits": {"wall": 0.2}}
    with open_sandbox(replace(setup.plan, guest_folder=str(tmp_path)), setup.limits) as sandbox:
        found = sandbox.run({**spec, "source": ""}, b"")
        assert (found.hit, found.status, found.report) == ("", 0, "begun")
        found = sandbox.run({**spec, "source": "x"}, b"")
        assert (found.hit, found.report) == ("time", "begun")
    monkeypatch.setattr(sandbox_module, "SETUP_SECONDS", 0.05)
    with open_sandbox(replace(setup.plan, guest_folder=str(tmp_path)), setup.limits) as sandbox:
        found = sandbox.run({**spec, "source": ""}, b"")
        assert (found.hit, found.report) == ("time", "")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ((("a", "1"), ("a/b", "2")), Outcome("unsupported", "files: a/b: File exists")),
        ((("a/b", "1"), ("a", "2")), Outcome("unsupported", "files: a: Is a directory")),
        ((("a/" * 3_000 + "b", "1"),), Outcome("unsupported", "files: folders nested too deep")),
        ((("program.py/x", "1"),), Outcome("unsupported", "files: program.py/x: File exists")),
        ((("n" * 300, "1"),), Outcome("unsupported", f"files: {'n' * 300}: File name too long")),
        ((("big", "x" * (2 << 20)),), Outcome("limit", "disk")),
    ],
)
def test_files_that_cannot_stand_are_named(
    worker: SandboxWorker, files: tuple[tuple[str, str], ...], expected: Outcome
) -> None:
    trace = worker.record(replace(TINY, files=files))
    assert (trace.outcome, len(trace)) == (expected, 0)
    assert worker.record(TINY).outcome == Outcome("returned")


@pytest.mark.long(reason="starts three processes with few file descriptors")
@pytest.mark.parametrize("files", [12, 16, 64])
def test_few_file_descriptors_are_enough_or_are_named(files: int) -> None:
    script = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}))
from worldline import Program, record
print(record(Program(source="x = 1")).outcome)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    fine, fault = "Outcome(kind='returned', detail='')", "Too many open files"
    assert fine in done.stdout if files == 64 else fine in done.stdout or fault in done.stdout, done


def test_a_guest_that_dies_before_the_program_is_a_fault_with_its_reason(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    worker = SandboxWorker(prepare(limits=LIMITS, python=None, core="python", trust=False))
    for act, why in (("raise OSError('no luck')", "OSError: no luck"), ("import os; os.kill(2, 9)", "SIGKILL")):
        (tmp_path / "python.py").write_text(f"def run(spec, wire, report):\n    {act}\n")
        worker.setup = replace(worker.setup, plan=replace(worker.setup.plan, guest_folder=str(tmp_path)))
        outcome = worker.record(TINY).outcome
        worker.close()
        assert outcome.kind == "host-fault"
        assert why in outcome.detail


GENERATOR = "def g(): yield\nx = g()\n"
FUTURE = "import asyncio\nasync def main():\n    f = asyncio.get_running_loop().create_future()\n    "
UNMET = {
    "raise OSError(28, 'No space left on device')": "raised",
    "raise OSError(27, 'File too large')": "raised",
    "raise MemoryError": "raised",
    """raise RuntimeError("can't start new thread")""": "raised",
    "from unittest.mock import Mock\nMock(side_effect=OSError(28, 'x'))()": "raised",
    f"{GENERATOR}x.throw(OSError(28, 'nope'))": "raised",
    f"{GENERATOR}next(x)\nx.throw(OSError(28, 'nope'))": "raised",
    f"{GENERATOR}next(x)\nx.throw(MemoryError())": "raised",
    "def g(): yield from [1, 2]\nx = g()\nnext(x)\nx.throw(OSError(28, 'nope'))": "raised",
    "async def c(): pass\nc().throw(OSError(28, 'z'))": "raised",
    f"{GENERATOR}list(x)\nx.throw(OSError(28, 'nope'))": "raised",
    f"{GENERATOR}list(x)\nx.throw(MemoryError())": "raised",
    f"{GENERATOR}list(x)\nclass A: y = x\n(A\n  .y\n  .throw(OSError(28, str(A.y.gi_frame))))": "raised",
    f"{FUTURE}f.set_exception(OSError(28, 'x'))\n    f.result()\nasyncio.run(main())": "raised",
    f"{FUTURE}f.set_exception(OSError(28, 'x'))\n    print(f.result())\nasyncio.run(main())": "raised",
    f"{FUTURE}f.set_exception(OSError(28, 'x'))\n    await f\nasyncio.run(main())": "raised",
    f"{FUTURE}f.get_loop().call_soon(f.set_exception, OSError(28, 'x'))\n    await f\nasyncio.run(main())": "raised",
    "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (9, 9))\nopen('x', 'wb', 0).truncate(99)": "raised",
    "import os, signal\nos.kill(os.getpid(), signal.SIGXCPU)": "killed",
    "import os, signal\nsignal.signal(25, signal.SIG_DFL)\nos.kill(os.getpid(), signal.SIGXFSZ)": "killed",
    "open('x', 'wb').write(bytes((1 << 20) - 8192))": "returned",
}
FULL = "open('/dev/full', 'wb', 0)"
FILL = "f = open('d/x', 'wb', 0)\ntry:\n    while True: f.write(bytes(65536))\n"
MET = {
    "class A: throw = staticmethod(lambda: open('x', 'wb', 0).truncate(1 << 40))\nA.throw()": "disk",
    "class A: result = open('x', 'wb', 0)\nA.result.truncate(1 << 40)": "disk",
    "open('x', 'wb', 0).truncate(1 << 40)": "disk",
    "def f():\n    try: open('x', 'wb', 0).truncate(1 << 40)\n    except OSError as e: raise e\nf()": "disk",
    f"import os, shutil\nos.mkdir('d')\n{FILL}finally: shutil.rmtree('d')": "disk",
    "with open('/dev/full', 'w') as f: f.write('x')": "disk",
    f"def g():\n    yield\n    {FULL}.write(b'x')\nlist(g())": "disk",
    f"def g(): yield from map({FULL}.write, [b'', b'x'])\nlist(g())": "disk",
    f"import asyncio\nasync def main(): {FULL}.write(b'x')\nasyncio.run(main())": "disk",
    f"import asyncio\nasyncio.run(asyncio.to_thread({FULL}.write, b'x'))": "disk",
}


@pytest.mark.parametrize("source", UNMET)
def test_a_limit_that_was_never_met_is_not_named(worker: SandboxWorker, source: str) -> None:
    assert worker.record(Program(source=source)).outcome.kind == UNMET[source]


@pytest.mark.parametrize("source", MET)
def test_a_limit_that_was_met_is_named(worker: SandboxWorker, source: str) -> None:
    assert worker.record(Program(source=source)).outcome == Outcome("limit", MET[source])


@pytest.mark.parametrize("version", FOUND)
@pytest.mark.parametrize("core", ["native", "python"])
def test_every_interpreter_and_core_names_the_same_limits(version: str, core: str) -> None:
    expected = UNMET | dict.fromkeys(MET, "limit")
    traces = record_many(
        [Program(source=source) for source in expected], python=FOUND[version], core=core, limits=LIMITS
    )
    assert {trace.program.source: trace.outcome.kind for trace in traces} == expected


@pytest.mark.parametrize(
    ("source", "limit"),
    [
        ("x = []\nwhile True: x.append(bytearray(1 << 23))", "memory"),
        ("x = b'ab' * (1 << 40)", "memory"),
        ("import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
         "processes"),
    ],
)  # fmt: skip
def test_without_a_cgroup_the_interpreters_own_exception_names_the_limit(source: str, limit: str) -> None:
    worker = SandboxWorker(prepare(limits=LIMITS, python=None, core="auto", trust=False))
    worker.sandbox = open_sandbox(worker.setup.plan, LIMITS, use_cgroup=False)
    assert worker.record(Program(source=source)).outcome == Outcome("limit", limit)
    worker.sandbox.kill()
    worker.close()


@pytest.mark.long(reason="spends several seconds of processor time")
def test_processor_time_counts_where_the_host_slept() -> None:
    """The rlimit of the box is that of its own limits; this host's clock is set to look the other way."""
    worker = SandboxWorker(prepare(limits=Limits(wall=0.5), python=None, core="auto", trust=False))
    worker.record(TINY)
    assert worker.sandbox is not None
    worker.sandbox.limits = Limits(wall=600)
    trace = worker.record(Program(source="sum(iter(int, 1))"))
    worker.sandbox.kill()
    worker.close()
    assert trace.outcome == Outcome("limit", "time")
