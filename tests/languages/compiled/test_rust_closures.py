"""Closures of Rust: a call shows the captured variables with the values that they have then."""

from __future__ import annotations

from typing import Any

import pytest
from warm import recorded

pytestmark = pytest.mark.usefixtures("sandbox")
Event = tuple[str, int, dict[str, Any]]


def closure_events(source: str) -> list[Event]:
    """Record a program and return what its functions other than `main` show."""
    trace = recorded(source, "closures.rs")
    assert trace.outcome.kind == "returned", trace.stderr
    return [(step.event, step.line, dict(step.delta)) for step in trace.steps if step.depth]


def test_a_call_shows_what_is_captured_by_reference_before_the_body_changes_it() -> None:
    source = """fn main() {
    let mut n = 0;
    let k = 7;
    let mut add = |d: i32| {
        n += d + k;
    };
    add(1);
    add(2);
    println!("{}", n);
}
"""
    assert closure_events(source) == [
        ("call", 4, {"d": "1", "n": "0", "k": "7"}),
        ("line", 5, {"n": "8"}),
        ("return", 5, {}),
        ("call", 4, {"d": "2", "n": "8", "k": "7"}),
        ("line", 5, {"n": "17"}),
        ("return", 5, {}),
    ]


def test_a_call_shows_what_a_move_closure_owns() -> None:
    source = """fn main() {
    let s = vec![1, 2];
    let mut count = 10;
    let mut grow = move |d: usize| {
        count += d;
        count + s.len()
    };
    println!("{} {}", grow(3), grow(4));
}
"""
    assert closure_events(source) == [
        ("call", 4, {"d": "3", "count": "10", "s": "[1, 2]"}),
        ("line", 5, {"count": "13"}),
        ("line", 6, {}),
        ("return", 6, {}),
        ("call", 4, {"d": "4", "count": "13", "s": "[1, 2]"}),
        ("line", 5, {"count": "17"}),
        ("line", 6, {}),
        ("return", 6, {}),
    ]


def test_closures_on_one_line_have_a_step_after_their_call() -> None:
    source = """fn main() {
    let mut total = 0;
    (1..3).for_each(|i| total += i);
    let k = 7;
    let add = |d: i32| d + k;
    println!("{} {}", total, add(4));
}
"""
    assert closure_events(source) == [
        ("call", 3, {"i": "1", "total": "0"}),
        ("line", 3, {"total": "1"}),
        ("return", 3, {}),
        ("call", 3, {"i": "2", "total": "1"}),
        ("line", 3, {"total": "3"}),
        ("return", 3, {}),
        ("call", 5, {"d": "4", "k": "7"}),
        ("line", 5, {}),
        ("return", 5, {}),
    ]


def test_a_boxed_closure_shows_its_captures() -> None:
    source = """fn adder(k: i32) -> Box<dyn Fn(i32) -> i32> {
    Box::new(move |d| d + k)
}
fn main() {
    let add = adder(7);
    println!("{}", add(1));
}
"""
    assert closure_events(source)[-3:] == [("call", 2, {"d": "1", "k": "7"}), ("line", 2, {}), ("return", 2, {})]


def test_a_closure_called_once_shows_what_it_moves_away() -> None:
    source = """fn main() {
    let name = String::from("n");
    let once: Box<dyn FnOnce() -> String> = Box::new(move || {
        let text = name;
        text + "!"
    });
    println!("{}", once());
}
"""
    trace = recorded(source, "once.rs")
    events = [(step.event, step.line, dict(step.delta), step.gone) for step in trace.steps if step.depth]
    assert events[:2] == [("call", 3, {"name": "'n'"}, ()), ("line", 4, {"text": "'n'"}, ("name",))]


def test_captured_text_and_slices_show_all_of_their_elements() -> None:
    source = """fn run<F: FnOnce(usize) -> usize>(f: F) -> usize {
    f(2)
}
fn main() {
    let text = String::from("abc");
    let t: &str = &text;
    let mut v = vec![1, 2, 3];
    let part: &mut [i32] = &mut v[1..];
    let mut put = |x: i32| {
        part[0] = x + t.len() as i32;
    };
    put(9);
    println!("{} {:?}", run(|i| t.len() + i), v);
}
"""
    events = closure_events(source)
    assert events[:2] == [("call", 9, {"x": "9", "part": "[2, 3]", "t": "'abc'"}), ("line", 10, {"part": "[12, 3]"})]
    assert ("call", 13, {"i": "2", "t": "'abc'"}) in events


def test_names_that_the_body_and_its_patterns_declare_are_not_shown_at_the_call() -> None:
    source = """fn main() {
    let n = 3;
    let f = |(a, b): (i32, i32)| {
        let n = n + a;
        n + b
    };
    println!("{}", f((1, 2)));
}
"""
    events = closure_events(source)
    assert events[0] == ("call", 3, {"n": "3"})
    assert ("line", 4, {"n": "4"}) in events
