"""The step of one byte in torch, run eagerly or exported to ONNX: what worldline's engines are measured against.

The state is a list of tensors in and out. The keys in sight are a fixed number, those of the prompt and a full window,
so that every shape is constant; it starts from a state that NumPy's engine has filled.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from worldline.model.engine import reference as engine
from worldline.model.hybrid import Trunk, l2_norm, rms_norm
from worldline.model.shape import HEAD_SIZE, KV_HEADS, Shape
from worldline.model.weights import FloatArray, read_float32


class Step(nn.Module):
    """One byte for each state of a batch: (ids [batch], state) -> (logits, state)."""

    def __init__(self, trunk: Trunk, prompt: int) -> None:
        super().__init__()
        self.trunk, self.shape = trunk, trunk.shape
        window = trunk.shape.window
        distance = torch.cat([torch.zeros(prompt), torch.arange(window - 1, -1, -1)])
        slopes = torch.tensor(trunk.shape.slopes)
        self.register_buffer("cost", (slopes[:, None] * distance).view(KV_HEADS, -1, prompt + window))
        self.stretch = max(float(np.log(np.float32(prompt + window))), 1.0)

    def forward(self, ids: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
        x, held, out = functional.embedding(ids, self.trunk.embed), iter(state), []
        x = rms_norm(x)
        for kind, layer in zip(self.shape.layers, self.trunk.layers, strict=True):
            y, short = _short(rms_norm(x), next(held), layer.mixer_short.taps)
            mix = self._attention if kind == "attention" else self._delta
            mixed, memory = mix(layer.mixer, y, held)
            x = x + mixed
            y, second = _short(rms_norm(x), next(held), layer.mlp_short.taps)
            x = x + layer.mlp(y)
            out += [short, *memory, second]
        return functional.linear(rms_norm(x), self.trunk.head), *out

    def _delta(self, mixer: Any, x: Tensor, held: Any) -> tuple[Tensor, list[Tensor]]:
        shape, state = self.shape, next(held)
        q, k, v, gate = mixer.inner(x).split(shape.delta_rows, -1)
        q, gate = (y.unflatten(-1, (shape.heads, HEAD_SIZE)) for y in (q, gate))
        k, v = (y.unflatten(-1, (shape.householders, shape.heads, HEAD_SIZE)) for y in (k, v))
        beta, g = mixer._rates(functional.linear(x, mixer.rates, mixer.bias))
        state = state * g.exp()[..., None, None]
        for n in range(shape.householders):
            key = l2_norm(k[:, n])
            change = beta[:, n, :, None] * (v[:, n] - (state @ key.unsqueeze(-1)).squeeze(-1))
            state = state + change.unsqueeze(-1) * key.unsqueeze(-2)
        out = rms_norm((state @ l2_norm(q).unsqueeze(-1)).squeeze(-1)) * functional.silu(gate)
        return mixer.outer(out.flatten(-2)), [state]

    def _attention(self, mixer: Any, x: Tensor, held: Any) -> tuple[Tensor, list[Tensor]]:
        shape = self.shape
        pinned, recent = next(held), next(held)  # [batch, key or value, SHARED, bytes, HEAD]
        q, k, v, gate = mixer.inner(x).split(shape.attention_rows, -1)
        fresh = torch.stack(
            [rms_norm(k.unflatten(-1, (KV_HEADS, HEAD_SIZE))), v.unflatten(-1, (KV_HEADS, HEAD_SIZE))], 1
        )
        recent = torch.cat([recent[:, :, :, 1:], fresh.unsqueeze(3)], 3)
        keys, values = torch.cat([pinned, recent], 3).unbind(1)
        q = rms_norm(q.unflatten(-1, (shape.queries, HEAD_SIZE))) * (
            mixer.sharpness * (self.stretch / HEAD_SIZE**0.5)
        ).unsqueeze(-1)
        scores = q.unflatten(1, (KV_HEADS, -1)) @ keys.transpose(-1, -2) - self.cost
        out = scores.softmax(-1) @ values
        return mixer.outer(out.flatten(1) * gate.sigmoid()), [pinned, recent]


def _short(x: Tensor, held: Tensor, taps: Tensor) -> tuple[Tensor, Tensor]:
    seen = torch.cat([held, x.unsqueeze(1)], 1)
    return x + (seen * taps.flip(0)).sum(1), seen[:, 1:]


def start(shape: Shape, path: Path, data: bytes, prompt: int) -> list[Tensor]:
    """A state that has read `data`, as tensors without a batch."""
    machine = engine.ReferenceEngine(shape, read_float32(path))
    state = machine.start()
    machine.feed(state, data[:prompt], pin=True)
    machine.feed(state, data[prompt:], pin=False)
    found: list[FloatArray] = []
    for memory in state.memories:
        found.append(memory.mixer_short)
        if memory.pinned is not None and memory.recent is not None:
            found += [memory.pinned.newest(prompt), memory.recent.newest(shape.window)]
        elif memory.delta is not None:
            found.append(memory.delta)
        found.append(memory.mlp_short)
    return [torch.from_numpy(array.copy()) for array in found]


def peer(kind: str, shape: Shape, path: Path, threads: int, data: bytes, prompt: int) -> Callable[[int], Any]:
    """A step of a batch of copies of one state, in torch or in ONNX Runtime."""
    torch.set_num_threads(threads)
    trunk = Trunk(shape).eval()
    trunk.load_state_dict({name: torch.from_numpy(array) for name, array in read_float32(path).items()})
    step, blank = Step(trunk, prompt).eval(), start(shape, path, data, prompt)
    run = _torch if kind == "torch" else _onnx
    return lambda batch: run(step, [x.expand(batch, *x.shape).contiguous() for x in blank], threads)


def _torch(step: Step, state: list[Tensor], threads: int) -> Callable[[bytes], FloatArray]:
    def run(data: bytes) -> FloatArray:
        nonlocal state
        with torch.inference_mode():
            logits, *state = step(torch.tensor(list(data)), *state)
        found: FloatArray = logits.numpy()
        return found

    return run


def _onnx(step: Step, state: list[Tensor], threads: int) -> Callable[[bytes], FloatArray]:
    import onnxruntime  # type: ignore[import-untyped]

    names = [f"s{n}" for n in range(len(state))]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "step.onnx"
        example = (torch.zeros(len(state[0]), dtype=torch.long), *state)
        torch.onnx.export(
            step, example, target, input_names=["ids", *names], output_names=["logits", *(f"new_{n}" for n in names)],
            dynamo=True, verbose=False,
        )  # fmt: skip
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        session = onnxruntime.InferenceSession(target, options, providers=["CPUExecutionProvider"])
    outputs = [output.name for output in session.get_outputs()]
    wrap = onnxruntime.OrtValue.ortvalue_from_numpy
    held = [wrap(x.numpy()) for x in state]

    def run(data: bytes) -> FloatArray:
        nonlocal held
        ids = wrap(np.frombuffer(data, np.uint8).astype(np.int64))
        logits, *held = session.run_with_ort_values(outputs, {"ids": ids} | dict(zip(names, held, strict=True)))
        found: FloatArray = logits.numpy()
        return found

    return run
