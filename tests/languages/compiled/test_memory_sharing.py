"""Who shares a memory object in C and C++: `&local`, members, elements, globals, references."""

from __future__ import annotations

import pytest
from warm import recorded

from worldline.core.trace import Trace

pytestmark = pytest.mark.usefixtures("sandbox")
C = """struct pair { int a, b; };
int glob[4] = {1, 2, 3, 4};
int one = 5;
int mat[2][3];
int add(int *p, int n) {
    int *q = p;
    *q += n;
    return *p;
}
int main(void) {
    int x = 1;
    int *p = &x;
    struct pair q = {1, 2};
    int *m = &q.b;
    struct pair *qp = &q;
    int *pg = glob + 1;
    int *po = &one;
    int *pm = &mat[1][2];
    struct pair all[2] = {{1, 2}, {3, 4}};
    int *deep = &all[1].b;
    p = deep;
    p = 0;
    for (int i = 0; i < 2; i++) {
        int t = i;
        p = &t;
        *p += 1;
    }
    pg = 0;
    one = *po + *pm + glob[0] + mat[0][0];
    return add(&x, *m) + qp->a - 4;
}
"""
CPP = """struct Inner { int v; };
struct Outer { int a; Inner in; };
struct Left { int l = 1; virtual ~Left() {} };
struct Right { int r = 2; virtual ~Right() {} };
struct Both : Left, Right { int b = 3; };
int main() {
    int n = 1;
    int &r = n;
    Outer o{1, {2}};
    Inner &in = o.in;
    Inner *pin = &o.in;
    Both both;
    Right *right = &both;
    Both *heap = new Both;
    Right *other = heap;
    r = in.v + pin->v + right->r + other->r;
    delete heap;
    return n - 8;
}
"""

BOUND = """#include <utility>
#include <vector>
std::pair<int, int> both(int n) { return {n, n + 1}; }
int main() {
    auto [lo, hi] = both(3);
    std::vector<int> all{1, 2};
    auto [low, high] = both(5);
    return lo + hi + low + high - 18 + (int)all.size() - 2;
}
"""


def shared(trace: Trace) -> list[tuple[int, str, str | None]]:
    """Line, name and the name that it shares an object with, in the order of the steps."""
    return [(step.line, name, other) for step in trace.steps for name, other in step.same.items()]


def test_a_pointer_shares_the_variable_that_it_points_into() -> None:
    trace = recorded(C, "sharing.c")
    assert (trace.outcome.kind, trace.outcome.detail) == ("returned", "")
    assert shared(trace) == [
        (12, "p", "x"), (14, "m", "q"), (15, "qp", "q"), (16, "pg", "glob"), (17, "po", "one"), (18, "pm", "mat"),
        (20, "deep", "all"), (21, "p", None), (21, "all", "p"), (21, "deep", "p"), (22, "all", None),
        (22, "deep", "all"), (25, "t", "p"), (24, "t", "p"), (28, "pg", None), (6, "q", "p"),
    ]  # fmt: skip


def test_a_pointer_to_a_variable_that_comes_and_goes_is_read_anew() -> None:
    trace = recorded(C, "sharing.c")
    shown = [(step.line, step.delta["p"]) for step in trace.steps if "p" in step.delta and 22 < step.line < 27]
    assert [value.partition("#")[0] for _, value in shown] == ["Ptr", "Ptr", "Ptr", "<pointer>"]


def test_it_is_so_in_cpp() -> None:
    assert shared(recorded(CPP, "sharing.cpp")) == [
        (8, "r", "n"), (10, "in", "o"), (11, "pin", "o"), (13, "right", "both"), (15, "other", "heap"),
        (17, "other", None),
    ]  # fmt: skip


def test_what_stands_beside_a_variable_is_not_shared_with_it() -> None:
    trace = recorded(BOUND, "bound.cpp")
    assert trace.outcome.kind == "returned", trace.outcome
    assert shared(trace) == []
