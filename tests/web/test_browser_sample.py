"""The sample view in a real browser against a real server: everything that it shows, by click and by key."""

from __future__ import annotations

import re
from typing import Any

import pytest
from browser import go, shows, tab, texts
from serving import Served
from staged import LONG_STEPS, LONG_TURNS

pytestmark = pytest.mark.usefixtures("sandbox")
LAST = 17  # the last step of fact(3); see staged.py


@pytest.fixture(scope="module")
def tabs(chromium: Any, shown: Served) -> Any:
    page, complaints = tab(chromium)
    page.goto(shown.url)
    page.wait_for_selector("text=one")
    return page, complaints


# ---- what is seen


def test_the_first_divergence_is_shown_at_once(page: Any) -> None:
    go(page)
    shows(page, 9)
    assert texts(page, ".now .verdict") == ["✓ action right", "✗ state wrong"]
    assert texts(page, "tr[data-name=r] .value .text") == ["1", "4"]
    assert texts(page, "tr[data-name=r] mark") == ["1", "4"]
    assert "actual" in page.inner_text(".differences")
    assert texts(page, ".source .here .line-number") == ["3"]
    assert page.get_attribute(".source .here", "aria-current") == "step"


def test_later_differences_are_consequences(page: Any) -> None:
    go(page, row=13)
    assert texts(page, ".now .verdict") == ["✓ action right", "≈ state consequential"]
    assert texts(page, ".carried .value .text") == ["2", "8"]


def test_what_a_step_decides_stands_beside_it(page: Any) -> None:
    go(page, row=1)
    assert texts(page, ".now .decided") == ["n < 2: false", "n < 2: false"]
    assert "(n < 2: false)" in page.inner_text(".steps [aria-selected=true]")
    go(page, row=2)
    assert texts(page, ".now .decided") == []
    go(page, row=7)
    assert texts(page, ".now .decided") == ["n < 2: true", "n < 2: true"]


def test_the_output_of_both_sides(page: Any) -> None:
    go(page, row=LAST)
    assert texts(page, ".output-panel pre") == ["r 1\nr 2", "r 4\nr 8"]
    assert texts(page, ".output-panel mark") == ["1", "2", "4", "8"]
    go(page, row=0)
    assert page.is_visible("text=nothing printed yet")


def test_cause_answer_and_cost(page: Any) -> None:
    story = go(page, row=0).inner_text(".story")
    assert "answer wrong" in story
    assert "wrong value" in story or "copied" in story
    cost = {row[0]: row[1] for row in (text.split("\t") for text in texts(page, ".cost tbody tr"))}
    assert (cost["actual"], cost["predicted"]) == ("80", "81")


def test_elements_and_characters_that_differ(page: Any) -> None:
    go(page, 1, row=3)
    assert texts(page, "tr[data-name=out] .value .text") == ["['ab']", "['ax']"]
    assert texts(page, "tr[data-name=out] mark") == ["b", "x"]
    assert page.locator("tr[data-name=out] .changed").count() == 2
    assert page.locator("tr[data-name=ws] .changed").count() == 0


def test_what_differs_is_in_sight_in_the_list_of_steps(page: Any) -> None:
    go(page, 1, row=3)
    row = ".steps .windowed-row[aria-selected=true]"
    assert texts(page, f"{row} mark") == ["b", "x"]
    hidden = """marks => marks.filter(mark => mark.getBoundingClientRect().right
        > mark.closest("[role=gridcell]").getBoundingClientRect().right).length"""
    assert page.eval_on_selector_all(f"{row} mark", hidden) == 0


def test_what_cannot_be_compared_has_a_neutral_mark(page: Any) -> None:
    go(page, 3, row=4)  # behind the end of a prediction that its budget cut
    assert texts(page, ".now .verdict") == ["· action not compared", "· state not compared"]
    assert page.locator(".steps .active .sign.open").count() == 2
    assert page.locator("[data-move=first]").is_disabled()
    go(page, 3, row=0)
    assert texts(page, ".now .verdict") == ["✓ action right", "✓ state right"]


# ---- moving

