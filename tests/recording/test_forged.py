"""A program that forges its wire: the host's memory stays bounded, and nothing that reads the trace minds.

`WORLDLINE_FORGED=256` measures the memory of every shape at the full size of the default limit, in MiB.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import mmap
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from forged_wires import SHAPES, START, forged
from hypothesis import given
from interpreters import FOUND
from rich.console import Console
from strategies import Script, damaged, scripts, wire_of

from worldline.codec import json_text
from worldline.codec.compact import writer as compact
from worldline.codec.cwm import writer as cwm
from worldline.core.errors import WorldlineError
from worldline.core.events import OUTCOMES
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.state import states
from worldline.core.trace import InterpreterInfo, Outcome, Trace
from worldline.data import rows
from worldline.recording import exchange, wire
from worldline.recording.exchange import Exchange
from worldline.recording.recorder import record
from worldline.ui.terminal.state import print_state
from worldline.ui.terminal.table import print_trace

SIZE = int(os.environ.get("WORLDLINE_FORGED", "16")) << 20
WHOLE = Limits().trace_bytes
QUICK = ("wide values", "shared names")  # the dearest shape and the one of most records: always at full size
MULTIPLE = 6  # of trace_bytes, as docs/reference/limits.md promises
MEASURE = Path(__file__).with_name("measure_decoding.py")


def file_of(data: bytes) -> int:
    fd = os.memfd_create("wire", os.MFD_ALLOW_SEALING)
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    return fd


def peak(data: bytes, *, native: bool, weight: int, steps: int) -> int:
    """How much memory a process of its own takes on to decode it, the wire itself included."""
    fd = file_of(data)
    command = [sys.executable, str(MEASURE), str(fd), str(int(native)), str(weight), str(steps)]
    done = subprocess.run(command, pass_fds=[fd], capture_output=True, text=True, check=True)
    os.close(fd)
    return int(done.stdout)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("decoder", ["native", "readable"])
def test_no_wire_costs_more_than_a_multiple_of_trace_bytes(shape: str, decoder: str) -> None:
    if decoder == "native" and wire._native is None:
        pytest.skip("the native decoder was not built")
    size = max(SIZE, WHOLE if shape in QUICK else 0) if decoder == "native" else SIZE >> 4
    data = wire_of(forged(shape, size))[: size + exchange.SLACK]
    data = data[:8] + struct.pack("<Q", len(data)) + data[16:]
    taken = peak(data, native=decoder == "native", weight=size + exchange.SLACK, steps=wire.UNBOUNDED)
    assert taken < MULTIPLE * (size + exchange.SLACK) + (2 << 20)


@pytest.mark.long(reason="decodes 4 MiB in Python")
def test_the_measure_sees_what_is_held() -> None:
    """The same wire with no bound on its weight takes more than the multiple."""
    data = wire_of(forged("values", SIZE // 4))
    bounded, free = (peak(data, native=False, weight=weight, steps=9) for weight in (SIZE // 16, wire.UNBOUNDED))
    assert free > 2 * bounded


def test_a_wire_that_nobody_can_write_is_not_copied() -> None:
    made = Exchange({}, b"", Limits(trace_bytes=4 << 20))
    wire_fd = made.files[1]
    with mmap.mmap(wire_fd, 0) as writer:
        writer[:16] = struct.pack("<4sIQ", b"WLW1", 0, 3 << 20)
        survivor = made.take()[0]
        assert type(survivor) is bytes  # someone can still write: a copy
        writer[64] = 1
        assert survivor[64] == 0
    sealed = made.take()[0]
    assert type(sealed) is memoryview
    assert sealed[64] == 1
    assert fcntl.fcntl(wire_fd, fcntl.F_GET_SEALS) & fcntl.F_SEAL_WRITE
    with pytest.raises(OSError, match="not permitted"):
        os.pwrite(wire_fd, b"x", 0)
    sealed.release()
    made.close()


def everything_reads(decoded: wire.Decoded) -> None:
    """Every way in which a trace is shown, stored and encoded; what cannot be says so with an error of ours."""
    program = Program(source="def f(x):\n    return x\nf(1)\n")
    outcome = decoded.end or Outcome("tampered", "forged")
    who = InterpreterInfo("cpython", "3.11.7", "native")
    trace = Trace(
        program, who, Limits(), outcome, decoded.columns, decoded.frames, hidden=decoded.hidden, notes=decoded.notes
    )  # fmt: skip
    console = Console(file=io.StringIO(), width=80)
    print_trace(console, trace, rows=0)
    assert "".join(json_text.encode(trace))
    for number, _ in enumerate(states(trace)):
        print_state(console, trace, number)
    for encode in (compact.encode, cwm.encode, rows.encode):
        with contextlib.suppress(WorldlineError):
            encode(trace)


@given(scripts())
def test_whatever_is_forged_can_be_shown_stored_and_encoded(script: Script) -> None:
    everything_reads(wire.decode(script.wire()))


@given(damaged())
def test_whatever_is_damaged_can_be_shown_stored_and_encoded(data: bytes) -> None:
    everything_reads(wire.decode(data))


FORGE = """
import ctypes, os, struct
with open("/proc/self/maps") as file:
    at = next(int(row.split("-")[0], 16) for row in file if " rw-s " in row)
forged = {start!r} + {record!r} * {times}
header = struct.pack("<4sIQ", b"WLW1", 0, 64 + len(forged))
ctypes.memmove(at + 64, forged, len(forged)), ctypes.memmove(at, header, 16), os._exit(0)
"""


@pytest.mark.parametrize("core", ["native", "python"])
def test_a_forged_wire_is_kept_up_to_the_limit_of_steps(core: str) -> None:
    source = FORGE.format(start=START, record=b"\x05\x01", times=100_000)
    trace = record(Program(source=source), core=core, limits=Limits(steps=5000, wall=60))
    assert trace.outcome == Outcome("tampered", f"the wire is damaged at byte {64 + len(START) + 2 * 4999}")
    assert len(trace) == 5000


@pytest.mark.parametrize("version", FOUND)
def test_the_native_wire_is_not_found_by_pure_python(version: str) -> None:
    hunt = Path(__file__).with_name("wire_hunt.py").read_text()
    program = Program(source=f"exec(compile({hunt!r}, '<hunt>', 'exec'), {{}})\n")
    found = {
        core: record(program, python=FOUND[version], core=core, limits=Limits(wall=120)).output
        for core in ("native", "python")
    }
    assert found["native"] == "[] True\n"
    assert found["python"].startswith("['memoryview', 'mmap']")  # so the hunt can find one


END = """
import os, sys
frame = sys._getframe()
while "rec" not in frame.f_locals: frame = frame.f_back
frame.f_locals["rec"].end({kind!r}, "forged"), os._exit(0)
"""


@pytest.mark.parametrize("core", ["native", "python"])
@pytest.mark.parametrize("kind", OUTCOMES)
def test_an_end_that_the_program_writes_is_tampered(core: str, kind: str) -> None:
    trace = record(Program(source=END.format(kind=kind)), core=core, limits=Limits(wall=60))
    assert trace.outcome == Outcome("tampered", "the recorder was replaced or switched off")
