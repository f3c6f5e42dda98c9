"""Drafts and locks: whole files or none, one writer at a time, dead holders replaced."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from stored_traces import FINGERPRINT

from worldline.core.errors import BusyError, DiskError, FingerprintError, FormatError, UsageError
from worldline.data import shards
from worldline.data.build import shards as documents
from worldline.storage import files


def test_a_draft_is_unseen_until_it_is_committed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    draft = files.Draft(path)
    data = os.urandom(3 * files.CHUNK + 17)
    for at in range(0, len(data), 300_001):
        draft.write(data[at : at + 300_001])
    assert path.read_bytes() == b"old"
    assert draft.tell() == len(data)
    assert draft.commit() == hashlib.sha256(data).hexdigest()
    assert path.read_bytes() == data
    assert os.listdir(tmp_path) == ["a"]


def test_a_discarded_draft_leaves_nothing(tmp_path: Path) -> None:
    draft = files.Draft(tmp_path / "a")
    draft.write(b"x")
    draft.discard()
    draft.discard()
    assert draft.write(b"late") == 4
    assert os.listdir(tmp_path) == []


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, data = os.write, os.urandom(5000)
    with monkeypatch.context() as patch:
        patch.setattr(files.os, "write", lambda fd, view: real(fd, bytes(view)[:777]))
        files.write(tmp_path / "a", data)
    assert (tmp_path / "a").read_bytes() == data


def test_the_temporary_file_is_synced_before_and_the_directory_after_the_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts: list[str] = []
    fsync, replace = os.fsync, os.replace

    def sync(fd: int) -> None:
        acts.append("directory" if os.path.isdir(f"/proc/self/fd/{fd}") else "file")
        fsync(fd)

    def rename(source: Any, target: Any) -> None:
        acts.append("rename")
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", sync)
        patch.setattr(files.os, "replace", rename)
        files.write(tmp_path / "a", b"x")
        files.write(tmp_path / "b", b"x", fsync=False)
    assert acts == ["file", "rename", "directory", "rename"]


def test_what_cannot_be_written_is_a_disk_error(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(DiskError, match="taken: Is a directory"):
        files.write(tmp_path / "taken", b"x")
    (tmp_path / "file").write_text("x")
    with pytest.raises(DiskError, match="Not a directory"):
        files.write(tmp_path / "file" / "x", b"x")
    with pytest.raises(DiskError):
        files.make_directory(tmp_path / "file" / "x")
    with pytest.raises(DiskError):
        shards.ShardWriter(tmp_path / "file", fingerprint={})
    assert sorted(os.listdir(tmp_path)) == ["file", "taken"]


def test_long_and_odd_names(tmp_path: Path) -> None:
    directory = tmp_path / "a b\n\u0301" / ("x" * 200)
    shards.ShardWriter(directory, fingerprint={}).close()
    assert shards.verify(directory) == []


def test_a_second_writer_is_kept_out(tmp_path: Path) -> None:
    with shards.ShardWriter(tmp_path, fingerprint=FINGERPRINT):
        with pytest.raises(BusyError, match=f"is being written by process {os.getpid()}"):
            shards.ShardWriter(tmp_path, fingerprint=FINGERPRINT)
        code = "import sys; from worldline.storage.files import *; Lock(Path(sys.argv[1]))"
        other = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True)
        assert "BusyError" in other.stderr
        assert shards.verify(tmp_path) == []
    shards.ShardWriter(tmp_path, fingerprint=FINGERPRINT).close()
    assert os.listdir(tmp_path) == [".manifest.json"]


def dead_child(*, reaped: bool) -> dict[str, Any]:
    """The lock of a process that has ended."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writer, json.dumps(files.holder(os.getpid())).encode())
        os._exit(0)
    holder = json.loads(os.read(reader, 4096))
    os.close(reader)
    os.close(writer)
    os.waitid(os.P_PID, pid, os.WEXITED | (0 if reaped else os.WNOWAIT))
    return dict(holder)


@pytest.mark.parametrize("reaped", [True, False])
def test_a_dead_holder_is_taken_over(tmp_path: Path, reaped: bool) -> None:
    holder = dead_child(reaped=reaped)
    (tmp_path / ".lock").write_text(json.dumps(holder))
    lock = files.Lock(tmp_path)
    with pytest.raises(BusyError):
        files.Lock(tmp_path)
    lock.release()
    assert os.listdir(tmp_path) == []
    if not reaped:
        os.waitpid(holder["pid"], 0)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(files.holder(os.getpid()) | {"boot": "before"}),
        json.dumps(files.holder(os.getpid()) | {"start": "1"}),
        json.dumps(files.holder(os.getpid()) | {"pid": 1 << 80}),
        json.dumps(files.holder(os.getpid()) | {"pid": -1}),
        "", "{}", "[" * 4000, "null", '{"pid": "x", "host": 1}', "\x00" * 5000,
        '{"pid": 1e400, "host": "x"}', '{"pid": true, "host": "x"}', '{"pid": "1", "host": "x"}',
    ],
    ids=range(13),
)  # fmt: skip
def test_a_lock_that_nobody_living_wrote_is_taken_over(tmp_path: Path, content: str) -> None:
    (tmp_path / ".lock").write_text(content)
    assert not files.locked(tmp_path)
    files.Lock(tmp_path)
    assert files.locked(tmp_path)


