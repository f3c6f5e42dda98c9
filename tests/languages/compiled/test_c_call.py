"""Calls of C functions: arguments by the parameters' types, what does not fit is refused with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest
import warm

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.languages import toolchain

pytestmark = [
    pytest.mark.usefixtures("sandbox"),
    pytest.mark.skipif(isinstance(toolchain.find("c"), str), reason="no C compiler"),
]
SOURCE = (Path(__file__).parent / "called.c").read_text()


def called(call: str) -> Trace:
    return warm.record(Program(source=SOURCE, name="called.c", call=call), Limits(wall=120))


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("scaled([1, 2, 3], 3, 0.5)", "3.0"),
        ("shout('abc')", "'ABC'"),
        ("joined(['a', 'bc', None])", "3"),
        ("trace_of([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 3)", "15"),
        ("jagged([[1], [2]])", "3"),
        ("either(True, 'x', -5)", "'x'"),
        ("either(False, 'x', 65)", "'A'"),
        ("missing(None)", "True"),
        ("halved(1.5)", "0.75"),
        ("hidden(4)", "8"),
        ("by_value({'x': 3, 'y': 4})", "3"),
        ("by_value((3, 4))", "3"),
        ("moved((1, 2), {'x': 10})", "Point#1(x=11, y=2)"),
        ("middle((1.0, 2.0), (3.0, 4.0))", "Where#3(x=2.0, y=3.0)"),
        ("total([{'marks': [5]}, {'marks': [7, 1]}], 2)", "12"),
        ("missing((1, 2))", "False"),
        ("mixed(1, {'marks': [2]}, 8.0, {'marks': [0, 4], 'at': (0, 16), 'word': 'A'}, 'B')", "162"),
    ],
)
def test_a_call_gives_its_value(call: str, value: str) -> None:
    trace = called(call)
    assert (trace.outcome.kind, trace.outcome.detail) == ("returned", value), trace.stderr
    assert (trace[0].event, trace[len(trace) - 1].arg) == ("call", value)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("nowhere(1)", "call: there is no function nowhere"),
        ("halved(1.5, 2)", "call: halved takes 1 argument, and 2 are given"),
        ("halved('a')", "call: x is a float, which str does not fit"),
        ("hidden(3000000000)", "call: n is an int, which cannot hold 3000000000"),
        ("shout(5)", "call: text is a pointer, which a list, a str or None fits, and not int"),
        ("by_value([1, 2])", "call: p is a Point, which list does not fit"),
        ("by_value({'z': 1})", "call: p is a Point, which has no z"),
        ("by_value((1, 2, 3))", "call: p is a Point, which has 2 members, and 3 are given"),
    ],
)
def test_what_does_not_fit_is_refused(call: str, why: str) -> None:
    outcome = called(call).outcome
    assert (outcome.kind, outcome.detail) == ("unsupported", why)


def test_a_struct_that_is_returned_in_memory_is_shown() -> None:
    trace = called("grown({'name': 'Ada', 'marks': [1, 2], 'at': (0.5, 1.5), 'word': 'hi'}, 4)")
    assert trace.outcome.kind == "returned", trace.outcome
    shown = "(name='Ada', marks=[5, 2, 0, 0], at=Where#2(x=0.5, y=1.5), word='hi')"
    assert trace.outcome.detail == f"Pupil#1{shown}"
