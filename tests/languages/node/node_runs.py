"""Recorded JavaScript and TypeScript programs, and what must hold of each: values, both notations, control flow."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.analyze.flow.table import read_table
from worldline.codec.compact import parse as compact_parse
from worldline.codec.compact import writer as compact
from worldline.codec.compact.prompt import Compact
from worldline.codec.cwm import parse as cwm_parse
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.frames import frames
from worldline.core.events import ENDED
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.core.value import Malformed
from worldline.core.value import parse as value_of
from worldline.recording.recorder import SandboxWorker

ROUND_TRIPS = 20_000  # steps: longer traces are not written and read back


def told(trace: Trace) -> set[str]:
    """Every value that a trace tells."""
    found = {value for step in trace.steps for value in step.delta.values()}
    return found | {step.arg for step in trace.steps if step.arg is not None}


def faults(trace: Trace, flow: bytes | None) -> list[str]:
    """What is wrong with a recorded trace: nothing, if all is well."""
    found = [f"no value: {text[:80]}" for text in told(trace) if isinstance(value_of(text), Malformed)]
    if len(trace) <= ROUND_TRIPS:
        found += _compact(trace) + _cwm(trace, flow)
    return found + ([] if flow is None else list(outside(trace, json.loads(flow))))


def _compact(trace: Trace) -> list[str]:
    text = compact.encode(trace, Compact(same=True))
    read = compact_parse.parse(text)
    if read.malformed is not None:
        return [f"compact: {read.malformed}"]
    return [] if read.steps == list(trace.steps) else ["compact: the steps differ"]


def _cwm(trace: Trace, flow: bytes | None) -> list[str]:
    table = None if flow is None else read_table(flow)
    entry = 0 if trace.program.call is None else None
    source, language = trace.program.source, trace.program.language
    read = cwm_parse.parse(cwm.encode(trace), source, entry=entry, language=language, table=table)
    if read.malformed is not None:
        return [f"cwm: {read.malformed}"]
    wanted = frames(trace)
    if [(f.event, f.locals, f.arg) for f in read.frames] != [(f.event, f.locals, f.arg) for f in wanted]:
        return ["cwm: the frames differ"]
    if table is None:
        return []  # equal lines are told apart by control flow
    pairs = list(zip(read.frames, wanted, strict=True))
    found = [f"cwm: line {got.line} for {true}" for got, true in pairs if got.line not in (None, true.line)]
    found += [f"cwm: frame {got.scope} for {true}" for got, true in pairs if got.scope != true.scope]
    return found + [f"cwm: not allowed: {true}" for got, true in pairs if not got.allowed]


@dataclass
class _Place:
    """Where a frame stands in its function's flow."""

    flows: list[dict[str, Any]]
    line: int | None = None
    raised: bool = False
    over: bool = False


def outside(trace: Trace, table: dict[str, Any]) -> Iterator[str]:
    """The steps that the control flow does not allow."""
    places: dict[int, _Place] = {}
    for step in trace.steps:
        frame = trace.frames[step.frame]
        if frame.file != trace.program.name:
            continue
        if step.event == "call":
            flows = [each for each in table["functions"] if (each["name"], each["line"]) == (frame.name, step.line)]
            places[step.frame] = _Place(flows)
            if not flows:
                yield f"{frame.name}: no function of its name on line {step.line}"
        place = places.get(step.frame)
        if place is None or not place.flows:
            continue
        if not any(_allows(flow, place, step.event, step.line) for flow in place.flows):
            yield f"{frame.name}: {step.event} on {step.line} after {place.line}"
        shown = set().union(*(flow["names"] for flow in place.flows))
        if not shown.issuperset(step.delta) or not shown.issuperset(step.gone):
            yield f"{frame.name}: names {sorted(set(step.delta) - shown)}"
        if step.event in ("line", "raise"):
            place.raised = step.event == "raise"
        if step.event == "line":
            place.line = step.line


def _allows(flow: dict[str, Any], place: _Place, event: str, line: int) -> bool:
    if event == "return":
        return line in flow["returns"]
    if event == "yield":
        return line in flow["yields"]
    if event != "line":
        return True
    if place.line is None:
        return line in flow["start"]
    after = flow["next"].get(str(place.line), [])
    return line in after or (place.raised and line in flow["handlers"].get(str(place.line), []))


def plain(source: str, name: str, folder: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The same program as `node FILE` runs it."""
    (folder / name).write_text(source)
    return subprocess.run(
        ["node", name], cwd=folder, input=stdin, capture_output=True, text=True, timeout=120, check=False
    )


def as_in_a_plain_run(trace: Trace, run: subprocess.CompletedProcess[str]) -> bool:
    """Whether a recorded program printed and ended as it does without a recorder."""
    kind = trace.outcome.kind
    status = {"returned": 0, "raised": 1}.get(kind)
    if kind == "exited":
        status = int(trace.outcome.detail)
    if kind == "killed":
        status = -signal.Signals[trace.outcome.detail].value
    return status == run.returncode and trace.output == run.stdout


def program(source: str, name: str = "program.js", **more: Any) -> Program:
    """A program of these tests."""
    return Program(source=source, name=name, **more)


def run(recorder: SandboxWorker, source: str) -> Trace:
    """The trace of a program that ends by itself, and that nothing is wrong with."""
    asked = program(source)
    trace = recorder.record(asked)
    assert trace.outcome.kind in ENDED, (trace.outcome, trace.stderr)
    assert faults(trace, recorder.in_language("js").flow(asked)) == []
    return trace