def test_a_lock_that_cannot_be_judged_is_respected(tmp_path: Path) -> None:
    (tmp_path / ".lock").write_text(json.dumps(files.holder(os.getpid()) | {"host": "elsewhere", "boot": "x"}))
    with pytest.raises(BusyError, match=r"on elsewhere; if not, remove .*\.lock"):
        files.Lock(tmp_path)
    (tmp_path / ".lock").unlink()
    (tmp_path / ".lock").mkdir()
    with pytest.raises(BusyError, match="not a lock file"):
        files.Lock(tmp_path)
    assert os.listdir(tmp_path) == [".lock"]


def test_a_lock_that_was_taken_from_us_is_not_released(tmp_path: Path) -> None:
    lock = files.Lock(tmp_path)
    (tmp_path / ".lock").unlink()
    other = files.Lock(tmp_path)
    lock.release()
    assert files.locked(tmp_path)
    other.release()
    assert not files.locked(tmp_path)


def test_of_many_that_find_a_dead_holder_one_takes_over(tmp_path: Path) -> None:
    stale = json.dumps(dead_child(reaped=True))
    for n in range(30):
        directory = tmp_path / str(n)
        directory.mkdir()
        (directory / ".lock").write_text(stale)
        gate, got = threading.Barrier(6), list[files.Lock]()

        def rush(directory: Path = directory, gate: threading.Barrier = gate, got: list[files.Lock] = got) -> None:
            gate.wait()
            with suppress(BusyError):
                got.append(files.Lock(directory))

        threads = [threading.Thread(target=rush) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(got) == 1
        assert os.listdir(directory) == [".lock"]


FOREIGN: tuple[dict[str, str], ...] = (
    {".notes.tmp": "mine", "diary": "mine"},
    {".notes.tmp": "mine", ".lock": "mine"},
    {".manifest.json.1-2.tmp": "mine", "diary": "mine"},
    {"manifest.json": '{"format": "elsewhere"}', ".manifest.json.1-2.tmp": "mine", ".lock": "mine"},
)


@pytest.mark.parametrize("number", range(len(FOREIGN)))
@pytest.mark.parametrize("kind", [shards.ShardWriter, documents.DocumentStore])
def test_a_folder_that_is_refused_keeps_all_that_was_in_it(tmp_path: Path, number: int, kind: Any) -> None:
    for name, text in FOREIGN[number].items():
        (tmp_path / name).write_text(text)
    with pytest.raises((UsageError, FormatError)):
        kind(tmp_path, fingerprint=FINGERPRINT)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == FOREIGN[number]


@pytest.mark.parametrize("kind", [shards.ShardWriter, documents.DocumentStore])
def test_a_folder_of_another_fingerprint_is_not_swept(tmp_path: Path, kind: Any) -> None:
    kind(tmp_path, fingerprint=FINGERPRINT).close()
    for name in ("..manifest.json.1-2.tmp", ".notes.tmp"):
        (tmp_path / name).write_text("x")
    with pytest.raises(FingerprintError):
        kind(tmp_path, fingerprint={"other": 1})
    assert sorted(os.listdir(tmp_path)) == ["..manifest.json.1-2.tmp", ".manifest.json", ".notes.tmp"]
    kind(tmp_path, fingerprint=FINGERPRINT).close()
    assert sorted(os.listdir(tmp_path)) == [".manifest.json", ".notes.tmp"]


def is_manifest(name: str) -> bool:
    """A writer that has but one file."""
    return name == "manifest.json"


def test_a_sweep_takes_only_what_the_writer_s_own_drafts_are_called(tmp_path: Path) -> None:
    own = [".manifest.json.9-0.tmp", "..lock.1-2.tmp"]
    others = [
        ".a.1-2.tmp", ".a.tmp", ".keep", ".manifest.json.tmp", ".manifest.json.x-1.tmp", ".notes.tmp", "a.tmp", "b",
        "manifest.json",
    ]  # fmt: skip
    for name in (*own, *others):
        (tmp_path / name).write_text("x")
    (tmp_path / ".manifest.json.7-7.tmp").mkdir()
    (tmp_path / ".manifest.json.8-8.tmp").symlink_to(tmp_path / "b")
    files.sweep(tmp_path, is_manifest)
    assert sorted(os.listdir(tmp_path)) == sorted([*others, ".manifest.json.7-7.tmp"])
    assert files.strangers(tmp_path, is_manifest) == sorted([*others[:-1], ".manifest.json.7-7.tmp"])
    assert (tmp_path / "b").read_text() == "x"


def test_a_folder_is_removed_of_one_s_own_files_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    for name in ("manifest.json", ".manifest.json.1-1.tmp", "diary"):
        (folder / name).write_text("x")
    assert not files.remove_folder(folder, is_manifest)
    assert os.listdir(folder) == ["diary"]
    (folder / "manifest.json").mkdir()
    assert not files.remove_folder(folder, is_manifest)
    assert sorted(os.listdir(folder)) == ["diary", "manifest.json"]
    (folder / "diary").unlink()
    (folder / "manifest.json").rmdir()
    (folder / "manifest.json").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text("mine")
    assert files.remove_folder(folder, is_manifest)
    assert files.remove_folder(folder, is_manifest), "it is gone already"
    assert os.listdir(tmp_path) == ["elsewhere"]


def test_a_folder_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "manifest.json").write_text("mine")
    for target in (victim, tmp_path / "nowhere", victim / "manifest.json"):
        (tmp_path / "link").symlink_to(target)
        assert files.remove_folder(tmp_path / "link", is_manifest)
        assert not (tmp_path / "link").is_symlink()
    assert (victim / "manifest.json").read_text() == "mine"
    with pytest.raises(DiskError):
        files.remove_folder(victim / "manifest.json", is_manifest)
    assert (victim / "manifest.json").read_text() == "mine"
