"""A tiny model learns a tiny task; a run ends, stops, breaks and goes on as it should."""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from nets import random_trunk

from worldline.core.errors import DivergedError, DryError, UsageError
from worldline.data.batches import Packer, pack
from worldline.data.frames import DocumentPair, encode_frame, parse_frames
from worldline.data.sources import Dataset, Files, Live
from worldline.model import checkpoint, model_folder
from worldline.model.hybrid import Trunk
from worldline.model.shape import Shape
from worldline.model.train import loss as train_loss
from worldline.model.train import metrics
from worldline.model.train.config import Training
from worldline.model.train.feed import to_tensors
from worldline.model.train.loop import main, train
from worldline.model.train.optimize import LearningRates
from worldline.model.weights import read_float32
from worldline.storage import files

SHAPE = Shape(depth=2, window=32)
torch.backends.mkldnn.enabled = False  # type: ignore[assignment]


def echoes(count: int, seed: int) -> list[DocumentPair]:
    """Programs that return the letter they are called with."""
    rng = random.Random(seed)
    documents = []
    for _ in range(count):
        letter = rng.choice("abcd").encode()
        documents.append((b">f(" + letter + b")\n", b"(1\n)" + letter + b"\n.\n"))
    return documents


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files to train on and to measure by."""
    folder = tmp_path_factory.mktemp("documents")
    for name, count, seed in (("train.bin", 600, 0), ("test.bin", 40, 1)):
        (folder / name).write_bytes(b"".join(encode_frame(pair) for pair in echoes(count, seed)))
    return folder


def training(documents: Path, **options: Any) -> Training:
    """A small run."""
    settings: dict[str, Any] = {
        "shape": SHAPE,
        "sources": (Files(paths=(str(documents / "train.bin"),)),),
        "rows": 4,
        "time": 64,
        "steps": 6,
        "warmup": 2,
        "log_every": 2,
        "eval_every": 0,
        "save_every": 0,
    }
    return Training(**(settings | options))


def state_of(folder: Path) -> dict[str, str]:
    """Every file of a checkpoint but its manifest, by digest."""
    names = [name for name in os.listdir(folder) if name != model_folder.MANIFEST]
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


def test_it_learns(documents: Path, tmp_path: Path) -> None:
    held = Files(paths=(str(documents / "test.bin"),))
    config = training(documents, steps=60, held_out=held, held_out_documents=40, log_every=10, eval_every=30, warmup=5)
    last = train(config, tmp_path / "run", device="cpu")
    lines = metrics.read_metrics(tmp_path / "run")
    assert [line["step"] for line in lines] == [10, 20, 30, 40, 50, 60]
    assert lines[0]["loss"] > 1.0
    assert lines[-1]["loss"] < 0.1 * lines[0]["loss"]
    assert lines[-1]["held_out_bits"] < 0.4
    assert lines[-1]["held_out_answer"] == lines[-1]["held_out_trace"] == 1.0
    assert lines[-1]["held_out_documents"] == 40
    assert lines[2]["held_out_bits"] > lines[-1]["held_out_bits"]
    manifest = checkpoint.read_manifest(last)
    assert manifest["config"] == json.loads((tmp_path / "run" / "config.json").read_text())
    checkpoint.export(last, tmp_path / "weights")
    engine = checkpoint.open_model(tmp_path / "weights")
    for prompt, steps in echoes(3, 7):
        state, written = engine.start(), b""
        logits = engine.feed(state, prompt, pin=True)
        while len(written) < len(steps):
            written += bytes([int(logits.argmax())])
            logits = engine.feed(state, written[-1:], pin=False)
        assert written == steps


def test_half_and_half_is_the_whole_to_the_bit(documents: Path, tmp_path: Path) -> None:
    config = training(documents, steps=8, save_every=4, keep=5)
    whole = train(config, tmp_path / "whole", device="cpu")
    half = tmp_path / "half"
    half.mkdir()
    (tmp_path / "whole" / "step-00000004").rename(half / "step-00000004")
    resumed = train(config, half, device="cpu")
    assert whole.name == resumed.name == "step-00000008"
    assert state_of(whole) == state_of(resumed)
    assert sorted(state_of(whole)) == ["ema.safetensors", "model.safetensors", "optimizer.safetensors", "stream-0.bin"]


def test_phases_lengthen_the_rows(documents: Path, tmp_path: Path) -> None:
    config = training(documents, phases=((0.5, 128, 1),), log_every=1)
    train(config, tmp_path, device="cpu")
    assert checkpoint.read_manifest(tmp_path / "step-00000006")["config"]["phases"] == [[0.5, 128, 1]]


def test_a_loss_over_several_rows_is_that_over_one() -> None:
    """But for the bytes at the rows' ends, whose successors stand in the next batch."""
    rng = random.Random(5)
    documents = [(rng.randbytes(90), rng.randbytes(130)), (rng.randbytes(70), rng.randbytes(150))]
    trunk = random_trunk(Shape(depth=3, window=128))
    whole = pack(documents, rows=2, time=256)[0]
    whole.weight[:, 63::64] = 0
    packer = Packer(lambda: None, waiting=documents, carry=128)
    states = trunk.initial_state(2, carry=128)
    with torch.no_grad():
        wanted = float(train_loss.loss_sum(trunk, to_tensors(whole)))
        parts = [to_tensors(packer.batch(2, 64)) for _ in range(4)]
        losses = [float(train_loss.loss_sum(trunk, part, states, carry=128)) for part in parts]
        cut = [float(train_loss.loss_sum(trunk, part)) for part in parts]
    assert sum(losses) == pytest.approx(wanted, rel=1e-4)
    assert sum(cut) != pytest.approx(wanted, rel=1e-4)


