"""The adapter shows the order of all front ends: a stop is before its step, or at a line that has just executed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dapclient import Adapter
from foreign_runs import LANGUAGES
from shown_order import PYTHON_PROGRAMS, recorded

from worldline.core.trace import Trace

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.mark.parametrize("name", [*PYTHON_PROGRAMS, *LANGUAGES])
def test_the_debug_adapter(name: str, tmp_path: Path) -> None:
    """A stop is before its step: it shows what rows have shown so far, and the arguments of a call."""
    trace, rows = recorded(name)
    program = trace.program
    path = tmp_path / program.name
    path.write_text(program.source)
    options: dict[str, Any] = {} if program.call is None else {"call": program.call}
    options |= {} if not program.stdin else {"stdin": program.stdin}
    with Adapter() as adapter:
        adapter.launch(program=str(path), model="interpreter", stopOnEntry=True, **options)
        adapter.stopped()
        for p in range(len(trace)):
            frames = adapter.ask("stackTrace", threadId=1)["stackFrames"]
            assert frames[0]["line"] == trace[p].line
            serial, before = trace[p].frame, rows[p - 1].state if p else {}
            starts = {serial: trace[p].delta} if trace[p].event == "call" else {}
            wanted = [(before | starts).get(frame, {}) for frame in chain(trace, serial)[: len(frames)]]
            if trace[p].event != "resume" and name != "generators":
                shown = [adapter.scope("Predicted", depth) for depth in range(len(frames))]
            else:  # who resumes a generator is not who created it
                shown, wanted = [adapter.scope("Predicted")], wanted[:1]
            assert shown == wanted, p
            adapter.step("stepIn", granularity="instruction")


def chain(trace: Trace, frame: int) -> list[int]:
    """A frame and those that called it."""
    return [frame, *chain(trace, trace.frames[frame].parent)] if frame >= 0 else []
