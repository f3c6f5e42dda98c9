"""Stored traces are replaced as a whole, on disk and on an object store; files of others stay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from stored_traces import FINGERPRINT, trace

from worldline.core.errors import BusyError
from worldline.data import shards
from worldline.data.load import load_all
from worldline.data.shards import ShardWriter
from worldline.evaluation.expected.stored import update_runs
from worldline.storage import remote
from worldline.storage.remote import Folder, StorePath


def filled(folder: Folder, count: int) -> None:
    """Store traces, one per shard."""
    with ShardWriter(folder, fingerprint=FINGERPRINT, rows_per_shard=1) as writer:
        for n in range(count):
            writer.add(trace(n))


@pytest.fixture(params=["disk", "store"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    if request.param == "disk":
        return tmp_path / "traces"
    shelf: StorePath = request.getfixturevalue("shelf")
    return shelf


def test_fewer_shards_leave_none_of_the_old(folder: Folder) -> None:
    filled(folder, 3)
    remote.write(folder / "NOTES.md", b"of others")
    update_runs(folder, "program.py", [trace(7)])
    assert [stored.program.call for stored in load_all(folder)] == ["f(7)"]
    assert [problem.path for problem in shards.verify(folder)] == ["NOTES.md"]
    assert sorted(name for name in remote.names(folder) if "manifest" not in name) == [
        "NOTES.md", "traces-00000.parquet",
    ]  # fmt: skip
    update_runs(folder, "program.py", [trace(7), trace(8)])
    assert [stored.program.call for stored in load_all(folder)] == ["f(7)", "f(8)"]


def test_a_folder_that_another_process_writes_to_stays(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    filled(folder, 1)
    with ShardWriter(folder, fingerprint=FINGERPRINT), pytest.raises(BusyError):
        update_runs(folder, "program.py", [trace(7)])
    assert [stored.program.call for stored in load_all(folder)] == ["f(0)"]


def test_a_new_place_is_created(folder: Folder) -> None:
    update_runs(folder, "program.py", [trace(1), replace(trace(2), notes=("addresses",))])
    assert [stored.notes for stored in load_all(folder)] == [(), ("addresses",)]
