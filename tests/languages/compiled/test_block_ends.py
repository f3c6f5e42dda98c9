"""What the last line of a block writes is shown, in C, C++ and Rust; the block's names are gone at the next line."""

from __future__ import annotations

import pytest
import warm

from worldline.core.trace import Trace
from worldline.recording.guests.compiled.rust_marks import CALL, marked, one_line_tails

C = """int area(int w, int h) { int a = w * h; return a; }
int twice(int n) {
    for (int i = 0; i < 2; i++) {
        int b = area(i, 3);
    }
    {
        int n = 5;
        n += 1;
    }
    if (n > 2) { int q = n; return q; }
    return n;
}
int main(void) {
    return twice(1) + twice(3) - 4;
}
"""
CPP = """#include <string>
#include <vector>
void fill() {
    {
        std::string s = "ab";
        s += "c";
    }
    for (int i = 0; i < 2; i++) { std::string t = "x"; t += "y"; }
    std::vector<int> v;
    v.push_back(1);
}
int main() {
    fill();
}
"""
RUST = """fn area(w: i32, h: i32) -> i32 {
    let a = w * h;
    a
}
fn one(w: i32) -> i32 { let a = w * 2; a }
fn label() -> i32 {
    let mut n = 0;
    let x = 'label: loop {
        n += 1;
        if n > 1 { break 'label 5; }
    };
    x
}
fn unit(n: i32) {
    let z = n + 1;
}
fn block(n: i32) -> i32 {
    for i in 0..n {
        let q = i * 10;
    }
    for k in 0..2 { println!("{}", k); }
    let mut v = vec![n];
    {
        let s = String::from("a");
        let t = s.clone();
    }
    v.push(3);
    7
}
fn consume(v: Vec<i32>) {}
fn main() {
    area(2, 3);
    one(4);
    label();
    unit(1);
    block(2);
    consume(vec![1]);
}
"""

Row = tuple[int, dict[str, str], tuple[str, ...]]


def rows(trace: Trace, function: str) -> list[Row]:
    """The line, the changes and the names that are gone of each line in a function's first frame."""
    frame = next(frame.serial for frame in trace.frames if frame.name == function)
    return [(step.line, step.delta, step.gone) for step in trace.steps if step.frame == frame and step.event == "line"]


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("name", ["ends.c", "ends.cpp"])
def test_the_last_declaration_of_a_block_is_shown(name: str) -> None:
    trace = warm.recorded(C, name)
    assert trace.outcome.kind == "returned", trace.outcome
    assert rows(trace, "twice") == [
        (3, {"i": "0"}, ()),
        (4, {"b": "0"}, ()),
        (3, {"i": "1"}, ("b",)),
        (4, {"b": "3"}, ()),
        (3, {"i": "2"}, ("b",)),
        (7, {"n": "5"}, ("i",)),
        (8, {"n": "6"}, ()),
        (10, {"n": "1"}, ()),
        (11, {}, ()),
    ]
    second = [step.delta for step in trace.steps if step.line == 10 and step.event == "line"][1]
    assert second["q"] == "3"


@pytest.mark.usefixtures("sandbox")
def test_what_a_destructor_takes_apart_is_shown_before() -> None:
    trace = warm.recorded(CPP, "ends.cpp")
    assert rows(trace, "fill") == [
        (5, {"s": "'ab'"}, ()),
        (6, {"s": "'abc'"}, ()),
        (8, {"i": "0", "t": "'xy'"}, ("s",)),
        (8, {"i": "1", "t": "'xy'"}, ()),
        (8, {"i": "2"}, ("t",)),
        (9, {"v": "[]"}, ("i",)),
        (10, {"v": "[1]"}, ()),
    ]


@pytest.mark.usefixtures("sandbox")
def test_the_last_let_is_shown_and_a_tail_is_a_step() -> None:
    trace = warm.recorded(RUST, "ends.rs")
    assert trace.outcome.kind == "returned", trace.stderr
    assert rows(trace, "area") == [(2, {"a": "6"}, ()), (3, {}, ())]
    assert rows(trace, "one") == [(5, {"a": "8"}, ())]
    assert rows(trace, "unit") == [(15, {"z": "2"}, ())]
    assert rows(trace, "label") == [
        (7, {"n": "0"}, ()),
        (8, {}, ()),
        (9, {"n": "1"}, ()),
        (10, {}, ()),
        (9, {"n": "2"}, ()),
        (10, {"x": "5"}, ()),
        (12, {}, ()),
    ]
    assert rows(trace, "block") == [
        (18, {"i": "0"}, ()),
        (19, {"q": "0"}, ()),
        (18, {"i": "1"}, ("q",)),
        (19, {"q": "10"}, ()),
        (18, {}, ("i", "q")),
        (21, {"k": "0"}, ()),
        (21, {"k": "1"}, ()),
        (21, {}, ("k",)),
        (22, {"v": "[2]"}, ()),
        (24, {"s": "'a'"}, ()),
        (25, {"t": "'a'"}, ()),
        (27, {"v": "[2, 3]"}, ("s", "t")),
        (28, {}, ()),
    ]
    assert "dangling" not in " ".join(value for step in trace.steps for value in step.delta.values())


