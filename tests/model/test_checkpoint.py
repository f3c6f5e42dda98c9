"""Checkpoints appear whole, are verified byte by byte, and ship as one file that the engine reads."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from nets import random_bytes, random_trunk, trunk_logits

from worldline.core.errors import DigestError, DiskError, FormatError, NoModelError, UsageError
from worldline.model import checkpoint, model_folder
from worldline.model.hybrid import Trunk
from worldline.model.shape import Shape
from worldline.model.weights import INT8_SUFFIX, SCALE_SUFFIX, StoredArray, dequantize, to_bfloat16, to_safetensors
from worldline.storage import files

SHAPE = Shape(depth=3, window=16)
DOWN, MIXER = "layers.1.mlp.outer.weight", "layers.2.mixer.inner.weight"
Spoil = Callable[[dict[str, StoredArray]], None]


def write(out: Path, trunk: Trunk, *, ema: Trunk | None = None, step: int = 7) -> None:
    """A checkpoint of a trunk."""
    draft = model_folder.create_draft(out)
    files.write(draft / model_folder.MODEL, checkpoint.to_bytes(dict(trunk.named_parameters())))
    if ema is not None:
        files.write(draft / model_folder.EMA, checkpoint.to_bytes(dict(ema.named_parameters())))
    model_folder.commit_draft(draft, out, {"kind": "checkpoint", "shape": trunk.shape.to_json(), "step": step})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    trunk = random_trunk(SHAPE)
    write(tmp_path / "a", trunk)
    manifest = checkpoint.read_manifest(tmp_path / "a")
    assert Shape(**manifest["shape"]) == SHAPE
    tensors = checkpoint.read_tensors(tmp_path / "a", model_folder.MODEL, manifest)
    assert all(torch.equal(tensors[name], weight) for name, weight in trunk.named_parameters())
    assert sorted(os.listdir(tmp_path)) == ["a"]


def test_the_export_is_the_average_as_the_engine_holds_it(tmp_path: Path) -> None:
    trunk, ema = random_trunk(SHAPE), random_trunk(SHAPE, seed=1)
    write(tmp_path / "a", trunk, ema=ema)
    manifest = checkpoint.export(tmp_path / "a", tmp_path / "b", facts={"note": "x"})
    entries = [manifest[key] for key in ("kind", "version", "step", "note")]
    assert entries == ["weights", model_folder.QUANTIZED_VERSION, 7, "x"]
    assert sorted(os.listdir(tmp_path / "b")) == [model_folder.MANIFEST, model_folder.MODEL]
    _, stored = checkpoint.read_weights(tmp_path / "b")
    whole = {name: array for name, array in stored.items() if array.dtype == np.int8}
    held = dequantize(stored)
    for name, weight in ema.named_parameters():
        step = weight.detach().abs().amax(-1, keepdim=True) / 127
        assert np.all(np.abs(held[name] - weight.detach().numpy()) <= 0.5001 * step.numpy()), name
    assert sum(array.size for array in whole.values()) > 0.8 * sum(array.size for array in held.values())


def test_half_is_the_average_in_bfloat16(tmp_path: Path) -> None:
    trunk, ema = random_trunk(SHAPE), random_trunk(SHAPE, seed=1)
    write(tmp_path / "a", trunk, ema=ema)
    manifest = checkpoint.export(tmp_path / "a", tmp_path / "b", half=True)
    assert manifest["version"] == model_folder.VERSION
    tensors = checkpoint.read_tensors(tmp_path / "b", model_folder.MODEL, manifest)
    assert all(torch.equal(tensors[name], weight.bfloat16()) for name, weight in ema.named_parameters())


def test_an_export_of_an_export_is_the_same(tmp_path: Path) -> None:
    write(tmp_path / "a", random_trunk(SHAPE))
    first = checkpoint.export(tmp_path / "a", tmp_path / "b")
    assert checkpoint.export(tmp_path / "b", tmp_path / "c")["files"] == first["files"]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_not_exported(tmp_path: Path, value: float) -> None:
    trunk = random_trunk(SHAPE)
    next(trunk.parameters()).data[1, 2] = value
    write(tmp_path / "a", trunk)
    with pytest.raises(FormatError, match="not all finite"):
        checkpoint.export(tmp_path / "a", tmp_path / "b")
    assert sorted(os.listdir(tmp_path)) == ["a"]


def _without(name: str) -> Spoil:
    return lambda stored: stored.__delitem__(name)


def _replaced(name: str, change: Callable[[StoredArray], StoredArray]) -> Spoil:
    return lambda stored: stored.update({name: change(stored[name])})


def _scaled(value: float) -> Spoil:
    return _replaced(DOWN + SCALE_SUFFIX, lambda scale: np.append(scale[1:], np.float32(value)))


@pytest.mark.parametrize(
    ("spoil", "match"),
    [
        (_scaled(float("nan")), "positive float32"),
        (_scaled(float("inf")), "positive float32"),
        (_scaled(0.0), "positive float32"),
        (_scaled(-1.0), "positive float32"),
        (_replaced(DOWN + SCALE_SUFFIX, to_bfloat16), "positive float32"),
        (_replaced(DOWN + SCALE_SUFFIX, lambda scale: scale[:-1]), "one scale per int8 row"),
        (_replaced(DOWN + SCALE_SUFFIX, lambda scale: scale[:, None]), "one scale per int8 row"),
        (_without(DOWN + SCALE_SUFFIX), "one scale per int8 row"),
        (_without(DOWN + INT8_SUFFIX), "one scale per int8 row"),
        (_replaced(DOWN + INT8_SUFFIX, lambda rows: rows.view(np.uint16)), "uint16"),
        (_replaced(DOWN + INT8_SUFFIX, lambda rows: rows.astype(np.float32)), "float32"),
        (_replaced(DOWN + INT8_SUFFIX, lambda rows: rows.reshape(-1)), "one scale per int8 row"),
        (_replaced(DOWN + INT8_SUFFIX, lambda rows: rows[:, :-4]), "does not match the manifest's shape"),
        (_replaced("embed", lambda rows: rows.astype(np.int8)), "int8"),
        (_replaced(MIXER, lambda rows: rows[:-1]), "does not match the manifest's shape"),
        (_replaced(MIXER, lambda rows: rows[:, :-1]), "different lengths"),
        (_without(MIXER), "does not match the manifest's shape"),
        (lambda stored: stored.update(more=stored["head"]), "unexpected 'more'"),
        (lambda stored: stored.update({"x.int8": stored[DOWN + INT8_SUFFIX]}), "one scale per int8 row"),
        (
            lambda stored: stored.update({DOWN: stored[DOWN + INT8_SUFFIX].astype(np.float32)}),
            "does not match the manifest's shape",
        ),
    ],
)
def test_int8_that_is_not_as_it_must_be_is_refused(tmp_path: Path, spoil: Spoil, match: str) -> None:
    """With a manifest that names the spoiled file: no digest stands in the way."""
    write(tmp_path / "a", random_trunk(SHAPE))
    manifest = checkpoint.export(tmp_path / "a", tmp_path / "b")
    _, stored = checkpoint.read_weights(tmp_path / "b")
    spoil(stored)
    draft = model_folder.create_draft(tmp_path / "c")
    files.write(draft / model_folder.MODEL, to_safetensors(stored))
    model_folder.commit_draft(
        draft, tmp_path / "c", {"shape": manifest["shape"]}, version=model_folder.QUANTIZED_VERSION
    )
    with pytest.raises(FormatError, match=match):
        checkpoint.open_model(tmp_path / "c")


@pytest.mark.parametrize("damage", ["flip", "cut"])
def test_damage_to_an_export_is_seen(tmp_path: Path, damage: str) -> None:
    write(tmp_path / "a", random_trunk(SHAPE))
    checkpoint.export(tmp_path / "a", tmp_path / "b")
    path = tmp_path / "b" / model_folder.MODEL
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data if damage == "flip" else data[:-1])
    with pytest.raises(DigestError):
        checkpoint.open_model(tmp_path / "b")


def test_an_export_replaces_the_one_before(tmp_path: Path) -> None:
    for step in (1, 2):
        write(tmp_path / "a", random_trunk(SHAPE, seed=step), step=step)
        checkpoint.export(tmp_path / "a", tmp_path / "b")
        assert checkpoint.read_manifest(tmp_path / "b")["step"] == step
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_the_engine_opens_what_was_trained(tmp_path: Path) -> None:
    trunk = random_trunk(SHAPE)
    for weight in trunk.parameters():
        weight.data = weight.data.bfloat16().float()
    write(tmp_path / "a", trunk)
    checkpoint.export(tmp_path / "a", tmp_path / "b", half=True)
    checkpoint.export(tmp_path / "a", tmp_path / "c")
    data = random_bytes(60)
    wanted = trunk_logits(trunk, data, 40)[-1]
    for folder, slack in (("a", 1e-3), ("b", 1e-3), ("c", 0.15)):
        engine = checkpoint.open_model(tmp_path / folder, precision="fp32")
        state = engine.start()
        engine.feed(state, data[:40], pin=True)
        assert np.allclose(engine.feed(state, data[40:], pin=False), wanted, atol=slack)


@pytest.mark.parametrize("damage", ["flip", "cut", "gone"])
def test_damage_is_seen_before_anything_is_loaded(tmp_path: Path, damage: str) -> None:
    write(tmp_path / "a", random_trunk(SHAPE))
    path = tmp_path / "a" / model_folder.MODEL
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(data if damage == "flip" else data[:-1])
    with pytest.raises(DigestError, match=r"not the file that was written|is gone|is missing"):
        checkpoint.open_model(tmp_path / "a")


@pytest.mark.parametrize(
    "change",
    [
        {"version": 99},
        {"format": "other"},
        {"shape": {"depth": 1}},
        {"shape": {"deep": 2}},
        {"shape": 3},
        {"shape": {"depth": 3.0}},
        {"shape": {"depth": True}},
        {"shape": {"depth": "3"}},
        {"shape": {"depth": 10**9}},
        {"shape": {"window": 16.5}},
        {"shape": {"window": 1 << 40}},
        {"shape": {"mix": []}},
        {"step": "7"},
        {"config": 1},
        {"files": 3},
        {"files": []},
        {"files": [model_folder.MODEL]},
        {"files": None},
        {"files": {model_folder.MODEL: 1}},
        {"files": {model_folder.MODEL: {"bytes": 1}}},
        {"files": {model_folder.MODEL: {"sha256": 1, "bytes": 1}}},
        {"files": {model_folder.MODEL: {"sha256": "0" * 64, "bytes": -1}}},
        {"version": True},
        {"version": None},
        {"files": {"../../secret": {"sha256": "0" * 64, "bytes": 6}}},
        {"files": {"/etc/passwd": {"sha256": "0" * 64, "bytes": 6}}},
        {"elapsed": "long"},
        {"elapsed": float("nan")},
        {"trained_on": 1},
        {"trained_on": [1]},
        {"config": {"sources": 1}},
        {"config": {"sources": ["x"]}},
    ],
)
def test_another_format_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    write(tmp_path / "a", random_trunk(SHAPE))
    path = tmp_path / "a" / model_folder.MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FormatError):
        checkpoint.read_manifest(tmp_path / "a")
    path.write_text("{")
    with pytest.raises(FormatError, match="damaged"):
        checkpoint.read_manifest(tmp_path / "a")


def test_a_manifest_without_files_says_so(tmp_path: Path) -> None:
    write(tmp_path / "a", random_trunk(SHAPE))
    path = tmp_path / "a" / model_folder.MANIFEST
    manifest = json.loads(path.read_text())
    del manifest["files"]
    path.write_text(json.dumps(manifest))
    with pytest.raises(FormatError, match="damaged: 'files' is missing"):
        checkpoint.open_model(tmp_path / "a")


@pytest.mark.parametrize(("change", "match"), [({"depth": 4}, "have shape"), ({"depth": 2}, "have shape")])
def test_weights_of_another_shape_are_refused(tmp_path: Path, change: dict[str, int], match: str) -> None:
    write(tmp_path / "a", random_trunk(SHAPE))
    path = tmp_path / "a" / model_folder.MANIFEST
    manifest = json.loads(path.read_text())
    manifest["shape"] |= change
    path.write_text(json.dumps(manifest))
    with pytest.raises(FormatError, match=f"does not match the manifest's shape: .*{match}"):
        checkpoint.open_model(tmp_path / "a")


def test_the_shipped_model_is_whole() -> None:
    shape, weights = checkpoint.read_weights(checkpoint.resolve(None))
    assert shape.vocabulary == 256
    assert sum(array.size for array in weights.values()) > 18e6


def test_no_model_is_a_usage_error(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "does not contain a model"), (tmp_path / "none", "no such name or folder")):
        with pytest.raises(NoModelError, match=reason):
            checkpoint.open_model(path)


def test_a_run_is_its_newest_checkpoint_and_old_ones_go(tmp_path: Path) -> None:
    trunk = random_trunk(SHAPE)
    for step in (5, 20, 100):
        write(checkpoint.checkpoint_path(tmp_path, step), trunk, step=step)
    (tmp_path / "metrics.jsonl").write_text("")
    model_folder.create_draft(checkpoint.checkpoint_path(tmp_path, 300))  # a writer that was killed
    assert checkpoint.resolve(tmp_path) == tmp_path / "step-00000100"
    checkpoint.prune_checkpoints(tmp_path, 2)
    assert sorted(os.listdir(tmp_path)) == ["metrics.jsonl", "step-00000020", "step-00000100"]


def test_a_model_takes_another_s_place_in_one_act(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that is killed right after it, before anything is removed, has put the new one there."""
    write(tmp_path / "a", random_trunk(SHAPE), step=1)

    def killed(path: Path, own: files.Own) -> None:
        if path.is_dir() and os.listdir(path):
            raise KeyboardInterrupt

    if not model_folder._exchange_folders(tmp_path / "a", tmp_path / "a"):
        pytest.skip("this system cannot exchange names")
    with monkeypatch.context() as patch:
        patch.setattr(files, "remove_folder", killed)
        patch.setattr(os, "rename", lambda *names: pytest.fail("two acts"))
        with pytest.raises(KeyboardInterrupt):
            write(tmp_path / "a", random_trunk(SHAPE), step=2)
    assert checkpoint.read_manifest(checkpoint.resolve(tmp_path / "a"))["step"] == 2
    write(tmp_path / "a", random_trunk(SHAPE), step=3)
    assert os.listdir(tmp_path) == ["a"]


