"""The trunk without torch: bytes in, logits of the next byte out, from a state that can be copied anytime.

This is the readable engine: NumPy in float32, one byte or a block of bytes at a time; native.py is its
fast twin. A state holds what a trace of any length needs: recurrent memories, the newest inputs of the
short convolutions, the keys of the pinned prompt and of the newest `window` bytes. To rewind, keep a
fork. Sampling happens elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldline.model.shape import CONV_TAPS, HEAD_SIZE, KV_HEADS, Shape
from worldline.model.weights import FloatArray, StoredArray, stored_shapes

NORM_EPSILON = 1e-6
# Bytes of a prompt that are multiplied by a matrix at once.
PROMPT_BLOCK = 64
TokenIds = bytes | Sequence[int]


@dataclass
class KeyValueBuffer:
    """Keys and values of consecutive bytes in a growing buffer: [key or value, KV_HEADS, bytes, HEAD_SIZE]."""

    data: FloatArray
    size: int = 0

    @classmethod
    def empty(cls) -> KeyValueBuffer:
        """Create a buffer of no bytes."""
        return cls(np.empty((2, KV_HEADS, 0, HEAD_SIZE), np.float32))

    def append(self, new: FloatArray) -> None:
        """Append the keys and values of some bytes."""
        end = self.size + new.shape[2]
        if end > self.data.shape[2]:
            grown = np.empty((2, KV_HEADS, 2 * end, HEAD_SIZE), np.float32)
            grown[:, :, : self.size] = self.data[:, :, : self.size]
            self.data = grown
        self.data[:, :, self.size : end] = new
        self.size = end

    def newest(self, count: int) -> FloatArray:
        """Return a view of the newest `count` bytes."""
        return self.data[:, :, max(0, self.size - count) : self.size]

    def trim(self, count: int) -> None:
        """Drop all but the newest `count` bytes. Data moves only when the buffer is full, so a byte stays cheap."""
        if self.size >= count + max(count, PROMPT_BLOCK):
            self.data[:, :, :count] = self.newest(count).copy()
            self.size = count

    def copy(self) -> KeyValueBuffer:
        """Return an independent copy."""
        return KeyValueBuffer(self.data[:, :, : self.size].copy(), self.size)


@dataclass
class LayerMemory:
    """Memory of one layer: convolution inputs, newest last, and a recurrent memory or keys."""

    mixer_short: FloatArray  # [TAPS - 1, width]
    mlp_short: FloatArray
    delta: FloatArray | None  # [heads, HEAD of the value, HEAD of the key]
    pinned: KeyValueBuffer | None
    recent: KeyValueBuffer | None

    def copy(self) -> LayerMemory:
        """Return an independent copy."""
        return LayerMemory(
            self.mixer_short.copy(),
            self.mlp_short.copy(),
            None if self.delta is None else self.delta.copy(),
            None if self.pinned is None else self.pinned.copy(),
            None if self.recent is None else self.recent.copy(),
        )

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        keys = (buffer.data for buffer in (self.pinned, self.recent) if buffer is not None)
        delta = () if self.delta is None else (self.delta,)
        return sum(array.nbytes for array in (self.mixer_short, self.mlp_short, *delta, *keys))


@dataclass
class EngineState:
    """Everything read so far that the future depends on.

    Attributes:
        memories: Memory of each layer.
        prompt: Number of pinned bytes read.
        trace: Number of bytes read after them.
    """

    memories: list[LayerMemory]
    prompt: int = 0
    trace: int = 0

    def fork(self) -> EngineState:
        """Return an independent copy."""
        return EngineState([memory.copy() for memory in self.memories], self.prompt, self.trace)

    @property
    def nbytes(self) -> int:
        """Bytes held; constant once the trace is longer than a few windows."""
        return sum(memory.nbytes for memory in self.memories)


class ReferenceEngine:
    """The trunk's function over `weights`, named as in its `state_dict()`. BLAS chooses its own threads."""

    def __init__(self, shape: Shape, weights: Mapping[str, FloatArray], *, threads: int | None = None) -> None:
        check_weights(shape, weights)
        self.shape = shape
        self.weights = weights

    def start(self) -> EngineState:
        """Return the state before the first byte."""
        return EngineState([_empty_memory(self.shape, kind) for kind in self.shape.layers])

    def feed(self, state: EngineState, data: TokenIds, *, pin: bool) -> FloatArray:
        """Read bytes and return the logits after the last one.

        Args:
            state: State to advance.
            data: Bytes to read, at least one.
            pin: Whether the bytes belong to the prompt, which stays visible and comes first.

        Returns:
            The logits, [vocabulary].

        Raises:
            ValueError: There are no bytes, an id is out of range, or the prompt follows the trace.
        """
        logits: FloatArray = self._feed(state, data, pin, every=False)[0]
        return logits

    def feed_all(self, state: EngineState, data: TokenIds, *, pin: bool) -> FloatArray:
        """Read bytes and return the logits after every one of them.

        Args:
            state: State to advance.
            data: Bytes to read.
            pin: Whether the bytes belong to the prompt.

        Returns:
            The logits, [bytes, vocabulary].
        """
        return self._feed(state, data, pin, every=True)

    def step(self, states: Sequence[EngineState], data: TokenIds) -> FloatArray:
        """Read one byte of the trace with each state.

        Args:
            states: Distinct states to advance.
            data: One byte per state.

        Returns:
            The logits, [states, vocabulary].
        """
        ids = to_id_array(self.shape, data)
        if len(ids) != len(states):
            raise ValueError(f"{len(states)} states cannot read {len(ids)} bytes")
        if len({id(state) for state in states}) != len(states):
            raise ValueError("the same state appears twice in one step")
        if not states:
            return np.empty((0, self.shape.vocabulary), np.float32)
        return self._logits(self._read(states, ids.reshape(-1, 1), False))

    def _feed(self, state: EngineState, data: TokenIds, pin: bool, *, every: bool) -> FloatArray:
        ids = to_id_array(self.shape, data)
        if not len(ids) and not every:
            raise ValueError("logits need at least one byte")
        if pin and state.trace and len(ids):
            raise ValueError("the prompt comes before the trace")
        out = [np.empty((0, self.shape.vocabulary), np.float32)]
        for first in range(0, len(ids), PROMPT_BLOCK):
            hidden = self._read([state], ids[None, first : first + PROMPT_BLOCK], pin)
            if every or first + PROMPT_BLOCK >= len(ids):
                out.append(self._logits(hidden if every else hidden[-1:]))
        return np.concatenate(out)

    def _logits(self, x: FloatArray) -> FloatArray:
        return rms_norm(x) @ self.weights["head"].T

    def _read(self, states: Sequence[EngineState], ids: NDArray[np.int32], pin: bool) -> FloatArray:
        """Residual stream after the last layer, [states x time, width], from ids [states, time]."""
        weights, (batch, time) = self.weights, ids.shape
        x = rms_norm(weights["embed"][ids])  # [states, time, width]
        for n, kind in enumerate(self.shape.layers):
            name, memories = f"layers.{n}.", [state.memories[n] for state in states]
            y = _short_conv(rms_norm(x), weights[name + "mixer_short.taps"], [m.mixer_short for m in memories])
            inner = y @ weights[name + "mixer.inner.weight"].T
            mixed = np.empty((batch, time, weights[name + "mixer.outer.weight"].shape[1]), np.float32)
            for b, (state, memory) in enumerate(zip(states, memories, strict=True)):
                if kind == "delta":
                    mixed[b] = self._delta(name + "mixer.", memory, y[b], inner[b])
                else:
                    mixed[b] = self._attention(name + "mixer.", state, memory, inner[b], pin)
            x = x + mixed @ weights[name + "mixer.outer.weight"].T
            y = _short_conv(rms_norm(x), weights[name + "mlp_short.taps"], [m.mlp_short for m in memories])
            gate, value = np.split(y @ weights[name + "mlp.inner.weight"].T, 2, axis=-1)
            x = x + (gate * sigmoid(gate) * value) @ weights[name + "mlp.outer.weight"].T
        for state in states:
            state.prompt, state.trace = state.prompt + time * pin, state.trace + time * (not pin)
        return x.reshape(batch * time, -1)

    def _delta(self, name: str, memory: LayerMemory, x: FloatArray, inner: FloatArray) -> FloatArray:
        """S <- decay S; S <- S + beta (v - S k) k^T for each Householder step; out = S q."""
        shape, steps, state = self.shape, self.shape.householders, memory.delta
        assert state is not None
        q, k, v, gate = np.split(inner, np.cumsum(shape.delta_rows)[:-1], axis=-1)
        q, gate = (y.reshape(len(x), shape.heads, HEAD_SIZE) for y in (q, gate))
        k, v = (y.reshape(len(x), steps, shape.heads, HEAD_SIZE) for y in (k, v))
        q, k = l2_norm(q), l2_norm(k)
        raw = x @ self.weights[name + "rates"].T + self.weights[name + "bias"]
        write, forget = np.split(raw, [shape.heads * steps], axis=-1)
        beta = 2 * sigmoid(write).reshape(len(x), steps, shape.heads, 1)
        decay = np.ones((len(x), shape.heads, 1, 1), np.float32)
        decay[:, : shape.gated, 0, 0] = sigmoid(-forget)
        out = np.empty_like(q)
        for t in range(len(x)):
            state *= decay[t]
            for n in range(steps):
                recalled = (state @ k[t, n, :, :, None])[..., 0]
                state += (beta[t, n] * (v[t, n] - recalled))[..., None] * k[t, n, :, None, :]
            out[t] = (state @ q[t, :, :, None])[..., 0]
        return (rms_norm(out) * gate * sigmoid(gate)).reshape(len(x), -1)

    def _attention(
        self, name: str, state: EngineState, memory: LayerMemory, inner: FloatArray, pin: bool
    ) -> FloatArray:
        """Attend to the pinned keys and the newest keys of the trace."""
        shape, time, pinned, recent = self.shape, len(inner), memory.pinned, memory.recent
        assert pinned is not None
        assert recent is not None
        q, k, v, gate = np.split(inner, np.cumsum(shape.attention_rows)[:-1], axis=-1)
        k, v = (y.reshape(time, KV_HEADS, HEAD_SIZE).swapaxes(0, 1) for y in (k, v))
        (pinned if pin else recent).append(np.stack([rms_norm(k), v]))
        q = rms_norm(q.reshape(time, shape.queries, HEAD_SIZE)) * self._sharpness(name, state, time, pin)
        q = q.swapaxes(0, 1).reshape(KV_HEADS, -1, HEAD_SIZE)  # [SHARED, group x time, HEAD]
        parts = [pinned.newest(pinned.size), recent.newest(shape.window + time - 1)]
        costs = [self._later(time, pinned.size) if pin else 0, self._cost(time, parts[1].shape[2])]
        scores = [
            (q @ keys_values[0].swapaxes(-1, -2)).reshape(shape.queries, time, -1) - cost
            for keys_values, cost in zip(parts, costs, strict=True)
        ]
        weights = softmax(np.concatenate(scores, -1)).reshape(KV_HEADS, q.shape[1], -1)
        out = weights[..., : pinned.size] @ parts[0][1] + weights[..., pinned.size :] @ parts[1][1]
        recent.trim(shape.window)
        mixed: FloatArray = out.reshape(shape.queries, time, HEAD_SIZE).swapaxes(0, 1).reshape(time, -1)
        return mixed * sigmoid(gate)

    def _sharpness(self, name: str, state: EngineState, time: int, pin: bool) -> FloatArray:
        """Query factor of each byte and head; grows with the keys in sight. [time, queries, 1]."""
        read = np.arange(1, time + 1)
        seen = read + state.prompt if pin else state.prompt + np.minimum(read + state.trace, self.shape.window)
        stretch = np.maximum(np.log(seen.astype(np.float32)), 1).astype(np.float32)[:, None, None]
        sharpness: FloatArray = self.weights[name + "sharpness"][:, None] / np.float32(math.sqrt(HEAD_SIZE))
        return stretch * sharpness

    def _later(self, time: int, keys: int) -> FloatArray:
        """Infinite where a key of the prompt is newer than the query; queries are the newest. [time, keys]."""
        newest = np.arange(keys - time, keys)[:, None]
        return np.where(np.arange(keys) > newest, np.float32(np.inf), np.float32(0))

    def _cost(self, time: int, keys: int) -> FloatArray:
        """Penalty for the distance to a key of the trace; infinite beyond the window. [queries, time, keys]."""
        distance = np.arange(keys - time, keys)[:, None] - np.arange(keys)
        cost = np.asarray(self.shape.slopes, np.float32)[:, None, None] * distance
        cost[:, (distance < 0) | (distance >= self.shape.window)] = np.inf
        return cost


