"""What is thrown in C++ and what panics in Rust: one `raise` a frame, and the trace goes on where it is caught."""

from __future__ import annotations

import pytest
from warm import recorded

from worldline.core.trace import Trace

pytestmark = pytest.mark.usefixtures("sandbox")
CPP = """struct N { int v; };
int total = 0;
int main() {
    try {
        throw 5;
    } catch (int e) {
        total = e;
    }
    N seven{7}; throw seven;
}
"""
THROWN_ON = """#include <vector>
struct Loud {
    Loud() {}
    Loud(const Loud &) { throw 1; }
};
struct Quiet {
    int v = 0;
    ~Quiet() {
        v = 2;
    }
};
static void fill() {
    Quiet quiet;
    std::vector<Loud> all(2);
    all.resize(9);
}
int main() {
    try {
        fill();
    } catch (int e) {
        return e;
    }
}
"""

PANICS = """fn fall(n: usize) -> i32 {
    let cells = vec![1, 2];
    cells[n]
}
fn main() {
    let caught = std::panic::catch_unwind(|| fall(7));
    let after = caught.is_err();
    assert!(!after, "it fell");
}
"""


def told(trace: Trace) -> list[tuple[str, int, str]]:
    """Event, line and value of the steps in order."""
    return [(step.event, step.line, step.arg or "") for step in trace.steps]


def test_the_trace_goes_on_behind_a_catch_in_the_same_function_and_an_uncaught_throw_is_one_raise() -> None:
    trace = recorded(CPP, "caught.cpp")
    assert trace.outcome.kind == "killed"
    assert told(trace) == [
        ("call", 3, ""),
        ("line", 5, ""),
        ("raise", 5, "int(5)"),
        ("line", 7, ""),
        ("line", 9, ""),
        ("raise", 9, "N(v=7)"),
    ]


def test_what_a_library_throws_on_and_what_destructors_do_meanwhile_leave_one_raise_a_frame() -> None:
    trace = recorded(THROWN_ON, "on.cpp")
    raises = [(step.line, step.frame) for step in trace.steps if step.event == "raise"]
    names = [(trace.frames[frame].name, line) for line, frame in raises]
    assert names == [("Loud", 4), ("fill", 15), ("main", 19)]


def test_a_panic_is_a_raise_in_each_frame_that_it_leaves_and_the_trace_goes_on_where_it_is_caught() -> None:
    trace = recorded(PANICS, "panics.rs")
    assert (trace.outcome.kind, trace.outcome.detail) == ("exited", "101")
    fell, twice = "panic('index out of bounds: the len is 2 but the index is 7')", "panic('it fell')"
    assert told(trace)[-6:] == [
        ("line", 3, ""),
        ("raise", 3, fell),
        ("raise", 6, fell),
        ("line", 7, ""),
        ("line", 8, ""),
        ("raise", 8, twice),
    ]


DELETED = """#include <memory>
int count = 0;
struct Shape {
    int n;
    Shape(int k) : n(k) { count++; }
    virtual ~Shape() { count--; }
};
struct Round : Shape {
    Round() : Shape(3) {}
    ~Round() override { n = 0; }
};
int main() {
    Shape *one = new Shape(1);
    delete one;
    std::unique_ptr<Shape> other = std::make_unique<Round>();
    other.reset();
    return count;
}
"""


def test_a_destructor_of_what_is_deleted_is_one_frame_and_sees_its_object() -> None:
    trace = recorded(DELETED, "deleted.cpp")
    assert trace.outcome.kind == "returned", trace.outcome
    called = [trace.frames[step.frame].name for step in trace.steps if step.event == "call"]
    assert called == ["main", "Shape", "~Shape", "Round", "Shape", "~Round", "~Shape"]
    assert not [step for step in trace.steps if "<dangling>" in step.delta.get("this", "")]


PASSING = """struct Guard {
    int n;
    Guard(int k) : n(k) {}
    ~Guard() {
        n = 0;
    }
};
void fall() {
    Guard g(1);
    throw 7;
}
void pass() {
    Guard h(2);
    fall();
}
int main() {
    try {
        pass();
    } catch (int n) {
        return n - 7;
    }
}
"""


def test_what_is_thrown_arrives_in_a_frame_before_its_destructors_run() -> None:
    trace = recorded(PASSING, "passing.cpp")
    assert trace.outcome.kind == "returned", trace.outcome
    named = [(trace.frames[step.frame].name, step.event) for step in trace.steps]
    told = [one for one in named if one[1] == "raise" or one == ("~Guard", "call")]
    assert told == [("fall", "raise"), ("~Guard", "call"), ("pass", "raise"), ("~Guard", "call"), ("main", "raise")]
