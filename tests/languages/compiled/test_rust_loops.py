"""Loops of Rust: each round has one step of the `for` line, whatever the iterator, and what a line sets is its own."""

from __future__ import annotations

import pytest
import warm

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.languages import toolchain

pytestmark = [
    pytest.mark.usefixtures("sandbox"),
    pytest.mark.skipif(isinstance(toolchain.find("rust"), str), reason="no rustc"),
]
OWN = """struct Counter { n: u32 }
impl Iterator for Counter {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        self.n += 1;
        if self.n < 3 { Some(self.n) } else { None }
    }
}
fn main() {
    let mut tot = 0;
    for k in (Counter { n: 0 }) {
        tot += k;
    }
    println!("{tot}");
}
"""
SLICE = """fn most<T: PartialOrd + Copy>(xs: &[T]) -> T {
    let mut best = xs[0];
    for &x in &xs[1..] {
        if x > best {
            best = x;
        }
    }
    best
}
fn main() {
    most(&[1, 2, 3]);
}
"""


def lines(source: str, function: str) -> tuple[Trace, list[int]]:
    """The lines of a function's first frame, in their order."""
    trace = warm.record(Program(source=source, name="loops.rs"), Limits(wall=120))
    frame = next(at for at, one in enumerate(trace.frames) if one.name == function)
    return trace, [step.line for step in trace.steps if step.frame == frame and step.event == "line"]


def test_the_line_of_a_loop_over_an_own_iterator_has_a_step_each_round() -> None:
    trace, told = lines(OWN, "main")
    assert told == [10, 11, 12, 11, 12, 11, 14]
    changes = [dict(step.delta) for step in trace.steps if step.line in (11, 12) and step.frame == 0]
    assert changes == [{"k": "1"}, {"tot": "1"}, {"k": "2"}, {"tot": "3"}, {}]


def test_the_end_of_a_round_is_not_a_step_of_its_own() -> None:
    assert lines(SLICE, "most")[1] == [2, 3, 4, 5, 3, 4, 5, 3, 8]


def test_an_array_that_is_filled_is_one_step_and_a_loop_in_one_line_is_not() -> None:
    source = """fn main() {
    let n: u64 = 7;
    let mut room = [n; 5];
    while room[0] > 2 { room[0] -= 1; }
}
"""
    told = lines(source, "main")[1]
    assert told.count(3) == 1
    assert told.count(4) > 3


def test_a_round_that_is_cut_short_comes_back_to_the_line_of_its_loop() -> None:
    source = """fn main() {
    let v = vec![1, 2, 3];
    let mut n = 0;
    let mut it = v.iter();
    while let Some(&c) = it.next() {
        if c == 1 {
            n += c;
            continue;
        }
        n -= 1;
    }
    println!("{n}");
}
"""
    trace, told = lines(source, "main")
    assert told == [2, 3, 4, 5, 6, 7, 5, 6, 10, 5, 6, 10, 5, 12]
    set_there = [step.delta["c"] for step in trace.steps if "c" in step.delta and step.line == 5]
    assert set_there == ["1", "2", "3"]
    assert not any("c" in step.delta for step in trace.steps if step.line != 5)


def test_a_loop_over_an_array_by_value_has_one_step_of_its_line_each_round() -> None:
    source = """fn odd(k: i32) -> bool { k % 2 == 1 }
fn main() {
    let mut n = 0;
    for k in [1, 2] {
        if odd(k) {
            n += 1;
        }
    }
    println!("{n}");
}
"""
    assert lines(source, "main")[1] == [3, 4, 5, 6, 4, 5, 4, 9]


def test_a_loop_without_an_end_has_a_step_of_its_line_where_it_begins() -> None:
    source = """fn main() {
    let mut i = 0;
    loop {
        i += 1;
        if i == 2 {
            continue;
        }
        if i > 3 {
            break;
        }
    }
    println!("{i}");
}
"""
    assert lines(source, "main")[1] == [2, 3, 4, 5, 8, 4, 5, 4, 5, 8, 4, 5, 8, 12]


def test_a_match_in_a_loop_has_one_step_of_its_line_each_round() -> None:
    source = """fn main() {
    let mut total = 0;
    'rows: for (i, row) in [[1, 2], [3, 4]].iter().enumerate() {
        let add = match i {
            0 => {
                total += 1;
                row[0]
            }
            _ => row[1],
        };
        for &x in row {
            if x == 3 {
                continue 'rows;
            }
            total += x;
        }
        total += add;
    }
    println!("{total}");
}
"""
    assert lines(source, "main")[1] == [2, 3, 4, 6, 7, 11, 12, 15, 11, 12, 15, 11, 17, 3, 4, 9, 11, 12, 3, 19]


def test_a_loop_without_an_end_in_a_loop_has_a_step_of_its_line_where_it_is_entered() -> None:
    source = """fn main() {
    let mut k = 0;
    'out: loop {
        k += 1;
        let r = loop {
            k += 1;
            if k % 2 == 0 {
                continue;
            }
            break k;
        };
        if r > 4 {
            break 'out;
        }
    }
    println!("{k}");
}
"""
    assert lines(source, "main")[1] == [2, 3, 4, 5, 6, 7, 6, 7, 10, 12, 4, 5, 6, 7, 10, 12, 16]


def test_a_function_that_begins_with_a_loop_is_entered_once() -> None:
    source = """macro_rules! turn {
    ($n:ident) => {
        while $n > 0 {
            $n -= 1;
        }
    };
}
fn first(mut n: i32) -> i32 {
    while n > 0 {
        n -= 1;
    }
    n
}
fn second(mut n: i32) -> i32 {
    loop {
        n -= 1;
        if n < 1 {
            return n;
        }
    }
}
fn third(mut n: i32) -> i32 {
    turn!(n);
    n
}
fn fourth(mut n: i32) -> i32 { while n > 0 { n -= 1; } n }
fn main() {
    println!("{}", first(2) + second(2) + third(2) + fourth(2));
}
"""
    trace, found = lines(source, "first")
    assert [one.name for one in trace.frames] == ["main", "first", "second", "third", "fourth"]
    assert found == [9, 10, 9, 10, 9, 12]
    assert lines(source, "second")[1] == [15, 16, 17, 16, 17, 18]
    assert lines(source, "third")[1] == [3, 4, 3, 4, 3, 24]
    assert lines(source, "fourth")[1] == [26, 26, 26]
    shown = [step.delta["n"] for step in trace.steps if step.frame == 4 and "n" in step.delta]
    assert shown == ["2", "1", "0"]
