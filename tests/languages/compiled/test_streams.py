"""What compiled programs write and read: told when they do so, and what a signal loses is lost as in a plain run."""

from __future__ import annotations

import plain
import pytest
from warm import recorded

pytestmark = pytest.mark.usefixtures("sandbox")
ABORTS = '#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n    puts("before");\n    abort();\n}\n'
RUST = """use std::io::Read;
fn main() {
    let mut first = String::new();
    std::io::stdin().read_line(&mut first).unwrap();
    let mut rest = String::new();
    std::io::stdin().read_to_string(&mut rest).unwrap();
}
"""
CPP = """#include <iostream>
int main() {
    std::ios::sync_with_stdio(false);
    int n = 0;
    std::cin >> n;
    return n - 4;
}
"""


@pytest.mark.parametrize(("source", "name", "line"), [(RUST, "reads.rs", 4), (CPP, "reads.cpp", 5)])
def test_a_library_that_reads_the_descriptor_itself_has_its_input_told(source: str, name: str, line: int) -> None:
    trace = recorded(source, name, "4\nmore\n")
    assert trace.outcome.kind == "returned"
    told = [(step.line, step.arg) for step in trace.steps if step.event == "input"]
    assert told == [(line, "'4\\nmore\\n'")]
    assert [one.value for one in trace.hidden] == ["'4\\nmore\\n'"]


SCANS = """#include <stdio.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2)
        return 3;
    return getchar() + 1;
}
"""


@pytest.mark.parametrize("text", ["7 8", "7 8\n"])
def test_input_that_ends_without_a_line_end_is_told(text: str) -> None:
    trace = recorded(SCANS, "scans.c", text)
    told = [(step.line, step.arg) for step in trace.steps if step.event == "input"]
    assert told[0] == (4, "'7 8'")


def test_text_in_a_stream_that_a_signal_loses_has_its_step_and_is_not_in_the_output() -> None:
    trace, ran = recorded(ABORTS, "aborts.c"), plain.run(ABORTS, "aborts.c")
    assert ran is not None
    assert trace.output.encode() == ran.stdout == b""
    assert [step.arg for step in trace.steps if step.event == "output"] == ["'before\\n'"]
