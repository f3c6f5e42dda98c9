"""Where a call enters is known from its prompt: the guide lets nothing else begin, nor does any recorded run."""

from __future__ import annotations

import pytest

from worldline.analyze.flow.entry import entries
from worldline.codec.compact.guide.guide import Guide
from worldline.codec.compact.prompt import Compact
from worldline.core.program import Program
from worldline.predict.local import Local
from worldline.predict.models import load_model
from worldline.predict.prediction import PredictionRequest
from worldline.recording.recorder import record

FIVE = """\
def double(n):
    return n * 2
def shout(text):
    return text.upper() + '!'
def total(xs):
    t = 0
    for x in xs:
        t += x
    return t
def swap(a, b):
    return b, a
def last(xs):
    return xs[-1]
"""
CALLS = {
    "double(21)": 1, "shout('hey')": 3, "total([1, 2, 3])": 5, "swap(1, 'x')": 10, "last([4, 5, 6])": 12,
}  # fmt: skip
MODES = [Compact(), Compact(bare=True), Compact(delta="element"), Compact(reveal=0), Compact(reveal=3, same=True)]
CLASSES = """\
class A:
    size = 3
    def __init__(self, n):
        self.n = n
    def twice(self):
        return self.n * 2
    def never(self):
        return 0
def f(x): return x
def g(x): return x
"""
# source, call, the lines at which the first frame may begin (None: any)
TOLD = [
    (FIVE, "last(xs=[3, -1, 2 + 1])", {12}),
    (FIVE, "sorted([3, 1], key=double)", {1}),
    (FIVE, "swap(double(1), shout('a'))", {10, 1, 3}),
    (FIVE, "len([1])", None),
    (FIVE, "nowhere(1)", None),
    (FIVE, "last([x for x in [1]])", None),
    (FIVE, "last({double: 1})", None),
    (FIVE + "last = double\n", "last(2)", None),
    (FIVE + "def last(xs): return 0\n", "last([1])", None),
    (FIVE + "def other():\n    global last\n    last = double\n", "last([1])", None),
    ("import functools\n@functools.cache\ndef f(n): return n\n", "f(1)", None),
    ("if True:\n    def f(n): return n\n", "f(1)", None),
    ("from math import *\n" + FIVE, "last([1])", None),
    (FIVE + "last.__code__ = double.__code__\n", "last(1)", None),
    (FIVE + "last.plain = double\n", "last.plain(1)", None),
    (CLASSES, "A(3).twice()", {3, 5}),
    (CLASSES, "f(A(3))", {3, 9}),
    (CLASSES + "A.twice = g\n", "A(3).twice()", None),
    (CLASSES.replace("class A:", "class A(dict):"), "A(3).twice()", None),
    (CLASSES, "A(3)(4)", None),
    ("def f(", "f(1)", None),
    ("async def f(n):\n    return n\n", "f(1)", {1}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "call", "lines"), TOLD)
def test_lines_are_told_or_left_open(source: str, call: str, lines: set[int] | None) -> None:
    assert entries(source, call) == (None if lines is None else frozenset(lines))


@pytest.mark.parametrize(("source", "call"), [(source, call) for source, call, _ in TOLD])
def test_no_recorded_run_begins_elsewhere(source: str, call: str) -> None:
    lines = entries(source, call)
    found = record(Program(source=source, call=call))
    begun = [step.line for step in found.steps if step.event == "call"]
    assert lines is None or not begun or begun[0] in lines


@pytest.mark.parametrize("options", MODES, ids=lambda mode: f"{mode.delta}-{mode.reveal}-{mode.bare}")
@pytest.mark.parametrize(("call", "line"), CALLS.items())
def test_the_guide_enters_what_is_called(call: str, line: int, options: Compact) -> None:
    guide = Guide(Program(source=FIVE, call=call), options)
    guide.feed_all(b"(")
    assert guide.forced().startswith(b"%d" % line)


@pytest.mark.long(reason="test_the_guide_enters_what_is_called asks the guide alone")
@pytest.mark.parametrize("options", MODES, ids=lambda mode: f"{mode.delta}-{mode.reveal}-{mode.bare}")
def test_the_shipped_model_enters_each_of_five_functions(options: Compact) -> None:
    model = load_model()
    assert isinstance(model, Local)
    asks = [PredictionRequest(program=Program(source=FIVE, call=call), options=options, limit=40) for call in CALLS]
    for line, found in zip(CALLS.values(), model.predict(asks), strict=True):
        assert found.text.split()[0] == b"(%d" % line


def test_a_second_frame_may_be_any_functions() -> None:
    guide = Guide(Program(source=FIVE, call="swap(double(1), 2)"))
    guide.feed_all(b"(1 n=1\n2\n)2\n(10")
