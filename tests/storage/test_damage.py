"""Directories that no writer left so: every kind of damage is named, nothing hostile is unpacked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from stored_traces import FINGERPRINT, facts, store, trace

from worldline.core.errors import DigestError, FormatError, WorldlineError
from worldline.data import manifest, rows, shards
from worldline.storage import files

FIRST, SECOND = "traces-00000.parquet", "traces-00001.parquet"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Two shards of two traces, the second longer."""
    store(tmp_path / "set", [trace(n, length=3 + 40 * (n // 2)) for n in range(4)])
    return tmp_path / "set"


def swap(directory: Path) -> None:
    (directory / FIRST).rename(directory / "x")
    (directory / SECOND).rename(directory / FIRST)
    (directory / "x").rename(directory / SECOND)


def replaced(directory: Path, make: Callable[[Path], Any]) -> None:
    (directory / FIRST).unlink()
    make(directory / FIRST)


DAMAGE: dict[str, tuple[Callable[[Path], Any], list[tuple[str, str]]]] = {
    "missing": (lambda d: (d / FIRST).unlink(), [(FIRST, "missing")]),
    "empty": (lambda d: (d / FIRST).write_bytes(b""), [(FIRST, "empty")]),
    "truncated": (lambda d: os.truncate(d / FIRST, 1000), [(FIRST, "truncated")]),
    "grown": (lambda d: os.truncate(d / FIRST, 1 << 40), [(FIRST, "grown")]),
    "swapped": (swap, [(FIRST, "swapped"), (SECOND, "swapped")]),
    "copied": (lambda d: (d / FIRST).write_bytes((d / SECOND).read_bytes()), [(FIRST, "swapped")]),
    "directory": (lambda d: replaced(d, Path.mkdir), [(FIRST, "not-a-file")]),
    "link": (lambda d: replaced(d, lambda p: p.symlink_to(SECOND)), [(FIRST, "not-a-file")]),
    "pipe": (lambda d: replaced(d, os.mkfifo), [(FIRST, "not-a-file")]),
    "socket": (lambda d: replaced(d, lambda p: os.mknod(p, 0o140644)), [(FIRST, "not-a-file")]),
    "both": (
        lambda d: [(d / FIRST).unlink(), os.truncate(d / SECOND, 9), (d / "notes.txt").write_text("hello")],
        [("notes.txt", "extra"), (FIRST, "missing"), (SECOND, "truncated")],
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_every_damage_is_named_and_nothing_is_loaded(directory: Path, name: str) -> None:
    damage, expected = DAMAGE[name]
    damage(directory)
    problems = shards.verify(directory)
    assert [(problem.path, problem.kind) for problem in problems] == expected
    assert {problem.error for problem in problems} == {"digest"}
    with pytest.raises(DigestError, match=FIRST):
        list(shards.read(directory))
    with pytest.raises(DigestError, match=FIRST):
        shards.ShardWriter(directory, fingerprint=FINGERPRINT)
    assert not (directory / ".lock").exists()


def test_extras_are_named_and_do_not_stop_reading(directory: Path) -> None:
    (directory / "traces-00009.parquet").write_bytes(b"PAR1")
    (directory / "nested").mkdir()
    (directory / ".old.tmp").write_bytes(b"")  # somebody's own
    (directory / "..manifest.json.1-2.tmp").write_bytes(b"")
    assert [(problem.path, problem.kind) for problem in shards.verify(directory)] == [
        ("..manifest.json.1-2.tmp", "leftover"), (".old.tmp", "extra"), ("nested", "extra"),
        ("traces-00009.parquet", "extra"),
    ]  # fmt: skip
    assert len(list(shards.read(directory))) == 4
    store(directory, [trace(9)])
    assert (directory / "traces-00009.parquet").exists()
    assert (directory / ".old.tmp").exists()
    assert not (directory / "..manifest.json.1-2.tmp").exists()


def test_shards_before_the_damaged_one_are_read(directory: Path) -> None:
    os.truncate(directory / SECOND, 1000)
    found = []
    with pytest.raises(DigestError, match=f"{SECOND}: truncated: 1000 bytes instead of"):
        found += [facts(stored) for stored in shards.read(directory)]
    reader = shards.read(directory)
    assert [facts(next(reader)) for _ in range(2)] == [facts(trace(n)) for n in range(2)]


def entry(**changes: Any) -> dict[str, Any]:
    return {"name": FIRST, "size": 9, "rows": 1, "steps": 1, "raw": 9, "sha256": "0" * 64} | changes


def listing(**changes: Any) -> bytes:
    """A manifest with these changes, its own digest right."""
    made = {"format": "worldline-shards", "version": 1, "fingerprint": {}, "shards": [entry()]} | changes
    return manifest.encode(msgspec.convert(made, manifest.Manifest))


GOOD = listing()
MANIFESTS = {
    "empty": b"", "null": b"null", "list": b"[]", "text": b"hello", "half": GOOD[: len(GOOD) // 2],
    "binary": bytes(range(256)), "deep": b"[" * 1_000_000, "deep objects": b'{"fingerprint":' * 100_000,
    "utf-16": GOOD.decode().encode("utf-16"), "bom": b"\xef\xbb\xbf" + GOOD, "more": GOOD + b" ",
    "spaces": GOOD.replace(b": ", b":  "), "digest": GOOD.replace(b'"rows": 1', b'"rows": 2'),
    "twice": GOOD.replace(b'"version": 1', b'"version": 1,"version": 1'),
    "huge number": GOOD.replace(b'"size": 9', b'"size": ' + b"9" * 5000),
    "float": GOOD.replace(b'"size": 9', b'"size": 9.5'), "nan": GOOD.replace(b'"size": 9', b'"size": NaN'),
    "unknown key": GOOD.replace(b'"format"', b'"extra": 1, "format"'),
    "version 2": GOOD.replace(b'"version": 1', b'"version": 2'),
    "other format": GOOD.replace(b"worldline-shards", b"elsewhere"),
    "up": listing(shards=[entry(name="../../etc/passwd")]), "absolute": listing(shards=[entry(name="/etc/passwd")]),
    "own name": listing(shards=[entry(name="manifest.json")]), "number": listing(shards=[entry(name=SECOND)]),
    "no size": listing(shards=[entry(size=0)]), "negative": listing(shards=[entry(rows=-1)]),
    "negative steps": listing(shards=[entry(steps=-1)]), "same twice": listing(shards=[entry(), entry()]),
}  # fmt: skip


@pytest.mark.parametrize("name", MANIFESTS)
def test_hostile_manifests(directory: Path, name: str) -> None:
    (directory / ".manifest.json").write_bytes(MANIFESTS[name])
    with pytest.raises((DigestError, FormatError), match=r"manifest\.json"):
        list(shards.read(directory))
    (problem,) = shards.verify(directory)
    assert (problem.path, problem.kind) == (".manifest.json", "manifest")
    with pytest.raises((DigestError, FormatError)):
        shards.ShardWriter(directory, fingerprint=FINGERPRINT)


def test_a_later_version_is_named() -> None:
    with pytest.raises(FormatError, match="version 2; this release reads version 1"):
        manifest._decode(Path("manifest.json"), MANIFESTS["version 2"])


@pytest.mark.parametrize(
    "make", [Path.mkdir, os.mkfifo, lambda p: p.symlink_to("/dev/zero"), lambda p: os.mknod(p, 0o140644)]
)
def test_a_manifest_that_is_no_file(directory: Path, make: Callable[[Path], Any]) -> None:
    (directory / ".manifest.json").unlink()
    make(directory / ".manifest.json")
    with pytest.raises(WorldlineError, match=r"manifest\.json"):
        list(shards.read(directory))
    assert [problem.path for problem in shards.verify(directory)] == [".manifest.json"]


def test_a_huge_manifest_is_not_read_whole(directory: Path) -> None:
    os.truncate(directory / ".manifest.json", 1 << 40)
    with pytest.raises(FormatError, match="larger than"):
        list(shards.read(directory))


def forged(directory: Path, table: Any, **changes: Any) -> None:
    """Put a parquet file in the first shard's place and list it as a writer would."""
    import pyarrow.parquet as pq

    path = directory / FIRST
    pq.write_table(table, path, compression="zstd", write_page_checksum=True)
    with path.open("rb", buffering=0) as file:
        size = path.stat().st_size
        digest = files.digest(file, size)
    footer = pq.read_metadata(path)
    facts = {"size": size, "sha256": digest, "rows": footer.num_rows, "raw": shards._raw_size(footer)} | changes
    listed = manifest.load(directory)
    first = msgspec.structs.replace(listed.shards[0], **facts)
    manifest.store(directory, msgspec.structs.replace(listed, shards=(first, *listed.shards[1:])), fsync=False)


def refusal(directory: Path, kind: type[WorldlineError] = FormatError) -> str:
    with pytest.raises(kind, match=FIRST) as caught:
        list(shards.read(directory))
    return str(caught.value)


def test_a_shard_of_other_columns(directory: Path) -> None:
    import pyarrow as pa

    for table in (
        pa.table({"digest": ["a"], "steps": [1]}),
        rows.encode(trace(1)).drop_columns(["notes"]),
        rows.encode(trace(1)).replace_schema_metadata({"worldline.format": "2"}),
    ):
        forged(directory, table)
        assert "not the columns of format version 1" in refusal(directory)
        assert [(p.path, p.kind, p.error) for p in shards.verify(directory)] == [(FIRST, "content", "format")]


def test_the_footer_is_held_against_the_manifest_and_the_bounds(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rows.encode(trace(1))
    forged(directory, table, rows=7)
    assert "1 rows of" in refusal(directory)
    forged(directory, table, raw=7)
    assert "of 7" in refusal(directory)
    forged(directory, table)
    for bound in ("MAX_GROUP_BYTES", "MAX_GROUP_VALUES"):
        with monkeypatch.context() as patch:
            patch.setattr(shards, bound, 10)
            assert "exceeds the limits of this release" in refusal(directory)
            assert shards.verify(directory)[0].path == FIRST


PEAK = """
import sys
import pyarrow as pa
from worldline.data import shards
(found,) = shards.read(sys.argv[1])
assert len(found) == 3000, len(found)
assert {len(step.delta["x"]) for step in found.steps} == {60_002}
print(pa.default_memory_pool().max_memory())
"""


def test_a_text_that_occurs_often_is_unpacked_once(tmp_path: Path) -> None:
    """180 MB of values in a file of some kilobytes: a bomb, were every occurrence laid out."""
    small = trace(1, length=3000)
    small.columns.texts = ["x", repr("v" * 60_000), "1"]
    for column, text in ((small.columns.change_name, 0), (small.columns.change_value, 1), (small.columns.arg, 2)):
        column[:] = type(column)("I", [text] * 3000)
    small.columns.change_at[:] = type(small.columns.change_at)("I", range(3001))
    small.columns.same_name[:] = small.columns.same_value[:] = type(small.columns.arg)("I", [0])
    store(tmp_path, [small])
    assert (tmp_path / FIRST).stat().st_size < 200_000
    peak = int(subprocess.check_output([sys.executable, "-c", PEAK, tmp_path]))
    assert peak < 20 << 20


def mutated(**changes: Any) -> Any:
    """A row of a small trace with some of its fields changed; `steps__event` is the field of the second step."""
    import pyarrow as pa

    row = rows.encode(trace(1)).to_pylist()[0]
    for path, value in changes.items():
        *parents, last = path.split("__")
        at = row
        for parent in parents:
            at = at[parent] if isinstance(at[parent], dict) else at[parent][min(1, len(at[parent]) - 1)]
        at[last] = value
    return pa.Table.from_pylist([row], schema=rows.SCHEMA)


@pytest.mark.parametrize(
    "changes",
    [
        {"digest": "00" * 32}, {"digest": "nonsense"}, {"digest": ""}, {"program__source": "other"},
        {"steps__event": "jump"}, {"steps__frame": 1}, {"steps__frame": 2**32 - 1}, {"steps__i": 7},
        {"steps__depth": 3}, {"frames": []}, {"frames__serial": 4}, {"frames__parent": 0}, {"frames__parent": -2},
        {"outcome__kind": "fine"}, {"limits__steps": 0}, {"limits__memory": -1},
        {"exact": [{"field": "program.source", "data": b"\xff"}]},
        {"exact": [{"field": "program.source", "data": b"other"}]},
        {"exact": [{"field": "nowhere", "data": b"x"}]},
        {"output": "\ufffd", "exact": [{"field": "output", "data": b"\xef\xbf\xbd"}]},
    ],
    ids=str,
)  # fmt: skip
def test_rows_that_no_writer_wrote(directory: Path, changes: dict[str, Any]) -> None:
    forged(directory, mutated(**changes))
    with pytest.raises((FormatError, DigestError), match=FIRST):
        list(shards.read(directory))


def test_a_program_stored_twice_is_named(directory: Path) -> None:
    import pyarrow as pa

    forged(directory, pa.concat_tables([mutated(), mutated()]), steps=6)
    assert [(p.path, p.kind) for p in shards.verify(directory)] == [(FIRST, "twice")]
