"""The page in a real browser shows at each row what has happened up to the next one."""

from __future__ import annotations

from typing import Any

import pytest
from browser import go, tab
from serving import Served
from shown_order import naive_rows
from staged import FACT

from worldline.core.program import Program
from worldline.recording.recorder import record

pytestmark = pytest.mark.usefixtures("sandbox")

# Opens every frame, then reads the actual values of each, innermost first.
STATE = """() => {
  for (const head of document.querySelectorAll(".frame-head[aria-expanded=false]")) head.click();
  return [...document.querySelectorAll(".state-panel .frame")].map((frame) => Object.fromEntries(
    [...frame.querySelectorAll("tbody tr[data-name]")]
      .map((row) => [row.dataset.name, row.cells[1].querySelector(".text")?.textContent])
      .filter(([, text]) => text !== undefined)));
}"""


@pytest.fixture(scope="module")
def tabs(chromium: Any, shown: Served) -> Any:
    page, complaints = tab(chromium)
    page.goto(shown.url)
    page.wait_for_selector("text=one")
    return page, complaints


def test_every_row_shows_what_has_happened_by_then(page: Any) -> None:
    trace = record(Program(source=FACT, call="fact(3)"))
    for i, row in enumerate(naive_rows(trace)):
        go(page, row=i)
        frame, chain = trace[i].frame, list[int]()
        while frame >= 0:
            chain.append(frame)
            frame = trace.frames[frame].parent
        assert page.evaluate(STATE) == [row.state[frame] for frame in chain], i


def test_a_change_of_the_caller_stands_with_the_return_after_its_place(page: Any) -> None:
    go(page, row=9)
    row = page.locator(".steps .windowed-row[aria-selected=true] .left").inner_text()
    assert "line 4 in fact: r = 1" in row
    heads = page.locator(".frame-head").evaluate_all("heads => heads.map((head) => head.ariaExpanded)")
    assert heads == ["true", "true", "false"]  # the caller's frame is open: it changes