def _kill_between(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace a model where names cannot be exchanged, and be killed when the old one is aside."""
    real = os.rename

    def rename(source: Path, target: Path) -> None:
        if target == out:
            raise KeyboardInterrupt
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(model_folder, "_exchange_folders", lambda source, target: False)
        patch.setattr(os, "rename", rename)
        with pytest.raises(KeyboardInterrupt):
            write(out, random_trunk(SHAPE), step=2)
    assert not out.exists()


def test_a_writer_killed_between_two_renames_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", random_trunk(SHAPE), step=1)
    _kill_between(tmp_path / "a", monkeypatch)
    assert checkpoint.read_manifest(checkpoint.resolve(tmp_path / "a"))["step"] == 1
    checkpoint.open_model(tmp_path / "a")
    write(tmp_path / "a", random_trunk(SHAPE), step=3)
    assert checkpoint.read_manifest(checkpoint.resolve(tmp_path / "a"))["step"] == 3
    assert os.listdir(tmp_path) == ["a"]


def test_the_only_copy_is_never_pruned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only = checkpoint.checkpoint_path(tmp_path, 1)
    write(only, random_trunk(SHAPE), step=1)
    _kill_between(only, monkeypatch)
    newest = checkpoint.latest_checkpoint(tmp_path)
    assert newest is not None
    assert checkpoint.read_manifest(newest)["step"] == 1
    checkpoint.prune_checkpoints(tmp_path, 1)
    assert os.listdir(tmp_path) == [only.name]
    assert checkpoint.latest_checkpoint(tmp_path) == only
    _kill_between(only, monkeypatch)
    checkpoint.prune_checkpoints(tmp_path, 0)
    assert os.listdir(tmp_path) == []


def victim(tmp_path: Path) -> Path:
    """A user's own folder, with a file of each kind of name that a model has."""
    folder = tmp_path / "victim"
    folder.mkdir()
    for name in (model_folder.MODEL, model_folder.MANIFEST, "diary.txt"):
        (folder / name).write_text("mine")
    return folder


def is_whole(folder: Path) -> bool:
    """Whether nothing of a user's folder was touched."""
    return {path.name: path.read_text() for path in folder.iterdir()} == dict.fromkeys(
        (model_folder.MODEL, model_folder.MANIFEST, "diary.txt"), "mine"
    )


@pytest.mark.parametrize("name", [".a.tmp", ".a.new.tmp", ".a.old.tmp"])
@pytest.mark.parametrize("target", ["victim", "nowhere"])
def test_a_link_where_a_writer_works_is_not_followed(tmp_path: Path, name: str, target: str) -> None:
    folder = victim(tmp_path)
    for _ in range(2):  # where there is no model yet, and where there is one
        if not (tmp_path / name).is_symlink():
            (tmp_path / name).symlink_to(tmp_path / target)
        write(tmp_path / "a", random_trunk(SHAPE))
        assert is_whole(folder)
        checkpoint.open_model(tmp_path / "a")


def test_links_in_a_run_are_not_followed(tmp_path: Path) -> None:
    run, folder = tmp_path / "run", victim(tmp_path)
    for step in (5, 20, 100):
        write(checkpoint.checkpoint_path(run, step), random_trunk(SHAPE), step=step)
    moved = tmp_path / "moved"
    checkpoint.checkpoint_path(run, 5).rename(moved)
    checkpoint.checkpoint_path(run, 5).symlink_to(moved)
    own = (".anything.tmp", ".notes.old.tmp")
    for name in (*own, ".step-00000007.tmp", ".step-00000007.new.tmp", "step-00000001", ".step-00000008.old.tmp"):
        (run / name).symlink_to(folder)
    checkpoint.prune_checkpoints(run, 1)
    assert is_whole(folder)
    assert sorted(os.listdir(run)) == sorted([*own, "step-00000100"])
    assert checkpoint.read_manifest(moved)["step"] == 5, "what an old checkpoint's link points to stays"


def test_a_checkpoint_with_a_user_s_file_in_it_stays(tmp_path: Path) -> None:
    for step in (5, 20, 100):
        write(checkpoint.checkpoint_path(tmp_path, step), random_trunk(SHAPE), step=step)
    (checkpoint.checkpoint_path(tmp_path, 5) / "notes.txt").write_text("mine")
    (tmp_path / "step-00000001").mkdir()
    (tmp_path / "step-00000001" / "diary").write_text("mine")  # no checkpoint at all
    checkpoint.prune_checkpoints(tmp_path, 1)
    assert sorted(os.listdir(tmp_path)) == ["step-00000001", "step-00000005", "step-00000100"]
    assert len(os.listdir(tmp_path / "step-00000005")) == 3
    with pytest.raises(UsageError, match=r"notes\.txt"):
        checkpoint.clear_checkpoints(tmp_path)
    assert checkpoint.latest_checkpoint(tmp_path) == checkpoint.checkpoint_path(tmp_path, 100)


def test_a_folder_that_is_a_link_of_the_user_s_is_written_into(tmp_path: Path) -> None:
    write(tmp_path / "a", random_trunk(SHAPE), step=1)
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "model")
    for step in (1, 2):
        write(tmp_path / "a", random_trunk(SHAPE), step=step)
        assert checkpoint.export(tmp_path / "a", tmp_path / "link")["step"] == step
        assert (tmp_path / "link").is_symlink()
        assert os.listdir(tmp_path / "disk") == ["model"]
        checkpoint.open_model(tmp_path / "link")
    assert sorted(os.listdir(tmp_path)) == ["a", "disk", "link"]


