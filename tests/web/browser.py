"""A real browser for the page's tests: Debian's chromium, driven by playwright. One browser a test module: playwright's
event loop would stand in the way of other modules' `asyncio.run` if it lived longer. It does not start servers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

CHROMIUM = "/usr/bin/chromium"
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
WIDE = {"width": 1400, "height": 900}
NARROW = {"width": 375, "height": 800}
OPENING = 120_000  # ms; a long run on a busy machine
VISITS = count()  # makes every address a new one, whatever was shown before


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser; a machine without one has nothing to see here."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no {CHROMIUM} on this machine")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


class Complaints:
    """What a page complained of: uncaught errors, console errors, violations of its content security policy."""

    def __init__(self, page: Any) -> None:
        self.heard: list[str] = []
        page.on("pageerror", lambda error: self.heard.append(f"uncaught: {error}"))
        page.on("console", lambda message: self.hear(message))

    def hear(self, message: Any) -> None:
        if message.type == "error":
            self.heard.append(f"console: {message.text}")


def tab(browser: Any, *, size: dict[str, int] = WIDE, dark: bool = False) -> tuple[Any, Complaints]:
    """A fresh tab with its own storage and the list of its complaints; animations are off."""
    context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light", reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(OPENING)
    return page, Complaints(page)


def go(page: Any, sample: int = 0, **params: Any) -> Any:
    """A sample of the first run by its address; back when it is shown."""
    if page.locator(f".sample-view[data-at='{sample}']").count():  # else what is there would be taken for what is asked
        page.evaluate("location.hash = '#/'")
        page.wait_for_selector(".sample-view", state="detached")
    address = f"#/run/0/sample/{sample}?{urlencode({**params, 'visit': next(VISITS)})}"
    page.evaluate("hash => { document.activeElement.blur(); location.hash = hash }", address)
    page.wait_for_selector(f".sample-view[data-at='{sample}']", timeout=OPENING)
    if "row" in params:
        shows(page, params["row"])
    return page


def shows(page: Any, row: int) -> None:
    """Waits until the sample view shows a step."""
    page.wait_for_selector(f".sample-view[data-row='{row}']")


def texts(page: Any, selector: str) -> list[str]:
    """What is read in each element that a selector finds."""
    return [text.strip() for text in page.locator(selector).all_inner_texts()]
