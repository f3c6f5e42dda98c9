"""How text of programs and values is shown, in a real browser: its white space kept, long ones cut around what differs,
source in colours. The page, a report and what `debug --html` writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import go, tab, texts
from serving import Served, serving
from staged import Staged

from worldline.core.program import Program
from worldline.diagnose.debug import debug
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.ui.report import debug_page
from worldline.ui.report.page import render

pytestmark = [
    pytest.mark.usefixtures("sandbox"),
    pytest.mark.long(reason="a browser and a server of its own for white space and long texts"),
]
SPACES = "def f(s):\n    t = s + ' '\n    u = [t,  'x']\n    return t  # two  spaces\n"
LONG = "def g(n):\n    s = 'ab' * n + 'c'\n    return s\n"
MODEL = Staged(
    "blank",
    {"f": ((b" t='q '", b" t='q  '"), (b")'q '", b")'q  '")), "g": ((b"abc'\n", b"abd'\n"), (b"abc'\n", b"abd'\n"))},
)  # fmt: skip
CALLS = ((SPACES, "f('q')"), (LONG, "g(600)"))

# Every text in which white space runs on, or that a value begins or ends with, whose element would collapse it.
COLLAPSED = r"""root => {
  const walk = document.createTreeWalker(document.querySelector(root), NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const around = node.parentElement;
    if (!/\S {2,}\S/.test(node.data) || !around.checkVisibility() || around.closest('option, title, style')) continue;
    if (getComputedStyle(around).whiteSpaceCollapse === 'collapse') found.push(around.outerHTML);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def blank(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> Path:
    """A run by a model that writes a blank too many, and a wrong letter at the end of a long text."""
    folder = tmp_path_factory.mktemp("runs") / "blank"
    tasks = [Task(program=Program(source=source, call=call), name=call) for source, call in CALLS]
    run(Suite(name="blanks", tasks=tasks), MODEL, out=folder)
    return folder


@pytest.fixture(scope="module")
def served(blank: Path) -> Iterator[Served]:
    with serving(blank) as server:
        yield server


@pytest.fixture(scope="module")
def tabs(chromium: Any, served: Served) -> Any:
    page, complaints = tab(chromium)
    page.goto(served.url)
    page.wait_for_selector("text=blank")
    return page, complaints


def test_white_space_is_seen(page: Any) -> None:
    go(page, row=1)
    assert texts(page, "tr[data-name=t] .value .text") == ["'q '", "'q  '"]
    assert texts(page, ".differences code") == ["t", "'q '", "'q  '"]
    assert page.locator(".steps code", has_text="t = 'q  '").count()
    for row in range(4):
        go(page, row=row)
        assert page.evaluate(COLLAPSED, "main") == []
    marks = page.locator("tr[data-name=t] mark")
    assert marks.count()
    assert all(sandbox.bounding_box()["width"] > 3 for sandbox in marks.all())


def test_a_long_value_is_shown_where_it_differs(page: Any) -> None:
    go(page, 1, row=1)
    for selector in (".differences code >> nth=1", ".differences code >> nth=2", ".steps .active code >> nth=1"):
        assert "…" in page.inner_text(selector)
    assert page.inner_text(".differences code >> nth=1").endswith("abc'")
    assert page.inner_text(".differences code >> nth=2").endswith("abd'")
    for mark in page.locator("tr[data-name=s] mark").all():
        sandbox = page.evaluate_handle("mark => mark.closest('.text').getBoundingClientRect()", mark.element_handle())
        inner, outer = mark.bounding_box(), sandbox.json_value()
        assert outer["top"] <= inner["y"] + inner["height"] / 2 <= outer["bottom"], "it is scrolled out of sight"


def test_reports_keep_white_space(chromium: Any, blank: Path, tmp_path: Path) -> None:
    pages = {"report": render(blank)[0]}
    for source, call in CALLS:
        pages[call[0]] = debug_page.page(debug(Program(source=source, call=call), MODEL, interventions=False))
    page, complaints = tab(chromium)
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text)
        page.goto((tmp_path / f"{name}.html").as_uri())
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert page.evaluate(COLLAPSED, "body") == []
    assert complaints.heard == []
    page.context.close()