@pytest.mark.parametrize("name", ["victim", "victim/diary.txt"])
def test_a_model_takes_no_other_folder_s_place(tmp_path: Path, name: str) -> None:
    folder = victim(tmp_path)
    write(tmp_path / "a", random_trunk(SHAPE))
    with pytest.raises(UsageError, match=r"diary\.txt"):
        checkpoint.export(tmp_path / "a", tmp_path / name)
    assert is_whole(folder)
    assert sorted(os.listdir(tmp_path)) == ["a", "victim"]


@pytest.mark.parametrize(
    "several",
    [
        {model_folder.MANIFEST: '{"name": "my web app"}'},
        {model_folder.MANIFEST: "{"},
        {model_folder.MODEL: "mine"},
        {model_folder.MANIFEST: '{"format": "worldline-model"}', f"{model_folder.MODEL}/x": "mine"},
        {model_folder.MANIFEST: '{"format": "worldline-model"}', ".manifest.json.1-2.tmp/x": "mine"},
    ],
    ids=["an app's", "damaged", "weights", "a folder", "a folder of a temporary name"],
)
def test_a_folder_is_a_model_s_by_what_is_in_it(tmp_path: Path, several: dict[str, str]) -> None:
    """Names alone are anybody's: nothing is exchanged, and all stays."""
    folder = tmp_path / "out"
    for name, text in several.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    write(tmp_path / "a", random_trunk(SHAPE))
    with pytest.raises(UsageError, match="holds other files"):
        checkpoint.export(tmp_path / "a", folder)
    assert {name: (folder / name).read_text() for name in several} == several
    assert sorted(os.listdir(tmp_path)) == ["a", "out"]


