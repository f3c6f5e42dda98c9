"""A published dataset: what `datasets` reads is what was stored, with a card that the Hub understands."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from worldline import publish_dataset
from worldline.cli import cli
from worldline.core.errors import DigestError, UsageError
from worldline.core.repository.recorded_test import Instance, RecordedTest
from worldline.data.build.shards import DocumentRow, DocumentStore, load_manifest, read_rows
from worldline.data.mine.mining_source import read_source_licences
from worldline.data.publish.publish import SPLIT_NAMES
from worldline.data.repository.dataset import CallWriter

QUARRY = Path(__file__).parents[2] / "recipes" / "quarry.txt"
MIXTURE = {
    "sources": [{"kind": "generate", "program": "worldline.programs.generate:program", "form": "", "weight": 1.0}],
    "modes": [{"weight": 1.0, "options": {"reveal": 0, "bare": True}}],
}
FINGERPRINT: dict[str, Any] = {
    "interpreter": {"name": "cpython", "version": "3.11.7"},
    "limits": {"steps": 2000},
    "recipe": {"mixture": MIXTURE},
}


def row(n: int, kind: str) -> DocumentRow:
    """The nth document; not all of its bytes are UTF-8."""
    split = ("train", "train", "valid", "test")[n % 4]
    return DocumentRow(b"1|x = %d\n>\n" % n, b"1 x=\xff%d\n.\n" % n, kind, split, f"key{n}", f"run{n}")


def store_documents(out: Path, *kinds: str, shards: int = 3) -> Path:
    """A dataset of documents in several shards."""
    store = DocumentStore(out, fingerprint=FINGERPRINT)
    for shard in range(shards):
        rows = [row(10 * shard + n, kinds[n % len(kinds)]) for n in range(10)]
        store.commit(rows, Counter())
    store.close()
    return out


def loaded(folder: Path, cache: Path, *config: str) -> dict[str, list[dict[str, Any]]]:
    """Rows by split, as `datasets` reads them."""
    datasets = pytest.importorskip("datasets")
    splits = datasets.load_dataset(str(folder), *config, cache_dir=str(cache))
    return {name: list(rows) for name, rows in splits.items()}


@pytest.mark.long(reason="imports `datasets`")
def test_datasets_reads_every_column_of_every_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    store_documents(tmp_path / "docs", "generate", "tasks")
    done = publish_dataset(tmp_path / "docs", tmp_path / "out")
    splits = loaded(tmp_path / "out", tmp_path / "cache")
    assert list(splits) == ["train", "validation", "test"]
    for ours, theirs in SPLIT_NAMES.items():
        assert splits[theirs] == [msgspec.structs.asdict(row) for row in read_rows(tmp_path / "docs", split=ours)]
        assert done.rows["documents", theirs] == len(splits[theirs])
    assert sum(done.rows.values()) == 30


@pytest.mark.long(reason="imports `datasets`")
def test_recorded_tests_are_configurations_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    instance = Instance(name="owner/name", revision="0123456789abcdef", licence="MIT", licence_text="Permission ...")
    with CallWriter(tmp_path / "tests", fingerprint={"recipe": "test"}, fsync=False) as writer:
        for n in range(3):
            writer.add_test(RecordedTest(instance=instance, id=f"tests/test_a.py::test_{n}", outcome="passed"))
    done = publish_dataset(tmp_path / "tests", tmp_path / "out")
    assert done.rows == {("tests", "train"): 3, ("instances", "train"): 1}
    (rows,) = loaded(tmp_path / "out", tmp_path / "cache", "tests").values()
    assert [row["test_id"] for row in rows] == [f"tests/test_a.py::test_{n}" for n in range(3)]
    (instances,) = loaded(tmp_path / "out", tmp_path / "cache", "instances").values()
    assert [row["licence"] for row in instances] == ["MIT"]
    card = (tmp_path / "out" / "README.md").read_text()
    assert 'license: "other"' in card
    assert "| owner/name | 0123456789abcdef | MIT |" in card


def test_the_card_names_configurations_mixture_and_limits(tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    publish_dataset(store_documents(tmp_path / "docs", "generate"), tmp_path / "out")
    card = hub.DatasetCard.load(tmp_path / "out" / "README.md")
    assert card.data.license == "apache-2.0"
    (config,) = card.data.to_dict()["configs"]
    assert config["config_name"] == "documents"
    for file in config["data_files"]:
        assert list((tmp_path / "out").glob(file["path"]))
    for line in (
        "| `documents` | train | 16 |", "| interpreter | cpython 3.11.7 |", "| limit: steps | 2,000 |",
        "| generate | `worldline.programs.generate:program` |  | 100.0% |", "| bare reveal=0 | 100.0% |",
    ):  # fmt: skip
        assert line in card.text


def test_mined_programs_bring_the_licences_of_their_sources(tmp_path: Path) -> None:
    publish_dataset(store_documents(tmp_path / "docs", "generate", "mine"), tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    assert 'license: "other"' in card
    assert "15 documents hold functions of these sources" in card
    for source in read_source_licences(QUARRY):
        assert f"| {source.kind} | {source.name} | {source.licence} |" in card
    own = tmp_path / "own.txt"
    own.write_text("package mine LicenseRef-Own\n")
    publish_dataset(tmp_path / "docs", tmp_path / "out", licences=own)
    card = (tmp_path / "out" / "README.md").read_text()
    assert "| package | mine | LicenseRef-Own |" in card
    assert "| package | stdlib |" not in card


def test_a_folder_of_others_stays_as_it_is(tmp_path: Path) -> None:
    store_documents(tmp_path / "docs", "generate")
    for name in ("notes.txt", "data/notes.txt"):
        out = tmp_path / name.replace("/", "-")
        (out / name).parent.mkdir(parents=True)
        (out / name).write_text("mine")
        with pytest.raises(UsageError, match=r"holds other files: notes\.txt"):
            publish_dataset(tmp_path / "docs", out)
        assert [path.name for path in out.rglob("*") if path.is_file()] == ["notes.txt"]
    with pytest.raises(UsageError, match="holds other files"):
        publish_dataset(tmp_path / "docs", tmp_path / "docs")
    assert load_manifest(tmp_path / "docs").shards


def test_damage_leaves_no_card(tmp_path: Path) -> None:
    store_documents(tmp_path / "docs", "generate")
    publish_dataset(tmp_path / "docs", tmp_path / "out")
    shard = tmp_path / "docs" / load_manifest(tmp_path / "docs").shards[-1].name
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)
    with pytest.raises(DigestError):
        publish_dataset(tmp_path / "docs", tmp_path / "out")
    assert not (tmp_path / "out" / "README.md").exists()
    assert os.listdir(tmp_path / "out") == ["data"]
    assert os.listdir(tmp_path / "out" / "data") == []


def test_the_command_publishes(tmp_path: Path) -> None:
    store_documents(tmp_path / "docs", "generate")
    words = ["data", "publish", str(tmp_path / "docs"), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[0] == "documents, train: 16 rows"
    assert f"3 files and a card in {tmp_path / 'out'}; read README.md" in done.output
    publish_dataset(tmp_path / "docs", tmp_path / "again")
    for path in (tmp_path / "out").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "again" / path.relative_to(tmp_path / "out")).read_bytes()
