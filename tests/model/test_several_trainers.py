"""Several trainers under a real torchrun are one: in loss and weights, killed in the middle, and in another number."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch

from worldline.core.errors import UsageError
from worldline.data.batches import document_digests
from worldline.data.frames import encode_frame
from worldline.data.lanes import Lanes
from worldline.data.recipe import load_config
from worldline.data.sources import Files
from worldline.model import checkpoint, model_folder
from worldline.model.train import metrics
from worldline.model.train.config import Training, with_changes
from worldline.model.train.feed import Feed
from worldline.model.train.loop import train
from worldline.model.train.ranks import torchrun_command
from worldline.model.train.schedule import BatchPhase

RECIPE = """\
from worldline.data.sources import Files
from worldline.model.shape import Shape
from worldline.model.train.config import Training

def training():
    return Training(shape=Shape(depth=2, window=32), sources=(Files(paths=({path!r},)),), rows=6, time=64, lanes=6,
                    steps=5, warmup=2, cooldown=0.0, log_every=1, eval_every=2, save_every=2, keep=50,
                    held_out=Files(paths=({path!r},)), held_out_documents=20)
"""


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe of a small run over documents that are all different."""
    folder = tmp_path_factory.mktemp("several")
    pairs = [(b">f(%d)\n" % n, b"(1\n)%d\n.\n" % (n * n)) for n in range(1500)]
    (folder / "train.bin").write_bytes(b"".join(encode_frame(pair) for pair in pairs))
    (folder / "small.py").write_text(RECIPE.format(path=str(folder / "train.bin")))
    return folder / "small.py"


def alone(recipe: Path, out: Path, *, steps: int = 5) -> Path:
    """The same run by one trainer, here."""
    return train(with_changes(load_config(recipe, "training", Training), steps=steps), out, device="cpu")


def start(recipe: Path, out: Path, count: int, *words: str) -> subprocess.Popen[bytes]:
    """So many trainers under torchrun."""
    arguments = ["--recipe", str(recipe), "--out", str(out), "--device", "cpu", *words]
    return subprocess.Popen(
        torchrun_command(arguments, processes=str(count)), env={**os.environ, "OMP_NUM_THREADS": "1"}
    )


def assert_alike(first: Path, second: Path) -> None:
    """Checkpoints of one step: places in the documents to the byte, tensors within rounding."""
    left, right = checkpoint.read_manifest(first), checkpoint.read_manifest(second)
    assert left["step"] == right["step"]
    assert left["documents"] == right["documents"] > 0
    assert left["files"].keys() == right["files"].keys()
    for n in range(6):
        name = f"stream-{n}.bin"
        assert left["files"][name] == right["files"][name]
    for name in (model_folder.MODEL, model_folder.EMA, model_folder.OPTIMIZER):
        expected, actual = (
            checkpoint.read_tensors(path, name, checkpoint.read_manifest(path)) for path in (first, second)
        )
        for key, tensor in expected.items():
            torch.testing.assert_close(
                actual[key], tensor, atol=2e-5, rtol=1e-4, msg=lambda text, key=key: f"{key}: {text}"
            )


def curve(run: Path) -> list[tuple[float, ...]]:
    """Step, loss and norm, and what was held out, of every line."""
    names = ("step", "loss", "norm", "held_out_bits")
    return [tuple(line.get(name, 0.0) for name in names) for line in metrics.read_metrics(run)]


def assert_one_curve(whole: Path, other: Path) -> None:
    """The same figures at the same steps; a step that nobody had looked at when a run was killed has no line."""
    wanted = {row[0]: row for row in curve(whole)}
    points = curve(other)
    assert points[-1][0] == max(wanted)
    assert len(points) >= len(wanted) - 1
    np.testing.assert_allclose(np.array(points), np.array([wanted[row[0]] for row in points]), rtol=1e-4)


