"""gdb, which knows nothing of worldline, sees the lines and values of small programs that their traces tell."""

from __future__ import annotations

from pathlib import Path

import gdb_oracle
import pytest
import stepping
import warm

from worldline.core.limits import Limits
from worldline.core.program import Program

PROGRAMS = sorted((Path(__file__).parent / "oracle").iterdir())
# Lines on which the two may differ, of a hundred: a `for` of Rust or C++ whose head gdb stops on more often.
MOST_OTHER = {".c": 0.0, ".cpp": 0.02, ".rs": 0.05}

pytestmark = [
    pytest.mark.usefixtures("sandbox"),
    pytest.mark.skipif(stepping.GDB is None, reason="no gdb on this machine"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_gdb_sees_what_the_trace_tells(path: Path) -> None:
    if path.suffix == ".rs" and stepping.RUSTC is None:
        pytest.skip("no rustc on this machine")
    text = path.read_text()
    trace = warm.record(Program(source=text, name=path.name), Limits(wall=120))
    assert trace.outcome.kind == "returned", (trace.outcome, trace.stderr)
    found = gdb_oracle.compare(trace, gdb_oracle.seen_by_gdb(text, path.name))
    assert found.lines >= 60
    assert found.values >= 60
    assert found.equal == found.values, found.other
    assert found.lines - found.alike <= MOST_OTHER[path.suffix] * found.lines, found.other
