"""Documents on an S3 server, streamed into `datasets` and into training without a copy on disk."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from object_store import BUCKET, object_store

from worldline.core.errors import DigestError, UsageError
from worldline.data.build.shards import DocumentRow, DocumentStore, read_rows
from worldline.data.frames import encode_frame
from worldline.data.lanes import SINGLE_LANE, Lanes
from worldline.data.sources import Dataset, DocumentSource, Files, open_lanes
from worldline.data.streamed import streamed
from worldline.model.train.config import describe_sources
from worldline.storage import files, remote

ROWS = [
    DocumentRow(b"p%d" % n, b"s%d" % n, "kind", "test" if n % 5 == 4 else "train", f"k{n}", f"r{n}") for n in range(20)
]


def stored(at: str | remote.Folder) -> None:
    store = DocumentStore(at, fingerprint={"of": "this test"})
    for first in range(0, 20, 5):
        store.commit(ROWS[first : first + 5], store.coverage)
    store.close()


@pytest.fixture(scope="module")
def shelf() -> Iterator[str]:
    with object_store() as endpoint:
        url = f"s3://{BUCKET}/set?endpoint_override={endpoint}"
        stored(url)
        yield url


def drawn(source: DocumentSource, count: int, lanes: Lanes = SINGLE_LANE) -> list[tuple[bytes, bytes]]:
    stream = open_lanes(source, seed="s", lanes=lanes)[0]
    return [stream.draw() for _ in range(count)]


@pytest.mark.long(reason="`datasets` streams from a store and a folder, four times")
def test_datasets_streams_them(shelf: str, tmp_path: Path) -> None:
    found = streamed(shelf)
    assert list(found) == [msgspec.structs.asdict(row) for row in ROWS]
    assert found.num_shards == 4
    assert [row["run"] for row in streamed(shelf, split="test")] == ["r4", "r9", "r14", "r19"]
    stored(tmp_path / "set")
    assert list(streamed(tmp_path / "set")) == list(found)


def test_training_draws_them_in_the_order_that_it_draws_a_folder_s(shelf: str, tmp_path: Path) -> None:
    stored(tmp_path / "set")
    here, there = Dataset(folder=str(tmp_path / "set")), Dataset(folder=shelf)
    assert drawn(there, 40) == drawn(here, 40)
    second = Lanes(count=2, rank=1, ranks=2)
    assert drawn(there, 8, second) == drawn(here, 8, second) != drawn(here, 8)
    (stream,) = open_lanes(there, seed="s")
    first = [stream.draw() for _ in range(7)]
    (again,) = open_lanes(there, seed="s", states=[stream.state()])
    assert first + [again.draw() for _ in range(9)] == drawn(here, 16)


def test_a_model_says_what_it_was_trained_on(shelf: str, tmp_path: Path) -> None:
    stored(tmp_path / "set")
    (there,) = describe_sources({"sources": [{"kind": "Dataset", "folder": shelf}]})
    assert [there] == describe_sources({"sources": [{"kind": "Dataset", "folder": str(tmp_path / "set")}]})


def test_framed_files_are_read_from_there(shelf: str, tmp_path: Path) -> None:
    at = remote.place(shelf.replace("/set", "/framed.xz"))
    pairs = [(b"p%d" % n, b"s") for n in range(9)]
    data = lzma.compress(b"".join(map(encode_frame, pairs)))
    remote.write(at, data)
    files.write(tmp_path / "framed.xz", data)
    found = drawn(Files(paths=(str(at),)), 9)
    assert sorted(found) == pairs
    assert found == drawn(Files(paths=(str(tmp_path / "framed.xz"),)), 9)


def test_what_is_damaged_or_no_dataset_is_refused(shelf: str) -> None:
    at = remote.place(shelf.replace("/set", "/damaged"))
    with pytest.raises(UsageError, match="no manifest"):
        drawn(Dataset(folder=str(at)), 1)
    stored(at)
    for name in remote.names(at):
        if name.endswith(".parquet"):
            remote.write(at / name, (at / name).read_bytes()[:-1] + b"!")
    with pytest.raises(DigestError):
        drawn(Dataset(folder=str(at)), 1)
    with pytest.raises(DigestError):
        list(streamed(at))


@pytest.mark.long(reason="writes 40 shards, half of them to an S3 server")
def test_going_on_with_many_shards_hashes_the_newest_alone(
    shelf: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[int] = []
    digest = files.digest
    monkeypatch.setattr(files, "digest", lambda file, size: hashed.append(size) or digest(file, size))
    for at in (tmp_path / "set", remote.place(shelf.replace("/set", "/many"))):
        store = DocumentStore(at, fingerprint={"of": "this test"})
        for row in ROWS:
            store.commit([row], store.coverage)
        store.close()
        hashed.clear()
        again = DocumentStore(at, fingerprint={"of": "this test"})
        assert len(hashed) == 4
        assert (again.documents, again.runs, again.following) == (20, {row.run for row in ROWS}, 20)
        again.close()
        assert list(read_rows(at)) == ROWS
        assert len(hashed) == 4 + 20


def test_an_older_folder_is_read_and_gone_on_with_under_its_own_names(tmp_path: Path) -> None:
    stored(tmp_path)
    for name in (".manifest.json", ".coverage.json"):
        (tmp_path / name).rename(tmp_path / name[1:])
    store = DocumentStore(tmp_path, fingerprint={"of": "this test"})
    store.commit([msgspec.structs.replace(ROWS[0], run="new")], store.coverage)
    store.close()
    assert len(list(read_rows(tmp_path))) == 21
    names = sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".json")
    assert names == ["coverage.json", "manifest.json"]
