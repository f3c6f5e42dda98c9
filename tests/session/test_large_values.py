"""Large values in every front end: a change is shown by position, a state is cut in the middle with its length."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from html import unescape
from typing import Any

import pytest
from plain_predictor import PlainPredictor
from rich.console import Console

from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.diagnose.debug import Debugged, debug
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.recording.recorder import record
from worldline.ui.report.debug_page import page as debug_page
from worldline.ui.session.chunk import chunk, chunks
from worldline.ui.session.heap.view import RUN_CHUNK, RunScenes
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.terminal.debug import print_debugged
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
SIDES = ("wanted", "got")
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


def test_a_value_in_the_run_view_shows_its_last_change() -> None:
    step = rows_of_lines()[11]
    part = RunScenes(run()).chunk(step // RUN_CHUNK)
    row = part["rows"][step % RUN_CHUNK]
    (text,) = [slot[0] for name, slot, *_ in part["frames"][row["frames"][-1]]["names"] if name == "s"]
    assert re.fullmatch(r"'[ab]+…[ab]+xyz' \(len 1,203\), after s\+='xyz'", text), text


class Wrong(PlainPredictor):
    """Predicts one other element."""

    name = "wrong"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for prediction in Interpreter().predict(asks):
            assert prediction.text.count(b", -1, ") >= 2
            yield replace(prediction, text=prediction.text.replace(b", -1, ", b", -2, "))


@lru_cache
def debugged() -> Debugged:
    return debug(LARGE, Wrong(), max_bytes=1 << 20, interventions=False)


def test_a_prediction_beside_the_run() -> None:
    """Each side shows its change by position; where both changes are the same, the place where the values differ."""
    file = io.StringIO()
    print_debugged(Console(file=file, width=100, color_system=None), debugged(), rows=20)
    rows = {line.split(" │ ")[0][2:6].strip(): line.split(" │ ") for line in file.getvalue().splitlines()}
    steps = {line: str(step) for line, step in rows_of_lines().items()}
    wanted, got = (cell.strip() for cell in rows[steps[4]][1:])
    assert wanted.startswith("xs[500]=-1 (len")
    assert got.startswith("xs[500]=-2 (len")
    wanted, got = (cell.strip() for cell in rows[steps[5]][1:])
    assert re.fullmatch(r"xs=…[\d, ]+ -1, [\d, ]*…", wanted)
    assert re.fullmatch(r"xs=…[\d, ]+ -2, [\d, ]*…", got)
    assert [cell.strip() for cell in rows[steps[3]][1:]] == [CHANGES[3], CHANGES[3]]


def test_the_report_has_the_same_changes() -> None:
    cells = re.findall(r'<td class="(wanted|got)">(.*?)</td>', debug_page(debugged()))
    texts = {side: [unescape(re.sub(r"<[^>]*>", "", cell)) for kind, cell in cells if kind == side] for side in SIDES}
    same = {text for line, text in CHANGES.items() if line not in (4, 5)}
    assert {*same, "xs[500]=-1 (len 601)"} <= {*texts["wanted"]}
    assert {*same, "xs[500]=-2 (len 601)"} <= {*texts["got"]}
    assert max(len(text) for text in (*texts["wanted"], *texts["got"])) < 400
