"""Loops in one line have one step a round, from its beginning; what they read and write stands in its true order."""

from __future__ import annotations

import pytest
import warm

from worldline.core.trace import Trace

pytestmark = pytest.mark.usefixtures("sandbox")
BOTH = pytest.mark.parametrize("name", ["loops.c", "loops.cpp"])
READS = """#include <stdio.h>
int main(void) {
    int s = 0, x;
    while (scanf("%d", &x) == 1) printf("%d\\n", s += x);
    printf("n? "); s = getchar(); printf("%d\\n", s);
    return 0;
}
"""
STREAMS = """#include <iostream>
int main() {
    int s = 0, x;
    std::cout << "n? "; std::cin >> x; std::cout << x << "\\n";
    while (std::cin >> x) std::cout << (s += x) << "\\n";
}
"""
LOOPS = """int main(void) {
    int s = 0;
    for (int i = 0; i < 2; i++) s += i;
    for (int i = 0; i < 3; i++) { int b = i * 2; if (b > 1) break; s += b; }
    for (int i = 0; ; i++) { if (i > 1) break; s += i; }
    while (s < 4) s++;
    while (s < 6) { s++; if (s == 5) continue; s++; }
    do s--; while (s > 4);
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) s += i * j;
    if (s > 2) s = 0;
    return s;
}
"""
RUST = """use std::io::stdin;
fn main() {
    let mut s = 0;
    while s < 2 { s += 1; }
    let mut n = 0; loop { n += 1; if n > 1 { break; } }
    for line in stdin().lines() { println!("{}", line.unwrap()); }
}
"""


def events(trace: Trace, line: int) -> list[tuple[str, object]]:
    """The events of a line in the order of time: its steps with their changes, and what it read and wrote."""
    steps = [step for step in trace.steps if step.line == line and step.event in ("line", "input", "output")]
    return [(step.event, step.delta if step.event == "line" else step.arg) for step in steps]


@BOTH
def test_what_a_round_reads_stands_before_what_it_writes(name: str) -> None:
    trace = warm.recorded(READS, name, stdin="3\n4\n")
    assert trace.output == "3\n7\nn? -1\n"
    assert events(trace, 4) == [
        ("line", {"x": "3", "s": "3"}),
        ("input", "'3'"),
        ("output", "'3\\n'"),
        ("line", {"x": "4", "s": "7"}),
        ("input", "'\\n4'"),
        ("output", "'7\\n'"),
        ("line", {}),
        ("input", "'\\n'"),
    ]


@BOTH
def test_a_prompt_stands_before_its_answer(name: str) -> None:
    trace = warm.recorded(READS, name, stdin="x7")
    assert events(trace, 5)[1:] == [("output", "'n? '"), ("input", "'x'"), ("output", "'120\\n'")]


def test_streams_of_cpp_are_in_order() -> None:
    trace = warm.recorded(STREAMS, "streams.cpp", stdin="3 4")
    assert [event for event in events(trace, 4) if event[0] != "line"] == [
        ("output", "'n? '"),
        ("input", "'3'"),
        ("output", "'3\\n'"),
    ]
    assert events(trace, 5) == [
        ("line", {"x": "4", "s": "4"}),
        ("input", "' 4'"),
        ("output", "'4\\n'"),
        ("line", {}),
    ] or events(trace, 5)[:3] == [("line", {"x": "4", "s": "4"}), ("input", "' 4'"), ("output", "'4\\n'")]


@BOTH
def test_a_round_is_a_step(name: str) -> None:
    trace = warm.recorded(LOOPS, name)
    assert trace.outcome.kind == "returned", trace.outcome

    def changes(line: int) -> list[dict[str, str]]:
        return [step.delta for step in trace.steps if step.line == line and step.event == "line"]

    assert changes(3) == [{"i": "0"}, {"i": "1", "s": "1"}, {"i": "2"}]
    assert changes(4) == [{"i": "0", "b": "0"}, {"i": "1", "b": "2"}]
    assert changes(5) == [{"i": "0"}, {"i": "1", "s": "2"}, {"i": "2"}]
    assert changes(6) == [{"s": "3"}, {"s": "4"}, {}]
    assert changes(7) == [{"s": "5"}, {"s": "7"}, {}]
    assert changes(8) == [{"s": "6"}, {"s": "5"}, {"s": "4"}]
    assert changes(9) == [
        {"i": "0", "j": "0"}, {"j": "1"}, {"j": "2"}, {"i": "1", "j": "0"}, {"j": "1", "s": "5"}, {"j": "2"},
        {"i": "2"},
    ]  # fmt: skip
    assert changes(10) == [{"s": "0"}]


def test_rounds_of_rust() -> None:
    trace = warm.recorded(RUST, "loops.rs", stdin="a\nb\n")
    assert [value for kind, value in events(trace, 4) if kind == "line"] == [{"s": "1"}, {"s": "2"}, {}]
    assert [value for kind, value in events(trace, 5) if kind == "line"] == [{"n": "1"}, {"n": "2"}]
    assert [event for event in events(trace, 6) if event[0] != "line"] == [
        ("input", "'a\\nb\\n'"),
        ("output", "'a\\n'"),
        ("output", "'b\\n'"),
    ]
