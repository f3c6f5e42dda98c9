"""Kills, bit flips and failing disks: nothing that was acknowledged is lost, nothing damaged is accepted.

WORLDLINE_FAULTS says how many kills and how many flips (`make hostile`: 1,000).
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stored_traces import FINGERPRINT, facts, store, trace
from tiers import examples

from worldline.core.errors import DigestError, DiskError, FormatError, WorldlineError
from worldline.core.program import Program
from worldline.data import manifest, shards
from worldline.storage import files

FAULTS = examples(20, 100, "WORLDLINE_FAULTS")


@pytest.mark.fuzz
def test_kills_at_random_instants_lose_nothing(tmp_path: Path) -> None:
    script = Path(__file__).with_name("killed_writers.py")
    ran = subprocess.run(
        [sys.executable, script, tmp_path, str(FAULTS), "1"], capture_output=True, text=True, timeout=30 * FAULTS
    )
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["faults"] == []
    assert report["kills"] == FAULTS
    assert report["commits"] > FAULTS / 4
    assert report["states"]["draft left"] > FAULTS / 100  # the kills fell where something was under way


def test_the_window_between_shard_and_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(tmp_path, [trace(0)])

    def dies(*_: Any, **__: Any) -> None:
        raise SystemExit

    writer = shards.ShardWriter(tmp_path, fingerprint=FINGERPRINT)
    writer.add(trace(1))
    with monkeypatch.context() as patch:
        patch.setattr(manifest, "store", dies)
        with pytest.raises(SystemExit):
            writer.flush()
    assert [problem.kind for problem in shards.verify(tmp_path)] == []  # it still holds the lock
    writer.close()
    assert [(problem.path, problem.kind) for problem in shards.verify(tmp_path)] == [
        ("traces-00001.parquet", "leftover")
    ]
    assert [facts(t) for t in shards.read(tmp_path)] == [facts(trace(0))]
    store(tmp_path, [trace(1)])
    assert [facts(t) for t in shards.read(tmp_path)] == [facts(trace(0)), facts(trace(1))]
    assert shards.verify(tmp_path) == []


@pytest.mark.fuzz
def test_single_bit_flips_are_all_refused(tmp_path: Path) -> None:
    store(tmp_path, [trace(n) for n in range(3)])
    paths, dice, accepted = sorted(tmp_path.iterdir()), random.Random(2), []
    for n in range(FAULTS):
        path = paths[n % len(paths)]
        good = path.read_bytes()
        at, bit = dice.randrange(len(good)), 1 << dice.randrange(8)
        path.write_bytes(good[:at] + bytes([good[at] ^ bit]) + good[at + 1 :])
        refused = [problem.path for problem in shards.verify(tmp_path)] == [path.name]
        try:
            list(shards.read(tmp_path))
            refused = False
        except (DigestError, FormatError):
            pass
        if not refused:
            accepted.append((path.name, at, bit))
        path.write_bytes(good)
    assert accepted == []
    assert len(list(shards.read(tmp_path))) == 3


@pytest.mark.fuzz
def test_flips_behind_a_forged_digest_are_no_tracebacks(tmp_path: Path) -> None:
    store(tmp_path, [trace(n) for n in range(2)])
    path, dice, refused, checksums = tmp_path / "traces-00000.parquet", random.Random(3), 0, 0
    good = path.read_bytes()
    for _ in range(FAULTS // 2):
        at = dice.randrange(len(good))
        forge(tmp_path, good[:at] + bytes([good[at] ^ 1 << dice.randrange(8)]) + good[at + 1 :])
        shards.verify(tmp_path)
        try:
            list(shards.read(tmp_path))
        except (DigestError, FormatError) as error:
            refused += 1
            checksums += "CRC" in str(error)
    assert refused > FAULTS / 8
    assert checksums > 0  # the page checksums are there and are looked at


def forge(directory: Path, data: bytes) -> None:
    """Put these bytes in the first shard's place and list them as if a writer had written them."""
    import msgspec

    digest = files.write(directory / "traces-00000.parquet", data, fsync=False)
    listed = manifest.load(directory)
    entry = msgspec.structs.replace(listed.shards[0], size=len(data), sha256=digest)
    manifest.store(directory, msgspec.structs.replace(listed, shards=(entry, *listed.shards[1:])), fsync=False)


