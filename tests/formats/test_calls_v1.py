"""Recorded calls written by format version 1 are read by every later release. `calls-v1` is never made again."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from worldline.core.errors import FingerprintError
from worldline.core.repository.recorded_test import RecordedTest
from worldline.data import manifest
from worldline.data.repository import dataset
from worldline.data.repository.dataset import CallWriter, read_calls, read_instances, read_test_traces

HERE = Path(__file__).parent
KEPT = HERE / "calls-v1"
EXPECTED = json.loads((HERE / "calls-v1.json").read_text())


def facts(directory: Path) -> dict[str, Any]:
    """Everything in a dataset, as JSON."""
    content = {
        "calls": [{**call.__dict__, "trace": call.trace.as_json()} for call in read_calls(directory)],
        "tests": [{**asdict(test), "trace": trace and trace.as_json()} for test, trace in read_test_traces(directory)],
        "instances": [asdict(row) for row in read_instances(directory)],
    }
    parsed: dict[str, Any] = json.loads(json.dumps(content))
    return parsed


def test_version_1_is_read() -> None:
    assert dataset.verify(KEPT) == []
    assert facts(KEPT) == EXPECTED


def test_version_1_has_every_kind_of_thing() -> None:
    """What the kept files must go on proving: no field of the format is empty in all of them."""
    for rows in EXPECTED.values():
        assert [name for name in rows[0] if not any(row[name] for row in rows)] == []
    assert {row["trace"]["outcome"]["kind"] for row in EXPECTED["calls"]} == {"returned", "raised"}
    assert [row["trace"] is None for row in EXPECTED["tests"]] == [False, True]


def test_version_1_is_added_to(tmp_path: Path) -> None:
    directory = shutil.copytree(KEPT, tmp_path / "copy")
    fingerprint = manifest.load(directory, manifest.CALLS).fingerprint
    with CallWriter(directory, fingerprint=fingerprint, notations=("compact", "cwm"), fsync=False) as writer:
        first = EXPECTED["tests"][0]
        assert writer.holds_test(first["instance_id"], first["test_id"])
        instance = next(read_instances(KEPT)).instance
        assert writer.add_test(RecordedTest(instance=instance, id="new", outcome="passed"))
    assert dataset.verify(directory) == []
    assert [*EXPECTED["tests"], "new"] == [*facts(directory)["tests"][:-1], facts(directory)["tests"][-1]["test_id"]]
    with pytest.raises(FingerprintError, match=r"code: stored '0\.1\.0', now 'later'"):
        CallWriter(directory, fingerprint=fingerprint | {"code": "later"}, notations=("compact", "cwm"))
