"""Golden traces: programs under golden/, their steps as recorded once per interpreter version and then looked at.

`WORLDLINE_GOLDEN=write` writes them anew: read the difference before you commit it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from interpreters import FOUND

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.recorder import record

LIMITS = Limits(wall=300)  # it only guards against hanging
GOLDEN = Path(__file__).parent / "golden"
PROGRAMS = sorted(path.stem for path in GOLDEN.glob("*.py"))


def row(step: dict[str, object]) -> str:
    """One step on one line, so that differences read well."""
    return json.dumps(step, ensure_ascii=True)


@pytest.mark.parametrize("core", ["native", "python"])
@pytest.mark.parametrize("version", FOUND)
@pytest.mark.parametrize("name", PROGRAMS)
def test_golden(name: str, version: str, core: str) -> None:
    source = (GOLDEN / f"{name}.py").read_text()
    trace = record(Program(source=source, name=f"{name}.py"), python=FOUND[version], core=core, limits=LIMITS)
    got = [f"{trace.outcome.kind} {trace.outcome.detail}".rstrip(), *(row(step.as_json()) for step in trace.steps)]
    path = GOLDEN / f"{name}.{version}.jsonl"
    if os.environ.get("WORLDLINE_GOLDEN") == "write":
        path.write_text("\n".join(got) + "\n")
    assert got == path.read_text().splitlines()
