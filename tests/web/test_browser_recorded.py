"""A recorded test in a real browser: it opens at the failure, steps back, and shows the file of each frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser import shows, tab, texts
from serving import Served, serving

pytestmark = pytest.mark.usefixtures("sandbox")
SHOP = "def gross(net):\n    tax = net // 5\n    total = net + tax + 1\n    return total\n"
TEST = "import shop\n\n\ndef test_gross():\n    found = shop.gross(10)\n    assert found == 12\n"
# Steps: 0 call, 1 line 5, 2 call of gross, 3-5 its lines, 6 its return, 7 line 6, 8 the exception.
PROGRAM = {"name": "test_shop.py", "source": TEST, "files": [["shop.py", SHOP]], "call": "test_gross()"}


@pytest.fixture(scope="module")
def served(sandbox: None) -> Iterator[Served]:
    with serving(recorded=[PROGRAM]) as server:
        yield server


@pytest.fixture(scope="module")
def tabs(chromium: Any, served: Served) -> Any:
    page, complaints = tab(chromium)
    page.goto(served.url)
    page.wait_for_selector(".sample-view")
    return page, complaints


def source(page: Any) -> tuple[str, list[str]]:
    """The file that is shown, and its current line."""
    return page.inner_text(".source-panel header .code"), texts(page, ".source .here .line-number")


def test_it_opens_at_the_failure_and_steps_back_into_the_other_file(page: Any) -> None:
    shows(page, 8)
    assert source(page) == ("test_shop.py", ["6"])
    page.keyboard.press("ArrowLeft")
    shows(page, 7)
    page.keyboard.press("ArrowLeft")
    shows(page, 6)
    assert source(page) == ("shop.py", ["4"])
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    shows(page, 4)
    assert source(page) == ("shop.py", ["3"])
    assert "net + tax + 1" in page.inner_text(".source .here .text")
    assert texts(page, ".state-panel tr[data-name='total'] td:visible")[0].startswith("13")
    page.keyboard.press("Shift+O")
    shows(page, 3)


def test_the_history_of_the_value_leads_to_its_writer(page: Any) -> None:
    page.click(".failure .place:text-is('test_shop.py:6')")
    shows(page, 8)
    writer = page.locator(".failure .links .writer")
    assert writer.count() == 1
    assert "total = 13" in writer.inner_text()
    writer.locator(".place").click()
    shows(page, 4)
    assert writer.locator(".place").get_attribute("aria-current") == "step"


def test_a_breakpoint_in_the_other_file_stops_going_back(page: Any) -> None:
    page.click(".failure .links .writer .place")
    shows(page, 4)
    page.click(".source .line-number:text-is('2')")
    assert texts(page, ".source .stops .line-number") == ["2"]
    page.click(".failure .place:text-is('test_shop.py:6')")
    shows(page, 8)
    page.keyboard.press("C")
    page.wait_for_selector(".said:text('the breakpoint at shop.py:2')")
    shows(page, 3)


def test_nothing_is_called_a_prediction(page: Any) -> None:
    shown = page.inner_text(".sample-view").lower()
    assert "why it failed" in shown
    for word in ("predict", "model", "actual", "intervene", "verdict"):
        assert word not in shown, word