def test_a_run_with_longer_documents_than_rows(documents: Path, tmp_path: Path) -> None:
    """Rows that are all prompt, documents left where the number of rows changes, and a run that goes on."""
    path = tmp_path / "long.bin"
    path.write_bytes(b"".join(encode_frame((bytes([n] * 100), b"ab" * 80)) for n in range(40)))
    config = training(
        documents,
        shape=Shape(depth=2, window=128),
        sources=(Files(paths=(str(path),)),),
        phases=((0.5, 64, 1),),
        carry=128,
        log_every=1,
        save_every=2,
    )
    train(replace(config, steps=4), tmp_path / "run", device="cpu")
    train(config, tmp_path / "run", device="cpu")
    lines = metrics.read_metrics(tmp_path / "run")
    assert lines[-1]["step"] == 6
    assert all(math.isfinite(line["loss"]) and math.isfinite(line["norm"]) for line in lines)
    assert lines[0]["loss"] == pytest.approx(4.0)  # of the first two batches one is all prompt; 8 bits know nothing


def test_carry_comes_in_blocks(documents: Path) -> None:
    for options in ({"carry": 100}, {"carry": 128}):  # the shape's window is 32
        with pytest.raises(UsageError):
            training(documents, **options)


def test_a_budget_of_minutes_ends_in_time(documents: Path, tmp_path: Path) -> None:
    begun = time.monotonic()
    train(training(documents, steps=0, minutes=0.02), tmp_path, device="cpu")
    assert time.monotonic() - begun < 120
    assert metrics.read_metrics(tmp_path)[-1]["progress"] == 1.0


def test_sigterm_saves_and_the_run_goes_on(documents: Path, tmp_path: Path) -> None:
    config = training(documents, steps=100_000, log_every=1)

    def end() -> None:
        while not metrics.read_metrics(tmp_path):
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=end)
    thread.start()
    last = train(config, tmp_path, device="cpu")
    thread.join()
    assert signal.getsignal(signal.SIGTERM) == before
    step = checkpoint.read_manifest(last)["step"]
    assert 0 < step < 1000
    train(replace(config, steps=step + 2), tmp_path, device="cpu")
    assert checkpoint.latest_checkpoint(tmp_path) == checkpoint.checkpoint_path(tmp_path, step + 2)


def test_a_loss_that_is_no_number_stops_and_names_the_batch(documents: Path, tmp_path: Path) -> None:
    config = training(documents, rates=LearningRates(embed=math.inf), steps=20)
    with pytest.raises(DivergedError, match="step 1: training diverged: loss nan"):
        train(config, tmp_path, device="cpu")
    named = json.loads((tmp_path / "diverged.json").read_text())
    assert named["step"] == 1
    known = {hashlib.sha256(a + b).hexdigest() for a, b in echoes(600, 0)}
    assert named["documents"]
    assert set(named["documents"]) <= known
    assert checkpoint.latest_checkpoint(tmp_path) is None


