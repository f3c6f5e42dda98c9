"""Conditional jumps: each instruction that decides, with where its frame went, the same from both cores."""

from __future__ import annotations

import dis

import pytest
from fuzz_programs import program
from interpreters import FOUND

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.recorder import SandboxWorker, prepare, record
from worldline.recording.together import record_all

SOURCE = """\
def items(xs, k):
    for i in range(k):
        if i % 2 and xs: yield i
        elif i > 3: raise ValueError(i)


class Count:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1
        return self.n


def f(n, k):
    while n > 0 and k < 5: n -= 3; k += 1
    t = [x for x in (n, k) if x > 0], (n if n else k)
    for i in Count(3): n += i
    try:
        for v in items(t, 9): n += v
    except ValueError as error: k = error
    finally: w = n or k
    match (n, k, t):
        case (1, 2) | (3, 4) | (0, None, [1, *_]): return "a"
        case (int(), ValueError(), ([*_], int())) if n > 100: return "b"
        case {"k": None}: pass
        case (_, None | ValueError(), _): n = 1
    return (1 < n < 7), any(x > 1 for x in Count(4) if x), w
"""
LONG_JUMP = "def f(n):\n    if n > 1:\n" + "".join(f"        v{i} = n * {i}\n" for i in range(200)) + "    return n\n"
PROGRAMS = [
    *(Program(source=SOURCE, call=call) for call in ("f(4, 1)", "f(0, 9)", "f('', 1)")),
    *(Program(source=LONG_JUMP, call=call) for call in ("f(1)", "f(2)")),
]


@pytest.mark.parametrize("version", FOUND)
def test_cores_agree(version: str) -> None:
    programs = [*PROGRAMS, *(Program(source=program(seed)) for seed in range(8))]
    workers = [
        SandboxWorker(prepare(limits=Limits(), python=FOUND[version], core=core, trust=False))
        for core in ("native", "python")
    ]
    seen = 0
    try:
        for one in programs:
            native, readable = (worker.record(one, jumps=True) for worker in workers)
            assert (native.interpreter.core, readable.interpreter.core) == ("native", "python")
            assert native.columns == readable.columns
            assert native.jumps == readable.jumps
            seen += len(native.jumps or ())
    finally:
        for worker in workers:
            worker.close()
    assert seen > 100


def test_offsets_and_columns_are_those_of_the_compiled_code() -> None:
    """In `f(2)` of the long jump, one instruction decides, and its test holds; in `f(1)` it jumps over 200 lines."""
    code = next(c for c in compile(LONG_JUMP, "<source>", "exec").co_consts if hasattr(c, "co_code"))
    instructions = [one for one in dis.get_instructions(code) if one.opname != "CACHE"]
    at, jump = next((at, one) for at, one in enumerate(instructions) if "IF_FALSE" in one.opname)
    one, other = (record(Program(source=LONG_JUMP, call=call), jumps=True).jumps for call in ("f(2)", "f(1)"))
    assert one is not None
    assert other is not None
    line, _, column, _ = list(code.co_positions())[jump.offset // 2]
    assert (line, column) == (2, 7)
    assert [(j.step, j.frame, j.offset, j.target, j.column) for j in one] == [
        (1, 0, jump.offset, instructions[at + 1].offset, 7)
    ]
    assert [(j.offset, j.target) for j in other] == [(jump.offset, jump.argval)]


def test_programs_recorded_together_have_the_jumps_of_each_alone() -> None:
    worker = SandboxWorker(prepare(limits=Limits(), python=None, core="auto", trust=False))
    try:
        together = record_all(worker, PROGRAMS, jumps=True)
        alone = [worker.record(one, jumps=True) for one in PROGRAMS]
    finally:
        worker.close()
    for one, other in zip(together, alone, strict=True):
        assert one is not None
        assert (one.jumps, one.outcome) == (other.jumps, other.outcome)


def test_jumps_are_recorded_only_where_they_are_wanted() -> None:
    assert record(PROGRAMS[0]).jumps is None
