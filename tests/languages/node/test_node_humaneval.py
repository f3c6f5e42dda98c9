"""HumanEval-X in JavaScript, and the same with types: each program with its tests ends as in a plain run.

A few of the 164 here; all with FULL=1. Two of them need more than the default limits: 36 (a long list, told anew each
time it grows) and 75 (9.6 million steps).
"""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from node_runs import as_in_a_plain_run, faults, plain, program

from worldline.recording.recorder import SandboxWorker

SHARED = Path(os.environ.get("SHARED") or Path(__file__).parents[4] / "shared")
DATA = SHARED / "data" / "humaneval-x" / "js.jsonl.gz"
LONG = {"JavaScript/36": "limit bytes", "JavaScript/75": "limit steps"}
pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not here")]


def tasks() -> list[Any]:
    if not DATA.exists():
        return []
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return found if os.environ.get("FULL") else found[3::27]


def source_of(task: Any) -> str:
    return str(task["prompt"] + task["canonical_solution"] + "\n" + task["test"])


def typed(source: str) -> str:
    """The same with types: parameters and results of the functions that are named, and of their variables."""

    def head(found: re.Match[str]) -> str:
        params = [f"{name.strip()}: any" for name in found[2].split(",") if name.strip()]
        return f"const {found[1]} = ({', '.join(params)}): any => {{"

    text = re.sub(r"^const (\w+) = \(([\w, ]*)\) => \{", head, source, flags=re.MULTILINE)
    return re.sub(r"^(\s+let \w+) = ", r"\1: any = ", text, flags=re.MULTILINE)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("task", tasks(), ids=lambda task: task["task_id"].replace("/", "-"))
@pytest.mark.parametrize("name", ["program.js", "program.ts"])
def test_a_task_ends_as_in_a_plain_run(task: Any, name: str, recorder: SandboxWorker, tmp_path: Path) -> None:
    source = source_of(task)
    asked = program(source if name.endswith(".js") else typed(source), name)
    trace = recorder.record(asked)
    if task["task_id"] in LONG:
        assert f"{trace.outcome.kind} {trace.outcome.detail}" == LONG[task["task_id"]]
        return
    assert as_in_a_plain_run(trace, plain(source, "program.js", tmp_path)), (trace.outcome, trace.stderr)
    assert faults(trace, recorder.in_language(asked.language).flow(asked)) == []
