"""Programs that reach for what controls them: they may spoil their own run, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.recorder import SandboxWorker, prepare

TEXT = Path(__file__).with_name("reaching.txt").read_text()
REACHING = {text.partition("\n")[0]: text.partition("\n")[2] for text in TEXT.split("=== ")[1:]}


@pytest.mark.long(reason="records 13 hostile programs and a check behind each, on both cores")
@pytest.mark.parametrize("core", ["native", "python"])
def test_who_reaches_for_the_control_harms_nobody_else(core: str) -> None:
    worker = SandboxWorker(prepare(limits=Limits(wall=20), python=None, core=core, trust=False, controlled=True))
    after = Program(source="import random, time\nx = random.randrange(9)\nprint(x, time.time())\n")
    assert len(REACHING) >= 13
    try:
        expected = worker.record(after, control=Control(seed=3))
        for name, source in REACHING.items():
            trace = worker.record(Program(source=source), control=Control(seed=3))
            assert trace.outcome.kind != "host-fault", (name, trace.outcome, trace.stderr)
            again = worker.record(after, control=Control(seed=3))
            assert (again.hidden, again.output, again.outcome) == (
                expected.hidden, expected.output, expected.outcome,
            ), name  # fmt: skip
    finally:
        worker.close()


def test_a_program_that_draws_without_end_is_stopped() -> None:
    worker = SandboxWorker(prepare(limits=Limits(wall=60, trace_bytes=1 << 20), python=None, core="auto", trust=False))
    try:
        source = "import os\nwhile any(os.urandom(1) + b'x' for _ in range(10**9)): os.urandom(9)\n"
        assert worker.record(Program(source=source), control=Control()).outcome.kind == "limit"
    finally:
        worker.close()
