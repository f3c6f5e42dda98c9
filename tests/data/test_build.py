"""A dataset is the same however it is built, goes on where it was cut off, and holds no run twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from worldline import files
from worldline.codec.compact_parse import parse
from worldline.core.malformed import Malformed
from worldline.data.build import Progress, build
from worldline.data.build_shards import read_documents, read_rows, verify
from worldline.data.coverage import REQUIRED
from worldline.data.mixture import TASKS, Mixture, Source
from worldline.data.split import SPLITS, split_of
from worldline.errors import BusyError, DigestError, FingerprintError, UsageError

TINY = Mixture(sources=(TASKS,))


def made(out: Path, count: int = 100, workers: int = 1, unit: int = 40) -> list[Progress]:
    told: list[Progress] = []
    build(TINY, out, count=count, workers=workers, unit=unit, trust=True, progress=told.append)
    return told


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data") / "whole"
    told = made(out)
    assert [each.documents for each in told] == sorted(each.documents for each in told)
    assert told[-1].documents == told[-1].wanted == 100
    assert 0 < told[-1].covered <= 1
    return out


def test_every_row_is_a_document_of_its_split(whole: Path) -> None:
    rows = list(read_rows(whole))
    assert len(rows) == 100 == len({row.run for row in rows})
    for row in rows:
        assert row.split == split_of(row.key)
        assert not isinstance(parse(row.prompt + row.steps), Malformed)
    apart = [list(read_documents(whole, split=name)) for name in SPLITS]
    assert sum(map(len, apart)) == 100
    assert verify(whole) == []


def test_the_coverage_table_is_beside_it(whole: Path) -> None:
    table = json.loads((whole / "coverage.json").read_bytes())
    assert set(REQUIRED) <= set(table)
    assert table["event line"] > 100


def test_the_number_of_workers_does_not_matter(whole: Path, tmp_path: Path) -> None:
    made(tmp_path / "two", workers=2)
    assert list(read_rows(tmp_path / "two")) == list(read_rows(whole))


def test_a_build_that_was_killed_goes_on(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "cut"
    code = (
        "import sys\nfrom worldline.data.build import build\nfrom worldline.data.mixture import TASKS, Mixture\n"
        "def tell(p):\n    print(p.documents, flush=True)\n    sys.stdin.read()\n"
        f"build(Mixture(sources=(TASKS,)), {str(out)!r}, count=100, workers=1, unit=40, trust=True, progress=tell)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) > 0
        process.kill()
    assert 0 < len(list(read_rows(out))) < 100
    made(out)
    assert list(read_rows(out)) == list(read_rows(whole))
    assert (out / "coverage.json").read_bytes() == (whole / "coverage.json").read_bytes()
    assert made(out) == []  # nothing is left to do


def test_another_recipe_is_refused(whole: Path) -> None:
    with pytest.raises(FingerprintError, match="count"):
        made(whole, count=200)


def test_two_writers_are_refused(whole: Path) -> None:
    lock = files.Lock(whole)
    try:
        with pytest.raises(BusyError):
            made(whole)
    finally:
        lock.release()


def test_damage_is_seen(tmp_path: Path) -> None:
    made(tmp_path / "bad", count=10, unit=10)
    shard = tmp_path / "bad" / "documents-00000.parquet"
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)
    assert [problem.kind for problem in verify(tmp_path / "bad")] == ["damaged"]
    with pytest.raises(DigestError):
        list(read_rows(tmp_path / "bad"))


def test_what_cannot_be_built_says_why(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        made(tmp_path / "x", count=0)
    with pytest.raises(UsageError, match="no source of programs"):
        build(Mixture(sources=(Source(kind="other", program="a:b"),)), tmp_path / "y", count=1, workers=1)
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "note.txt").write_text("mine")
    with pytest.raises(UsageError, match="neither empty"):
        made(tmp_path / "z")
