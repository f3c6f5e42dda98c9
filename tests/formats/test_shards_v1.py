"""Shards written by format version 1 are read by every later release. `shards-v1` is never made again."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from worldline.core.errors import FingerprintError
from worldline.core.program import Program
from worldline.data import manifest, shards

HERE = Path(__file__).parent
KEPT = HERE / "shards-v1"
EXPECTED = json.loads((HERE / "shards-v1.json").read_text())


def test_version_1_is_read() -> None:
    assert shards.verify(KEPT) == []
    assert [trace.as_json() for trace in shards.read(KEPT)] == EXPECTED


def test_version_1_has_every_kind_of_thing() -> None:
    """What the kept files must go on proving: no field of the format is empty in all of them."""
    assert {step["event"] for row in EXPECTED for step in row["steps"]} == {
        "call", "line", "return", "raise", "yield", "resume", "output", "input", "exit",
    }  # fmt: skip
    for field in ("frames", "steps", "output", "stderr", "hidden", "notes"):
        assert any(row[field] for row in EXPECTED)
    for field in ("delta", "gone", "same", "arg"):
        assert any(step.get(field) for row in EXPECTED for step in row["steps"])
    assert any("\udc80" in row["program"]["source"] for row in EXPECTED)


def test_version_1_is_added_to(tmp_path: Path) -> None:
    directory = shutil.copytree(KEPT, tmp_path / "copy")
    fingerprint = manifest.load(directory).fingerprint
    first = next(shards.read(directory))
    with shards.ShardWriter(directory, fingerprint=fingerprint, fsync=False) as writer:
        assert writer.stored == len(EXPECTED)
        assert not writer.add(first)
        assert writer.add(replace(first, program=Program(source="new")))
    assert shards.verify(directory) == []
    assert [trace.as_json() for trace in shards.read(directory)][:-1] == EXPECTED
    with pytest.raises(FingerprintError, match=r"code: stored '0\.1\.0', now 'later'"):
        shards.ShardWriter(directory, fingerprint=fingerprint | {"code": "later"})
