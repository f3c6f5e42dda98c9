"""A dataset is the same however it is built, goes on where it was cut off, and holds no run twice."""

from __future__ import annotations

import json
import lzma
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest

from worldline.cli import main
from worldline.codec.compact.parse import parse
from worldline.core.errors import BusyError, DigestError, FingerprintError, UsageError
from worldline.data.build.build import BuildProgress, build_dataset
from worldline.data.build.shards import DocumentStore, read_documents, read_rows, verify
from worldline.data.mine.mined import MinedCall
from worldline.data.mixture import TASKS, Mixture, Source
from worldline.programs.coverage.coverage import REQUIRED
from worldline.programs.split import SPLITS, split_of
from worldline.storage import files

TINY = Mixture(sources=(TASKS,))


def made(out: Path, count: int = 100, workers: int = 1, unit: int = 40) -> list[BuildProgress]:
    progress: list[BuildProgress] = []
    build_dataset(TINY, out, count=count, workers=workers, unit=unit, trust=True, progress=progress.append)
    return progress


def is_whole(text: bytes) -> bool:
    """Whether a document is all of a trace, well formed."""
    parsed = parse(text)
    return parsed.malformed is None and parsed.ended


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data") / "whole"
    progress = made(out)
    assert [entry.documents for entry in progress] == sorted(entry.documents for entry in progress)
    assert progress[-1].documents == progress[-1].wanted == 100
    assert 0 < progress[-1].covered <= 1
    return out


@pytest.mark.long(reason="test_every_document_is_whole_and_of_its_split holds it before storing")
def test_every_row_is_a_document_of_its_split(whole: Path) -> None:
    rows = list(read_rows(whole))
    assert len(rows) == 100 == len({row.run for row in rows})
    for row in rows:
        assert row.split == split_of(row.key)
        assert is_whole(row.prompt + row.steps)
    apart = [list(read_documents(whole, split=name)) for name in SPLITS]
    assert sum(map(len, apart)) == 100
    assert verify(whole) == []


def test_the_coverage_table_is_beside_it(whole: Path) -> None:
    table = json.loads((whole / ".coverage.json").read_bytes())
    assert set(REQUIRED) <= set(table)
    assert table["event line"] > 100


@pytest.mark.long(reason="builds a dataset three times")
def test_the_number_of_workers_does_not_matter(whole: Path, tmp_path: Path) -> None:
    made(tmp_path / "two", workers=2)
    assert list(read_rows(tmp_path / "two")) == list(read_rows(whole))


def test_a_build_that_was_killed_goes_on(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "cut"
    code = (
        "import sys\nfrom worldline.data.build.build import build_dataset\n"
        "from worldline.data.mixture import TASKS, Mixture\n"
        "def tell(p):\n    print(p.documents, flush=True)\n    sys.stdin.read()\n"
        f"build_dataset(Mixture(sources=(TASKS,)), {str(out)!r}, count=100, workers=1, unit=40, "
        "trust=True, progress=tell)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) > 0
        process.kill()
    assert 0 < len(list(read_rows(out))) < 100
    made(out)
    assert list(read_rows(out)) == list(read_rows(whole))
    assert (out / ".coverage.json").read_bytes() == (whole / ".coverage.json").read_bytes()
    assert made(out) == []  # nothing is left to do


@pytest.mark.long(reason="builds a dataset three times")
def test_a_finished_one_that_is_asked_for_more_goes_on(tmp_path: Path) -> None:
    """Also from the middle of a unit; and it ends as if it had been asked for all at once."""
    for count in (6, 14):
        progress = made(tmp_path / "grown", count=count, unit=10)
        assert progress[-1].documents == count
    assert made(tmp_path / "grown", count=9, unit=10) == []  # there are more already
    made(tmp_path / "direct", count=14, unit=10)
    assert list(read_rows(tmp_path / "grown")) == list(read_rows(tmp_path / "direct"))
    assert verify(tmp_path / "grown") == []


def test_another_recipe_is_refused(whole: Path) -> None:
    with pytest.raises(FingerprintError, match="unit"):
        made(whole, unit=41)
    with pytest.raises(FingerprintError, match="trust"):
        build_dataset(TINY, whole, count=200, workers=1, unit=40)


def mined(path: Path, functions: int) -> Mixture:
    """A mixture of a file of mined programs, each function with two calls, and each program in two renamings."""
    parsed = [
        MinedCall(f"def {name}({name}):\n    a = {name} + {n}\n    return a\n", f"{name}({x})", f"o{n}", f"k{n}{name}")
        for n in range(functions)
        for name in ("f", "g")
        for x in (1, 2)
    ]
    path.write_bytes(lzma.compress(b"".join(json.dumps(asdict(entry)).encode() + b"\n" for entry in parsed)))
    return Mixture(sources=(Source(kind="mine", program="worldline.data.mine.mined:drawer", argument=str(path)),))


def test_a_program_is_stored_once_with_a_call(tmp_path: Path) -> None:
    """Two renamings are one program; two calls of it are two documents."""
    mixture = mined(tmp_path / "mined.xz", 5)
    build_dataset(mixture, tmp_path / "out", count=10, workers=1, unit=10, trust=True)
    rows = list(read_rows(tmp_path / "out"))
    assert Counter(Counter(row.key for row in rows).values()) == {2: 5}
    with pytest.raises(UsageError, match="no more programs"):
        build_dataset(mixture, tmp_path / "out", count=11, workers=1, unit=10, trust=True)


def test_another_mined_file_is_another_recipe(tmp_path: Path) -> None:
    build_dataset(mined(tmp_path / "mined.xz", 5), tmp_path / "out", count=4, workers=1, unit=10, trust=True)
    with pytest.raises(FingerprintError, match="files"):
        build_dataset(mined(tmp_path / "mined.xz", 6), tmp_path / "out", count=4, workers=1, unit=10, trust=True)


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


def test_a_damaged_or_missing_coverage_table_is_seen(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "bad")
    table = tmp_path / "bad" / ".coverage.json"
    assert verify(tmp_path / "bad") == []
    data = bytearray(table.read_bytes())
    data[len(data) // 2] ^= 1
    table.write_bytes(data)
    assert [problem.kind for problem in verify(tmp_path / "bad")] == ["coverage"]
    table.unlink()
    assert [problem.kind for problem in verify(tmp_path / "bad")] == ["coverage"]


def test_a_build_killed_before_its_first_shard_is_a_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    DocumentStore(tmp_path / "begun", fingerprint={"recipe": "tiny"}).close()
    assert main(["verify", str(tmp_path / "begun")]) == 0
    assert capsys.readouterr().out.startswith("fine: ")


def test_what_cannot_be_built_says_why(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        made(tmp_path / "x", count=0)
    with pytest.raises(UsageError, match="no source of programs"):
        build_dataset(Mixture(sources=(Source(kind="other", program="a:b"),)), tmp_path / "y", count=1, workers=1)
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "note.txt").write_text("mine")
    with pytest.raises(UsageError, match="neither empty"):
        made(tmp_path / "z")
