"""C programs whose lines say what they change: `//: name=value | -gone | name&other` is a line's first step."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import warm

from worldline.core.program import Program
from worldline.core.trace import Step, Trace
from worldline.core.value import Malformed, parse
from worldline.limits import Limits
from worldline.recording.languages import toolchain

pytestmark = [
    pytest.mark.usefixtures("box"),
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
    values = {
        value for step in trace.steps for value in (*step.delta.values(), step.arg) if value is not None
    }
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
