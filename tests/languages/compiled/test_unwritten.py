"""What a constructor of C++ finds in memory that nobody wrote is no number; what was zeroed for it stays zero."""

from __future__ import annotations

import re

import pytest
import warm

pytestmark = pytest.mark.usefixtures("sandbox")
TEMPORARIES = """#include <queue>
struct Item {
    int id;
    double w;
    Item(int i, double d) : id(i) {
        w = d;
    }
    Item(const Item &o) : id(o.id), w(o.w) {}
    Item &operator=(const Item &o) = default;
    bool operator<(const Item &o) const { return w < o.w; }
};
int dirt(int n) {
    volatile int many[64];
    for (int i = 0; i < 64; i++)
        many[i] = n + i;
    return many[n];
}
int main() {
    std::priority_queue<Item> q;
    int n = dirt(7);
    q.push(Item(1, 2.5));
    q.push(Item(2, 3.5));
    q.pop();
    return q.top().id + n - 15;
}
"""
ZEROED = """struct In {
    int a;
    int b;
    In() {
        a = 1;
    }
};
struct Out {
    In in;
    int z;
};
struct Empty {
    Empty() {}
};
struct Side {
    int x;
    [[no_unique_address]] Empty e;
    Side() : x(5) {}
};
struct Top {
    int t;
    Top() : t(3) {}
};
struct Left : virtual Top {
    int l;
    Left() : l(4) {}
};
struct Both : Left {
    Both() {}
};
int dirt(int n) {
    volatile int many[64];
    for (int i = 0; i < 64; i++)
        many[i] = n + i;
    return many[n];
}
int sum(const Out &o) {
    return o.in.a + o.in.b + o.z;
}
int side(const Side &s) {
    return s.x;
}
int both(const Both &b) {
    return b.t * 10 + b.l;
}
int main() {
    int n = dirt(7);
    n = sum(Out());
    int m = side(Side());
    int k = both(Both());
    return 0;
}
"""


def test_a_temporary_is_never_written_before_its_constructor_writes_it() -> None:
    trace = warm.recorded(TEMPORARIES, "queue.cpp")
    assert trace.outcome.kind == "returned", trace.outcome
    calls = [one.delta["this"] for one in trace.steps if one.event == "call" and one.line in (5, 8)]
    assert len(calls) > 8
    known = {"1", "2", "2.5", "3.5", "0", "0.0", "<uninit>"}
    seen = {part for value in calls for part in re.findall(r"=([^,)]+)", value)}
    assert seen <= known
    assert "<uninit>" in seen
    halves = [one.delta["this"] for one in trace.steps if one.event == "line" and one.line == 5]
    assert [re.sub(r"#\d+", "", value) for value in halves] == [f"Item(id={n}, w=<uninit>)" for n in (1, 2)]


def test_what_is_zeroed_before_its_constructor_stays_zero_and_what_is_built_stays_built() -> None:
    trace = warm.recorded(ZEROED, "zeroed.cpp")
    assert trace.outcome.kind == "returned", trace.outcome
    shown = {name: value for one in trace.steps if one.frame == 0 for name, value in one.delta.items()}
    assert shown == {"n": "1", "m": "5", "k": "34"}
