"""Checkpoints of a training on an S3 server: sent whole, kept as many, and gone on from in an empty folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from object_store import BUCKET

from worldline.core.errors import DiskError, UsageError
from worldline.data.frames import encode_frame
from worldline.data.sources import Files
from worldline.model import checkpoint, model_folder
from worldline.model.shape import Shape
from worldline.model.train import store as trainer_store
from worldline.model.train.config import Training
from worldline.model.train.loop import main, train
from worldline.storage import publishing, remote
from worldline.storage.remote import StorePath

RECIPE = """\
from worldline.data.sources import Files
from worldline.model.shape import Shape
from worldline.model.train.config import Training

def training():
    return Training(shape=Shape(depth=2, window=32), sources=(Files(paths=({path!r},)),), rows=2, time=64, steps=3,
                    warmup=1, eval_every=0, save_every=1, keep=2)
"""


@pytest.fixture
def store(shelf: StorePath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return str(shelf)


@pytest.fixture
def config(tmp_path: Path) -> Training:
    path = tmp_path / "train.bin"
    path.write_bytes(b"".join(encode_frame((b">f(%d)\n" % n, b"(1\n)%d\n.\n" % (n * n))) for n in range(200)))
    return Training(
        shape=Shape(depth=2, window=32), sources=(Files(paths=(str(path),)),), rows=2, time=64, steps=8, warmup=2,
        eval_every=0, save_every=4, keep=5,
    )  # fmt: skip


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != model_folder.MANIFEST}


def test_an_empty_folder_goes_on_from_what_is_there_to_the_bit(store: str, config: Training, tmp_path: Path) -> None:
    whole = train(config, tmp_path / "whole", device="cpu")
    half = train(config, tmp_path / "half", device="cpu", store_url=store)
    shelf = remote.place(store)
    assert remote.names(shelf) == ["step-00000004", "step-00000008"]
    last = shelf / "step-00000008"
    assert set(remote.names(last)) == {path.name for path in half.iterdir()}
    remote.remove(
        last / publishing.MANIFEST
    )  # as if it had been killed as it sent: what is not whole is not gone on from
    other = train(config, tmp_path / "other", device="cpu", store_url=store)
    assert files_of(other) == files_of(whole)
    assert (tmp_path / "other" / "step-00000004").is_dir()  # brought, not trained
    assert checkpoint.is_model(publishing.fetched(last))


def test_as_many_are_kept_as_on_disk_and_a_fresh_run_begins_there_too(
    store: str, config: Training, tmp_path: Path
) -> None:
    few = replace(config, save_every=1, steps=3, keep=2)
    train(few, tmp_path / "run", device="cpu", store_url=store)
    assert remote.names(remote.place(store)) == ["step-00000002", "step-00000003"]
    train(replace(few, steps=1), tmp_path / "run", device="cpu", store_url=store, resume=False)
    assert remote.names(remote.place(store)) == ["step-00000001"]


def test_what_was_never_sent_to_its_end_is_removed_with_the_old_ones(
    store: str, config: Training, tmp_path: Path
) -> None:
    shelf = remote.place(store)
    remote.write(shelf / "step-00000001" / "model.safetensors", b"half")
    train(replace(config, steps=2, save_every=0, keep=1), tmp_path / "run", device="cpu", store_url=store)
    assert remote.names(shelf) == ["step-00000002"]
    assert not (tmp_path / "cache").exists()


def test_a_store_that_goes_away_ends_no_training(
    store: str, config: Training, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Checkpoints stay on disk, and it is said; what is missing at the end is sent by running again."""
    few = replace(config, save_every=1, steps=3)

    def away(*_: object, **__: object) -> None:
        raise DiskError("the store is away")

    with monkeypatch.context() as patch:
        patch.setattr(trainer_store, "publish_checkpoint", away)
        with pytest.raises(DiskError, match=r"step-00000003 is complete but not on the store.*run the command"):
            train(few, tmp_path / "run", device="cpu", store_url=store)
    told = capsys.readouterr().err
    assert told.count("failed; training continues: the store is away") == 2
    assert checkpoint.latest_checkpoint(tmp_path / "run") == tmp_path / "run" / "step-00000003"
    train(few, tmp_path / "run", device="cpu", store_url=store)
    assert remote.names(remote.place(store)) == ["step-00000003"]


def test_a_folder_may_be_the_place(config: Training, tmp_path: Path) -> None:
    few = replace(config, save_every=1, steps=3, keep=1)
    train(few, tmp_path / "run", device="cpu", store_url=f"file://{tmp_path}/kept")
    assert remote.names(tmp_path / "kept") == ["step-00000003"]


def test_the_command_takes_it(store: str, config: Training, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "small.py").write_text(RECIPE.format(path=str(tmp_path / "train.bin")))
    words = ["--recipe", str(tmp_path / "small.py"), "--device", "cpu", "--store", store, "--out"]
    assert main([*words, str(tmp_path / "one")]) == 0
    assert main([*words, str(tmp_path / "two")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(tmp_path / "two" / "step-00000003")
    with pytest.raises(UsageError, match=r"only folders; name one of them, such as .*step-00000003"):
        publishing.fetched(store)
    assert main([*words, store]) == UsageError.exit_code
    assert "pass the URL as --store" in capsys.readouterr().err


def test_a_bucket_that_is_not_there_is_said_before_anything_is_trained(
    store: str, config: Training, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="bucket"):
        train(config, tmp_path / "run", device="cpu", store_url=store.replace(BUCKET, "nowhere"))
    assert checkpoint.latest_checkpoint(tmp_path / "run") is None
