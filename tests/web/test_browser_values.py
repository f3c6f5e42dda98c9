"""Where values stand and break, in a real browser: differences in sight, tokens in one piece, signs without a font."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import WIDE, go, shows, tab
from conftest import shared
from serving import Served, serving
from staged import Staged

from worldline.core.program import Program
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.ui.web import static_files

pytestmark = pytest.mark.usefixtures("sandbox")

PHONE = {"width": 390, "height": 844}
LOW = {"width": 1400, "height": 620}
NAMES = [f"name{n}" for n in range(12)]
# Line 19 changes `last`, the thirteenth name; line 3 of `held` is executed while the caller's `count` differs.
SOURCE = "\n".join([
    "class Box:", "    def __init__(self, owner):", "        self.owner, self.balance, self.log = owner, 100, [10, 20]",
    "def f():", *(f"    {name} = Box('Ada L-{n}')" for n, name in enumerate(NAMES)),
    "    last = 4", "    last += 1000", "    return last", "",
])  # fmt: skip
HELD = "def held(n):\n    m = n\n    return m\ndef g():\n    count = 10\n    x = held(1)\n    return count\n"
SPLIT = r"""() => {
  const split = [];
  for (const text of document.querySelectorAll(".value .text, .differences code, .story dd.text")) {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const nodes = [];
    let all = "";
    while (walker.nextNode()) {
      nodes.push([walker.currentNode, all.length]);
      all += walker.currentNode.data;
    }
    const place = (at) => nodes.findLast(([, start]) => start <= at);
    for (const { 0: token, index } of all.matchAll(/'[^']*'|[\w#.-]+/g)) {
      const tops = new Set();
      for (let at = index; at < index + token.length; at += 1) {
        const [node, start] = place(at);
        const range = document.createRange();
        range.setStart(node, at - start);
        range.setEnd(node, at - start + 1);
        const { bottom } = range.getBoundingClientRect();
        tops.add(Math.round(bottom / 8));
      }
      if (tops.size > 1) split.push(token);
    }
  }
  return split;
}"""
IN_SIGHT = """() => {
  const box = document.querySelector(".frames").getBoundingClientRect();
  const bar = document.querySelector(".moves");
  const top = Math.max(box.top, getComputedStyle(bar).position === "sticky" ? bar.getBoundingClientRect().bottom : 0);
  const row = document.querySelector("tr.differs").getBoundingClientRect();
  return row.top >= top - 1 && row.bottom <= Math.min(box.bottom, innerHeight) + 1;
}"""


def stage(folder: Path) -> None:
    calls = [(SOURCE, "f()"), (HELD, "g()")]
    tasks = [Task(program=Program(source=source, call=call), name=call) for source, call in calls]
    wrong = {
        "f": ((b"last=1004", b"last=2004"), (b")1004", b")2004")),
        "g": ((b"count=10", b"count=11"), (b")10", b")11")),
    }
    run(Suite(name="values", tasks=tasks), Staged("values", wrong), out=folder)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(shared(tmp_path_factory, "values", stage)) as server:
        yield server


@pytest.fixture(params=[WIDE, PHONE, LOW], ids=["1400x900", "390x844", "1400x620"])
def sized(request: pytest.FixtureRequest, chromium: Any, served: Served) -> Iterator[Any]:
    page, complaints = tab(chromium, size=request.param)
    page.goto(served.url)
    page.wait_for_selector("text=values")
    yield page
    assert complaints.heard == []
    page.context.close()


def test_the_first_divergence_is_in_sight(sized: Any) -> None:
    page = go(sized)
    assert page.get_attribute("tr.differs", "data-name") == "last"
    assert page.evaluate(IN_SIGHT)


def test_stepping_onto_a_difference_brings_it_and_leaves_the_focus(sized: Any) -> None:
    first = int(go(sized).get_attribute(".sample-view", "data-row"))
    page = go(sized, row=first - 1)
    page.evaluate("document.querySelector('.frames').scrollTop = 0; scrollTo(0, 0)")
    page.focus("[data-move=forward]")
    page.keyboard.press("Enter")
    shows(page, first)
    assert page.evaluate(IN_SIGHT)
    assert page.evaluate("document.activeElement.dataset.move") == "forward"


def test_a_frame_with_the_only_difference_is_open(sized: Any) -> None:
    first = int(go(sized, 1).get_attribute(".sample-view", "data-row"))
    page = go(sized, 1, row=first + 3)  # in `held`: its caller's name differs
    assert page.inner_text(".frame-head .function >> nth=0") == "held"
    assert page.get_attribute("tr.differs", "data-name") == "count"
    assert page.is_visible("tr.differs")


def test_no_token_is_split(sized: Any) -> None:
    page = go(sized)
    assert page.evaluate(SPLIT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_a_token_wider_than_its_cell_is_broken(sized: Any) -> None:
    page = go(sized)
    overflow = """() => {
      const text = document.querySelector('.value .text');
      text.replaceChildren('x'.repeat(500));
      return text.scrollWidth - text.clientWidth;
    }"""
    assert page.evaluate(overflow) <= 0


# Letters, arrows and shapes that every common font has (Windows Glyph List 4), and the signs of verdicts, beside which
# a word stands.
EVERYWHERE = set("·\N{EN DASH}…‹›←↑→↓≈└ ✓✗")


def test_no_sign_depends_on_a_font() -> None:
    files = static_files.static_files()
    written = {
        name: set(re.findall(r"[^\x00-\x7f]", file.data.decode())) - EVERYWHERE
        for name, file in files.items()
        if name.endswith((".js", ".css", ".html"))
    }
    assert {name: signs for name, signs in written.items() if signs} == {}


def test_signs_are_drawn(sized: Any) -> None:
    page = go(sized)
    sizes = "all => all.map(icon => [icon.getBBox().width, icon.textContent])"
    drawn = page.eval_on_selector_all(".writer svg.icon, [data-move] svg.icon", sizes)
    assert len(drawn) > 10
    assert all(width > 3 and text == "" for width, text in drawn)
