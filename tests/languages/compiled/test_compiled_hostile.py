"""Each hostile program in C, C++ and Rust: recorded, compared with its plain run and with the facts in its header.

Unperturbed means: same standard output, same exit status, the stated outcome. Those marked `perturbed` attack the
recorder's own memory; they may end otherwise, but as their header says, and no false step is in what is left.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import header as headers
import plain
import pytest
import warm

from worldline.core.program import Program
from worldline.core.trace import Outcome, Trace

HERE = Path(__file__).parent
PROGRAMS = sorted(path for path in (HERE / "hostile").iterdir() if path.suffix in (".c", ".cpp", ".rs"))
HEADERS = {path.name: headers.load(path) for path in PROGRAMS}


def status_of(outcome: Outcome) -> int | None:
    """The exit status of a plain run with this outcome; None where the outcome is the recorder's own."""
    if outcome.kind == "returned":
        return 0
    if outcome.kind == "exited":
        return int(outcome.detail)
    return -signal.Signals[outcome.detail].value if outcome.kind == "killed" else None


def differences(trace: Trace, ran: plain.Plain) -> list[str]:
    """How recorded and plain run differ: standard output and exit status."""
    found = []
    stdout = ran.stdout.decode("utf-8", "backslashreplace")
    if trace.output != stdout:
        found.append(f"stdout recorded {trace.output[-300:]!r}, plain {stdout[-300:]!r}")
    status = status_of(trace.outcome)
    if status != ran.status:
        found.append(f"exit status recorded {status}, plain {ran.status}")
    return found


@pytest.mark.sampled(6)
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("name", [path.name for path in PROGRAMS])
def test_hostile_program(name: str, record_property: Callable[[str, object], None]) -> None:
    path, header = HERE / "hostile" / name, HEADERS[name]
    source = path.read_text()
    trace = warm.record(Program(source=source, name=name, stdin=header.stdin), header.limits)
    if trace.outcome.detail.startswith("toolchain:"):
        pytest.skip(trace.outcome.detail)
    found = headers.misshapen(trace) + headers.complaints(header, trace)
    stated = header.value("outcome", "", "asm") or ""
    if not headers.outcome_is(trace.outcome, stated):
        found.insert(0, f"outcome is {trace.outcome}, not {stated}")
    if not len(trace) and not header.values("steps", "", "asm"):
        found.append("the trace is empty")
    apart: list[str] | None = None
    if not header.marked("plain"):
        ran = plain.run(source, name, header.stdin, tuple(headers.flags(path)))
        apart = differences(trace, ran) if ran else ["it does not compile plainly"]
    how = "has no plain end" if apart is None else "apart" if apart else "alike"
    record_property("plainly", f"{path.suffix[1:]} {how}")
    if not header.marked("perturbed"):
        found += apart or []
    assert not found, "\n".join([*found, str(trace.outcome), trace.stderr[-600:]])


def test_there_are_enough_programs_and_nearly_all_are_unperturbed() -> None:
    for suffix in (".c", ".cpp", ".rs"):
        mine = [HEADERS[path.name] for path in PROGRAMS if path.suffix == suffix]
        assert len(mine) >= 25
        assert sum(header.marked("perturbed") for header in mine) <= 4
