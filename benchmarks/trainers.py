"""What a training step costs with several processes on this machine's processors: copies of the weights, and sharded.

    python benchmarks/trainers.py [--json] [--depth N] [--steps N] [--counts 1,2]

Each run is of the same batches (lanes), under a real torchrun, a thread a process; the median over the lines of
`metrics.jsonl` of the seconds since the one before, the first two left out. The loss at the end is beside it, for it
must be the same. A loaded machine shows: run it alone.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from itertools import pairwise
from pathlib import Path

from worldline.data.frames import encode_frame
from worldline.model.train import metrics
from worldline.model.train.ranks import torchrun_command

RECIPE = """\
from worldline.data.sources import Files
from worldline.model.shape import Shape
from worldline.model.train.config import Training

def training():
    return Training(shape=Shape(depth={depth}, window=128), sources=(Files(paths=({path!r},)),), rows=8, time=256,
                    lanes=8, steps={steps}, warmup=2, log_every=1, eval_every=0, save_every=0)
"""


def measured(folder: Path, recipe: Path, count: int, *, sharded: bool) -> dict[str, float]:
    """Seconds a step and the last loss of one run."""
    out = folder / f"run-{count}-{sharded}"
    words = ["--recipe", str(recipe), "--out", str(out), "--device", "cpu", *(["--sharded"] if sharded else [])]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(torchrun_command(words, processes=str(count)), env=env, check=True, stdout=subprocess.DEVNULL)
    lines = metrics.read_metrics(out)
    between = [
        (after["elapsed"] - before["elapsed"]) / (after["step"] - before["step"])
        for before, after in pairwise(lines[2:])
    ]
    return {"seconds_a_step": statistics.median(between), "loss": lines[-1]["loss"]}


def main() -> None:
    """Print a row for each number of trainers and way to hold the weights."""
    parser = argparse.ArgumentParser(description="seconds a step of one and of several trainers")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--counts", default="1,2")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = [(b">f(%d)\n" % n, b"(1\n)%d\n.\n" % (n * n) * (1 + n % 9)) for n in range(20_000)]
        (folder / "train.bin").write_bytes(b"".join(encode_frame(pair) for pair in pairs))
        recipe = folder / "timed.py"
        recipe.write_text(RECIPE.format(depth=asked.depth, path=str(folder / "train.bin"), steps=asked.steps))
        for count in map(int, asked.counts.split(",")):
            for sharded in (False, True) if count > 1 else (False,):
                found = measured(folder, recipe, count, sharded=sharded)
                rows.append({"trainers": count, "weights": "sharded" if sharded else "copies", **found})
                if not asked.json:
                    print(
                        f"{count} trainers, {rows[-1]['weights']}: {found['seconds_a_step']:.3f} s a step, "
                        f"loss {found['loss']:.4f} bits",
                        flush=True,
                    )
    if asked.json:
        print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