def test_an_export_goes_where_nothing_or_a_model_of_any_release_is(tmp_path: Path) -> None:
    write(tmp_path / "a", random_trunk(SHAPE))
    out, draft = tmp_path / "out", tmp_path / ".out.new.tmp"
    out.mkdir()
    checkpoint.export(tmp_path / "a", out)
    (out / model_folder.MANIFEST).write_text('{"format": "worldline-model", "version": 0}')
    draft.mkdir()
    (draft / model_folder.MODEL).write_text("half")  # a writer that was killed
    checkpoint.export(tmp_path / "a", out)
    checkpoint.open_model(out)
    assert sorted(os.listdir(tmp_path)) == ["a", "out"]


def test_a_checkpoint_with_a_folder_in_it_stays_and_so_do_all(tmp_path: Path) -> None:
    for step in (5, 20):
        write(checkpoint.checkpoint_path(tmp_path, step), random_trunk(SHAPE), step=step)
    (checkpoint.checkpoint_path(tmp_path, 20) / model_folder.OPTIMIZER).mkdir()
    with pytest.raises(UsageError, match=model_folder.OPTIMIZER):
        checkpoint.clear_checkpoints(tmp_path)
    assert [len(os.listdir(checkpoint.checkpoint_path(tmp_path, step))) for step in (5, 20)] == [2, 3]
    write(checkpoint.checkpoint_path(tmp_path, 30), random_trunk(SHAPE), step=30)
    checkpoint.prune_checkpoints(tmp_path, 1)
    assert sorted(os.listdir(tmp_path)) == ["step-00000020", "step-00000030"]
    assert len(os.listdir(checkpoint.checkpoint_path(tmp_path, 20))) == 3


