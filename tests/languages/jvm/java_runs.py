"""Java programs recorded and run plainly, and what must hold of every recording of one."""

from __future__ import annotations

import base64
import functools
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from worldline.analyze.flow.table import read_table
from worldline.codec.compact.parse import parse as parse_compact
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode as encode_compact
from worldline.codec.cwm import parse as cwm_parse
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.frames import frames as cwm_frames
from worldline.core.limits import Limits
from worldline.core.malformed import Malformed
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.core.value import canonical, parse
from worldline.recording.recorder import SandboxWorker, prepare

DEADLINE = 240.0
WHOLE = bool(os.environ.get("FULL"))
SHARED = Path(os.environ.get("SHARED") or Path(__file__).parents[4] / "shared")
HAS_JDK = shutil.which("javac") is not None
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": "/usr/bin:/bin"}


@contextmanager
def recorder(*, trust: bool = False, **limits: Any) -> Iterator[JavaRecorder]:
    """One worker for many programs; its compiler stays warm."""
    worker = SandboxWorker(prepare(limits=Limits(**{"wall": 120, **limits}), python=None, core="auto", trust=trust))
    try:
        yield JavaRecorder(worker)
    finally:
        worker.close()


@dataclass(frozen=True)
class JavaRecorder:
    """Records Java programs, and knows their flow."""

    worker: SandboxWorker

    def record(self, source: str, **more: Any) -> Trace:
        """The trace of one program."""
        return self.worker.record(Program(source=source, **{"name": "Main.java", **more}))

    def prepared(self, source: str, **more: Any) -> None:
        """Has a program compiled, so that whoever records it needs no compiler."""
        self.worker.in_language("java").flow(Program(source=source, **{"name": "Main.java", **more}))

    def flow(self, trace: Trace) -> bytes:
        """The flow table of a recorded program."""
        found = self.worker.in_language("java").flow(trace.program)
        assert found is not None
        return found


@dataclass(frozen=True)
class Plain:
    """How a plain run ended."""

    stdout: str
    stderr: str
    status: int


@functools.cache
def _javac() -> subprocess.Popen[str]:
    """One JVM that compiles for all plain runs."""
    flags = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    command = ["java", *flags, str(Path(__file__).parent / "Javac.java")]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def plain(
    source: str, stdin: str = "", name: str = "Main.java", argv: tuple[str, ...] = (),
    environment: Mapping[str, str] = MappingProxyType({}), keep: tuple[int, ...] = (),
) -> Plain:  # fmt: skip
    """javac and java, as anyone runs them. Its errors in `stderr` where it does not compile, with status -1000."""
    with tempfile.TemporaryDirectory(prefix="java-") as folder:
        Path(folder, name).write_text(source)
        status, errors = _compiled(Path(folder, name))
        if status:
            return Plain("", errors, -1000)
        command = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", folder]
        done = subprocess.run(
            [*command, name.removesuffix(".java"), *argv], cwd=folder, input=stdin.encode(), capture_output=True,
            env={**ENVIRONMENT, "HOME": folder, **environment}, pass_fds=keep, timeout=DEADLINE, check=False,
        )  # fmt: skip
        said = (text.decode(errors="backslashreplace") for text in (done.stdout, done.stderr))
        return Plain(*said, done.returncode)


def _compiled(path: Path) -> tuple[int, str]:
    javac = _javac()
    assert javac.stdin is not None
    assert javac.stdout is not None
    javac.stdin.write(f"{path}\n")
    status, _, errors = javac.stdout.readline().strip().partition(" ")
    return int(status), base64.b64decode(errors).decode()


def status_of(trace: Trace) -> int | None:
    """The exit status that an outcome stands for; None where it is no end of the program's own."""
    kind, detail = trace.outcome.kind, trace.outcome.detail
    if kind == "killed":
        return -signal.Signals[detail].value
    return {"returned": 0, "raised": 1, "exited": int(detail) if kind == "exited" else 0}.get(kind)


def check(trace: Trace, flow: bytes) -> None:
    """Values are canonical, both notations bring the run back, and no step leaves the control flow."""
    assert trace.outcome.kind not in ("tampered", "host-fault"), (trace.outcome, trace.stderr)
    told = {value for step in trace.steps for value in step.delta.values()}
    told |= {step.arg for step in trace.steps if step.arg is not None}
    for value in told:
        assert not isinstance(parse(value), Malformed), value
        assert canonical(value) == value
    check_codecs(trace, flow)
    assert outside(trace, flow) == []


def check_codecs(trace: Trace, flow: bytes) -> None:
    """Nothing is lost in either notation."""
    parsed = parse_compact(encode_compact(trace, Compact(same=True)))
    assert parsed.malformed is None, parsed.malformed
    assert parsed.steps == list(trace.steps)
    entry = 0 if trace.program.call is None else None
    found = cwm_parse.parse(
        cwm.encode(trace), trace.program.source, entry=entry, language="java", table=read_table(flow)
    )
    assert found.malformed is None, found.malformed
    wanted = cwm_frames(trace)
    got = [replace(frame, line=None, candidates=()) for frame in found.frames]
    assert got == [replace(frame, line=None, candidates=()) for frame in wanted]


def outside(trace: Trace, flow: bytes) -> list[str]:
    """The steps that the flow table does not allow."""
    functions: dict[tuple[str, int], list[dict[str, Any]]] = {}
    table = json.loads(flow)
    for function in table["functions"]:
        functions.setdefault((function["name"], function["line"]), []).append(function)
    found: list[str] = []
    last: dict[int, tuple[str, int]] = {}
    known: dict[int, list[dict[str, Any]]] = {}
    for step in trace.steps:
        if step.event in ("output", "input", "exit"):
            continue
        if step.event == "call":
            known[step.frame] = functions.get((trace.frames[step.frame].name, step.line), [])
        before = last.get(step.frame, ("call", 0))
        if not any(_allows(function, before, step, table["globals"]) for function in known[step.frame]):
            found.append(f"step {step.i} ({step.event} {step.line} after {before}) of {trace.frames[step.frame].name}")
        last[step.frame] = step.event, step.line
    return found


def _allows(function: dict[str, Any], before: tuple[str, int], step: Any, globals_: list[str]) -> bool:
    event, line = before
    if not set(step.delta) <= {*function["names"], *globals_}:
        return False
    if step.event == "line":
        key = {"call": "start", "line": "next", "raise": "handlers"}[event]
        return step.line in (function["start"] if key == "start" else function[key].get(str(line), ()))
    if step.event == "return":
        return step.line in function["returns"]
    return step.event in ("call", "raise")
