"""Datasets on an S3 server: the same bytes as on disk, gone on with after a kill, one writer as far as can be known."""

from __future__ import annotations

import gc
import io
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from stored_traces import FINGERPRINT, facts, trace

from worldline.cli import cli
from worldline.core.errors import BusyError, DigestError, DiskError, FingerprintError, UsageError
from worldline.data import shards
from worldline.data.build.build import build_dataset
from worldline.data.build.shards import read_rows, verify
from worldline.data.mixture import TASKS, Mixture
from worldline.storage import files, publishing, remote
from worldline.storage.remote import Folder, StorePath

TINY = Mixture(sources=(TASKS,))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset of these tests, on disk."""
    out = tmp_path_factory.mktemp("data") / "whole"
    made(out)
    return out


def made(out: str | Folder, count: int = 100) -> None:
    build_dataset(TINY, out, count=count, workers=1, unit=40, trust=True)


def objects(at: Folder) -> dict[str, bytes]:
    return {name: (at / name).read_bytes() for name in remote.names(at)}


def test_a_url_is_a_place_and_a_path_a_path(tmp_path: Path) -> None:
    at = remote.place("s3://bucket/some/key?endpoint_override=http://127.0.0.1:1")
    assert isinstance(at, StorePath)
    assert str(at / "x") == "s3://bucket/some/key/x?endpoint_override=http://127.0.0.1:1"
    assert ((at / "x").name, (at / "x").parent, at.suffix) == ("x", at, "")
    assert remote.place(f"file://{tmp_path}/a%20b") == tmp_path / "a b"
    assert remote.place("plain/path") == Path("plain/path")
    assert remote.place("S3://bucket/some") == StorePath("s3", "bucket", "some")
    with pytest.raises(UsageError, match="no such store"):
        remote.names(remote.place("nothing://bucket/key"))
    for wrong in ("s3:/bucket/key", "s3:bucket", "s3:///key", "s3://", "file://folder/x", "file:/folder"):
        with pytest.raises(UsageError, match="URL"):
            remote.place(wrong)
    assert remote.place("./s3:/bucket") == Path("s3:/bucket")


class Away:
    """A file system that nothing can be asked of."""

    def __getattr__(self, name: str) -> Any:
        def refuse(*_: object, **__: object) -> None:
            raise OSError("no answer\nand much more")

        return refuse


def test_a_store_that_is_away_is_told_of_in_a_line(
    shelf: StorePath, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(remote, "_file_system", lambda *_: Away())
    for act in (
        shelf.exists, shelf.read_bytes, lambda: remote.Mark(shelf), lambda: remote.names(shelf),
        lambda: remote.write(shelf, b""), lambda: publishing.fetch(shelf, tmp_path / "x"), lambda: made(shelf),
    ):  # fmt: skip
        with pytest.raises(DiskError, match=r"no answer$"):
            act()


def test_an_interrupt_does_not_put_half_an_object_in_the_place_of_a_whole_one(
    shelf: StorePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream of pyarrow's that is left early puts there what it has: Ctrl-C must not come between."""
    remote.write(shelf / "x", b"before")
    copy = remote._copy

    def interrupted(source: io.BytesIO, store: Any, path: str) -> None:
        signal.raise_signal(signal.SIGINT)  # heard by the main thread while this one is at it
        copy(source, store, path)

    monkeypatch.setattr(remote, "_copy", interrupted)
    # Who runs the tests may have it ignored; and in a callback of the collector it would be lost.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()
    try:
        with pytest.raises(KeyboardInterrupt):
            remote.write(shelf / "x", b"after")
    finally:
        gc.enable()
        signal.signal(signal.SIGINT, before)
    assert (shelf / "x").read_bytes() == b"after"


