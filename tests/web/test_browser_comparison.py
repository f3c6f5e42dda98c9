"""The page that compares runs, in a real browser: on a desk and on a phone, in both themes, nothing is cut."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import tab

from worldline.ui.report.comparison.page import render_comparison
from worldline.ui.session import look

pytestmark = pytest.mark.usefixtures("sandbox")
DESK, PHONE = {"width": 1300, "height": 900}, {"width": 390, "height": 800}
# Cells of the main table that end outside the window.
OUTSIDE = """() => [...document.querySelectorAll('table.models td:not(.unknown), table.models tbody th')]
  .filter(cell => cell.getClientRects().length && cell.getBoundingClientRect().right > innerWidth)
  .map(cell => cell.innerText)"""
HEADS = "[...document.querySelectorAll('h1, h2, h3')].map(head => Number(head.tagName[1]))"


@pytest.fixture(scope="module")
def address(erring: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "comparison.html"
    path.write_text(render_comparison(list(erring), limit=20)[0], "utf-8")
    return path.as_uri()


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nothing_is_cut(chromium: Any, address: str, size: dict[str, int], dark: bool) -> None:
    page, complaints = tab(chromium, size=size, dark=dark)
    page.goto(address)
    page.evaluate("for (const card of document.querySelectorAll('details')) card.open = true")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate(OUTSIDE) == []
    ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert ground == ("rgb(20, 23, 27)" if dark else "rgb(247, 246, 243)")
    assert page.locator("details.failure tr.first .sign.wrong").first.inner_text() == look.SIGNS["wrong"]
    assert page.locator("table.flip-traces mark").count()
    assert complaints.heard == []
    page.context.close()


def test_the_phone_names_each_figure_and_the_desk_shows_every_p(chromium: Any, address: str) -> None:
    page, _ = tab(chromium, size=PHONE)
    page.goto(address)
    before = "getComputedStyle(document.querySelectorAll('table.models tr:last-child td')[3], '::before').content"
    assert page.evaluate(before) == '"p"'
    assert page.locator("table.models tbody tr").last.locator("td:visible").count() == 7
    page.set_viewport_size(DESK)
    wide = page.evaluate("[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth).length")
    assert wide == 0
    page.context.close()


def test_a_screen_reader_finds_its_way(chromium: Any, address: str) -> None:
    page, _ = tab(chromium)
    page.goto(address)
    levels = page.evaluate(HEADS)
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.evaluate("[...document.querySelectorAll('svg')].every(chart => chart.querySelector(':scope > title'))")
    scopes = page.evaluate("[...document.querySelectorAll('table.models th')].map(head => head.scope)")
    assert set(scopes) == {"col", "colgroup", "row"}
    page.context.close()
