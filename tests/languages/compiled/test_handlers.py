"""Handlers of C++ in the flow table: what may follow a raise is what its landing pads lead to, and nothing else."""

from __future__ import annotations

import json

import pytest
from warm import recorded

from worldline.analyze.flow.table import read_table
from worldline.codec.compact.guide.guide import Guide
from worldline.codec.compact.prompt import Compact
from worldline.codec.compact.writer import encode_steps
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.frames import frames
from worldline.codec.cwm.parse import parse as parse_cwm
from worldline.recording.recorder import flow_of

pytestmark = pytest.mark.usefixtures("sandbox")
CPP = """#include <stdexcept>
#include <string>
struct Loud {
    int n;
    ~Loud() {
        n = 0;
    }
};
int check(int n) {
    if (n < 0)
        throw std::invalid_argument("negative");
    if (n == 3)
        throw 3;
    return n;
}
int inner(int n) {
    Loud loud{n};
    try {
        Loud more{n};
        n = check(n) + 1;
        n = n * 2;
    } catch (const std::invalid_argument &e) {
        n = 100;
        if (loud.n == -7)
            throw;
    }
    return n;
}
void quiet(int n) {
    try { check(n); } catch (...) {}
}
int main() {
    int total = 0;
    for (int i = -1; i < 4; i++) {
        try {
            std::string label = "x";
            total += inner(i);
        } catch (int e) {
            total += e;
        } catch (const std::exception &e) {
            total = 0;
        }
    }
    try {
        inner(-7);
    } catch (const std::exception &e) {
        total -= 1;
    }
    quiet(3);
    return total > 0 ? 0 : 1;
}
"""
RUST = """fn fall(n: usize) -> i32 {
    let cells = vec![1, 2];
    let found = cells[n];
    found + 1
}
fn main() {
    let caught = std::panic::catch_unwind(|| fall(7));
    let after = caught.is_err();
    assert!(after);
}
"""


def rows(source: str, name: str) -> dict[str, dict[str, dict[str, list[int]]]]:
    """The table's functions by name."""
    data = flow_of(recorded(source, name).program)
    assert data is not None
    return {row["name"]: row for row in json.loads(data)["functions"]}


def test_a_raise_leads_to_the_handlers_of_its_line() -> None:
    found = rows(CPP, "handlers.cpp")
    assert found["check"]["handlers"] == {}
    assert found["inner"]["handlers"]["20"] == [23]
    assert "25" not in found["inner"]["handlers"]
    assert found["main"]["handlers"]["37"] == [39, 41]
    assert found["main"]["handlers"]["45"] == [47]


def test_what_is_thrown_is_not_followed_by_the_next_line() -> None:
    found = rows(CPP, "handlers.cpp")
    assert found["check"]["next"]["11"] == []
    assert found["check"]["next"]["13"] == []


@pytest.mark.parametrize(("source", "name"), [(CPP, "handlers.cpp"), (RUST, "handlers.rs")])
def test_the_guide_and_meta_format_follow_the_true_run(source: str, name: str) -> None:
    trace = recorded(source, name)
    assert trace.outcome.kind == "returned", trace.stderr
    data = flow_of(trace.program)
    assert data is not None
    table = read_table(data, trace.program)
    guide = Guide(trace.program, Compact(), guard=True, table=table)
    guide.feed_all(encode_steps(trace, Compact()))
    assert guide.ended
    found = parse_cwm(cwm.encode(trace), source, entry=0, language=trace.program.language, table=table)
    assert found.malformed is None
    assert list(found.frames) == frames(trace)


def test_in_rust_no_line_follows_a_raise() -> None:
    trace = recorded(RUST, "handlers.rs")
    data = flow_of(trace.program)
    assert data is not None
    assert not any(flow.handlers for flow in read_table(data, trace.program).flows)