def test_the_environment_may_name_the_server(shelf: StorePath, endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    remote._file_system.cache_clear()
    at = StorePath(shelf.scheme, shelf.bucket, shelf.key)
    remote.write(at / "x", b"1")
    assert (shelf / "x").read_bytes() == b"1"
    remote._file_system.cache_clear()


def test_a_bucket_that_is_not_there_is_told(shelf: StorePath) -> None:
    with pytest.raises(UsageError, match="no bucket 'absent'"):
        made(StorePath(shelf.scheme, "absent", "x", shelf.query))


@pytest.mark.long(reason="test_a_builder_that_was_killed_is_gone_on_with compares the bytes")
def test_a_build_gives_the_same_bytes_as_on_disk(shelf: StorePath, whole: Path) -> None:
    made(shelf)
    assert objects(shelf) == objects(whole)
    assert verify(shelf) == []
    assert list(read_rows(shelf, split="train")) == list(read_rows(whole, split="train"))
    found = CliRunner().invoke(cli, ["verify", str(shelf)])
    assert (found.exit_code, found.output) == (0, f"fine: {shelf}\n")


def test_a_builder_that_was_killed_is_gone_on_with(shelf: StorePath, whole: Path) -> None:
    code = (
        "import sys\nfrom worldline.data.build.build import build_dataset\n"
        "from worldline.data.mixture import TASKS, Mixture\n"
        "def tell(p):\n    print(p.documents, flush=True)\n    sys.stdin.read()\n"
        f"build_dataset(Mixture(sources=(TASKS,)), {str(shelf)!r}, count=100, workers=1, unit=40, "
        "trust=True, progress=tell)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) > 0
        with pytest.raises(BusyError, match=f"process {process.pid}"):
            made(shelf)
        process.send_signal(signal.SIGKILL)
    assert files.LOCK_NAME in remote.names(shelf)
    assert 0 < len(list(read_rows(shelf))) < 100
    assert verify(shelf) == []
    made(shelf)
    assert objects(shelf) == objects(whole)


@pytest.mark.long(reason="many kills: a builder is killed in make test")
def test_a_shard_that_was_not_listed_is_made_again(shelf: StorePath, whole: Path) -> None:
    """What a kill between shard and manifest leaves."""
    made(shelf, count=40)
    remote.write(shelf / "documents-00001.parquet", b"half of it")
    made(shelf)
    assert objects(shelf)["documents-00001.parquet"] == objects(whole)["documents-00001.parquet"]


def test_traces_are_stored_read_and_gone_on_with(shelf: StorePath, tmp_path: Path) -> None:
    for at in (shelf, tmp_path):
        for first in (0, 3):
            with shards.ShardWriter(at, fingerprint=FINGERPRINT, rows_per_shard=2) as writer:
                assert writer.stored == first
                for n in range(first + 3):
                    writer.add(trace(n))
    assert objects(shelf) == objects(tmp_path)
    assert [facts(found) for found in shards.read(shelf)] == [facts(trace(n)) for n in range(6)]
    assert shards.verify(shelf) == []
    shown = CliRunner().invoke(cli, ["show", str(shelf), "--number", "1", "--json"])
    assert json.loads(shown.output)["program"]["source"] == trace(1).program.source


def test_damage_is_named_and_not_read(shelf: StorePath) -> None:
    with shards.ShardWriter(shelf, fingerprint=FINGERPRINT) as writer:
        writer.add(trace(0))
    whole = (shelf / "traces-00000.parquet").read_bytes()
    for kind, data in {
        "damaged": whole[:-9] + b"!" + whole[-8:],
        "truncated": whole[:-1],
        "grown": whole + b"x",
    }.items():
        remote.write(shelf / "traces-00000.parquet", data)
        assert [problem.kind for problem in shards.verify(shelf)] == [kind]
        with pytest.raises(DigestError):
            list(shards.read(shelf))
    remote.remove(shelf / "traces-00000.parquet")
    assert [problem.kind for problem in shards.verify(shelf)] == ["missing"]


@pytest.mark.long(reason="builds on a store; test_another_recipe_is_refused builds on disk")
def test_another_recipe_and_somebody_else_s_objects_are_refused(shelf: StorePath) -> None:
    made(shelf / "own", count=10)
    with pytest.raises(FingerprintError, match="seed"):
        build_dataset(TINY, shelf / "own", count=20, workers=1, unit=40, trust=True, seed=1)
    remote.write(shelf / "other" / "notes.txt", b"mine")
    with pytest.raises(UsageError, match="neither empty nor"):
        made(shelf / "other")
    assert remote.names(shelf / "other") == ["notes.txt"]


def test_a_second_writer_is_found_before_it_costs_anything(shelf: StorePath) -> None:
    """A mark holds nobody back: who was overtaken finds out before the manifest is replaced, and stops."""
    writer = shards.ShardWriter(shelf, fingerprint=FINGERPRINT)
    writer.add(trace(0))
    remote.remove(shelf / files.LOCK_NAME)  # as if another machine had not seen it
    with shards.ShardWriter(shelf, fingerprint=FINGERPRINT) as other:
        other.add(trace(1))
        other.flush()
        with pytest.raises(BusyError, match="taken over by another writer"):
            writer.flush()
        writer.close()
        other.add(trace(2))
    assert files.LOCK_NAME not in remote.names(shelf)
    assert other.stored == 2