def _empty_memory(shape: Shape, kind: str) -> LayerMemory:
    short = (CONV_TAPS - 1, shape.width)
    delta = np.zeros((shape.heads, HEAD_SIZE, HEAD_SIZE), np.float32) if kind == "delta" else None
    pinned, recent = (KeyValueBuffer.empty(), KeyValueBuffer.empty()) if kind == "attention" else (None, None)
    return LayerMemory(np.zeros(short, np.float32), np.zeros(short, np.float32), delta, pinned, recent)


def _short_conv(x: FloatArray, taps: FloatArray, tails: Sequence[FloatArray]) -> FloatArray:
    """Convolve inputs with the ones before them, and update `tails` to the newest. [states, time, width]."""
    time = x.shape[1]
    padded = np.concatenate([np.stack(tails), x], 1)
    out: FloatArray = x * (1 + taps[0])
    for back in range(1, CONV_TAPS):
        out += padded[:, CONV_TAPS - 1 - back : CONV_TAPS - 1 - back + time] * taps[back]
    for old, new in zip(tails, padded[:, time:], strict=True):
        old[:] = new
    return out


def rms_norm(x: FloatArray) -> FloatArray:
    """Scale to unit root mean square along the last axis."""
    scale: FloatArray = np.sqrt(np.mean(x * x, -1, keepdims=True) + np.float32(NORM_EPSILON))
    return x / scale


