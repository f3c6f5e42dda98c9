"""Run directories that are damaged, hostile or still being written: the index carries on, or refuses in words."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from runs import copied, rows, synthetic

from worldline.core.errors import DigestError, DiskError, FormatError, UsageError, WorldlineError
from worldline.evaluation.run.directory import CONFIG, MANIFEST, RECORDS
from worldline.storage.files import Lock
from worldline.ui.web.api import describe_run
from worldline.ui.web.index import read as index_read
from worldline.ui.web.index.filter import Filters
from worldline.ui.web.index.index import RunIndex, build
from worldline.ui.web.index.samples import samples
from worldline.ui.web.overview import overview

MANY = 200


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic run."""
    return synthetic(tmp_path_factory.mktemp("runs") / "many", MANY)


def everything(index: RunIndex) -> None:
    """Every answer about a run: as JSON, which has a place for it."""
    told = [describe_run(index), overview(index, Filters(), index), samples(index, Filters(), count=500, other=index)]
    assert json.loads(json.dumps(told, allow_nan=False).encode()) == told
    for one in told[2]["samples"]:
        with suppress(WorldlineError):  # a refusal in words is an answer as well
            assert index.record(one["at"]).at == one["at"]


def test_the_newest_record_of_a_place_counts(many: Path, tmp_path: Path) -> None:
    def again(data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        newer = [json.loads(one) for one in lines[:2]]
        newer[0]["name"] = "asked again"
        gone = {key: newer[1][key] for key in ("at", "name", "program", "prompt", "options")} | {"kind": "skipped"}
        return data + json.dumps(newer[0]).encode() + b"\n" + json.dumps(gone).encode() + b"\n"

    index = build(copied(many, tmp_path / "run", again))
    assert len(index) == MANY - 1
    assert index.record(0).name == rows(index)[0]["name"] == "asked again"
    assert describe_run(index)["skipped"] == 1
    with pytest.raises(UsageError):
        index.record(1)


def test_a_torn_end_is_not_counted(many: Path, tmp_path: Path) -> None:
    index = build(copied(many, tmp_path / "run", lambda data: data[:-30]))
    assert len(index) == MANY - 1
    assert any("torn" in note for note in index.notes)
    everything(index)


def test_a_run_that_is_being_written_is_shown_as_far_as_it_is(many: Path, tmp_path: Path) -> None:
    path = copied(many, tmp_path / "run", lambda data: data[: len(data) // 2])
    lock = Lock(path)
    try:
        index = build(path)
    finally:
        lock.release()
    assert any("still being written" in note for note in index.notes)
    (path / RECORDS).write_bytes((many / RECORDS).read_bytes())  # it goes on
    everything(index)


def test_a_run_without_a_manifest_is_not_through(many: Path, tmp_path: Path) -> None:
    path = copied(many, tmp_path / "run")
    (path / MANIFEST).unlink()
    assert any("not complete" in note for note in build(path).notes)


def test_an_empty_log_is_a_run_without_samples(many: Path, tmp_path: Path) -> None:
    index = build(copied(many, tmp_path / "run", lambda data: b""))
    assert len(index) == 0
    everything(index)
    assert overview(index, Filters(), build(many))["flips"]["n"] == 0
    assert overview(build(many), Filters(), index)["flips"]["only"] == [MANY, 0]


def test_lines_that_are_no_records_are_counted_and_passed_over(many: Path, tmp_path: Path) -> None:
    one = json.loads((many / RECORDS).read_bytes().splitlines()[0])
    verdict = one["verdict"]
    strange = [
        b"", b"null", b"[]", b"{}", b'"at"', b"\xff\xfe", b"\x00" * 100, b"[" * 100_000, b'{"at": ' * 50_000,
        b'{"at": ' + b"9" * 5_000 + b"}",
        *(
            json.dumps({**one, **change}).encode()
            for change in (
                {"at": -1}, {"at": "0"}, {"at": 1 << 70}, {"at": True}, {"name": 5}, {"kind": "odd"}, {"source": None},
                {"run": []}, {"run": {"call": 1}}, {"truth": {}}, {"status": "lost"}, {"codec": "brainfuck"},
                {"seconds": "fast"}, {"verdict": []}, {"verdict": {**verdict, "steps": "5"}}, {"note": 4},
                {"verdict": {**verdict, "answer": "perhaps"}}, {"verdict": {**verdict, "steps": -1}},
                {"verdict": {**verdict, "cause": None}}, {"verdict": {"answer": "right"}}, {"program": 1},
            )
        ),
    ]  # fmt: skip
    index = build(copied(many, tmp_path / "run", lambda data: b"".join(x + b"\n" for x in strange) + data))
    assert len(index) == MANY
    told = index.damage[0]
    assert told.startswith(f"{len(strange)} lines are not records: line 1: not a record")
    assert all(f"line {number}: " in told for number in range(1, 21))
    assert told.endswith(f"and {len(strange) - 20} more")
    assert set(index.damage) <= set(index.notes)
    everything(index)


def test_odd_values_that_a_record_may_have_are_shown(many: Path, tmp_path: Path) -> None:
    changes: list[dict[str, Any]] = [
        {"name": "\ud800<b>\u202e"}, {"name": ""}, {"name": "x" * 100_000}, {"group": "\udfff"},
        {"seconds": float("nan")}, {"seconds": float("inf")},
        {"truth": "", "truth_base64": "/////w=="}, {"truth_base64": "!", "truth": ""},
        {"source": "\ud800"}, {"run": {"call": "f(" + "9" * 10_000 + ")"}}, {"run": {"call": None}},
    ]  # fmt: skip

    def change(data: bytes) -> bytes:
        found = [json.loads(one) for one in data.splitlines()[: len(changes)]]
        return b"".join(json.dumps(one | other).encode() + b"\n" for one, other in zip(found, changes, strict=True))

    index = build(copied(many, tmp_path / "run", change))
    assert len(index) == len(changes)
    assert index.notes == (f"{RECORDS} does not match {MANIFEST}: bytes have changed since the run was made",)
    everything(index)
    found = rows(index)
    assert found[0]["name"] == "\\ud800<b>\u202e"
    assert found[1]["name"] == found[1]["call"]
    assert len(found[2]["name"]) < 300
    assert found[4]["seconds"] is found[5]["seconds"] is None
    with pytest.raises(DigestError, match="does not match its digest"):
        index.record(8)


def test_a_line_that_is_too_long_is_passed_over(many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_read, "MAX_LINE_BYTES", 1 << 16)
    huge = b'{"at": 0, "name": "' + b"x" * (1 << 18) + b'"}\n'
    index = build(copied(many, tmp_path / "run", lambda data: data + huge + data))
    assert len(index) == MANY
    assert "1 line is not a record" in index.notes[0]
    assert f"line {MANY + 1}: longer than 65,536 bytes" in index.notes[0]


def test_links_and_pipes_are_not_followed(many: Path, tmp_path: Path) -> None:
    for name in (RECORDS, CONFIG):
        path = copied(many, tmp_path / name)
        (path / name).unlink()
        (path / name).symlink_to(many / name)
        with pytest.raises((UsageError, FormatError)):
            build(path)
        (path / name).unlink()
        os.mkfifo(path / name)
        with pytest.raises((UsageError, FormatError)):
            build(path)
        (path / name).unlink()
        with pytest.raises((UsageError, DiskError)):
            build(path)


def test_a_log_that_becomes_a_link_is_not_read(many: Path, tmp_path: Path) -> None:
    path = copied(many, tmp_path / "run")
    index = build(path)
    (path / RECORDS).unlink()
    (path / RECORDS).symlink_to(many / RECORDS)
    with pytest.raises(FormatError):
        index.record(0)
    (path / RECORDS).unlink()
    with pytest.raises(DiskError):
        index.record(0)


def test_a_record_that_changed_since_is_refused(many: Path, tmp_path: Path) -> None:
    path = copied(many, tmp_path / "run")
    index = build(path)
    data = (path / RECORDS).read_bytes()
    (path / RECORDS).write_bytes(data.replace(b'"name": "', b'"name": "!', 1))
    for at in (0, 1, MANY - 1):
        with pytest.raises(DigestError, match="has changed"):
            index.record(at)
    (path / RECORDS).write_bytes(data[: len(data) // 2])
    with pytest.raises(DigestError):
        index.record(MANY - 1)
    assert index.record(0).at == 0


@pytest.mark.parametrize("config", [b"", b"[]", b"{", b'{"format": 9}', b"[" * 100_000, b"\xff"])
def test_settings_that_are_none_are_refused_in_words(many: Path, tmp_path: Path, config: bytes) -> None:
    path = copied(many, tmp_path / "run")
    (path / CONFIG).write_bytes(config)
    with pytest.raises(FormatError):
        build(path)


@pytest.mark.parametrize(
    "config",
    [
        b'{"format": 1}', b'{"format": 1, "suite": [], "model": {"a": NaN}}', b'{"format": 1, "suite": "\\ud800"}',
        b'{"format": 1, "big": "' + b"x" * 200_000 + b'"}', b'{"format": 1, "deep": ' + b"[" * 500 + b"]" * 500 + b"}",
        b'{"format": 1, "\\udc00": Infinity}',
    ],
)  # fmt: skip
def test_odd_settings_are_shown_as_far_as_they_can_be(many: Path, tmp_path: Path, config: bytes) -> None:
    path = copied(many, tmp_path / "run", lambda data: data[: data.index(b"\n") + 1])
    (path / CONFIG).write_bytes(config)
    index = build(path)
    everything(index)
    assert len(json.dumps(describe_run(index))) < 100_000


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"[]",
        b'{"files": 5}',
        b'{"format": 1, "files": {"records.jsonl": 3}}',
        b"\xff",
        b'{"format": 2, "files": {}}',
    ],
)
def test_a_manifest_that_is_none_is_damage(many: Path, tmp_path: Path, manifest: bytes) -> None:
    path = copied(many, tmp_path / "run")
    (path / MANIFEST).write_bytes(manifest)
    index = build(path)
    assert any(note.startswith(MANIFEST) for note in index.damage)
    assert not any("not complete" in note or str(tmp_path) in note for note in index.notes)


def test_a_directory_that_is_no_run_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing", Path("/dev/null")):
        with pytest.raises((UsageError, DiskError)):
            build(path)


def flipped(data: bytes, rng: Random) -> Iterator[bytes]:
    """Logs with some bits flipped, bytes lost or put in."""
    for _ in range(40):
        spoiled = bytearray(data)
        for _ in range(rng.randrange(1, 30)):
            at = rng.randrange(len(spoiled))
            way = rng.randrange(3)
            if way == 0:
                spoiled[at] ^= 1 << rng.randrange(8)
            elif way == 1:
                del spoiled[at : at + rng.randrange(1, 40)]
            else:
                spoiled[at:at] = rng.randbytes(rng.randrange(1, 5))
        yield bytes(spoiled)


def test_damaged_logs_are_shown_or_refused_and_never_crash(tmp_path: Path, erring: tuple[Path, Path]) -> None:
    made = erring[0]
    data = (made / RECORDS).read_bytes()
    for number, spoiled in enumerate(flipped(data, Random("damage"))):
        index = build(copied(made, tmp_path / str(number), lambda _, spoiled=spoiled: spoiled))  # type: ignore[misc]
        assert index.notes
        everything(index)
