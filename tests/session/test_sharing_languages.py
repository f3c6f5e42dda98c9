"""Names that share one object in other languages: by the numbers of objects, by plain assignments, by marks."""

from __future__ import annotations

from language_sessions import LIST_C
from test_sharing import after

from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.marks.sharing import Groups
from worldline.ui.session.run import Run

JS = """function f() {
  let a = [1];
  let b = a;
  const c = [...a];
  b.push(2); // "c" is a copy, b = c
  c.push(2);
  b = [1, 2];
  return a;
}
"""
STEPS = b"""(1
2 a=[1]
3 b=[1]
4 c=[1]
5 a=[1, 2] b=[1, 2]
6 c=[1, 2]
7 b=[1, 2]
8
)[1, 2]
.
"""


def run(source: str, name: str, steps: bytes, *, same: bool = False) -> Run:
    """A run as it is written."""
    ask = PredictionRequest(program=Program(source=source, name=name, call="f()"), options=Compact(same=same))
    return Run("found", ask, Prediction(text=steps, status="ended"))


def test_pointers_into_one_block_and_to_one_object_are_one() -> None:
    found = Run("found", LIST_C.ask, Prediction(text=LIST_C.steps, status="ended"))
    inner = found.events[4].frame

    def groups(step: int) -> Groups:
        return found.sharing.at(inner, step)

    assert groups(4) == ()
    assert groups(5) == (("xs", "p"),)
    assert groups(12) == (("xs", "p"),)
    outer = found.events[0].frame
    assert found.sharing.at(outer, 17) == ()  # what one object holds is not another name of it


def test_an_assignment_shares_in_languages_of_references() -> None:
    for name in ("a.js", "a.ts", "A.java"):
        found = run(JS, name, STEPS)
        assert after(found, 2) == ()
        assert after(found, 3) == (("a", "b"),)
        assert after(found, 6) == (("a", "b"),)
        assert after(found, 7) == ()


def test_an_assignment_copies_in_languages_of_values() -> None:
    for name in ("a.c", "a.cpp", "a.rs"):
        found = run(JS, name, STEPS)
        assert [after(found, line) for line in (3, 5, 7)] == [(), (), ()]


def test_a_source_that_happens_to_be_python_is_not_read_as_python() -> None:
    found = run("\nb = a\n", "a.c", b"(1 a=[1]\n2 b=[1]\n)None\n.\n")
    assert after(found, 2) == ()


def test_marks_are_all_there_is_to_it() -> None:
    found = run(JS, "a.js", b"(1\n2 a=[1]\n3 b=[1] b&a\n4 c=[1]\n7 b=[1, 2] b&\n8\n)[1]\n.\n", same=True)
    assert after(found, 3) == (("a", "b"),)
    assert after(found, 7) == ()