def l2_norm(x: FloatArray) -> FloatArray:
    """Scale to unit length along the last axis."""
    return rms_norm(x) / np.float32(math.sqrt(x.shape[-1]))


def sigmoid(x: FloatArray) -> FloatArray:
    """Compute 1 / (1 + exp(-x)) without overflow."""
    half: FloatArray = np.tanh(np.float32(0.5) * x)
    return np.float32(0.5) * (1 + half)


def softmax(x: FloatArray) -> FloatArray:
    """Normalize exponentials to sum to one along the last axis."""
    weights: FloatArray = np.exp(x - x.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights


def parameter_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the shape of every parameter by name."""
    shapes: dict[str, tuple[int, ...]] = {}
    width, queries, hidden = shape.width, HEAD_SIZE * shape.queries, shape.hidden
    shapes["embed"] = shapes["head"] = (shape.vocabulary, width)
    for n, kind in enumerate(shape.layers):
        name, writes = f"layers.{n}.", shape.heads * shape.householders
        shapes[name + "mixer_short.taps"] = shapes[name + "mlp_short.taps"] = (CONV_TAPS, width)
        if kind == "delta":
            shapes[name + "mixer.inner.weight"] = (sum(shape.delta_rows), width)
            shapes[name + "mixer.outer.weight"] = (width, width)
            shapes[name + "mixer.rates"] = (writes + shape.gated, width)
            shapes[name + "mixer.bias"] = (writes + shape.gated,)
        else:
            shapes[name + "mixer.inner.weight"] = (sum(shape.attention_rows), width)
            shapes[name + "mixer.outer.weight"] = (width, queries)
            shapes[name + "mixer.sharpness"] = (shape.queries,)
        shapes[name + "mlp.inner.weight"] = (2 * hidden, width)
        shapes[name + "mlp.outer.weight"] = (width, hidden)
    return shapes


def check_weights(shape: Shape, weights: Mapping[str, StoredArray]) -> None:
    """Check that weights have the given shape.

    Args:
        shape: Shape of the model.
        weights: Weights as stored.

    Raises:
        ValueError: A parameter is missing or has other dimensions.
    """
    actual = stored_shapes(weights)
    for name, expected in parameter_shapes(shape).items():
        if name not in actual:
            raise ValueError(f"weights {name!r} are missing")
        if actual[name] != expected:
            raise ValueError(f"weights {name!r} have shape {actual[name]}, not {expected}")


def to_id_array(shape: Shape, data: TokenIds) -> NDArray[np.int32]:
    """Convert ids to an array.

    Args:
        shape: Shape of the model, for its vocabulary.
        data: Bytes or ids.

    Returns:
        The ids as int32.

    Raises:
        ValueError: An id is outside the vocabulary.
    """
    ids = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else np.asarray(data, np.int64)
    if ids.ndim != 1 or (len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < shape.vocabulary):
        raise ValueError(f"the ids must be a sequence of numbers below {shape.vocabulary}")
    return ids.astype(np.int32)