def test_a_run_starts_from_given_weights(documents: Path, tmp_path: Path) -> None:
    first = train(training(documents), tmp_path / "a", device="cpu")
    config = training(documents, init_from=str(first), rates=_still(), steps=1)
    second = train(config, tmp_path / "b", device="cpu")
    wanted = checkpoint.read_tensors(first, model_folder.EMA, checkpoint.read_manifest(first))
    got = checkpoint.read_tensors(second, model_folder.MODEL, checkpoint.read_manifest(second))
    assert all(torch.equal(got[name], tensor) for name, tensor in wanted.items())


def test_a_run_starts_from_the_shipped_model_and_says_so(
    documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped model stood in for by a small export, which is what it is but for its size."""
    first = train(training(documents), tmp_path / "a", device="cpu")
    shipped = checkpoint.export(first, tmp_path / "shipped")
    monkeypatch.setattr(checkpoint, "SHIPPED", tmp_path / "shipped")
    config = training(documents, init_from="shipped", rates=_still(), steps=1)
    second = train(config, tmp_path / "b", device="cpu")
    wanted = read_float32(tmp_path / "shipped" / model_folder.MODEL)
    manifest = checkpoint.read_manifest(second)
    got = checkpoint.read_tensors(second, model_folder.MODEL, manifest)
    assert got.keys() == wanted.keys()
    assert all(np.array_equal(got[name].numpy(), array) for name, array in wanted.items())
    digest = shipped["files"][model_folder.MODEL]["sha256"]
    assert manifest["trained_on"][0] == {
        "kind": "Model",
        "sha256": digest,
        "step": 6,
        "trained_on": shipped["trained_on"],
    }


def test_what_is_exported_says_what_it_was_trained_on(documents: Path, tmp_path: Path) -> None:
    """Kinds, numbers, names and digests; no path of the machine that trained."""
    data = documents / "train.bin"
    program = f"import sys; sys.stdout.buffer.write(open({str(data)!r}, 'rb').read())"
    words = (sys.executable, "-c", program, "--recipe", str(tmp_path / "tiny.py"), "--split", "train")
    both = (Files(paths=(str(data),), weight=2.0), Live(commands=(words, words), ahead=1))
    last = train(training(documents, sources=both), tmp_path / "run", device="cpu")
    wanted = [
        {
            "kind": "Files",
            "weight": 2.0,
            "files": [{"name": "train.bin", "sha256": hashlib.sha256(data.read_bytes()).hexdigest()}],
        },
        {"kind": "Live", "weight": 1.0, "commands": 2, "recipe": "tiny.py", "split": "train"},
    ]
    manifest = checkpoint.export(last, tmp_path / "weights")
    assert manifest["trained_on"] == wanted
    assert str(tmp_path) not in json.dumps(manifest)
    assert str(documents) not in json.dumps(manifest)
    # A resume: nothing twice.
    train(training(documents, sources=both, steps=7), tmp_path / "run", device="cpu")
    assert checkpoint.export(tmp_path / "run", tmp_path / "weights")["trained_on"] == wanted
    path = checkpoint.checkpoint_path(tmp_path / "run", 7) / model_folder.MANIFEST
    older = json.loads(path.read_text())
    del older["trained_on"]
    path.write_text(json.dumps(older))
    assert checkpoint.export(tmp_path / "run", tmp_path / "weights")["trained_on"] == wanted


def test_a_run_goes_on_only_with_the_sources_it_had(documents: Path, tmp_path: Path) -> None:
    path = str(documents / "train.bin")
    single, double = Files(paths=(path,)), Files(paths=(path, path))
    train(training(documents, sources=(single, double), steps=1), tmp_path, device="cpu")
    with pytest.raises(UsageError, match="was trained on 2 sources, not on 1"):
        train(training(documents, sources=(single,)), tmp_path, device="cpu")
    with pytest.raises(UsageError, match="source 2 had 2 files, not 1"):
        train(training(documents, sources=(single, single)), tmp_path, device="cpu")
    train(training(documents, sources=(single,), steps=1), tmp_path, resume=False, device="cpu")


def test_a_run_goes_on_only_in_the_lanes_it_had(documents: Path, tmp_path: Path) -> None:
    train(training(documents, lanes=2, steps=1), tmp_path, device="cpu")
    with pytest.raises(UsageError, match="has 2 lanes of documents, not 4"):
        train(training(documents, lanes=4), tmp_path, device="cpu")
    last = train(training(documents, steps=2), tmp_path, device="cpu")  # as many as there are
    assert {"stream-0.bin", "stream-1.bin"} <= set(os.listdir(last))
    assert checkpoint.read_manifest(last)["documents"] > 0


def test_a_dataset_that_has_lost_its_shards_is_named(documents: Path, tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pairs = echoes(2000, 0)  # more than wait for a row: the run is beyond the first shard
    for n in range(2):
        part = pairs[1000 * n : 1000 * (n + 1)]
        columns = {"prompt": [a.decode() for a, _ in part], "steps": [b.decode() for _, b in part]}
        (tmp_path / "data").mkdir(exist_ok=True)
        parquet.write_table(pyarrow.table(columns), tmp_path / "data" / f"{n}.parquet")
    source = Dataset(folder=str(tmp_path / "data"))
    train(training(documents, sources=(source,), steps=2, rows=8), tmp_path / "run", device="cpu")
    (tmp_path / "data" / "1.parquet").unlink()
    with pytest.raises(UsageError, match="fewer shards than at step 2"):
        train(training(documents, sources=(source,), rows=8), tmp_path / "run", device="cpu")


RECIPE = """\
from worldline.data.sources import Files
from worldline.model.shape import Shape
from worldline.model.train.config import Training

def training():
    return Training(shape=Shape(depth=2, window=32), sources=(Files(paths=({path!r},)),), rows=4, time=64,
                    steps=1_000_000, warmup=2, log_every=1, eval_every=0, save_every=0)
"""


@pytest.mark.long(reason="a trainer in another process is killed; test_files.py has the lock")
def test_of_two_trainers_one_has_the_folder_and_a_dead_one_s_is_taken_over(
    documents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe, run = tmp_path / "recipe.py", tmp_path / "run"
    recipe.write_text(RECIPE.format(path=str(documents / "train.bin")))
    words = ["--recipe", str(recipe), "--out", str(run), "--device", "cpu"]
    with subprocess.Popen([sys.executable, "-m", "worldline.model.train", *words], stdout=subprocess.DEVNULL) as first:
        try:
            while first.poll() is None and not metrics.read_metrics(run):
                time.sleep(0.05)
            assert first.poll() is None
            assert main([*words, "--steps", "2"]) == 3
            assert "error[busy]" in capsys.readouterr().err
            assert main([*words, "--steps", "2", "--fresh"]) == 3
            assert first.poll() is None
        finally:
            first.kill()
    assert (run / ".lock").exists()
    assert main([*words, "--steps", "2"]) == 0
    assert not (run / ".lock").exists()
    assert checkpoint.latest_checkpoint(run) == checkpoint.checkpoint_path(run, 2)


def test_training_in_somebody_s_folder_is_refused_and_all_stays(documents: Path, tmp_path: Path) -> None:
    foreign: tuple[dict[str, str], ...] = (
        {".notes.tmp": "mine", ".lock": "mine"},
        {"config.json": '{"suite": "x"}', ".config.json.1-2.tmp": "mine"},
        {"config.json": "{", ".lock": "mine"},
        {"diary": "mine"},
        {"held-out.bin": "mine"},
        {"metrics.jsonl": "{}"},
        {"held-out.bin": "mine", "step-00000001/manifest.json": "{}"},
    )
    for number, several in enumerate(foreign):
        folder = tmp_path / str(number)
        for name, text in several.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        for resume in (True, False):
            with pytest.raises(UsageError, match="training run"):
                train(training(documents), folder, device="cpu", resume=resume)
        left = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
        assert {name: path.read_text() for name, path in left.items()} == several


def test_a_run_killed_before_its_first_checkpoint_goes_on(
    documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it is killed: what it wrote first says whose the folder is."""
    held = Files(paths=(str(documents / "test.bin"),))
    config = training(documents, steps=1, held_out=held, held_out_documents=1)
    real = files.write

    for name in ("config.json", "held-out.bin", "model.safetensors", "manifest.json"):

        def killed(path: Path, data: bytes, *, last: str = name, fsync: bool = True) -> str:
            done = real(path, data, fsync=fsync)
            if path.name == last:
                raise KeyboardInterrupt
            return done

        with monkeypatch.context() as patch:
            patch.setattr(files, "write", killed)
            with pytest.raises(KeyboardInterrupt):
                train(config, tmp_path / name, device="cpu")
        assert train(config, tmp_path / name, device="cpu").name == "step-00000001"


def test_a_run_s_links_are_not_followed(documents: Path, tmp_path: Path) -> None:
    run, victim = tmp_path / "run", tmp_path / "victim"
    victim.mkdir()
    (victim / "diary").write_text("mine")
    (victim / model_folder.MANIFEST).write_text("mine")
    (tmp_path / "disk").mkdir()
    run.symlink_to(tmp_path / "disk")  # the folder itself may be one
    train(training(documents, steps=2), run, device="cpu")
    names = (".anything.tmp", "step-00000001", ".step-00000003.new.tmp", ".step-00000003.tmp", ".metrics.jsonl.1-1.tmp")
    for name in names:
        (run / name).symlink_to(victim)
    (run / ".config.json.1-1.tmp").symlink_to(victim / "diary")
    train(training(documents, steps=3, keep=1), run, device="cpu")
    train(training(documents, steps=1), run, device="cpu", resume=False)
    assert {path.name: path.read_text() for path in victim.iterdir()} == {
        "diary": "mine",
        model_folder.MANIFEST: "mine",
    }
    assert sorted(path.name for path in (tmp_path / "disk").iterdir()) == [
        ".anything.tmp",
        "config.json",
        "metrics.jsonl",
        "step-00000001",
    ]
    assert not (run / "step-00000001").is_symlink()


def test_sigterm_ends_a_run_that_waits_for_documents(documents: Path, tmp_path: Path) -> None:
    run, begun = tmp_path / "run", tmp_path / "begun"
    waits = f"import pathlib, time; pathlib.Path({str(begun)!r}).touch(); time.sleep(600)"
    live = Live(commands=((sys.executable, "-c", waits),), ahead=1)
    before, sent = signal.getsignal(signal.SIGTERM), []

    def end() -> None:
        while signal.getsignal(signal.SIGTERM) == before or not begun.exists():
            time.sleep(0.02)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=end)
    thread.start()
    last = train(training(documents, sources=(live,)), run, device="cpu")
    took = time.monotonic() - sent[0]
    thread.join()
    assert took < 120
    assert last == checkpoint.checkpoint_path(run, 0)
    train(training(documents, steps=1), run, device="cpu")
    assert checkpoint.latest_checkpoint(run) == checkpoint.checkpoint_path(run, 1)


