"""Who is who in compiled programs: numbers of objects without a name, and what a pointer into an array shares."""

from __future__ import annotations

import re

import pytest
from warm import recorded

pytestmark = pytest.mark.usefixtures("box")
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
