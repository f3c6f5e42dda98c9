"""The view of one run in a real browser: stepping, timeline, writers, search, links, sizes, languages, a model."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from browser import tab, texts
from runs import Erring
from serving import Served, serving

from worldline.core.program import Program
from worldline.ui.web.bundle.bundle import bundle, open_sessions
from worldline.ui.web.service import Opening

pytestmark = pytest.mark.usefixtures("sandbox")
PHONE = {"width": 390, "height": 844}
SOURCE = """\
class Account:
    def __init__(self):
        self.log = []

    def deposit(self, amount):
        self.log.append(amount)


def month():
    account = Account()
    boss = account
    account.deposit(100)
    history = account.log
    history.append("audited")
    print(len(history))
    return boss.log


month()
"""
LIST_C = """\
#include <stdlib.h>
struct node { int value; struct node *next; };
int main(void) {
    int xs[3] = {1, 4, 9};
    int *last = &xs[2];
    struct node *head = NULL;
    for (int i = 0; i < 2; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        fresh->value = xs[i];
        fresh->next = head;
        head = fresh;
    }
    return *last + head->value;
}
"""
MAP_JAVA = """\
import java.util.*;
public class Main {
    public static void main(String[] args) {
        Map<String, List<Integer>> groups = new TreeMap<>();
        groups.put("odd", new ArrayList<>(List.of(1)));
        List<Integer> odd = groups.get("odd");
        odd.add(3);
        String none = null;
        System.out.println(groups);
    }
}
"""
OWN_RS = """\
fn longest(words: Vec<String>) -> usize {
    words.len()
}
fn main() {
    let words = vec![String::from("ab")];
    let n = longest(words);
    println!("{}", n);
}
"""
NULL_JS = "const a = null;\nlet b;\nconst c = [a, b];\nconsole.log(c.length);\n"


@pytest.fixture(scope="module")
def served(sandbox: None) -> Iterator[Served]:
    with serving(programs=[(SOURCE, None)]) as server:
        yield server


@pytest.fixture(scope="module")
def tabs(chromium: Any, served: Served) -> Any:
    page, complaints = tab(chromium)
    page.goto(served.url)
    page.wait_for_selector(".run-view[data-row]")
    return page, complaints


def at(page: Any, row: int) -> None:
    """Wait until the view shows a step."""
    page.wait_for_selector(f".run-view[data-row='{row}']")


def step(page: Any, row: int) -> None:
    """Go to a step by its address."""
    page.evaluate("row => { document.activeElement.blur(); location.hash = `#/run/live/view/0?step=${row}` }", row)
    at(page, row)


def row_of(page: Any, line: int) -> int:
    """Go to the last execution of a line, and return its step."""
    lines = page.evaluate("async () => (await (await import('./api.js')).api.runOverview('live', 0)).lines")
    row = len(lines) - 1 - lines[::-1].index(line)
    step(page, row)
    return row


def arrows(page: Any) -> dict[str, int]:
    """How many arrows lead to each box that is drawn."""
    code = "paths => paths.map((path) => path.dataset.to)"
    targets = page.eval_on_selector_all(".arrows path.arrow", code)
    return {target: targets.count(target) for target in targets}


def seen(page: Any, selector: str) -> list[str]:
    """What is seen in each element, without the words for screen readers."""
    code = """elements => elements.map((element) => {
        const copy = element.cloneNode(true);
        for (const unseen of copy.querySelectorAll('.unseen')) unseen.remove();
        return copy.textContent;
    })"""
    return list(page.eval_on_selector_all(selector, code))


def current(page: Any) -> str:
    """The line of the source that is marked as executed."""
    return str(page.inner_text(".source .here .line-number"))


def test_a_program_is_shown_without_a_model(page: Any) -> None:
    row_of(page, 14)
    assert current(page) == "14"
    assert texts(page, ".source .coming .line-number") == ["15"]
    assert texts(page, ".stack-frame.active .function") == ["month"]
    assert page.get_attribute(".stack-frame.active", "aria-label") == "Frame month, running"
    assert texts(page, "h1") == ["Run of program.py"]
    assert page.locator("section[role]").count() == 0  # a section is a region already
    shared = arrows(page)
    assert sorted(shared.values()) == [2, 2]  # account and boss; history and account.log
    assert seen(page, ".box.changed button.slot.changed") == ["'audited'"]
    for word in ("predict", "actual", "verdict"):
        assert word not in page.inner_text(".run-view").lower()
    assert page.locator(".compare:visible").count() == 0


def test_steps_into_over_out_and_back_by_key_and_by_click(page: Any) -> None:
    call = row_of(page, 12)
    page.keyboard.press("ArrowRight")
    at(page, call + 1)
    assert texts(page, ".stack-frame.active .function") == ["Account.deposit"]
    page.keyboard.press("u")
    page.wait_for_selector(".source .here .line-number:text-is('13')")
    page.keyboard.press("Shift+O")
    at(page, call)
    page.click("[data-move='over']")
    page.wait_for_selector(".source .here .line-number:text-is('13')")
    page.click("[data-move='back']")
    page.wait_for_selector(".stack-frame.ending")
    assert texts(page, ".stack-frame.ending .result th") == ["returns"]
    page.keyboard.press("Home")
    at(page, 0)
    assert page.is_disabled("[data-move='back']")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#live:text('no step back from here')", state="attached")


def test_the_timeline_is_dragged_and_has_a_slider(page: Any) -> None:
    step(page, 0)
    box = page.locator(".silhouette").bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 10, steps=4)
    page.mouse.up()
    rows = int(page.get_attribute("#slider", "max")) + 1
    at(page, rows // 2)
    page.focus("#slider")
    page.keyboard.press("End")
    at(page, rows - 1)
    assert "The program ended." in page.inner_text(".where")
    assert page.get_attribute("#slider", "aria-valuetext").startswith(f"step {rows - 1} of {rows - 1}")


def test_a_click_on_a_value_goes_to_the_step_that_wrote_it(page: Any) -> None:
    row = row_of(page, 14)
    page.click(".stack-frame.active tr[data-name='history'] button.slot")
    page.wait_for_selector(".source .here .line-number:text-is('13')")
    page.keyboard.press("b")
    at(page, row)
    page.click(".box li[data-key='[0]'] button.slot")
    page.wait_for_selector(".source .here .line-number:text-is('6')")
    assert seen(page, ".box button.slot.changed") == ["100"]


def test_the_changes_of_an_object_are_listed_and_marked(page: Any) -> None:
    row_of(page, 14)
    page.click(".box.kind-list .box-title")
    lines = [line.split("line ")[1].split()[0] for line in texts(page, "button.change")]
    assert lines == ["3", "6", "14"]
    assert page.locator(".silhouette .mark.change").count() == 3
    page.click("button.change >> nth=1")
    page.wait_for_selector(".source .here .line-number:text-is('6')")
    assert page.locator("button.change[aria-current='step']").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".changes-panel:visible").count() == 0


def test_the_keyboard_asks_for_the_changes_of_what_has_the_focus(page: Any) -> None:
    row_of(page, 14)
    page.focus(".stack-frame.active tr[data-name='boss'] button.slot")
    page.keyboard.press("c")
    page.wait_for_selector("#changes-title:text('boss')")
    page.focus(".stack-frame.active tr[data-name='boss'] button.slot")
    page.keyboard.press("w")
    page.wait_for_selector(".source .here .line-number:text-is('11')")
    page.keyboard.press("Escape")


def test_a_value_is_searched(page: Any) -> None:
    step(page, 0)
    page.keyboard.press("/")
    page.fill("#run-search", "audited")
    page.wait_for_selector("#run-hits:text('step')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".source .here .line-number:text-is('14')")
    page.fill("#run-search", "no such text")
    page.wait_for_selector("#run-hits:text-is('not found')")
    page.fill("#run-search", "2\n")
    page.fill("#run-search", "")


def test_what_is_printed_appears_with_its_step(page: Any) -> None:
    row = row_of(page, 15)
    assert texts(page, ".console .now") == ["2"]
    step(page, row - 2)
    assert page.locator(".console:visible").count() == 0


def test_values_can_be_tables(page: Any) -> None:
    row_of(page, 14)
    page.keyboard.press("v")
    assert "log=[100, 'audited']" in page.inner_text(".stack-frame.active tr[data-name='boss'] button.slot")
    assert page.locator(".box").count() == 0
    page.keyboard.press("v")
    assert page.locator(".box").count() == 2


def test_a_link_to_a_step_is_restored(page: Any, chromium: Any, served: Served) -> None:
    row = row_of(page, 13)
    page.wait_for_function("row => location.hash.endsWith(`step=${row}`)", arg=row)
    other, complaints = tab(chromium)
    other.goto(re.sub(r"/run/.*", f"/run/live/view/0?step={row}", served.url))
    at(other, row)
    other.context.close()
    assert complaints.heard == []


def test_a_typed_program_is_a_run_too(page: Any) -> None:
    page.evaluate("location.hash = '#/'")
    page.fill("#program-source", "x = [1]\ny = x\n")
    page.fill("#program-call", "")
    page.click("form.program button[type=submit]")
    page.wait_for_selector(".run-view[data-at='1']")
    page.keyboard.press("End")
    page.wait_for_selector(".stack-frame.ending")
    assert sorted(arrows(page).values()) == [2]
    step(page, 0)


@pytest.mark.parametrize("size", [PHONE, {"width": 1024, "height": 768}, {"width": 1920, "height": 1080}])
def test_nothing_is_wider_than_the_window(chromium: Any, served: Served, size: dict[str, int]) -> None:
    page, complaints = tab(chromium, size=size)
    page.goto(served.url)
    page.wait_for_selector(".run-view[data-row]")
    row_of(page, 14)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert sorted(arrows(page).values()) == [2, 2]
    small = "buttons => buttons.filter((b) => b.offsetParent && (b.offsetHeight < 22 || b.offsetWidth < 22)).length"
    assert page.eval_on_selector_all(".run-view button", small) == 0
    page.context.close()
    assert complaints.heard == []


class FromDisk:
    """A bundle of one program in a browser without a network."""

    def __init__(self, browser: Any, folder: Path, program: Program, *, models: Any = None) -> None:
        path = folder / "run.html"
        bundle(open_sessions(Opening(programs=(program,), models=models or {})), path)
        self.page, self.complaints = tab(browser)
        self.page.context.set_offline(True)
        self.url = path.as_uri()
        self.open("")

    def open(self, rest: str) -> Any:
        self.page.goto("about:blank")
        self.page.goto(self.url + rest)
        self.page.wait_for_selector(".run-view[data-row]")
        return self.page

    def end(self) -> Any:
        self.page.keyboard.press("End")
        self.page.wait_for_selector(".where .soft:text('The program')")
        return self.page

    def names(self) -> dict[str, str]:
        """The names of the innermost frame, as they are read."""
        rows = self.page.locator(".stack-frame.active tr[data-name]").all()
        return {row.get_attribute("data-name"): row.locator("td").first.inner_text().strip() for row in rows}


def test_a_wide_box_moves_only_what_it_refers_to(chromium: Any, tmp_path: Path) -> None:
    source = f"wide = {[f'word {n}' for n in range(12)]}\nd = {{1: [2], 3: [4]}}\n"
    page = FromDisk(chromium, tmp_path, Program(source=source)).end()
    sizes = "({ offsetLeft: x, offsetTop: y, offsetWidth: w, offsetHeight: h }) => [x, y, x + w, y + h]"
    boxes = page.eval_on_selector_all(".box", f"boxes => boxes.map({sizes})")
    wide = max(boxes, key=lambda box: box[2] - box[0])
    inner = [box for box in boxes if box[0] > wide[0]]
    assert len(boxes) == 4
    assert len(inner) == 2
    assert all(box[0] < wide[2] for box in inner)
    for first, second in combinations(boxes, 2):
        assert first[2] <= second[0] or second[2] <= first[0] or first[3] <= second[1] or second[3] <= first[1]
    page.context.close()


def test_a_long_box_shows_both_ends_and_what_changed(chromium: Any, tmp_path: Path) -> None:
    source = "xs = list(range(1000, 1300))\nxs[150] = -1\nxs.append(7)\n"
    opened = FromDisk(chromium, tmp_path, Program(source=source))
    page = opened.end()
    places = ".box .cells > li .index, .box .cells > li.gap"
    first = [str(i) for i in range(9)]
    assert seen(page, places) == [*first, "…", "298", "299", "300"]
    assert seen(page, ".box .cells .slot")[-2:] == ["1299", "7"]
    last = int(page.get_attribute(".run-view", "data-row"))
    for back in (1, 2):
        page.keyboard.press("ArrowLeft")
        at(page, last - back)
    assert current(page) == "2"
    assert seen(page, places) == [*first, "…", "150", "…", "297", "298", "299"]
    assert seen(page, ".box .cells .slot")[9] == "-1"
    page.click("[data-fold]")
    assert seen(page, places) == [str(i) for i in (*range(80), 150, *range(280, 300))]
    assert opened.complaints.heard == []
    page.context.close()


def test_a_bundle_opens_at_a_step_and_in_a_slide(chromium: Any, tmp_path: Path) -> None:
    opened = FromDisk(chromium, tmp_path, Program(source=SOURCE, name="account.py"))
    page = opened.open("#?step=5")
    at(page, 5)
    page.keyboard.press("ArrowRight")
    at(page, 6)
    page = opened.open("?embed#?step=7")
    at(page, 7)
    assert not page.is_visible("#top")
    page.keyboard.press("ArrowRight")
    at(page, 8)
    page.context.close()
    assert opened.complaints.heard == []


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")
def test_a_list_of_c(chromium: Any, tmp_path: Path) -> None:
    opened = FromDisk(chromium, tmp_path, Program(source=LIST_C, name="list.c"))
    page = opened.end()
    assert len(texts(page, ".box.kind-object")) == 2
    assert any("NULL" in text for text in texts(page, ".box.kind-object"))
    array = page.locator(".box.kind-list").get_attribute("data-id")
    assert arrows(page)[array] == 2  # xs, and last into its third element
    assert page.locator(f"[data-ref='{array}'][data-at='2']").count() == 1
    page.context.close()
    assert opened.complaints.heard == []


@pytest.mark.skipif(shutil.which("javac") is None, reason="no Java")
def test_a_map_of_java(chromium: Any, tmp_path: Path) -> None:
    opened = FromDisk(chromium, tmp_path, Program(source=MAP_JAVA, name="Main.java"))
    page = opened.end()
    assert "null" in opened.names()["none"]
    (shared,) = [box for box, count in arrows(page).items() if count == 2]
    assert "ArrayList" in page.inner_text(f".box[data-id='{shared}']")
    page.context.close()
    assert opened.complaints.heard == []


@pytest.mark.skipif(shutil.which("rustc") is None, reason="no Rust")
def test_a_value_that_rust_moves_is_not_shown(chromium: Any, tmp_path: Path) -> None:
    opened = FromDisk(chromium, tmp_path, Program(source=OWN_RS, name="own.rs"))
    opened.end()
    assert set(opened.names()) == {"n"}
    opened.page.context.close()
    assert opened.complaints.heard == []


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node")
def test_null_and_undefined_of_javascript(chromium: Any, tmp_path: Path) -> None:
    opened = FromDisk(chromium, tmp_path, Program(source=NULL_JS, name="null.js"))
    opened.end()
    names = opened.names()
    assert ("null" in names["a"], "undefined" in names["b"]) == (True, True)
    opened.page.context.close()
    assert opened.complaints.heard == []


def test_a_prediction_stands_beside_only_where_it_differs(chromium: Any, tmp_path: Path) -> None:
    program = Program(source="def f(n):\n    m = n + 1\n    k = 'same'\n    return m\n", call="f(4)")
    opened = FromDisk(chromium, tmp_path, program, models={"erring": lambda: Erring(start=1)})
    page = opened.page
    differing = page.evaluate(
        "async () => (await (await import('worldline/api.js')).api.runOverview('live', 0)).differing"
    )
    assert differing
    assert page.locator(".silhouette .mark.differing").count() == len(differing)
    for row in range(5):
        step(page, row)
        beside = texts(page, ".predicted")
        assert bool(beside) == (row in differing)
        assert all("erring" in text for text in beside)
    page.click(".compare")
    page.wait_for_selector(".sample-view")
    page.context.close()
    assert opened.complaints.heard == []
