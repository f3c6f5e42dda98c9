"""Stochastic programs, those of studies/hidden: a record of each, seeded or live, replays under another seed."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from worldline.core.hidden import Control, replaying
from worldline.recording.recorder import SandboxWorker, prepare

sys.path.insert(0, str(Path(__file__).parents[2] / "studies" / "hidden"))
import replay


@pytest.mark.parametrize("seed", [7, None])
def test_every_record_replays(seed: int | None) -> None:
    worker = SandboxWorker(prepare(limits=replay.LIMITS, python=None, core="auto", trust=False))
    others = []
    try:
        programs = list(replay.programs(0))
        for name, program in programs:
            first = worker.record(program, control=Control(seed=seed, schedule=seed))
            again = worker.record(program, control=replace(replaying(first.hidden), seed=99))
            if not replay.is_same(first, again):
                others.append((name, again.notes))
    finally:
        worker.close()
    assert len(programs) > 60
    assert not [each for each in others if "addresses" not in each[1]]  # those are not controlled