@pytest.mark.long(reason="torchrun starts two sharded trainers")
def test_two_sharded_trainers_are_one(recipe: Path, tmp_path: Path) -> None:
    """FSDP2, started by `worldline train --nproc-per-node`; the average is measured in the middle."""
    words = [str(recipe), "-o", str(tmp_path / "two"), "--device", "cpu", "--sharded", "--nproc-per-node", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "worldline", "train", *words],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=300,
        check=True,
    )
    assert done.stdout.splitlines()[-1].endswith("step-00000005")
    assert done.stdout.count("step-00000005") == 1
    single = alone(recipe, tmp_path / "one")
    assert_one_curve(tmp_path / "one", tmp_path / "two")
    assert_alike(single, tmp_path / "two" / single.name)


@pytest.mark.long(reason="torchrun starts two trainers, which are killed, and then three")
def test_two_trainers_killed_go_on_as_one_and_as_three(recipe: Path, tmp_path: Path) -> None:
    run = tmp_path / "three"
    process = start(recipe, run, 2, "--steps", "1000000")
    try:
        deadline = time.monotonic() + 300
        while len(metrics.read_metrics(run)) < 3 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert process.poll() is None
    finally:
        kill(process)
    saved = checkpoint.latest_checkpoint(run)
    assert saved is not None
    step = checkpoint.read_manifest(saved)["step"]
    shutil.copytree(run, tmp_path / "one")
    assert start(recipe, run, 3, "--steps", str(step + 3), "--sharded").wait(timeout=300) == 0
    whole = alone(recipe, tmp_path / "whole", steps=step + 3)
    alone(recipe, tmp_path / "one", steps=step + 3)
    for resumed in (run, tmp_path / "one"):
        assert_one_curve(tmp_path / "whole", resumed)
        assert_alike(whole, resumed / whole.name)


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to torchrun and to all that it started, trainers and their children."""
    pids = [process.pid]
    for parent in pids:
        with suppress(OSError):  # it has ended by itself
            for tasks in Path(f"/proc/{parent}/task").glob("*/children"):
                pids += [int(word) for word in tasks.read_text().split()]
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    for pid in pids[1:]:
        with suppress(OSError):
            while "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2][:3]:
                time.sleep(0.02)


def fed(source: Files, ranks: int, batches: int, states: Sequence = (), first: int = 0) -> tuple[list, list]:  # type: ignore[type-arg]
    """The rows of each of so many batches, whoever made them, as a sorted list; and where lanes stand behind."""
    rows: list[list[bytes]] = [[] for _ in range(batches)]
    documents: list[str] = []
    behind = {}
    for rank in range(ranks):
        lanes = Lanes(count=6, rank=rank, ranks=ranks)
        feed = Feed((source,), lambda n: BatchPhase(0.0, 64, 6), lanes=lanes, states=states, first=first)
        for n in range(batches):
            batch = next(feed)
            rows[n] += [row.tobytes() for row in batch.batch.data]
            documents += document_digests(batch.batch)
        behind |= batch.states
        feed.close()
    assert len(set(documents)) == len(documents)
    return [sorted(batch_rows) for batch_rows in rows], [behind[n] for n in range(6)]


def test_a_batch_is_the_same_of_any_number_of_trainers(recipe: Path) -> None:
    source = Files(paths=(str(recipe.parent / "train.bin"),))
    wanted, _ = fed(source, 1, 12)
    assert fed(source, 6, 12)[0] == wanted
    rows: list[list[bytes]] = []
    states: list = []  # type: ignore[type-arg]
    for ranks, batches in ((2, 5), (4, 4), (1, 3)):
        more, states = fed(source, ranks, batches, states, len(rows))
        rows += more
    assert rows == wanted


def test_nodes_are_torchrun_s_own_options() -> None:
    command = torchrun_command(["--out", "x"], nodes="2", processes="8", endpoint="first:29400")
    assert command[1:] == [
        "-m",
        "torch.distributed.run",
        "--rdzv-backend",
        "c10d",
        "--nnodes",
        "2",
        "--nproc-per-node",
        "8",
        "--rdzv-endpoint",
        "first:29400",
        "-m",
        "worldline.model.train",
        "--out",
        "x",
    ]
    with pytest.raises(UsageError, match="several nodes need --rdzv-endpoint"):
        torchrun_command([], nodes="2")