def test_a_killed_removal_leaves_what_the_next_one_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manifest goes last."""
    for step in (5, 20):
        write(checkpoint.checkpoint_path(tmp_path, step), random_trunk(SHAPE), step=step)
    real, listed = os.unlink, os.listdir

    def unlink(name: str, **options: int) -> None:
        if name == model_folder.MANIFEST:
            raise KeyboardInterrupt
        real(name, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", unlink)
        patch.setattr(os, "listdir", lambda place: sorted(listed(place)))  # the manifest first
        with pytest.raises(KeyboardInterrupt):
            checkpoint.prune_checkpoints(tmp_path, 1)
    assert os.listdir(checkpoint.checkpoint_path(tmp_path, 5)) == [model_folder.MANIFEST]
    checkpoint.prune_checkpoints(tmp_path, 1)
    assert os.listdir(tmp_path) == ["step-00000020"]


def test_links_that_lead_nowhere_are_pruned_and_a_file_stays(tmp_path: Path) -> None:
    links = (".step-00000007.tmp", ".step-00000007.new.tmp", ".step-00000008.old.tmp")
    for name in links:
        (tmp_path / name).symlink_to(tmp_path / "nowhere")
    (tmp_path / ".step-00000009.new.tmp").write_text("mine")  # a writer makes folders
    checkpoint.prune_checkpoints(tmp_path, 1)
    assert os.listdir(tmp_path) == [".step-00000009.new.tmp"]


def test_every_checkpoint_of_a_run_is_verified(tmp_path: Path) -> None:
    for step in (5, 20):
        write(checkpoint.checkpoint_path(tmp_path, step), random_trunk(SHAPE), step=step)
    assert checkpoint.is_model(tmp_path)
    assert checkpoint.findings(tmp_path) == checkpoint.findings(checkpoint.checkpoint_path(tmp_path, 20)) == []
    (checkpoint.checkpoint_path(tmp_path, 5) / model_folder.MODEL).write_bytes(b"other")
    (problem,) = checkpoint.findings(tmp_path)
    assert "step-00000005/model.safetensors is not the file that was written" in problem
    other = tmp_path / "other"
    (checkpoint.checkpoint_path(tmp_path, 20) / model_folder.MODEL).rename(other)
    (checkpoint.checkpoint_path(tmp_path, 20) / model_folder.MODEL).symlink_to(other)
    assert "not a plain file" in checkpoint.findings(tmp_path)[1]


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", random_trunk(SHAPE))
    before = {name: (tmp_path / "a" / name).read_bytes() for name in os.listdir(tmp_path / "a")}
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(DiskError, match="No space"):
            write(tmp_path / "a", random_trunk(SHAPE, seed=1), step=8)
    assert {name: (tmp_path / "a" / name).read_bytes() for name in os.listdir(tmp_path / "a")} == before
    write(tmp_path / "a", random_trunk(SHAPE, seed=1), step=8)
    assert checkpoint.read_manifest(tmp_path / "a")["step"] == 8
