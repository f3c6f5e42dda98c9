"""The page of `worldline futures` in a real browser: figures are drawn, text is escaped, nothing is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import tab
from drawing_programs import SOURCES

from worldline.cli import main

pytestmark = pytest.mark.usefixtures("sandbox")


def test_the_page_in_a_browser(tmp_path: Path, chromium: Any) -> None:
    (tmp_path / "coins.py").write_text(SOURCES["coins"])
    page = tmp_path / "page.html"
    words = ["futures", str(tmp_path / "coins.py"), "--call", "f(2)", "--model", "interpreter", "--html", str(page)]
    assert main(words) == 0
    text = page.read_text("utf-8")
    assert "<script" not in text
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    shown, complaints = tab(chromium)
    shown.goto(page.as_uri())
    assert shown.locator("#figure-masses").bounding_box()["height"] > 50
    assert shown.locator("#figure-reliability circle").count() > 0
    assert "own odds" in shown.locator("table.sums").first.inner_text()
    assert "0.0000" in shown.locator("table.sums").nth(1).inner_text()
    assert complaints.heard == []
