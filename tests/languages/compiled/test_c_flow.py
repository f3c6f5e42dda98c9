"""No recorded run of a C program leaves the control flow that was read off its assembly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import warm

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.languages import toolchain
from worldline.recording.recorder import flow_of

pytestmark = [
    pytest.mark.usefixtures("sandbox"),
    pytest.mark.skipif(isinstance(toolchain.find("c"), str), reason="no C compiler"),
]
HERE = Path(__file__).parent
PROGRAMS = [*sorted((HERE / "c").glob("*.c")), HERE / "hostile" / "jump_loop.c", HERE / "hostile" / "flags_live.c"]


def outside(trace: Trace, flow: dict[str, Any]) -> list[str]:
    """Every step of a trace that its control flow does not allow."""
    known = {row["name"]: row for row in flow["functions"]}
    last: dict[int, int] = {}
    wrong: list[str] = []
    for step in trace.steps:
        row = known[trace.frames[step.frame].name]
        if step.event == "call" and step.line != row["line"]:
            wrong.append(f"call of {row['name']} in line {step.line}")
        elif step.event == "line":
            allowed = row["next"][str(last[step.frame])] if step.frame in last else row["start"]
            if step.line not in allowed:
                wrong.append(f"{row['name']}: {last.get(step.frame)} -> {step.line}, not of {allowed}")
            last[step.frame] = step.line
        elif step.event == "return" and step.line not in row["returns"]:
            wrong.append(f"{row['name']}: return from {step.line}")
        wrong += [f"{row['name']}: {name}" for name in step.delta if name not in row["names"]]
    return wrong


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_no_run_leaves_it(path: Path) -> None:
    program = Program(source=path.read_text(), name=path.name)
    trace = warm.record(program, Limits(wall=120))
    flow = flow_of(program)  # of what was prepared for the recording
    assert flow is not None
    assert outside(trace, json.loads(flow)) == []


def test_an_impossible_next_line_is_impossible() -> None:
    path = HERE / "c" / "jumps.c"
    flow = flow_of(Program(source=path.read_text(), name=path.name))
    assert flow is not None
    pick = next(row for row in json.loads(flow)["functions"] if row["name"] == "pick")
    lines = path.read_text().split("\n")
    after = {lines[int(line) - 1].split("//")[0].strip(): found for line, found in pick["next"].items()}
    assert [lines[line - 1].split("//")[0].strip() for line in after["return 10;"]] in ([], ["return n;"])
    assert [lines[line - 1].split("//")[0].strip() for line in after["n *= 2;"]] == ["return n;"]
    assert len(after["switch (n) {"]) == 4