TAILS = """fn pick(i: usize) -> usize { let n = i + 1; let v = vec![n, i]; v[i] }
fn add(i: i32) -> i32 { let a = i * 2; a + i }
fn nested(n: i32) -> i32 { let a = n; { let b = a + 1; b * 2 } }
fn wide(n: i32) -> usize { let é = "né"; let b = n; é.len() + b as usize }
fn length(v: Vec<i32>) -> usize { v.len() }
fn moved(n: i32) -> usize { let k = n + 1; let v = vec![k]; length(v) }
fn main() {
    add(3);
    nested(1);
    wide(2);
    moved(4);
    let z = { let q = 5; q * 2 };
    for i in 0..2 { let k = i + z; add(k) + 1; }
    pick(7);
}
"""


@pytest.mark.usefixtures("sandbox")
def test_the_last_let_is_shown_where_the_tail_can_panic() -> None:
    trace = warm.recorded(TAILS, "tails.rs")
    assert trace.outcome.kind == "exited", trace.outcome
    # The columns are the program's own: that of `v`, or of the bracket for newer compilers.
    columns = [TAILS.index(text) + 1 for text in ("v[i] }", "[i] }")]
    assert any(f"tails.rs:1:{column}:" in trace.stderr for column in columns)
    assert rows(trace, "pick") == [(1, {"n": "8", "v": "[8, 7]"}, ())]
    assert rows(trace, "add") == [(2, {"a": "6"}, ())]
    assert rows(trace, "nested") == [(3, {"a": "1", "b": "2"}, ())]
    assert rows(trace, "wide") == [(4, {"é": "'né'", "b": "2"}, ())]
    assert rows(trace, "moved") == [(6, {"k": "5", "v": "[5]"}, ())]
    assert (12, {"q": "5", "z": "10"}, ()) in rows(trace, "main")
    assert "dangling" not in " ".join(value for step in trace.steps for value in step.delta.values())


def test_tails_without_marks_are_found_by_their_columns() -> None:
    assert one_line_tails("fn f() -> usize { let v = vec![1]; v[3] }") == {1: [(36, 40)]}
    assert one_line_tails("fn f() -> i32 {\n    let a = 1;\n    a + 1\n}") == {}
    assert one_line_tails("fn f() -> i32 { let a = 1; a }") == {}


@pytest.mark.parametrize(
    "source",
    [
        "mod m { use super::*; }\nimpl S { const A: i32 = 1; }\nstruct S { a: i32, b: i32 }",
        "macro_rules! m { ($x:expr) => {{ let a = $x; a }} }\nfn f() { assert!({ let a = 1; a == 1 }); }",
        "fn f(x: i32, y: i32) -> S {\n    S {\n        x,\n        y\n    }\n}",
        "fn f() -> &'static str { let v = [1]; let c = '}'; /* let x = 1; } */ r#\"{ let b = 2; }\"# }",
        "fn f() -> usize { let v = vec![1]; v[3] }",
        'fn f() -> &\'static str {\n    let s = include_str!("a.rs");\n    s\n}',
    ],
    ids=["items", "macros", "fields", "texts", "panics", "reads itself"],
)
def test_no_mark_where_it_would_change_the_program(source: str) -> None:
    assert marked(source) == source


def test_marks_stand_behind_the_last_let_and_before_a_tail() -> None:
    assert marked("fn f() -> i32 {\n    let a = 1;\n    a\n}").startswith(
        f"fn f() -> i32 {{\n    let a = 1;\n    {CALL}a\n}}"
    )
    assert marked("fn f() { let a = if b { 1 } else { 2 }; }").startswith(
        f"fn f() {{ let a = if b {{ 1 }} else {{ 2 }};{CALL} }}"
    )
