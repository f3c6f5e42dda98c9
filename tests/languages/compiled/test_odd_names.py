"""A program's steps do not depend on what its file is called: letters beyond ASCII, dashes, quotes and spaces."""

from __future__ import annotations

import pytest
import warm

from worldline.core.program import Program
from worldline.limits import Limits
from worldline.recording.languages import toolchain

pytestmark = pytest.mark.usefixtures("box")
LIMITS = Limits(wall=120)
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


@pytest.mark.parametrize(("name", "source"), NAMES, ids=lambda one: one if "\n" not in one else "")
def test_steps_are_those_of_a_plain_name(name: str, source: str) -> None:
    plain = "program" + name[name.rindex(".") :]
    one, other = (Program(source=source, name=which) for which in (name, plain))
    if isinstance(why := toolchain.find(one.language), str):
        pytest.skip(why)
    odd, usual = warm.record(one, LIMITS), warm.record(other, LIMITS)
    assert odd.outcome == usual.outcome
    assert len(usual) > 3
    assert list(odd.steps) == list(usual.steps)
    assert {frame.file for frame in odd.frames} == {name}
