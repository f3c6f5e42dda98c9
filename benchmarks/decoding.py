"""How fast a byte is decoded by NumPy, C in float32 and int8, torch eager and ONNX Runtime, on as many threads each.

Each engine is measured in a fresh process on the same random weights (or `--weights FILE`, of the shape that the
manifest beside it says: the shipped model's are src/worldline/model/shipped/model.safetensors), behind the same prompt
and a trace that fills the window; bytes a second are the best of some rounds, memory is what the process holds at
batch 1. worldline's engines also read a prompt of `READ` bytes at once. All engines also read the same forced bytes: if
their logits disagree, nothing is reported.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from worldline.model.checkpoint import read_manifest
from worldline.model.engine import native as engine_native
from worldline.model.engine import reference as engine
from worldline.model.engine.reference import parameter_shapes
from worldline.model.model_folder import MANIFEST
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray, read_float32, read_stored

ENGINES = {
    "torch": "torch eager",
    "onnx": "ONNX Runtime",
    "numpy": "worldline, NumPy",
    "fp32": "worldline, C float32",
    "int8": "worldline, C int8",
}
BATCHES = (1, 32)
PROMPT, FORCED, ROUNDS, READ = 512, 16, 5, 2048
SLACK = {"int8": 0.2}  # of the largest logit; others 1e-3
Step = Callable[[bytes], FloatArray]


def text(count: int) -> bytes:
    """Bytes that are the same in every process."""
    return np.random.default_rng(7).integers(0, 256, count, np.uint8).tobytes()


def write_weights(path: Path, shape: Shape) -> None:
    """Random weights of about the size of trained ones, in bfloat16, as safetensors."""
    rng, header, blob = np.random.default_rng(0), {}, bytearray()
    for name, size in parameter_shapes(shape).items():
        drawn = (rng.standard_normal(size, np.float32) * np.float32(size[-1] ** -0.5)).view(np.uint32) >> 16
        data = drawn.astype("<u2").tobytes()
        header[name] = {"dtype": "BF16", "shape": list(size), "data_offsets": [len(blob), len(blob) + len(data)]}
        blob += data
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(len(head).to_bytes(8, "little") + head + blob)


def shape_of(weights: Path | None, depth: int) -> Shape:
    """The shape that the manifest beside the weights says; without one, the default of a depth."""
    if weights is None or not (weights.parent / MANIFEST).is_file():
        return Shape(depth=depth)
    return Shape(**read_manifest(weights.parent)["shape"])


def resident() -> float:
    """Megabytes that this process holds."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def speed(step: Step, batch: int, seconds: float) -> float:
    """Bytes a second over all states of a batch, the best of some rounds."""
    data, best = text(batch), 0.0
    for _ in range(ROUNDS):
        count, began = 0, time.perf_counter()
        while (taken := time.perf_counter() - began) < seconds / ROUNDS or not count:
            step(data)
            count += batch
        best = max(best, count / taken)
    return best


def own(machine: Any, shape: Shape) -> Callable[[int], Step]:
    """A step of one of worldline's engines, for a batch of forks of one state."""
    state = machine.start()
    data = text(PROMPT + shape.window)
    machine.feed(state, data[:PROMPT], pin=True)
    machine.feed(state, data[PROMPT:], pin=False)

    def make(batch: int) -> Step:
        states = [state.fork() for _ in range(batch)]
        return lambda data: machine.step(states, data)

    return make


def reading_speed(machine: Any) -> float:
    """Bytes a second of a prompt of `READ` bytes, the best of some rounds."""
    data, best = text(READ), 0.0
    for _ in range(ROUNDS):
        state, began = machine.start(), time.perf_counter()
        machine.feed(state, data, pin=True)
        best = max(best, READ / (time.perf_counter() - began))
    return best


