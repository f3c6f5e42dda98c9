"""Stepping as in a debugger, in a real browser: breakpoints by click and key, F10, F11, Shift-F11, space; aliases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import go, shows, tab, texts
from serving import Served, serving
from staged import Staged

from worldline.core.program import Program
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task

pytestmark = pytest.mark.usefixtures("sandbox")
FACT = "def fact(n):\n    # the base\n    if n < 2:\n        return 1\n    r = fact(n - 1)\n    return r * n\n"
ALIAS = "def f(n):\n    a = [n]\n    b = a\n    b.append(2)\n    c = a + []\n    return c\n"
LONG = "def g(n):\n    s = 0\n    while s < n:\n        s += 1\n    if s:\n        s = -s\n    return s\n"
TURNS = 3_000
WRONG = {"f": ((b" a=[1, 2] b=[1, 2]", b" b=[1, 2]"),), "fact": ((b" r=1\n", b" r=7\n"),)}
CALLS = ((FACT, "fact(3)"), (ALIAS, "f(1)"), (LONG, f"g({TURNS})"))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("runs") / "steps"
    tasks = [Task(program=Program(source=source, call=call), name=call) for source, call in CALLS]
    run(Suite(name="steps", tasks=tasks), Staged("wrong", WRONG), out=folder)
    with serving(folder) as server:
        yield server


@pytest.fixture(scope="module")
def tabs(chromium: Any, served: Served) -> Any:
    page, complaints = tab(chromium)
    page.goto(served.url)
    page.wait_for_selector("text=steps")
    return page, complaints


def row(page: Any) -> int:
    """The row in hand."""
    return int(page.get_attribute(".sample-view", "data-row"))


def dots(page: Any) -> list[str]:
    """The lines that have a breakpoint."""
    return texts(page, ".source .stops .line-number")


def test_the_keys_of_a_debugger(page: Any) -> None:
    go(page, row=2)
    page.keyboard.press("F11")
    shows(page, 3)
    page.keyboard.press("Shift+F11")
    page.wait_for_function("() => document.querySelector('.sample-view').dataset.row > 3")
    out = row(page)
    go(page, row=2)
    page.keyboard.press("F10")
    shows(page, out)  # over the call is out of it
    go(page, row=0)
    page.keyboard.press("?")
    assert {"F10", "F11", "Shift+F11", "Space", "F9", "c", "C", "B"} <= set(texts(page, "dialog kbd"))
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")


def test_breakpoints_by_click_and_by_key(page: Any) -> None:
    go(page, row=0)
    page.click(".source .line-number:text-is('4')")
    assert dots(page) == ["4"]
    assert page.inner_text(".said") == "breakpoint at line 4"
    page.keyboard.press(" ")
    page.wait_for_selector(".said:text('the breakpoint at line 4')")
    hit = row(page)
    assert texts(page, ".source .here .line-number") == ["4"]
    page.keyboard.press("C")
    page.wait_for_selector(".said:text('no stop before the beginning')")
    shows(page, 0)
    page.keyboard.press("c")
    shows(page, hit)
    page.click(".source .line-number:text-is('4')")
    assert dots(page) == []
    page.click(".source .line-number:text-is('2')")  # a comment: the next line that can run
    assert dots(page) == ["3"]
    page.keyboard.press("Home")
    page.keyboard.press("F9")  # the line that runs, as none is chosen: line 1 moves to 3, and takes it away
    assert dots(page) == []


def test_running_on_stops_at_the_first_error(page: Any) -> None:
    go(page, row=0)
    page.click("[data-move=run]")
    page.wait_for_selector(".said:text('the first wrong value')")
    assert texts(page, ".now .verdict")[1] == "✗ state wrong"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")
    page.wait_for_selector(".said:text('no stop before the end')")


def test_space_on_a_button_presses_it(page: Any) -> None:
    go(page, row=0)
    page.focus("[data-move=forward]")
    page.keyboard.press(" ")
    shows(page, 1)


def test_a_breakpoint_far_away_is_found_by_the_bins(page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    go(page, 2, row=0)
    page.click(".source .line-number:text-is('6')")
    asked.clear()
    page.keyboard.press(" ")
    page.wait_for_selector(".said:text('the breakpoint at line 6')")
    assert row(page) == 2 * TURNS + 4
    assert len([url for url in asked if "/chunks/" in url]) <= 4


def test_aliases_are_marked(page: Any) -> None:
    go(page, 1, row=2)
    for name in ("a", "b"):
        assert texts(page, f"tr[data-name={name}] .alias") == ["1", "1"]
        assert page.get_attribute(f"tr[data-name={name}] .alias >> nth=0", "title") == "same object: a, b"
    page.hover("tr[data-name=a] .alias >> nth=0")
    assert page.locator(".alias.lit").count() == 2
    go(page, 1, row=3)  # the model changes b alone: it has forgotten
    assert texts(page, "tr[data-name=a] .alias") == ["1"]
    assert texts(page, "tr[data-name=a] td:nth-child(3) .alias") == []
    go(page, 1, row=4)
    assert texts(page, "tr[data-name=c] .alias") == []


def test_the_source_is_coloured(page: Any) -> None:
    go(page, row=0)
    assert "def" in texts(page, ".source .token-keyword")
    assert texts(page, ".source .token-defined") == ["fact"]
    assert texts(page, ".source .token-comment") == ["# the base"]
    assert page.locator(".source .text >> nth=2").text_content() == "    if n < 2:"
    assert page.evaluate(
        "() => getComputedStyle(document.querySelector('.token-keyword')).color"
        " !== getComputedStyle(document.querySelector('.source .text')).color"
    )
