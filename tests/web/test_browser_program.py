"""The form for a typed program in a real browser: recorded, imagined and watched, by click and by key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from browser import NARROW, tab
from serving import Served, serving

from worldline.recording.languages import toolchain

PROGRAM = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A server with two models and no run."""
    with serving(models=["interpreter", "default"]) as found:
        yield found


@pytest.fixture(scope="module")
def tabs(chromium: Any, served: Served) -> Any:
    page, complaints = tab(chromium)
    page.goto(served.url)
    page.wait_for_selector(".program")
    return page, complaints


@pytest.fixture
def page(tabs: Any, served: Served) -> Iterator[Any]:
    found, complaints = tabs
    found.goto(f"{served.origin}/#/")
    found.wait_for_selector(".program")
    found.evaluate("document.activeElement.blur()")
    yield found
    assert [text for text in complaints.heard if "status of 4" not in text] == []


def watched(page: Any) -> str:
    """The text of the sample's view once the typed program's last step is there."""
    page.wait_for_url(re.compile(r"#/run/live/sample/\d+"))
    page.wait_for_selector(".windowed-row:has-text('return')")
    text: str = page.locator("main").inner_text()
    return text


def test_a_program_is_typed_and_watched_by_click(page: Any) -> None:
    page.get_by_label("Program", exact=True).fill(PROGRAM)
    page.get_by_label("Call").fill("f(4)")
    page.get_by_label("Model").select_option("interpreter")
    page.get_by_role("button", name="Predict").click()
    assert "total" in watched(page)


def test_a_program_is_typed_and_watched_by_key(page: Any) -> None:
    page.keyboard.press("p")
    assert page.evaluate("document.activeElement.id") == "program-source"
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(PROGRAM)  # as a paste does
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("f(3)")
    page.keyboard.press("Control+Enter")
    assert "total" in watched(page)
    page.go_back()
    page.wait_for_selector(".program")
    assert page.get_by_label("Program", exact=True).input_value() == PROGRAM  # kept in this tab
    assert page.get_by_label("Call").input_value() == "f(3)"


def test_the_shipped_model_is_streamed(page: Any) -> None:
    page.get_by_label("Program", exact=True).fill(PROGRAM)
    page.get_by_label("Call").fill("f(6)")
    page.get_by_label("Model").select_option("default")
    with page.expect_request(re.compile(r"/branches/0/events$")):
        page.get_by_role("button", name="Predict").click()
    assert "total" in watched(page)


def test_typed_programs_are_a_run_of_their_own(page: Any) -> None:
    page.get_by_label("Program", exact=True).fill(PROGRAM)
    page.get_by_label("Call").fill("f(2)")
    page.get_by_role("button", name="Predict").click()
    watched(page)
    page.keyboard.press("h")
    page.get_by_role("link", name="Tried programs").click()
    page.wait_for_selector(".windowed-row .call:text-is('f(2)')")


def test_what_cannot_be_tried_is_said_in_words(page: Any) -> None:
    page.get_by_label("Program", exact=True).fill("  \n")
    page.get_by_role("button", name="Predict").click()
    problem = page.locator("#program-problem")
    assert problem.inner_text() == "Type or paste a program first."
    assert page.evaluate("document.activeElement.id") == "program-source"
    page.get_by_label("Program", exact=True).fill("#" * 200_000)
    page.get_by_role("button", name="Predict").click()
    page.wait_for_selector("#program-problem:visible:not(:text('first'))")
    assert re.search(r"\d", problem.inner_text())  # the server says how long a program may be


def test_a_program_that_reads_says_what_it_waits_for(page: Any) -> None:
    source, told = (page.get_by_label("Program", exact=True), page.locator("text=This program reads standard input"))
    source.fill("x = 1\n")
    assert not told.is_visible()
    source.fill("name = input()\nprint(name)\n")
    assert told.is_visible()
    page.get_by_label("Standard input").fill("Ada\n")
    assert not told.is_visible()


def test_a_branch_says_what_it_waits_for(page: Any) -> None:
    said = """async () => {
      const { waitsFor } = await import('./branches.js');
      const at = (stage, steps, ahead) => waitsFor({ stage, steps, bytes: 9, ahead });
      return [at('truth', 0, 2), at('truth', 0, 0), at('model', 0, 0), at('model', 1, 0)];
    }"""
    assert page.evaluate(said) == [
        "waiting for its turn, after 2 other branches",
        "waiting for the interpreter to execute the program",
        "waiting for the first predicted step",
        "predicting: 1 step, 9 bytes",
    ]


def test_a_server_without_a_model_has_no_form(chromium: Any, shown: Served) -> None:
    page, complaints = tab(chromium, size=NARROW)
    page.goto(shown.url)
    page.wait_for_selector(".runs a")
    assert page.locator(".program").count() == 0
    assert "This page has no model" in page.locator("main").inner_text()
    page.context.close()
    assert complaints.heard == []


def test_the_form_fits_a_phone(chromium: Any, served: Served) -> None:
    page, complaints = tab(chromium, size=NARROW, dark=True)
    page.goto(served.url)
    page.wait_for_selector(".program")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.context.close()
    assert complaints.heard == []


def test_a_program_in_another_language_is_typed_and_watched(page: Any) -> None:
    missing = toolchain.find("js")
    if isinstance(missing, str):
        pytest.skip(missing)
    page.get_by_label("Language").select_option("js")
    page.get_by_label("Program", exact=True).fill("function f(n) {\n  let seen = null;\n  return [seen, n];\n}\n")
    page.get_by_label("Call").fill("f(2)")
    page.get_by_label("Model").select_option("interpreter")
    page.get_by_role("button", name="Predict").click()
    assert "seen" in watched(page)
    assert page.locator(".source .token-keyword").first.inner_text() == "function"
    page.wait_for_selector("text=trace right")  # until then the newest step is shown
    page.keyboard.press("End")
    page.wait_for_selector(".natives:text('None is null')")
    assert not page.get_by_label("Rewrite the program").is_visible()
    page.keyboard.press("r")
    assert page.locator(".intervene-panel .fault").inner_text() == "Only Python programs can be rewritten."
    assert "only Python executions can be changed" in page.locator(".intervene-panel").inner_text()
    page.evaluate("sessionStorage.clear()")
