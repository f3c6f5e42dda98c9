"""Lambdas of C++: reading a capture is no step of the line that named it first."""

from __future__ import annotations

import pytest
from warm import recorded

pytestmark = pytest.mark.usefixtures("box")
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
