"""The why panel in a real browser: every wrong value explains itself, by click and by key, at both widths."""

from __future__ import annotations

from typing import Any

import pytest
from browser import NARROW, go, shows, tab, texts
from serving import Served
from wire import get

pytestmark = pytest.mark.usefixtures("sandbox")
LAST = 17  # the last step of fact(3); see staged.py
OPEN = ".why-panel:not([hidden])"


@pytest.fixture(scope="module")
def tabs(chromium: Any, shown: Served) -> Any:
    page, complaints = tab(chromium)
    page.goto(shown.url)
    page.wait_for_selector("text=one")
    return page, complaints


def explain(page: Any, selector: str) -> None:
    """Clicks a button, and waits for the chain."""
    page.locator(selector).click()
    page.wait_for_selector(f"{OPEN} .chain li")


def test_only_wrong_values_have_a_button(page: Any) -> None:
    go(page, row=LAST)
    assert page.locator(".state-panel tr.differs").count() == 2
    assert page.locator(".state-panel tr.differs .why-button").count() == 2
    assert page.locator(".state-panel tr:not(.differs) .why-button").count() == 0
    labels = page.locator(".why-button").evaluate_all("buttons => buttons.map((one) => one.getAttribute('aria-label'))")
    assert labels == ["Why is what it returns wrong?", "Why is r wrong?"]
    go(page, row=2)
    assert page.locator(".why-button").count() == 0


def test_the_chain_goes_from_the_answer_to_the_first_wrong_value(page: Any) -> None:
    go(page, row=LAST)
    explain(page, ".carried .why-button")
    assert texts(page, f"{OPEN} h2") == ["Why the returned value"]
    assert texts(page, ".chain .link-step") == ["step 17", "step 2", "step 13", "step 5"]
    assert texts(page, ".chain li:first-child code") == ["r * n"]
    values = [text.split() for text in texts(page, ".chain li:first-child tbody tr")]
    assert [words[-2:] for words in values] == [["6", "24"], ["2", "8"], ["3", "3"]]
    assert texts(page, ".chain li.origin .link-step") == ["step 5"]
    assert "right operands, wrong result" in page.inner_text(".chain li.origin")
    assert page.evaluate("document.activeElement.id") == "why-title"


def test_a_link_goes_to_its_step_and_the_panel_stays(page: Any) -> None:
    go(page, row=LAST)
    explain(page, ".carried .why-button")
    page.locator(".chain li.origin .link-step").click()
    shows(page, 5)
    assert page.locator(OPEN).count() == 1
    assert texts(page, ".chain .link-step[aria-current=step]") == ["step 5"]
    page.go_back()
    shows(page, LAST)


def test_why_by_key_and_back(page: Any) -> None:
    go(page, row=LAST)
    page.locator("tr[data-name=r] .why-button").focus()
    page.keyboard.press("Y")
    page.wait_for_selector(f"{OPEN} h2:has-text('Why r')")
    page.keyboard.press("Escape")
    page.wait_for_selector(".why-panel", state="hidden")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Why is r wrong?"
    page.locator("tr[data-name=r] .why-button").press("Enter")
    page.wait_for_selector(f"{OPEN} h2:has-text('Why r')")


def test_a_right_step_says_that_nothing_is_wrong(page: Any) -> None:
    go(page, row=2)
    page.keyboard.press("Y")
    page.wait_for_selector("text=no wrong value is shown here")


def test_a_part_of_a_value_is_explained_by_the_step_that_wrote_it(page: Any) -> None:
    go(page, 1, row=4)
    explain(page, "tr[data-name=out] .why-button")
    assert texts(page, ".chain .link-step") == ["step 3"]
    assert "out.append(w)" in page.inner_text(".chain li.origin")


def test_another_comparison_closes_the_panel(page: Any) -> None:
    go(page, row=LAST)
    explain(page, ".carried .why-button")
    page.keyboard.press("x")  # left and right swapped
    page.wait_for_selector(".why-panel", state="hidden")


def test_a_phone_shows_the_chain_below_the_state(chromium: Any, shown: Served) -> None:
    page, complaints = tab(chromium, size={**NARROW, "width": 390})
    page.goto(shown.url)
    page.wait_for_selector("text=one")
    go(page, row=LAST)
    explain(page, ".carried .why-button")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    tops = [page.locator(selector).bounding_box()["y"] for selector in (".state-panel", ".why-panel", ".output-panel")]
    assert tops == sorted(tops)
    for box in (one.bounding_box() for one in page.locator(".why-panel button, .why-button").all()):
        assert min(box["width"], box["height"]) >= 24
    assert complaints.heard == []
    page.close()


def test_the_panel_fits_its_column_on_a_laptop(chromium: Any, shown: Served) -> None:
    page, complaints = tab(chromium, size={"width": 1300, "height": 900})
    page.goto(shown.url)
    page.wait_for_selector("text=one")
    go(page, row=LAST)
    explain(page, ".carried .why-button")
    box = page.locator(".why-panel").bounding_box()
    assert box["x"] + box["width"] <= 1300
    overflow = "box => box.scrollWidth - box.clientWidth"
    assert page.locator(".why-panel .body").evaluate(overflow) <= 0
    assert complaints.heard == []
    page.close()


def test_the_api_refuses_what_is_not_there(shown: Served) -> None:
    sample = "/api/runs/0/samples/0/why"
    assert get(shown, f"{sample}?row={LAST}&name=r").json["is_wrong"] is True
    for query in ("row=999", f"row={LAST}&name=nothing", f"row={LAST}&name=r&right_frame=99", f"row={LAST}&name=a%20b"):
        assert get(shown, f"{sample}?{query}").status == 422, query
    assert get(shown, f"{sample}?row=-1").status == 422
