"""One order for people: a row shows what happened from its event to the next one, in every front end.

Terminal, `show --step`, page, stepper and report show the same run; each is compared, step by step, with the order as
`shown_order` defines it. So are the debug adapter (`tests/dap`) and the page in a browser (`tests/web`).
"""

from __future__ import annotations

import io
import json
import re
from functools import lru_cache
from html import unescape
from typing import Any

import pytest
from foreign_runs import LANGUAGES
from rich.console import Console
from shown_order import PYTHON_PROGRAMS, THREADS, ShownRow, naive_changes, naive_rows, recorded
from test_chunk import Page

from worldline.core.hidden import Control
from worldline.core.state import state_at
from worldline.core.trace import Trace
from worldline.diagnose.debug import debug
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.recording.recorder import record
from worldline.ui.report.debug_page import page as debug_page
from worldline.ui.session.chunk import chunk, chunks
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.terminal.state import print_state
from worldline.ui.terminal.step.row_view import row_view
from worldline.ui.terminal.table import print_trace

pytestmark = pytest.mark.usefixtures("sandbox")
ALL = [*PYTHON_PROGRAMS, *LANGUAGES]


@lru_cache
def run_of(name: str, codec: str = "compact") -> Run:
    """The same run as a text says it."""
    ask = PredictionRequest(program=recorded(name)[0].program, limit=1 << 20)
    (truth,) = Interpreter(codec=codec).predict([ask])
    assert truth.status == "ended"
    return Run("truth", ask, truth)


def printed(trace: Trace, step: int | None = None) -> str:
    """What the terminal shows of a trace, or of one step."""
    file = io.StringIO()
    console = Console(file=file, width=2_000, color_system=None)
    if step is None:
        print_trace(console, trace, rows=0)
    else:
        print_state(console, trace, step)
    return file.getvalue()


def table_cells(trace: Trace) -> list[str]:
    """The last column of the terminal's table."""
    lines = printed(trace).splitlines()[1 : len(trace) + 1]
    assert [int(line.split()[0]) for line in lines] == list(range(len(trace)))
    return [line.rpartition(" │ ")[2].rstrip() for line in lines]


def check_table(trace: Trace, rows: list[ShownRow]) -> None:
    for i, (cell, row) in enumerate(zip(table_cells(trace), rows, strict=True)):
        step, parts = trace[i], [part for part in cell.split("  ") if not re.search(r"^\w+ (is \w+|not shared)$", part)]
        wanted = naive_changes(trace, i, row)
        assert parts[len(parts) - len(wanted) :] == wanted, i
        told = parts[: len(parts) - len(wanted)]
        assert (step.event in "".join(told)) if step.event != "line" else not [part for part in told if "=" in part]


@pytest.mark.parametrize("name", ALL)
def test_the_table_of_a_terminal(name: str) -> None:
    check_table(*recorded(name))


@pytest.mark.parametrize("name", ALL)
def test_the_state_of_a_step(name: str) -> None:
    trace, rows = recorded(name)
    for i, row in enumerate(rows):
        frames = state_at(trace, i).frames
        assert trace[i].frame in frames
        assert frames == {frame: row.state.get(frame, {}) for frame in frames}
    for i in range(0, len(trace), 5):
        marked = re.findall(r"^ *\* (\S+) ", printed(trace, i), re.MULTILINE)
        assert sorted(marked) == sorted(
            name for maker in rows[i].makers for name in {**maker.delta, **maker.same} if name not in maker.gone
        )


def test_threads_do_not_delay_each_other() -> None:
    trace = record(THREADS, control=Control(schedule=1))
    rows = naive_rows(trace)
    waits = [i for i in range(len(trace)) if trace.shown_at[i] != i]
    assert len(trace.threads) == 3
    assert any(trace[i].thread != trace[j].thread for i in waits for j in range(i, trace.shown_at[i] + 1))
    for i, row in enumerate(rows):
        frames = state_at(trace, i).frames
        assert frames == {frame: row.state.get(frame, {}) for frame in frames}
    for i, (cell, row) in enumerate(zip(table_cells(trace), rows, strict=True)):
        assert cell.split("  ")[0] == str(trace[i].thread)
        assert all(change in cell for change in naive_changes(trace, i, row)), i


def names_of(stack: Any) -> dict[int, dict[str, str]]:
    return {live.frame: dict(live.values) for live in stack}


@pytest.mark.parametrize("name", ALL)
def test_the_page_and_the_stepper(name: str) -> None:
    """The chunks as the page applies them, and the rows of `worldline step`."""
    _, rows = recorded(name)
    run_diff = RunDiff(run_of(name), run_of(name))
    for k in range(chunks(run_diff)):
        part = json.loads(json.dumps(chunk(run_diff, k)))
        page = Page(part["left"])
        for entry in part["rows"]:
            i = entry["row"]
            page.fold(i, entry["left"])
            stack = page.stack(entry["left"]["frame"])
            shown = {frame: {n: value[0] for n, value in known.items()} for frame, _, _, known in stack}
            assert shown == {frame: rows[i].state.get(frame, {}) for frame in shown}, i
            view = row_view(run_diff, i).right
            assert view is not None
            assert names_of(view.stack) == shown
            changed = {(maker.frame, n) for maker in rows[i].makers for n in (*maker.delta, *maker.gone)}
            assert set(view.changed) == changed
            assert {(frame, n) for frame, n, *_ in entry["left"]["changes"]} == changed


@pytest.mark.parametrize("name", ["calls", "recursion"])
def test_the_page_of_a_run_in_metas_notation(name: str) -> None:
    """It repeats all locals before each line; people see the same order."""
    trace, rows = recorded(name)
    run = run_of(name, "cwm")
    actions = [(moment.event, moment.line) for moment in run.events]
    assert actions == [(step.event, step.line) for step in trace.steps]
    for i in range(len(run)):
        for live in run.stack(i):
            seen = {n: value for n, value in live.values.items() if not n.startswith("__")}
            assert seen == rows[i].state[live.frame], i


@pytest.mark.parametrize("name", list(PYTHON_PROGRAMS))
def test_the_report_of_debug(name: str) -> None:
    trace, rows = recorded(name)
    html = debug_page(debug(trace.program, Interpreter(), interventions=False))
    cells = re.findall(r'<td class="wanted">(.*?)</td>', html)
    assert len(cells) == len(trace)
    for i, (cell, row) in enumerate(zip(cells, rows, strict=True)):
        text = unescape(re.sub(r"<[^>]*>", "", cell.replace("</span> <span", "</span>\x00<span")))
        parts = [part for part in text.split("\x00") if part]
        wanted = naive_changes(trace, i, row)
        assert parts[len(parts) - len(wanted) :] == wanted, i


def test_what_is_read_comes_after_its_prompt_and_before_what_is_printed() -> None:
    trace, _ = recorded("input")
    cells = table_cells(trace)
    asked = [cell for i, cell in enumerate(cells) if trace[i].line == 6 and trace[i].event != "line"]
    assert asked == ["output 'colour? '", "input 'red\\n'", "output 'red BIG\\n'"]
    (name,) = (i for i, cell in enumerate(cells) if "name='Ada'" in cell)
    assert cells[name - 1] == "output 'name? '"
    assert cells[name] == "input 'Ada\\n'  name='Ada'"