class FaultyOs:
    """The os module, whose nth act on a file fails."""

    ACTS = ("open", "write", "fsync", "close", "replace", "link", "listdir")

    def __init__(self, fail_at: int, code: int) -> None:
        self.left, self.code, self.failed = fail_at, code, ""

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in self.ACTS:
            return real

        def act(*args: Any, **keywords: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                self.failed = name
                if name == "close":  # as Linux does: the descriptor is gone all the same
                    real(*args)
                raise OSError(self.code, os.strerror(self.code))
            return real(*args, **keywords)

        return act


def fault_points() -> Iterator[int]:
    yield from range(1, 200)
    raise AssertionError("the acts do not come to an end")


@pytest.mark.long(reason="writes a store anew for each act that fails, with two errors")
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_failure_of_any_act_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    failed = set()
    store(tmp_path / "before", [trace(0)])
    for n in fault_points():
        directory = shutil.copytree(tmp_path / "before", tmp_path / str(n))
        before = {path.name: path.read_bytes() for path in directory.iterdir()}
        faulty, acknowledged, refusal = FaultyOs(n, code), 1, ""
        with monkeypatch.context() as patch:
            patch.setattr(files, "os", faulty)
            try:
                with shards.ShardWriter(directory, fingerprint=FINGERPRINT) as writer:
                    for number in (1, 2):
                        writer.add(trace(number))
                        writer.flush()
                        acknowledged = writer.stored
            except DiskError as error:
                refusal = str(error)
        assert os.strerror(code) in refusal or not refusal
        if not faulty.failed:
            break
        failed.add(faulty.failed)
        after = {path.name: path.read_bytes() for path in directory.iterdir()}
        assert after["traces-00000.parquet"] == before["traces-00000.parquet"]
        assert len(list(shards.read(directory))) >= acknowledged
        store(directory, [trace(1), trace(2)])
        assert shards.verify(directory) == []
        assert [facts(t) for t in shards.read(directory)] == [facts(trace(n)) for n in range(3)]
    assert failed == set(FaultyOs.ACTS)


def test_a_failed_writer_says_so_and_stores_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = shards.ShardWriter(tmp_path, fingerprint=FINGERPRINT)
    writer.add(trace(1))
    with monkeypatch.context() as patch:
        patch.setattr(files, "os", FaultyOs(1, errno.ENOSPC))
        with pytest.raises(DiskError, match="No space left"):
            writer.flush()
    with pytest.raises(DiskError, match="failed before"):
        writer.add(trace(2))
    writer.close()
    assert list(shards.read(tmp_path)) == []
    assert os.listdir(tmp_path) == [".manifest.json"]


def bulky(n: int) -> Any:
    """A trace that does not compress: 300 kB on the disk."""
    return trace(n, program=Program(source=random.Random(n).randbytes(150_000).hex()))


def fill(directory: Path) -> tuple[int, str]:
    """Store until the disk refuses; how many are stored, and the refusal."""
    stored = 0
    try:
        with shards.ShardWriter(directory, fingerprint=FINGERPRINT, rows_per_shard=1) as writer:
            for n in range(40):
                writer.add(trace(n) if n < 3 else bulky(n))
                stored = writer.stored
    except WorldlineError as error:
        return stored, f"{error.slug}: {error}"
    return stored, ""


FILL = """
import json, resource, sys
from pathlib import Path
from test_faults import fill
if int(sys.argv[2]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
print(json.dumps(fill(Path(sys.argv[1]))))
"""


def filled(directory: Path, size: int) -> tuple[int, str]:
    ran = subprocess.run(
        [sys.executable, "-c", FILL, directory, str(size)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert ran.returncode == 0, ran.stderr
    stored, refusal = json.loads(ran.stdout)
    return stored, refusal


@pytest.mark.long(reason="a process of its own; test_a_real_full_disk fills a real disk")
def test_a_real_limit_on_file_size(tmp_path: Path) -> None:
    assert filled(tmp_path, 100_000) == (3, f"disk: {tmp_path}/traces-00003.parquet: File too large")
    assert sorted(os.listdir(tmp_path)) == [".manifest.json", *map(manifest.shard_name, range(3))]
    assert shards.verify(tmp_path) == []


def test_a_real_full_disk(tmp_path: Path) -> None:
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path], capture_output=True, text=True)
    if mount.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {mount.stderr.strip()}")
    try:
        stored, refusal = filled(tmp_path / "set", 0)
        assert stored > 3
        assert refusal.startswith("disk: ")
        assert "No space left on device" in refusal
        assert shards.verify(tmp_path / "set") == []
        assert len(list(shards.read(tmp_path / "set"))) == stored
    finally:
        subprocess.run(["umount", tmp_path], check=True)