def test_a_fresh_run_holds_out_anew(documents: Path, tmp_path: Path) -> None:
    for letter in (b"x", b"y"):
        pair = (b">f(" + letter + b")\n", b"(1\n)" + letter + b"\n.\n")
        (tmp_path / "held.bin").write_bytes(encode_frame(pair))
        held = Files(paths=(str(tmp_path / "held.bin"),))
        config = training(documents, steps=1, held_out=held, held_out_documents=1)
        train(config, tmp_path / "run", resume=False, device="cpu")
        assert parse_frames((tmp_path / "run" / "held-out.bin").read_bytes()) == [pair]


def _still() -> LearningRates:
    return LearningRates(matrix=0.0, embed=0.0, head=0.0, rates=0.0, vector=0.0)


def test_a_live_source_feeds_a_run(documents: Path, tmp_path: Path) -> None:
    program = f"import sys; sys.stdout.buffer.write(open({str(documents / 'train.bin')!r}, 'rb').read())"
    live = Live(commands=((sys.executable, "-c", program),), ahead=10)
    train(training(documents, sources=(live,)), tmp_path, device="cpu")
    assert metrics.read_metrics(tmp_path)[-1]["fresh"] > 0


def test_a_run_whose_sources_end_keeps_what_it_learned(documents: Path, tmp_path: Path) -> None:
    program = f"import sys; sys.stdout.buffer.write(open({str(documents / 'train.bin')!r}, 'rb').read())"
    live = Live(commands=((sys.executable, "-c", program),), ahead=10, repeat=4)
    with pytest.raises(DryError):
        train(training(documents, sources=(live,), steps=10_000, rows=16, time=256), tmp_path, device="cpu")
    assert checkpoint.latest_checkpoint(tmp_path) is not None


