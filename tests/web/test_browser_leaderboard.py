"""A leaderboard in a real browser: sorted by key and click, complete without scripts, never wider than a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import WIDE, tab

from worldline.core.stats import Share
from worldline.evaluation.leaderboard.board import arrange
from worldline.evaluation.leaderboard.entry import BoardEntry
from worldline.evaluation.leaderboard.find import FoundRun
from worldline.ui.report.leaderboard.board_page import board_page

PHONE = {"width": 390, "height": 800}
NAMES = "table.board tbody th .model"


def entry(model: str, suite: str, right: int, traces: int) -> BoardEntry:
    """A run of 800 programs."""
    name = f"{model} {suite}"
    return BoardEntry(
        run=FoundRun(Path(name), name, name),
        row=model,
        model=model,
        way=(),
        suite=suite,
        settings={},
        seed="0",
        weights="",
        programs=frozenset(map(str, range(800))),
        n=800,
        figures={"answer": Share(right, 800), "trace": Share(traces, 800)},
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with three models, one of them without a figure in the second suite."""
    entries = [
        entry("alpha", "crux", 100, 90),
        entry("beta", "crux", 300, 50),
        entry("beta", "generated", 700, 600),
        entry("gamma", "crux", 200, 90),
        entry("gamma", "generated", 400, 300),
    ]
    path = tmp_path_factory.mktemp("board") / "index.html"
    path.write_text(board_page(arrange(entries), {one.run.origin: "report.html" for one in entries}))
    return path.as_uri()


@pytest.fixture
def opened(chromium: Any, address: str) -> Iterator[Any]:
    """The page in a wide window; whatever a test did, it must not have complained."""
    page, complaints = tab(chromium, size=WIDE)
    page.goto(address)
    yield page
    assert complaints.heard == []
    page.context.close()


def own(page: Any) -> list[str]:
    """The measured models from top to bottom."""
    names: list[str] = page.locator(f"tr.measured {NAMES.rpartition(' ')[2]}").all_inner_texts()
    return names


def head(page: Any, at: int) -> Any:
    """A head of the last row of heads."""
    return page.locator("table.board thead tr:last-child th").nth(at)


def test_it_is_sorted_by_click_and_back(opened: Any) -> None:
    assert own(opened) == ["beta", "gamma", "alpha"]
    assert head(opened, 1).get_attribute("aria-sort") == "descending"
    head(opened, 1).locator("button").click()
    assert own(opened) == ["alpha", "gamma", "beta"]
    assert head(opened, 1).get_attribute("aria-sort") == "ascending"
    head(opened, 0).locator("button").click()
    assert own(opened) == ["alpha", "beta", "gamma"]
    assert head(opened, 1).get_attribute("aria-sort") is None


def test_it_is_sorted_by_keyboard(opened: Any) -> None:
    head(opened, 3).locator("button").focus()
    opened.keyboard.press("Enter")
    assert own(opened) == ["beta", "gamma", "alpha"]
    assert head(opened, 3).get_attribute("aria-sort") == "descending"


def test_rows_without_a_figure_stay_last_and_equal_ones_keep_their_order(opened: Any) -> None:
    for _ in range(2):
        head(opened, 3).locator("button").click()
        assert own(opened)[-1] == "alpha"
    head(opened, 2).locator("button").click()
    assert own(opened) == ["gamma", "alpha", "beta"]
    head(opened, 2).locator("button").click()
    assert own(opened) == ["beta", "gamma", "alpha"]


def test_published_rows_can_be_hidden(opened: Any) -> None:
    published = opened.locator("tr.published")
    assert published.count() > 10
    assert published.first.is_visible()
    opened.get_by_label("Show published rows").uncheck()
    assert not published.first.is_visible()
    assert opened.locator("tr.measured").first.is_visible()


def test_without_scripts_it_is_complete(chromium: Any, address: str) -> None:
    context = chromium.new_context(viewport=WIDE, java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert own(page) == ["beta", "gamma", "alpha"]
    assert page.locator("table.board button").count() == 0
    assert "37.5" in page.locator("tr.measured").first.inner_text()
    context.close()


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_scrolls_the_table_and_not_the_page(chromium: Any, address: str, dark: bool) -> None:
    page, complaints = tab(chromium, size=PHONE, dark=dark)
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    table = page.locator(".wide").first
    assert table.evaluate("element => element.scrollWidth > element.clientWidth")
    table.evaluate("element => { element.scrollLeft = 200 }")
    first = page.locator(NAMES).first.bounding_box()
    assert first is not None
    assert first["x"] >= 0
    assert complaints.heard == []
    page.context.close()
