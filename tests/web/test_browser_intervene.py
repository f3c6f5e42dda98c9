"""Interventions in a real browser, on a real server, by the shipped model: by click and key, streamed, a tree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from browser import go, tab
from serving import Served, serving
from staged import FIRST, stage

pytestmark = pytest.mark.usefixtures("sandbox")
GO = "text=Continue with the model"
OVER = """name => {
  const found = [...document.querySelectorAll('.branch')].filter(branch => branch.textContent.includes(name));
  return found.length && !found.at(-1).querySelector('.running');
}"""
PATIENCE = 120_000  # ms; the model is loaded by the first of them


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> Iterator[Served]:
    with serving(stage(tmp_path_factory.mktemp("runs") / "one", FIRST), models=["default"]) as server:
        yield server


@pytest.fixture(scope="module")
def tabs(chromium: Any, served: Served) -> Any:
    page, complaints = tab(chromium)
    page.goto(served.url)
    page.wait_for_selector("text=one")
    return page, complaints, served


@pytest.fixture
def page(tabs: Any) -> Iterator[Any]:
    page, complaints, served = tabs
    # Else the last test's branch, at the same row, would be taken for the run.
    page.goto(f"{served.origin}/#/")
    page.wait_for_selector(".sample-view", state="detached")
    page.goto(f"{served.origin}/#/run/0/sample/0?row=10")
    page.wait_for_selector(".sample-view[data-row='10']")
    page.evaluate("document.activeElement.blur()")
    yield page
    unexpected = [heard for heard in complaints.heard if "422" not in heard]  # a refusal is told on the page
    assert unexpected == []


def branch(page: Any, name: str) -> Any:
    """The newest branch of a name, once it is over."""
    found = page.locator(".branch", has_text=name).last
    found.wait_for(timeout=PATIENCE)
    page.wait_for_function(OVER, arg=name, timeout=PATIENCE)
    page.wait_for_selector(".intervene-panel button.main:enabled")  # the next one may be sent
    return found


def test_a_variable_is_changed_by_click(page: Any) -> None:
    streams: list[str] = []
    page.on("response", lambda response: streams.append(response.url))
    page.click("tr[data-name=r] .edit")
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    assert page.input_value(".intervene-panel textarea") == "1"  # the true value
    page.click(GO)
    assert branch(page, "r = 1 at step").get_attribute("aria-selected") == "true"
    assert any(url.endswith("/events") for url in streams)
    assert "branch=" in page.url
    assert "actual" in page.inner_text(".story")
    assert page.locator(".branch").first.inner_text().startswith("original run")


@pytest.mark.long(reason="test_the_budget_is_extended intervenes by key too")
def test_a_variable_is_changed_by_key(page: Any) -> None:
    page.keyboard.press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    assert branch(page, "r = 2 at step").get_attribute("aria-selected") == "true"
    page.keyboard.press("Home")  # the keys are the page's again
    page.wait_for_selector(".sample-view[data-row='0']")


@pytest.mark.long(reason="the shipped model continues once more")
def test_a_name_is_taken_away(page: Any) -> None:
    page.click("tr[data-name=r] .edit")
    page.check("text=delete the name")
    page.click(GO)
    branch(page, "r deleted at step")
    page.uncheck("text=delete the name")


def test_the_next_line_is_forced(page: Any) -> None:
    page.click(".source .windowed-row >> nth=5")
    assert page.input_value(".intervene-panel input[type=number] >> nth=0") == "6"
    page.click(GO)
    branch(page, "line 6 forced at step")
    # The page follows a prediction while it grows, perhaps to its end, after which no line can be forced.
    page.evaluate("location.hash = location.hash.replace(/row=\\d+/, 'row=10')")
    page.wait_for_selector(".sample-view[data-row='10']")
    page.keyboard.press("l")
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    branch(page, "line 3 forced at step")


def test_what_cannot_be_is_said(page: Any) -> None:
    page.keyboard.press("l")
    page.fill(".intervene-panel input[type=number] >> nth=0", "999")
    page.click(GO)
    page.wait_for_selector(".intervene-panel .fault:visible")
    assert "999" in page.inner_text(".intervene-panel .fault")


def test_the_budget_is_extended(page: Any) -> None:
    page.keyboard.press("m")
    page.click(GO)
    page.wait_for_selector("text=the prediction was not cut by its budget")
    page.evaluate("location.hash = '#/run/0/sample/3'")
    page.wait_for_selector("h1:text('cut(1)')")
    page.keyboard.press("m")
    page.keyboard.press("Control+A")
    page.keyboard.type("2000")
    page.keyboard.press("Enter")
    assert "✓" in branch(page, "budget 2,000 bytes").inner_text()
    page.fill(".intervene-panel label:has-text('bytes') input", "2100")
    # At once: the branch that is chosen goes on, whether or not it is shown yet.
    page.evaluate("document.querySelector('.branch').click(); document.querySelector('.intervene-panel .main').click()")
    branch(page, "budget 2,100 bytes")


@pytest.mark.long(reason="the shipped model predicts a loop of 400 turns")
def test_a_branch_comes_step_by_step_and_is_stopped(page: Any) -> None:
    stops = [lambda: page.click(".branch .stop"), lambda: page.keyboard.press("s")]
    for limit, stop in zip((200_000, 200_001), stops, strict=True):
        go(page, 4, row=0)
        page.keyboard.press("m")
        page.keyboard.press("Control+A")
        page.keyboard.type(str(limit))
        page.keyboard.press("Enter")
        page.wait_for_selector(".branch[aria-selected=true] .running:has-text('predict')", timeout=PATIENCE)
        first = page.wait_for_function(
            "() => Number(document.querySelector('.sample-view').dataset.row) || null"
        ).json_value()
        page.wait_for_function(
            "row => document.querySelector('.sample-view').dataset.row > row", arg=first, timeout=PATIENCE
        )
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("End")  # what the interpreter alone has had so far is not wrong
        page.wait_for_selector(".now .verdict.open")
        stop()
        page.wait_for_selector(".branch[aria-selected=true]:has-text('stopped')", timeout=PATIENCE)


def test_the_program_is_rewritten(page: Any) -> None:
    page.check("text=Rewrite the program")
    page.select_option(".intervene-panel select", "flatten")
    page.click(GO)
    branch(page, "rewritten: flatten")
    assert "def fact(n):" in page.inner_text(".source")
    assert page.locator(".source .windowed-row").count() > 6
    page.keyboard.press(",")
    page.wait_for_selector(".branch[aria-selected=true]:not(:has-text('flatten'))")
    page.keyboard.press("r")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    branch(page, "rewritten: both")


@pytest.mark.long(reason="the shipped model continues two branches")
def test_branches_are_a_tree(page: Any) -> None:
    page.click("tr[data-name=r] .edit")
    page.fill(".intervene-panel textarea", "5")
    page.click(GO)
    branch(page, "r = 5 at step")
    page.keyboard.press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("6")
    page.click(GO)
    child = branch(page, "= 6 at step")
    assert child.get_attribute("aria-level") == "3"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(",")
    page.wait_for_selector(".branch[aria-selected=true]:has-text('r = 5 at step')")
    page.keyboard.press(".")
    page.wait_for_selector(".branch[aria-selected=true]:has-text('= 6 at step')")
    page.click(".branch >> nth=0")
    page.wait_for_selector(".branch[aria-selected=true]:has-text('original run')")
    page.focus(".branch >> nth=0")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".branch[aria-selected=true][aria-level='2']")
    page.go_back()
    page.wait_for_selector(".branch[aria-selected=true]:has-text('original run')")


@pytest.mark.long(reason="the shipped model continues once more")
def test_a_branch_is_an_address(page: Any, served: Served) -> None:
    page.click("tr[data-name=r] .edit")
    page.fill(".intervene-panel textarea", "11")
    page.click(GO)
    branch(page, "r = 11 at step")
    address = page.url
    page.goto(served.origin + "/#/")
    page.goto(address)
    page.wait_for_selector(".branch[aria-selected=true]:has-text('r = 11 at step')")
    page.reload()
    page.wait_for_selector(".branch[aria-selected=true]:has-text('r = 11 at step')")
    assert json.loads(page.evaluate("JSON.stringify(Object.keys(localStorage))")) == ["worldline-token"]


def test_without_a_model_it_says_so(chromium: Any, shown: Served) -> None:
    page, complaints = tab(chromium)
    page.goto(f"{shown.url}/run/0/sample/0?row=10")
    page.wait_for_selector(".sample-view[data-row='10']")
    assert page.locator(".edit").count() == 0
    assert "This page has no model" in page.inner_text(".intervene-panel")
    assert complaints.heard == []
    page.context.close()
