"""HumanEval-X in Java: each program with its own tests ends as in a plain run, and its trace is what a trace must be.

All 164 with FULL=1, every twentieth otherwise.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from java_runs import HAS_JDK, SHARED, WHOLE, JavaRecorder, check, plain, recorder, status_of

DATA = SHARED / "data" / "humaneval-x" / "java.jsonl.gz"
pytestmark = [
    pytest.mark.usefixtures("sandbox"),
    pytest.mark.skipif(not HAS_JDK, reason="no JDK"),
    pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not here"),
]


def tasks() -> list[Any]:
    if not DATA.exists():
        return []
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return found if WHOLE else found[::20]


@pytest.fixture(scope="module")
def java() -> Iterator[JavaRecorder]:
    with recorder() as found:
        yield found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("task", tasks(), ids=lambda task: task["task_id"].replace("/", "-"))
def test_a_task_ends_as_in_a_plain_run(task: Any, java: JavaRecorder) -> None:
    source = task["prompt"] + task["canonical_solution"] + task["test"]
    trace, alone = java.record(source), plain(source)
    assert (status_of(trace), trace.output, trace.stderr) == (alone.status, alone.stdout, alone.stderr)
    check(trace, java.flow(trace))
