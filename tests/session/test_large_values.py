"""Large values in every front end: a change is shown by position, a state is cut in the middle with its length."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

import pytest
from rich.console import Console

from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.recording.recorder import record
from worldline.ui.session.chunk import chunk, chunks
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.terminal.table import print_trace

pytestmark = pytest.mark.usefixtures("sandbox")

LARGE = Program(
    source="""\
def f(n):
    xs = [i * i for i in range(n)]
    xs.append(7)
    xs[500] = -1
    del xs[3]
    grid = [[0] * 30 for i in range(30)]
    grid[20][10] = 8
    d = {i: i for i in range(n)}
    d[n] = n
    s = 'ab' * n
    s += 'xyz'
    return xs
""",
    call="f(600)",
    name="large.py",
)
# By line: what people see of it, wherever there is little room.
CHANGES = {
    3: "xs+=[7] (len 601)",
    4: "xs[500]=-1 (len 601)",
    5: "del xs[3] (len 600)",
    7: "grid[20][10]=8 (len 30)",
    9: "d[600]=600 (len 601)",
    11: "s+='xyz' (len 1,203)",
}


@lru_cache
def recorded() -> Trace:
    trace = record(LARGE)
    assert trace.outcome.kind == "returned"
    return trace


@lru_cache
def run() -> Run:
    ask = PredictionRequest(program=LARGE, limit=1 << 20)
    (truth,) = Interpreter().predict([ask])
    return Run("truth", ask, truth)


def rows_of_lines() -> dict[int, int]:
    """The step of each line of f."""
    return {step.line: step.i for step in recorded().steps if step.event == "line" and step.line in CHANGES}


@pytest.mark.parametrize("rows", [0, 40])
def test_the_table_of_a_narrow_terminal(rows: int) -> None:
    """Whether or not the step before is printed."""
    file = io.StringIO()
    print_trace(Console(file=file, width=80, color_system=None), recorded(), rows=rows)
    lines = file.getvalue().splitlines()
    assert all(len(line) <= 80 for line in lines)
    cells = {line.rpartition(" │ ")[2].rstrip() for line in lines}
    shown = {line: text for line, text in CHANGES.items() if rows == 0 or line == 11}
    assert set(shown.values()) <= cells, cells
    assert any(cell.startswith("return [0, 1, ") and cell.endswith(" (len 600)") for cell in cells)


def test_the_rows_of_the_page_have_excerpts() -> None:
    steps = rows_of_lines()
    rows = {row["row"]: row["left"] for k in range(20) for row in chunk_rows(k)}
    for line, text in CHANGES.items():
        cell = rows[steps[line]]
        assert cell["excerpts"] == {"0": text}
    ended = rows[len(run()) - 1]
    assert ended["excerpts"]["arg"].endswith("(len 600)")
    assert len(ended["arg"]) > 2_000


def chunk_rows(k: int) -> list[dict[str, Any]]:
    run_diff = RunDiff(run(), run())
    rows: list[dict[str, Any]] = chunk(run_diff, k)["rows"] if k < chunks(run_diff) else []
    return rows
