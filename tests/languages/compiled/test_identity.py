"""Who is who in compiled programs: numbers of objects without a name, and what a pointer into an array shares."""

from __future__ import annotations

import re

import pytest
from warm import recorded

pytestmark = pytest.mark.usefixtures("sandbox")
CPP = """struct It {
    int i;
    int operator*() const { return i; }
    It &operator++() {
        ++i;
        return *this;
    }
    bool operator!=(const It &o) const { return i != o.i; }
};
struct Range {
    int n;
    It begin() const { return {0}; }
    It end() const { return {n}; }
};
int main() {
    int total = 0;
    for (int x : Range{2})
        total += x;
    try {
        throw 1;
    } catch (int e) {
        total = e;
    } catch (...) {
        total = 0;
    }
    return total - 1;
}
"""
C = """int main(void) {
    int mat[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int *in = &mat[1][2];
    return *in - 6;
}
"""
NESTED = """#include <memory>
#include <set>
#include <vector>
struct V2 {
    int x, y;
    bool operator<(const V2 &o) const { return x < o.x; }
    int sum() const {
        return x + y;
    }
};
struct Item {
    int id;
    Item(int n) : id(n) {
        id += 1;
    }
};
int main() {
    std::set<V2> all;
    all.insert({1, 2});
    all.insert({0, 5});
    std::vector<V2> many{{1, 2}, {3, 4}};
    int s = many[1].sum();
    auto one = std::make_shared<Item>(4);
    return one->id + s - 12;
}
"""


def test_this_is_one_object_whatever_lies_beside_it() -> None:
    """Of a node of a set, an element of a vector, what make_shared makes: no header of a block is an object."""
    trace = recorded(NESTED, "nested.cpp")
    assert trace.outcome.kind == "returned", trace.outcome
    shown = [step.delta["this"] for step in trace.steps if "this" in step.delta]
    assert [value for value in shown if not re.fullmatch(r"(V2|Item)#\d+\([^()]*\)", value)] == []
    assert "V2#5(x=3, y=4)" in shown
    made = re.findall(r"Item#(\d+)", " ".join(value for step in trace.steps for value in step.delta.values()))
    assert len(made) >= 3
    assert len(set(made)) == 1


def test_what_is_on_the_stack_without_a_name_keeps_its_number_from_call_to_call() -> None:
    trace = recorded(CPP, "unnamed.cpp")
    calls = [step.delta.get("this", "") for step in trace.steps if step.event == "call"]
    assert {re.split(r"[#(]", one)[1] for one in calls if one.startswith("It")} == {"4"}
    assert len({re.split(r"[#(]", one)[1] for one in calls if one.startswith("Range")}) == 1


def test_the_end_of_a_block_is_no_step_where_another_begins_in_its_line() -> None:
    assert 23 not in [step.line for step in recorded(CPP, "unnamed.cpp").steps]


def test_a_pointer_into_an_array_of_arrays_shares_it() -> None:
    trace = recorded(C, "rows.c")
    assert trace.outcome.kind == "returned", trace.stderr
    assert [dict(step.same) for step in trace.steps if step.same] == [{"in": "mat"}]
