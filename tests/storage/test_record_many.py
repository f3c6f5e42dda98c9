"""`record_many(out=...)`: recorded, stored, and taken up again where it was cut off."""

from __future__ import annotations

from pathlib import Path

import pytest

import worldline
from worldline.core.errors import FingerprintError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.data import shards

PROGRAMS = [Program(source="def f(n):\n    return n * n\n", call=f"f({n})") for n in range(12)]


def test_a_batch_is_stored_and_resumed(tmp_path: Path) -> None:
    some = worldline.record_many(PROGRAMS, out=tmp_path / "d")
    assert [next(some).outcome.detail for _ in range(5)] == ["0", "1", "4", "9", "16"]
    some.close()  # type: ignore[attr-defined]
    rest = [trace.outcome.detail for trace in worldline.record_many(PROGRAMS, out=tmp_path / "d", workers=2)]
    assert rest == [str(n * n) for n in range(5, 12)]
    assert list(worldline.record_many(PROGRAMS, out=tmp_path / "d")) == []
    stored = list(worldline.load_all(tmp_path / "d"))
    assert [trace.program for trace in stored] == PROGRAMS
    assert shards.verify(tmp_path / "d") == []


def test_a_directory_of_other_limits_is_refused(tmp_path: Path) -> None:
    assert len(list(worldline.record_many(PROGRAMS[:1], out=tmp_path / "d"))) == 1
    with pytest.raises(FingerprintError, match="steps"):
        list(worldline.record_many(PROGRAMS, out=tmp_path / "d", limits=Limits(steps=7)))
