"""The pictures of docs/how-to/page.md: a divergence of the shipped model, a run's overview, a live intervention.

    python benchmarks/screenshots.py [RUN]      a run made by `worldline bench ... -o RUN`; without it, no overview

Real server, real browser. It judges nothing: look at them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
CHROMIUM, ARGS = "/usr/bin/chromium", ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
PROGRAM = ("examples/paint.py", "paint([[1, 2], [3, 4]])")
"""The divergence of the README."""
PATIENCE = 120_000  # ms: a model writes on a CPU


def main(*runs: str) -> None:
    """Take all three, or two without a run."""
    verb = [sys.executable, "-m", "worldline", "view", *runs, PROGRAM[0], "--call", PROGRAM[1]]
    verb += ["--model", "default", "--port", "0"]
    with subprocess.Popen(verb, cwd=HERE.parent, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
                page = browser.new_page(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
                page.set_default_timeout(PATIENCE)
                page.goto(address)
                if runs:
                    _overview(page)
                _divergence(page)
                _intervention(page)
        finally:
            server.terminate()


def _shoot(page: Any, name: str) -> None:
    page.wait_for_timeout(500)  # the last frame of what was asked for
    page.screenshot(path=HERE.parent / "docs" / "images" / f"page-{name}.png")
    print(f"docs/images/page-{name}.png")


def _overview(page: Any) -> None:
    page.evaluate("location.hash = '#/run/0'")
    page.wait_for_selector(".samples [role=row]")
    _shoot(page, "overview")


def _divergence(page: Any) -> None:
    page.evaluate("location.hash = '#/run/live/sample/0'")
    page.wait_for_selector(".sample-view")
    page.wait_for_selector(".story >> text=limit")  # the last thing that is known
    page.keyboard.press("f")
    _shoot(page, "divergence")


def _intervention(page: Any) -> None:
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    page.wait_for_selector(".branches-panel >> text=copy = ")
    page.wait_for_selector(".branches-panel .running", state="detached")
    _shoot(page, "intervention")


if __name__ == "__main__":
    main(*sys.argv[1:2])
