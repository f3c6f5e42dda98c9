"""Large values in a real browser: changes by position in the list of steps, both ends of a value elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import WIDE, go, tab, texts
from conftest import shared
from serving import Served, serving
from staged import Staged

from worldline.core.program import Program
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.suite import Suite, Task
from worldline.recording.recorder import record

pytestmark = pytest.mark.usefixtures("sandbox")

SOURCE = """\
def f():
    xs = list(range(100, 200))
    xs.append(7)
    xs[50] = -1
    del xs[3]
    s = 'ab' * 100
    s += 'xyz'
    return xs
"""
PROGRAM = Program(source=SOURCE, call="f()", name="f")
CHANGES = {3: "xs+=[7] (len 101)", 5: "del xs[3] (len 100)", 7: "s+='xyz' (len 203)"}
# Whether the text of an element ends inside the cell that holds it.
IN_SIGHT = """code => {
  const range = document.createRange();
  range.selectNodeContents(code);
  return range.getBoundingClientRect().right <= code.closest("[role=gridcell]").getBoundingClientRect().right + 1;
}"""


def stage(folder: Path) -> None:
    wrong = {"f": ((b" -1, ", b" -2, "),)}
    run(Suite(name="large", tasks=[Task(program=PROGRAM, name="f()")]), Staged("large", wrong), out=folder)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(shared(tmp_path_factory, "large", stage)) as server:
        yield server


@pytest.fixture(scope="module")
def page(chromium: Any, served: Served) -> Iterator[Any]:
    page, complaints = tab(chromium, size=WIDE)
    page.goto(served.url)
    page.wait_for_selector("text=large")
    yield page
    assert complaints.heard == []
    page.context.close()


def step_of(line: int) -> int:
    return next(step.i for step in record(PROGRAM).steps if step.event == "line" and step.line == line)


@pytest.mark.parametrize("line", CHANGES)
def test_a_change_in_the_list_of_steps(page: Any, line: int) -> None:
    go(page, row=step_of(line))
    cell = ".steps .windowed-row[aria-selected=true] .left code"
    assert texts(page, cell) == [CHANGES[line]]
    assert page.eval_on_selector(cell, IN_SIGHT)


def test_two_changes_that_differ(page: Any) -> None:
    go(page, row=step_of(4))
    row = ".steps .windowed-row[aria-selected=true]"
    assert [text.partition(" (")[0] for text in texts(page, f"{row} code")] == ["xs[50]=-1", "xs[50]=-2"]
    assert texts(page, f"{row} mark") == ["1", "2"]
