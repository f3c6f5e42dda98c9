"""Names that share one object: by what lines do, by what is seen to change, by a text's own marks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from stepped import damaged
from tiers import examples

from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import PredictionRequest
from worldline.ui.session.marks.sharing import Groups
from worldline.ui.session.run import Run

pytestmark = pytest.mark.usefixtures("sandbox")
ALIAS = """def f():
    a = [1]
    b = a
    c = a[:]
    b.append(2)
    c.append(3)
    b = [1, 2]
    a.append(4)
    return a
"""


def run(source: str, call: str = "f()", *, codec: str = "compact", options: Compact | None = None, **wrong: str) -> Run:
    """The true run of a program, some of its texts replaced once."""
    ask = PredictionRequest(program=Program(source=source, call=call), options=options or Compact(), limit=100_000)
    found = next(iter(Interpreter(codec=codec).predict([ask])))
    text = found.text
    for old, new in wrong.items():
        text = text.replace(old.encode(), new.encode(), 1)
    return Run("found", ask, replace(found, text=text))


def after(found: Run, line: int) -> Groups:
    """The groups of the first frame when the last pass of a line is done."""
    step = max(i for i, moment in enumerate(found.events) if moment.line == line)
    return found.sharing.at(found.events[0].frame, found.history.shown_at(step))


def test_an_assignment_shares_and_another_value_parts() -> None:
    found = run(ALIAS)
    assert after(found, 2) == ()
    assert after(found, 3) == (("a", "b"),)
    assert after(found, 6) == (("a", "b"),)  # c is a copy
    assert after(found, 7) == ()


def test_the_same_by_metas_notation_and_by_marks() -> None:
    marked = run(ALIAS, options=Compact(same=True))
    assert any(moment.same for moment in marked.events)
    for line in (2, 3, 6, 7):
        assert after(marked, line) == after(run(ALIAS), line)
    cwm = run(ALIAS, codec="cwm")
    last = next(i for i, moment in enumerate(cwm.events) if moment.line == 6)
    assert cwm.sharing.at(cwm.events[0].frame, last) == (("a", "b"),)


def test_what_changes_alike_under_one_name_is_one_object() -> None:
    found = run("def f(p):\n    q = p[0]\n    r = p[0]\n    q.append(1)\n    return r\n", "f([[0]])")
    assert after(found, 4) == (("q", "r"),)
    both = run("def f():\n    q = []\n    r = []\n    q.append(1); r.append(1)\n    return r\n")
    assert after(both, 4) == ()


def test_in_place_and_at_once() -> None:
    found = run("def f():\n    a = b = []\n    a += [1]\n    n = m = 1\n    return b\n")
    assert after(found, 3) == (("a", "b"),)
    assert after(found, 4) == (("a", "b"),)  # numbers are no objects that change


def test_a_model_that_forgets_an_alias_parts_the_names() -> None:
    found = run(ALIAS, **{"5 a=[1, 2] b=[1, 2]": "5 b=[1, 2]"})
    assert any(moment.line == 5 and set(moment.values) == {"b"} for moment in found.events), found.prediction.text
    assert after(found, 3) == (("a", "b"),)
    assert after(found, 5) == ()


@given(damaged())
@settings(max_examples=examples(10, 40))
def test_any_text_has_groups_of_names_that_are_there(of: tuple[str, str, Run]) -> None:
    _, _, found = of
    for step, frames in found.sharing.changes.items():
        for frame in frames:
            groups = found.sharing.at(frame, step)
            names = [name for group in groups for name in group]
            assert len(set(names)) == len(names)
            assert all(len(group) > 1 for group in groups)