MOVES = [
    ("forward", "ArrowRight", 2, 3), ("forward", "n", 2, 3), ("back", "ArrowLeft", 2, 1), ("back", "p", 2, 1),
    ("over", "o", 2, 14), ("out", "u", 7, 10), ("back-over", "O", 14, 2), ("back-out", "U", 5, 2),
    ("start", "Home", 9, 0), ("end", "End", 9, LAST),
]  # fmt: skip


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("name", "key", "start", "end"), MOVES)
def test_moves(page: Any, name: str, key: str, start: int, end: int) -> None:
    go(page, row=start)
    page.click(f"[data-move={name}]")
    shows(page, end)
    go(page, row=start)
    page.keyboard.press(key)
    shows(page, end)


def test_moves_that_lead_nowhere_are_not_offered(page: Any) -> None:
    go(page, row=0)
    assert page.is_disabled("[data-move=back]")
    assert page.is_disabled("[data-move=start]")
    page.keyboard.press("ArrowLeft")
    go(page, row=LAST)
    assert page.is_disabled("[data-move=forward]")


def test_differences_by_click_and_key(page: Any) -> None:
    for act in (lambda: page.click("[data-move=first]"), lambda: page.keyboard.press("f")):
        go(page, row=0)
        act()
        shows(page, 9)
    for act in (lambda: page.click("[data-move=next]"), lambda: page.keyboard.press("d")):
        go(page, row=0)
        act()
        shows(page, 9)
    for act in (lambda: page.click("[data-move=previous]"), lambda: page.keyboard.press("D")):
        go(page, row=16)
        act()
        shows(page, 9)


def test_jump_to_a_step(page: Any) -> None:
    go(page, row=0)
    page.fill("#jump", "12")
    page.press("#jump", "Enter")
    shows(page, 12)
    page.keyboard.press("g")
    page.keyboard.type("1,000")
    page.keyboard.press("Enter")
    shows(page, LAST)


def test_the_slider_and_the_canvas(page: Any) -> None:
    go(page, row=4)
    page.focus("#slider")
    page.keyboard.press("ArrowRight")
    shows(page, 5)
    assert page.get_attribute("#slider", "aria-valuetext").startswith("step 5 of 17")
    sandbox = page.locator(".lanes").bounding_box()
    page.mouse.click(sandbox["x"] + sandbox["width"] * 7.5 / 18, sandbox["y"] + 20)
    shows(page, 7)
    page.mouse.move(sandbox["x"] + sandbox["width"] * 7.5 / 18, sandbox["y"] + 20)
    page.mouse.down()
    page.mouse.move(sandbox["x"] + sandbox["width"] * 15.5 / 18, sandbox["y"] + 20, steps=3)
    page.mouse.up()
    shows(page, 15)


COLOURS = """() => {
  const canvas = document.querySelector('.lanes');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return new Set(Array.from({ length: data.length / 4 }, (_, i) => data.slice(4 * i, 4 * i + 4).join())).size;
}"""


def test_the_canvas_is_painted(page: Any) -> None:
    go(page, row=0)
    assert page.evaluate(COLOURS) > 5


def test_the_last_writer_and_back(page: Any) -> None:
    for back in (lambda: page.click("button:has-text('back')"), lambda: page.keyboard.press("b"), page.go_back):
        go(page, row=12)
        page.click("tr[data-name=r] .writer >> nth=1")
        shows(page, 5)
        back()
        shows(page, 12)
    page.keyboard.press("w")
    shows(page, 5)
    go(page, row=12)
    page.click("tr[data-name=n] .text >> nth=0")
    shows(page, 3)
    go(page, row=12)
    page.focus("tr[data-name=n] .writer >> nth=0")
    page.keyboard.press("Enter")
    shows(page, 3)


def test_frames_open_by_click_and_key(page: Any) -> None:
    go(page, row=7)
    assert texts(page, ".frame-head .function") == ["fact", "fact", "fact"]
    assert texts(page, ".names tbody th") == ["n"]
    page.click(".frame-head >> nth=2")
    assert texts(page, "tr[data-name=n] .value .text") == ["1", "1", "3", "3"]
    page.focus(".frame-head >> nth=2")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('tr[data-name=n]').length === 1")
    assert page.evaluate("document.activeElement.dataset.level") == "2"


