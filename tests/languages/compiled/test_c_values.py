"""C programs whose lines say what they change: `//: name=value | -gone | name&other` is a line's first step."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import warm

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Step, Trace
from worldline.core.value import Malformed, parse
from worldline.recording.languages import toolchain

pytestmark = [
    pytest.mark.usefixtures("sandbox"),
    pytest.mark.skipif(isinstance(toolchain.find("c"), str), reason="no C compiler"),
]
PROGRAMS = sorted((Path(__file__).parent / "c").glob("*.c"))
_SAID = re.compile(r"  //: (.*)$")


@cache
def traced(path: Path) -> Trace:
    return warm.record(Program(source=path.read_text(), name=path.name), Limits(wall=120))


def told(step: Step) -> str:
    changes = [f"{name}={value}" for name, value in step.delta.items()]
    shared = [f"{name}&{other or ''}" for name, other in step.same.items()]
    return " | ".join([*changes, *(f"-{name}" for name in step.gone), *shared])


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_each_line_changes_what_it_says(path: Path) -> None:
    trace = traced(path)
    assert trace.outcome.kind == "returned", trace.stderr
    first: dict[int, Step] = {}
    for step in trace.steps:
        if step.event in ("call", "line"):
            first.setdefault(step.line, step)
    lines = path.read_text().split("\n")
    wanted = {at: said[1] for at, line in enumerate(lines, 1) if (said := _SAID.search(line))}
    found = {at: told(step) for at, step in first.items() if told(step)}
    assert found == wanted


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_value_is_canonical(path: Path) -> None:
    trace = traced(path)
    values = {value for step in trace.steps for value in (*step.delta.values(), step.arg) if value is not None}
    assert [value for value in values if isinstance(parse(value), Malformed)] == []


def test_a_pointer_to_what_has_no_name_is_not_one_to_the_end_of_a_neighbour() -> None:
    source = """static int sum(const int *a, int n) {
    int s = 0;
    while (n--)
        s += *a++;
    return s;
}
int main(void) {
    int c = sum((int[]){1, 2, 3}, 3);
    char *names[] = {"x", "yy", 0};
    int d = sum((int[]){4, 5}, 2);
    int after[] = {7, 8};
    return c + d - 15 + (names[2] != 0) + after[0] - 7;
}
"""
    trace = warm.recorded(source, "literals.c")
    assert trace.outcome.kind in ("returned", "exited"), trace.outcome
    shown = [step.delta["a"] for step in trace.steps if "a" in step.delta]
    assert set(shown) == {"<pointer>"}


def test_a_function_that_begins_with_a_loop_is_entered_once() -> None:
    source = """static int f(int n) {
    do {
        n--;
    } while (n > 0);
    return n;
}
static int g(int n) { do n--; while (n > 0); return n; }
static int h(int n) { for (;;) { n--;
        if (n < 0)
            return n; } }
int main(void) {
    return f(2) + g(2) + h(1) + 1;
}
"""
    trace = warm.recorded(source, "first.c")
    assert [one.name for one in trace.frames] == ["main", "f", "g", "h"]
    told = [[(step.line, step.delta.get("n")) for step in trace.steps if step.frame == at] for at in (1, 2, 3)]
    assert told[0][:5] == [(1, "2"), (3, "1"), (4, None), (3, "0"), (4, None)]
    assert told[1][:3] == [(7, "2"), (7, "1"), (7, "0")]
    assert told[2][:5] == [(8, "1"), (8, "0"), (9, None), (8, "-1"), (9, None)]


def test_a_global_whose_address_is_a_number_in_the_code_is_one_that_the_function_uses() -> None:
    source = """static int many[3] = {1, 2, 3};
int main(void) {
    int *p = many + 1;
    *p = 7;
    return 0;
}
"""
    trace = warm.recorded(source, "address.c")
    told = [(step.line, dict(step.delta), dict(step.same)) for step in trace.steps if step.event == "line"]
    assert told[:2] == [
        (3, {"p": "Ptr#1([1, 2, 3], at=1)"}, {"p": "many"}),
        (4, {"p": "Ptr#1([1, 7, 3], at=1)", "many": "[1, 7, 3]"}, {}),
    ]


def test_a_union_shows_no_address_as_a_number() -> None:
    source = """union any { int *p; long n; double d; unsigned char b[8]; struct { unsigned low : 5, high; } part; };
struct tagged { int kind; union any v; };
int main(void) {
    int x = 5;
    union any a = {&x};
    struct tagged t = {1, {&x}};
    a.n = 7;
    t.v.d = 1.5;
    return 0;
}
"""
    trace = warm.recorded(source, "union.c")
    assert trace.outcome.kind == "returned", trace.outcome
    hidden = "n=<pointer>, d=<pointer>, b=<pointer>"
    changes = {step.line: step.delta for step in trace.steps if step.event == "line"}
    assert changes[5]["a"].startswith(f"any#1(p=Ptr#2([5], at=0), {hidden}, part=")
    assert "low=<pointer>, high=<pointer>" in changes[5]["a"]
    assert f"v=any#6(p=Ptr#2([5], at=0), {hidden}" in changes[6]["t"] or hidden in changes[6]["t"]
    assert "p=<pointer>, n=7," in changes[7]["a"]
    assert "d=1.5" in changes[8]["t"]