def own_engine(kind: str, shape: Shape, path: Path, threads: int) -> Any:
    """One of worldline's engines."""
    if kind == "numpy":
        return engine.ReferenceEngine(shape, read_float32(path))
    return engine_native.NativeEngine(shape, read_stored(path), threads=threads, precision=kind)


def measure(kind: str, shape: Shape, path: Path, threads: int, seconds: float) -> dict[str, Any]:
    """All figures of one engine, in this process."""
    began, read = time.perf_counter(), 0.0
    if kind in ("torch", "onnx"):
        import decoding_peers

        make = decoding_peers.peer(kind, shape, path, threads, text(PROMPT + shape.window), PROMPT)
    else:
        machine = own_engine(kind, shape, path, threads)
        make = own(machine, shape)
    ready = time.perf_counter() - began
    step = make(1)
    logits = [step(bytes([byte]))[0].tolist() for byte in text(FORCED)]
    one = speed(make(1), 1, seconds)
    memory = resident()
    speeds = {"1": one} | {str(batch): speed(make(batch), batch, seconds) for batch in BATCHES[1:]}
    if kind not in ("torch", "onnx"):
        read = reading_speed(machine)
    return {"speeds": speeds, "memory": memory, "ready": ready, "read": read, "logits": logits}


def child(kind: str, options: argparse.Namespace, weights: Path) -> dict[str, Any]:
    """The figures of one engine, from a fresh process with as many threads as the others."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    command = [sys.executable, __file__, "--engine", kind, "--weights", str(weights), "--depth", str(options.depth)]
    command += ["--threads", str(options.threads), "--seconds", str(options.seconds)]
    environment = os.environ | dict.fromkeys(names, str(options.threads))
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"{ENGINES[kind]}: {done.stderr.strip() or done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def disagreement(found: dict[str, dict[str, Any]]) -> str | None:
    """Which engine does not compute what NumPy's does, and by how much."""
    true = np.asarray(found["numpy"]["logits"])
    for kind, figures in found.items():
        off = float(np.abs(np.asarray(figures["logits"]) - true).max() / np.abs(true).max())
        if not off < SLACK.get(kind, 1e-3):
            return f"{ENGINES[kind]} is off by {off:.2g} of the largest logit"
    return None


def table(found: dict[str, dict[str, Any]]) -> str:
    """The figures as Markdown, each speed with its ratio to NumPy's."""
    lines = [
        "| engine | batch 1, bytes/s | x NumPy | batch 32, bytes/s | x NumPy | prompt, bytes/s | memory, MB |",
        "|---|---|---|---|---|---|---|",
    ]
    base = found["numpy"]["speeds"]
    for kind, figures in found.items():
        speeds = " | ".join(f"{n:,.0f} | {n / base[batch]:.1f}" for batch, n in figures["speeds"].items())
        read = f"{figures['read']:,.0f}" if figures["read"] else ""
        lines.append(f"| {ENGINES[kind]} | {speeds} | {read} | {figures['memory']:.0f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=engine_native.count_usable_threads())
    parser.add_argument("--seconds", type=float, default=5.0, help="for each engine and batch")
    parser.add_argument("--depth", type=int, default=Shape().depth)
    parser.add_argument(
        "--weights", type=Path, help="a safetensors file, its manifest beside it, instead of random weights"
    )
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    shape = shape_of(options.weights, options.depth)
    if options.engine:
        print(json.dumps(measure(options.engine, shape, options.weights, options.threads, options.seconds)))
        return
    with tempfile.TemporaryDirectory() as folder:
        weights = options.weights or Path(folder) / "weights.safetensors"
        if not options.weights:
            write_weights(weights, shape)
        found = {kind: child(kind, options, weights) for kind in ENGINES if kind in {*options.engines, "numpy"}}
    if off := disagreement(found):
        raise SystemExit(f"not reported: {off}")
    print(f"{options.threads} threads; in sight are {PROMPT} bytes of prompt and {shape.window} of trace\n")
    print(table(found))


if __name__ == "__main__":
    main()