def test_documents_held_out_are_drawn_once_and_kept(documents: Path, tmp_path: Path) -> None:
    program = f"import sys; sys.stdout.buffer.write(open({str(documents / 'test.bin')!r}, 'rb').read())"
    held = Live(commands=((sys.executable, "-c", program),), ahead=1)
    config = training(documents, steps=1, held_out=held, held_out_documents=40)
    train(config, tmp_path, device="cpu")
    assert parse_frames((tmp_path / "held-out.bin").read_bytes()) == echoes(40, 1)
    train(replace(config, steps=2, held_out=Live(commands=(("false",),))), tmp_path, device="cpu")
    assert metrics.read_metrics(tmp_path)[-1]["held_out_documents"] == 40


def test_the_loss_in_slices_is_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    model = Trunk(SHAPE)
    torch.nn.init.normal_(model.head)
    batch = to_tensors(pack(echoes(20, 0), rows=3, time=64)[0])
    whole = train_loss.loss_sum(model, batch)
    whole.backward()  # type: ignore[no-untyped-call]
    assert model.head.grad is not None
    wanted = model.head.grad.clone()
    model.zero_grad()
    monkeypatch.setattr(train_loss, "MAX_LOGITS", 256 * 50)
    sliced = train_loss.loss_sum(model, batch)
    sliced.backward()  # type: ignore[no-untyped-call]
    assert torch.allclose(whole, sliced)
    assert torch.allclose(model.head.grad, wanted, atol=1e-4)


