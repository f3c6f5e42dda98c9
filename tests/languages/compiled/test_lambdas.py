"""Lambdas of C++: reading a capture is no step of the line that named it first."""

from __future__ import annotations

import pytest
from warm import recorded

pytestmark = pytest.mark.usefixtures("sandbox")
CPP = """int main() {
    double sum = 1;
    int base = 2;
    auto add = [base, &sum](int v) {
        sum += v;
        return v + base;
    };
    auto all = [&](int k) {
        base += k;
        for (int i = 0; i < k; i++) {
            sum += base * i;
        }
        return base;
    };
    return add(1) + all(2) - 7;
}
"""


def test_a_lambda_steps_through_its_own_lines_in_their_order() -> None:
    trace = recorded(CPP, "lambdas.cpp")
    assert trace.outcome.kind == "returned", trace.stderr
    lines = [step.line for step in trace.steps if step.event == "line" and step.depth]
    assert lines == [5, 6, 9, 10, 11, 10, 11, 10, 13]


def test_a_lambda_in_one_line_has_a_step_of_it_and_its_call_shows_what_was_before() -> None:
    source = """int main() {
    int sum = 0;
    auto add = [&sum](int k) { sum += k; };
    add(5);
    int n = [sum](int k) { return sum + k; }(2);
    return n - 7;
}
"""
    trace = recorded(source, "one_line.cpp")
    assert trace.outcome.kind == "returned", trace.stderr
    inner = [(step.event, step.line, dict(step.delta)) for step in trace.steps if step.depth]
    assert inner == [
        ("call", 3, {"k": "5", "sum": "0"}),
        ("line", 3, {"sum": "5"}),
        ("return", 3, {}),
        ("call", 5, {"k": "2", "sum": "5"}),
        ("line", 5, {}),
        ("return", 5, {}),
    ]
