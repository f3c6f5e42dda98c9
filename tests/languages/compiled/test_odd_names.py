"""A program's steps do not depend on what its file is called: letters beyond ASCII, dashes, quotes and spaces."""

from __future__ import annotations

import pytest
from warm import recorded

pytestmark = pytest.mark.usefixtures("sandbox")
C = "int main(void) {\n    int x = 1;\n    return x - 1;\n}\n"
RUST = "fn main() {\n    let a = vec![1];\n    let b = a;\n    drop(b);\n}\n"
NAMES = [
    ("ünï.c", C),
    ("-dash.c", C),
    ('a "b\\.c', C),
    ("ünï.cpp", C),
    ("-dash.cpp", C),
    ("ünï.rs", RUST),
    ("-dash.rs", RUST),
]


@pytest.mark.long(reason="records 14 times; test_odd_names_java.py is in make test")
@pytest.mark.parametrize(("name", "source"), NAMES, ids=lambda one: one if "\n" not in one else "")
def test_steps_are_those_of_a_plain_name(name: str, source: str) -> None:
    plain = "program" + name[name.rindex(".") :]
    odd, usual = recorded(source, name), recorded(source, plain)
    assert odd.outcome == usual.outcome
    assert len(usual) > 3
    assert list(odd.steps) == list(usual.steps)
    assert {frame.file for frame in odd.frames} == {name}
