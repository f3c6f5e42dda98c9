"""Go programs recorded and run plainly, and what must hold of every recording of one."""

from __future__ import annotations

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

DEADLINE = 120.0
HAS_GO = shutil.which("go") is not None
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": "/usr/bin:/bin", "GO111MODULE": "off"}


@dataclass(frozen=True)
class GoRecorder:
    """Records Go programs, and knows their flow."""

    worker: SandboxWorker

    def record(self, source: str, **more: Any) -> Trace:
        """The trace of one program."""
        return self.worker.record(Program(source=source, **{"name": "program.go", **more}))

    def flow(self, trace: Trace) -> bytes:
        """The flow table of a recorded program."""
        table = self.worker.in_language("go").flow(trace.program)
        assert table is not None
        return table


@contextmanager
def recorder(*, trust: bool = False, **limits: Any) -> Iterator[GoRecorder]:
    """One worker for many programs."""
    worker = SandboxWorker(prepare(limits=Limits(**{"wall": 120, **limits}), python=None, core="auto", trust=trust))
    try:
        yield GoRecorder(worker)
    finally:
        worker.close()


@dataclass(frozen=True)
class Plain:
    """How a plain run ended."""

    stdout: str
    stderr: str
    status: int


def plain(
    source: str, stdin: str = "", argv: tuple[str, ...] = (), environment: Mapping[str, str] = MappingProxyType({}),
    keep: tuple[int, ...] = (),
) -> Plain:  # fmt: skip
    """`go build`, and the program alone, as anyone runs it."""
    with tempfile.TemporaryDirectory(prefix="go-") as folder:
        Path(folder, "program.go").write_text(source)
        outside = {**ENVIRONMENT, "HOME": folder, "GOCACHE": cache()}
        go = shutil.which("go")
        assert go is not None
        subprocess.run([go, "build", "program.go"], cwd=folder, check=True, env=outside, timeout=DEADLINE)
        done = subprocess.run(
            ["./program", *argv], cwd=folder, input=stdin.encode(), capture_output=True, timeout=DEADLINE,
            env={**outside, **environment}, pass_fds=keep, check=False,
        )  # fmt: skip
        said = (text.decode(errors="backslashreplace") for text in (done.stdout, done.stderr))
        return Plain(*said, done.returncode)


def cache() -> str:
    """The folder in which plain builds keep what they compile."""
    return os.path.join(tempfile.gettempdir(), "worldline-go-tests")


def status_of(trace: Trace) -> int | None:
    """The exit status that an outcome stands for; None where it is no end of the program's own."""
    kind, detail = trace.outcome.kind, trace.outcome.detail
    if kind == "killed":
        return -signal.Signals[detail].value
    return {"returned": 0, "raised": 2, "exited": int(detail) if kind == "exited" else 0}.get(kind)


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
    frames = cwm_parse.parse(
        cwm.encode(trace), trace.program.source, entry=entry, language="go", table=read_table(flow)
    )
    assert frames.malformed is None, frames.malformed
    wanted = [replace(frame, line=None, candidates=()) for frame in cwm_frames(trace)]
    assert [replace(frame, line=None, candidates=()) for frame in frames.frames] == wanted


def outside(trace: Trace, flow: bytes) -> list[str]:
    """The steps that the flow table does not allow."""
    functions: dict[tuple[str, int], list[dict[str, Any]]] = {}
    table = json.loads(flow)
    for function in table["functions"]:
        functions.setdefault((function["name"], function["line"]), []).append(function)
    wrong: list[str] = []
    last: dict[int, tuple[str, int]] = {}
    known: dict[int, list[dict[str, Any]]] = {}
    for step in trace.steps:
        if step.event in ("output", "input", "exit"):
            continue
        if step.event == "call":
            known[step.frame] = functions.get((trace.frames[step.frame].name, step.line), [])
        before = last.get(step.frame, ("call", 0))
        if not any(_allows(function, before, step) for function in known[step.frame]):
            wrong.append(f"step {step.i} ({step.event} {step.line} after {before}) of {trace.frames[step.frame].name}")
        last[step.frame] = step.event, step.line
    return wrong


def _allows(function: dict[str, Any], before: tuple[str, int], step: Any) -> bool:
    event, line = before
    if not set(step.delta) <= set(function["names"]):
        return False
    if step.event == "line":
        key = {"call": "start", "line": "next", "raise": "handlers"}[event]
        return step.line in (function["start"] if key == "start" else function[key].get(str(line), ()))
    if step.event == "return":
        return step.line in function["returns"]
    return step.event in ("call", "raise")