# ---- the list of steps


def test_the_list_of_steps(page: Any) -> None:
    go(page, row=0)
    page.click(".steps .windowed-row:has-text('r = 4')")
    shows(page, 9)
    page.focus(".steps")
    page.keyboard.press("ArrowDown")
    shows(page, 10)
    page.keyboard.press("End")
    shows(page, LAST)
    row = page.locator(".steps .windowed-row[aria-selected=true]").inner_text()
    assert re.search(r"return, line 6\s+6\s+return, line 6\s+24", row)


def test_of_a_long_run_only_the_steps_in_sight_exist(page: Any) -> None:
    go(page, 5)
    page.wait_for_function("n => document.querySelector('.total').textContent === 'of ' + n", arg=f"{LONG_STEPS - 1:,}")
    for row in (7_777, 12, LONG_STEPS - 1):
        page.fill("#jump", str(row))
        page.press("#jump", "Enter")
        shows(page, row)
        page.wait_for_selector(f".steps .active:has-text('{row:,}')")
        assert page.locator(".steps .windowed-row").count() <= 100
    assert texts(page, "tr[data-name=s] .value .text") == [str(LONG_TURNS)] * 2
    page.keyboard.press("d")
    page.wait_for_function("() => document.getElementById('live').textContent.startsWith('no next')")


# ---- sides and links


def test_two_models_on_one_program(page: Any) -> None:
    go(page, row=10)
    page.select_option(".sides select >> nth=2", label="two · second")
    page.wait_for_selector(".names th:text('second')")
    assert texts(page, ".names thead th") == ["name", "first", "second"]
    assert texts(page, "tr[data-name=r] .value .text") == ["4", "1"]
    page.wait_for_url("**/*left=found&right=other&other=1")
    page.select_option(".sides select >> nth=0", "truth")
    page.wait_for_selector(".names th:text('actual')")
    go(page, row=16, other=1, left="truth", right="other")
    assert texts(page, "tr[data-name=r] .value .text") == ["2", "9"]
    go(page, row=10)
    for wanted in (["name", "first", "second"], ["name", "actual", "first"]):  # by key: the next run, then none
        page.keyboard.press("v")
        page.wait_for_selector(f".names th:nth-child(3):text('{wanted[2]}')")
        assert texts(page, ".names thead th") == wanted


def test_swapping_the_sides(page: Any) -> None:
    for act in (lambda: page.click("[aria-label='Swap left and right']"), lambda: page.keyboard.press("x")):
        go(page, row=9)
        act()
        page.wait_for_selector(".names thead th:nth-child(2):text('first')")
        assert texts(page, "tr[data-name=r] .value .text") == ["4", "1"]


def test_an_address_is_a_place(page: Any, shown: Served) -> None:
    go(page, row=12)
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/*row=13*")
    page.reload()
    shows(page, 13)
    assert "token" not in page.url
    page.keyboard.press("f")
    shows(page, 9)
    page.go_back()
    shows(page, 13)
    page.go_forward()
    shows(page, 9)
    page.goto(f"{shown.origin}/#/run/0/sample/0?row=999999999&branch=77&left=nobody&right=other")
    shows(page, LAST)


def test_who_is_on_the_way_elsewhere_keeps_that_address(page: Any) -> None:
    go(page, row=9)
    # The address changes at once and the page is told of it later; a view that is being left must not write its own.
    page.evaluate("location.hash = '#/'; document.querySelector(`[aria-label='Swap left and right']`).click()")
    page.wait_for_selector(".sample-view", state="detached")
    assert page.evaluate("location.hash") == "#/"


@pytest.mark.long(reason="test_a_sample_knows_those_beside_it holds it without a browser")
def test_neighbouring_samples(page: Any) -> None:
    go(page, row=0)
    page.click("text=next sample")
    page.wait_for_selector("h1:text('words')")
    page.keyboard.press("[")
    page.wait_for_selector("h1:text('fact')")
    page.keyboard.press("]")
    page.wait_for_selector("h1:text('words')")