def test_only_steps_count(documents: Path) -> None:
    """Bytes of prompts and fillers have no part in the loss."""
    model = Trunk(SHAPE)
    batch = pack(echoes(2, 0), rows=2, time=64)[0]
    nothing = float(train_loss.loss_sum(model, to_tensors(batch)).detach())  # of a fresh model: 8 bits a byte
    assert nothing / math.log(256) == pytest.approx(sum(len(steps) for _, steps in echoes(2, 0)))


@pytest.mark.parametrize(
    "bad",
    [
        {"minutes": 1.0},
        {"steps": 0},
        {"rows": 0},
        {"cooldown": 2.0},
        {"phases": ((0.5, 64, 1), (0.2, 64, 1))},
        {"lanes": 3},
        {"lanes": 4, "phases": ((0.5, 128, 2),)},
        {"sharded": True, "tutor": ("nobody",)},
    ],
)
def test_impossible_trainings_are_refused(documents: Path, bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        training(documents, **bad)


@pytest.mark.long(reason="imports torch in a process of its own")
def test_a_trainer_needs_torch_numpy_and_safetensors_alone() -> None:
    """An accelerator's machine may have no more."""
    program = "import sys; sys.modules.update(dict.fromkeys(['msgspec', 'click', 'rich', 'pyarrow']))"
    subprocess.run([sys.executable, "-c", program + "; import worldline.model.train.loop"], check=True)


RECIPE = """\
from worldline.data.sources import Files
from worldline.model.shape import Shape
from worldline.model.train.config import Training

def training():
    return Training(shape=Shape(depth=2, window=32), sources=(Files(paths=({path!r},)),), rows=2, time=64, steps=4,
                    log_every=1, save_every=2)
"""


def test_the_command(documents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = tmp_path / "tiny.py"
    recipe.write_text(RECIPE.format(path=str(documents / "train.bin")))
    arguments = ["--recipe", str(recipe), "--out", str(tmp_path / "run"), "--device", "cpu"]
    assert main([*arguments, "--steps", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("step-00000002")
    assert main([*arguments, "--fresh", "--steps", "1"]) == 0
    assert checkpoint.latest_checkpoint(tmp_path / "run") == checkpoint.checkpoint_path(tmp_path / "run", 1)
    assert main([*arguments, "--function", "none"]) == 2
    stderr = capsys.readouterr().err
    assert stderr.startswith("error[usage]: ")
    assert "has no function none()" in stderr


@pytest.mark.long(reason="trains in two processes")
def test_two_trainers_are_one(documents: Path, tmp_path: Path) -> None:
    """Two processes over gloo end with one checkpoint that both have fed, and can go on from it."""
    recipe = tmp_path / "tiny.py"
    recipe.write_text(RECIPE.format(path=str(documents / "train.bin")))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "worldline.model.train", "--recipe", str(recipe), "--out", str(tmp_path / "run")]
    base = {
        **os.environ,
        "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "OMP_NUM_THREADS": "1",
    }
    processes = [
        subprocess.Popen([*command, "--device", "cpu"], env={**base, "RANK": str(n), "LOCAL_RANK": str(n)})
        for n in range(2)
    ]
    assert [process.wait(timeout=300) for process in processes] == [0, 0]
    names = os.listdir(tmp_path / "run" / "step-00000004")
    assert {"stream-0.bin", "stream-1.bin"} <= set(names)
    losses = [line["loss"] for line in metrics.read_metrics(tmp_path / "run")]
    assert losses[-1] < losses[0]
