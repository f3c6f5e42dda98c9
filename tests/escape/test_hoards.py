"""Memory that no process maps is memory too: no hoard holds more than its limit, with a cgroup and without."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import worldline.recording.cgroup
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import record_many

HERE = Path(__file__).parent
HOARDS = sorted((HERE / "hoards").glob("*.py"))
INNOCENT = HERE / "innocent.py"
LIMITS = Limits(memory=128 << 20, disk=16 << 20, trace_bytes=16 << 20, wall=120)


@pytest.fixture(scope="module", params=["with a cgroup", "without"])
def traces(request: pytest.FixtureRequest, provider: str) -> dict[str, Trace]:
    """Every hoard, recorded by one box, or by one each where the provider has no other."""
    files = (("hoard.py", (HERE / "hoard.py").read_text()),)
    paths = (*HOARDS, INNOCENT)
    programs = [Program(source=path.read_text(), name=path.name, files=files) for path in paths]
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "without":
            patch.setattr(worldline.recording.cgroup, "make", lambda *_, **__: None)
        return {trace.program.name: trace for trace in record_many(programs, limits=LIMITS)}


@pytest.mark.parametrize("name", [path.name for path in HOARDS])
def test_a_hoard_is_counted_or_refused(name: str, traces: dict[str, Trace]) -> None:
    trace = traces[name]
    if (trace.outcome.kind, trace.outcome.detail) != ("limit", "memory"):
        held = re.search(r"^held (\d+)$", trace.output, re.MULTILINE)
        assert held, (trace.outcome, trace.stderr)
        # The kernel grants every socket a little, however much the others hold.
        assert int(held[1]) <= 1.5 * LIMITS.memory, trace.output


def test_an_innocent_program_still_has_locks_sockets_and_children(traces: dict[str, Trace]) -> None:
    trace = traces[INNOCENT.name]
    assert (trace.output, trace.outcome.kind) == ("b'heard\\n'\n[0, 1, 4]\n", "returned"), trace.stderr
