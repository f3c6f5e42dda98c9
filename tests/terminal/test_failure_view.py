"""A failing test in the terminal: printed, on a page, and stepped through from its failure backwards."""

from __future__ import annotations

import asyncio
from functools import cache

import pytest
from rich.console import Console

from worldline.core.program import Program
from worldline.core.repository.recorded_test import Instance, RecordedTest
from worldline.diagnose.failure import explain_failure
from worldline.recording.recorder import record
from worldline.ui.report.failure_page import failure_page
from worldline.ui.session.session import Session
from worldline.ui.terminal.failure import print_failure
from worldline.ui.terminal.step.app import StepApp

pytestmark = pytest.mark.usefixtures("sandbox")
SHOP = "def gross(net):\n    tax = net // 5\n    total = net + tax + 1\n    return total\n"
TEST = "import shop\n\n\ndef test_gross():\n    found = shop.gross(10)\n    assert found == 12, '<b>\x1b[31m'\n"
PROGRAM = Program(source=TEST, name="test_shop.py", files=(("shop.py", SHOP),), call="test_gross()")


@cache
def failing() -> RecordedTest:
    trace = record(PROGRAM)
    return RecordedTest(instance=Instance(name="shop"), id="test_shop.py::test_gross", outcome="failed", trace=trace)


def printed(rows: int = 0, width: int = 110) -> str:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        print_failure(console, explain_failure(failing()), failing().trace, rows=rows)
    return capture.get()


def test_the_last_steps_the_writer_and_the_calls_are_printed() -> None:
    text = printed()
    lines = text.splitlines()
    assert lines[0] == "test_shop.py::test_gross  failed  9 steps"
    assert next(line for line in lines if line.startswith("▶")).startswith("▶    8 test_shop.py:6 ")
    assert "written by  shop.py:3 in gross, step 4: total = net + tax + 1" in lines
    assert [line.split()[:3] for line in lines if line.lstrip().startswith("▶") and "shop.py:3" in line] == [
        ["▶", "4", "shop.py:3"]
    ]
    assert lines[-1] == "call chain  test_shop.py:6 in test_gross()"
    assert "\x1b" not in text


def test_only_as_many_of_the_last_steps_as_asked_for() -> None:
    lines = printed(rows=3).splitlines()
    assert lines[1] == "  ... 6 earlier steps not shown; --rows 0 shows all"
    assert [line.split()[0] for line in lines[2:4]] == ["6", "7"]


@pytest.mark.parametrize("width", [40, 60, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, printed(width=width).splitlines())) <= width


def test_the_page_shows_the_same_and_escapes_it() -> None:
    page = failure_page(explain_failure(failing()), failing().trace)
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "total = 13" in page
    assert "Last steps" in page
    assert page.count('class="first"') == 2, "the writer and the exception"


def test_the_stepper_starts_at_the_failure_and_goes_back_into_the_other_file() -> None:
    test = failing()
    assert test.trace is not None
    app = StepApp(Session.of_trace(test.trace, name=test.id, failure=explain_failure(test)), None)

    def shown(name: str) -> str:
        return app.panels[name].render().plain

    async def run() -> None:
        async with app.run_test(size=(120, 30)) as pilot:
            await pilot.pause()
            assert app.cursor.row == 8
            assert "failed: AssertionError" in shown("heading")
            assert "raised: AssertionError" in shown("place")
            assert "assert found == 12" in shown("source")
            await pilot.press(*["left"] * 4)
            await pilot.pause()
            assert app.cursor.row == 4
            assert "total = net + tax + 1" in shown("source")
            assert "import shop" not in shown("source")
            assert "total = 13" in shown("place")
            assert "recorded" in shown("state")
            assert "predicted" not in "\n".join(map(shown, app.panels))

    try:
        asyncio.run(run())
    finally:
        app.end()
