"""The trunk without torch: bytes in, logits of the next byte out, from a state that can be copied at any byte.

The readable core, NumPy in float32, one byte or a block of bytes at a time; native.py is its fast twin. A state
holds what a trace of any length needs: the recurrent memories, the newest inputs of the short convolutions, the keys
of the pinned prompt and of the newest `window` bytes. Rewinding is keeping a fork. Nothing is sampled here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldline.model.shape import HEAD, SHARED, TAPS, Shape
from worldline.model.weights import Array, Stored, dimensions_of

EPSILON = 1e-6
BLOCK = 64  # bytes of a prompt that go through a matrix together
Ids = bytes | Sequence[int]


@dataclass
class KeyValueBuffer:
    """Keys and values of consecutive bytes, in a buffer with room to grow: [key or value, SHARED, bytes, HEAD]."""

    held: Array
    size: int = 0

    @classmethod
    def empty(cls) -> KeyValueBuffer:
        """Of no bytes."""
        return cls(np.empty((2, SHARED, 0, HEAD), np.float32))

    def append(self, fresh: Array) -> None:
        """Add the keys and values of some bytes at the end."""
        end = self.size + fresh.shape[2]
        if end > self.held.shape[2]:
            grown = np.empty((2, SHARED, 2 * end, HEAD), np.float32)
            grown[:, :, : self.size] = self.held[:, :, : self.size]
            self.held = grown
        self.held[:, :, self.size : end] = fresh
        self.size = end

    def newest(self, count: int) -> Array:
        """A view of the newest."""
        return self.held[:, :, max(0, self.size - count) : self.size]

    def trim(self, count: int) -> None:
        """Forget all but the newest; they move only when the buffer is full, so that a byte costs little."""
        if self.size >= count + max(count, BLOCK):
            self.held[:, :, :count] = self.newest(count).copy()
            self.size = count

    def copy(self) -> KeyValueBuffer:
        """An independent copy of what is held."""
        return KeyValueBuffer(self.held[:, :, : self.size].copy(), self.size)


@dataclass
class Memory:
    """What one layer holds: its convolutions' inputs, newest last, and a recurrent memory or keys."""

    mixer_short: Array  # [TAPS - 1, width]
    mlp_short: Array
    delta: Array | None  # [heads, HEAD of the value, HEAD of the key]
    pinned: KeyValueBuffer | None
    recent: KeyValueBuffer | None

    def copy(self) -> Memory:
        """An independent copy."""
        return Memory(
            self.mixer_short.copy(),
            self.mlp_short.copy(),
            None if self.delta is None else self.delta.copy(),
            None if self.pinned is None else self.pinned.copy(),
            None if self.recent is None else self.recent.copy(),
        )

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        runs = (run.held for run in (self.pinned, self.recent) if run is not None)
        delta = () if self.delta is None else (self.delta,)
        return sum(array.nbytes for array in (self.mixer_short, self.mlp_short, *delta, *runs))


@dataclass
class EngineState:
    """What has been read, as far as the future depends on it."""

    memories: list[Memory]
    prompt: int = 0  # pinned bytes read
    trace: int = 0  # bytes read behind them

    def fork(self) -> EngineState:
        """An independent copy."""
        return EngineState([memory.copy() for memory in self.memories], self.prompt, self.trace)

    @property
    def nbytes(self) -> int:
        """Bytes held; constant once the trace is longer than a few windows."""
        return sum(memory.nbytes for memory in self.memories)


class ReferenceEngine:
    """The trunk's function over `weights`, named as in its `state_dict()`. `threads` are BLAS's own affair."""

    def __init__(self, shape: Shape, weights: Mapping[str, Array], *, threads: int | None = None) -> None:
        check_weights(shape, weights)
        self.shape = shape
        self.weights = weights

    def start(self) -> EngineState:
        """The state in which nothing was read."""
        return EngineState([_blank(self.shape, kind) for kind in self.shape.layers])

    def feed(self, state: EngineState, data: Ids, *, pin: bool) -> Array:
        """Logits after the last byte of `data`, which `state` has then read. The prompt is pinned, and comes first."""
        logits: Array = self._feed(state, data, pin, every=False)[0]
        return logits

    def feed_all(self, state: EngineState, data: Ids, *, pin: bool) -> Array:
        """Logits after every byte of `data`: [bytes, vocabulary]."""
        return self._feed(state, data, pin, every=True)

    def step(self, states: Sequence[EngineState], data: Ids) -> Array:
        """One byte of the trace for each state: logits [states, vocabulary]."""
        ids = checked_ids(self.shape, data)
        if len(ids) != len(states):
            raise ValueError(f"{len(states)} states cannot read {len(ids)} bytes")
        if len({id(state) for state in states}) != len(states):
            raise ValueError("a state cannot read two bytes in one step")
        if not states:
            return np.empty((0, self.shape.vocabulary), np.float32)
        return self._logits(self._read(states, ids.reshape(-1, 1), False))

    def _feed(self, state: EngineState, data: Ids, pin: bool, *, every: bool) -> Array:
        ids = checked_ids(self.shape, data)
        if not len(ids) and not every:
            raise ValueError("there are no logits after no bytes")
        if pin and state.trace and len(ids):
            raise ValueError("the prompt comes before the trace")
        out = [np.empty((0, self.shape.vocabulary), np.float32)]
        for first in range(0, len(ids), BLOCK):
            hidden = self._read([state], ids[None, first : first + BLOCK], pin)
            if every or first + BLOCK >= len(ids):
                out.append(self._logits(hidden if every else hidden[-1:]))
        return np.concatenate(out)

    def _logits(self, x: Array) -> Array:
        return norm(x) @ self.weights["head"].T

    def _read(self, states: Sequence[EngineState], ids: NDArray[np.int32], pin: bool) -> Array:
        """The stream behind the last layer, [states x time, width], from ids [states, time]."""
        weights, (batch, time) = self.weights, ids.shape
        x = norm(weights["embed"][ids])  # [states, time, width]
        for n, kind in enumerate(self.shape.layers):
            name, memories = f"layers.{n}.", [state.memories[n] for state in states]
            y = _convolve(norm(x), weights[name + "mixer_short.taps"], [m.mixer_short for m in memories])
            inner = y @ weights[name + "mixer.inner.weight"].T
            mixed = np.empty((batch, time, weights[name + "mixer.outer.weight"].shape[1]), np.float32)
            for b, (state, memory) in enumerate(zip(states, memories, strict=True)):
                if kind == "delta":
                    mixed[b] = self._delta(name + "mixer.", memory, y[b], inner[b])
                else:
                    mixed[b] = self._attention(name + "mixer.", state, memory, inner[b], pin)
            x = x + mixed @ weights[name + "mixer.outer.weight"].T
            y = _convolve(norm(x), weights[name + "mlp_short.taps"], [m.mlp_short for m in memories])
            gate, value = np.split(y @ weights[name + "mlp.inner.weight"].T, 2, axis=-1)
            x = x + (gate * sigmoid(gate) * value) @ weights[name + "mlp.outer.weight"].T
        for state in states:
            state.prompt, state.trace = state.prompt + time * pin, state.trace + time * (not pin)
        return x.reshape(batch * time, -1)

    def _delta(self, name: str, memory: Memory, x: Array, inner: Array) -> Array:
        """S <- decay S; S <- S + beta (v - S k) k^T for each Householder step; out = S q."""
        shape, steps, state = self.shape, self.shape.householders, memory.delta
        assert state is not None
        q, k, v, gate = np.split(inner, np.cumsum(shape.delta_rows)[:-1], axis=-1)
        q, gate = (y.reshape(len(x), shape.heads, HEAD) for y in (q, gate))
        k, v = (y.reshape(len(x), steps, shape.heads, HEAD) for y in (k, v))
        q, k = unit(q), unit(k)
        raw = x @ self.weights[name + "rates"].T + self.weights[name + "bias"]
        write, forget = np.split(raw, [shape.heads * steps], axis=-1)
        beta = 2 * sigmoid(write).reshape(len(x), steps, shape.heads, 1)
        decay = np.ones((len(x), shape.heads, 1, 1), np.float32)
        decay[:, : shape.gated, 0, 0] = sigmoid(-forget)
        out = np.empty_like(q)
        for t in range(len(x)):
            state *= decay[t]
            for n in range(steps):
                held = (state @ k[t, n, :, :, None])[..., 0]
                state += (beta[t, n] * (v[t, n] - held))[..., None] * k[t, n, :, None, :]
            out[t] = (state @ q[t, :, :, None])[..., 0]
        return (norm(out) * gate * sigmoid(gate)).reshape(len(x), -1)

    def _attention(self, name: str, state: EngineState, memory: Memory, inner: Array, pin: bool) -> Array:
        """Attention over the pinned keys and the newest of the trace."""
        shape, time, pinned, recent = self.shape, len(inner), memory.pinned, memory.recent
        assert pinned is not None
        assert recent is not None
        q, k, v, gate = np.split(inner, np.cumsum(shape.attention_rows)[:-1], axis=-1)
        k, v = (y.reshape(time, SHARED, HEAD).swapaxes(0, 1) for y in (k, v))
        (pinned if pin else recent).append(np.stack([norm(k), v]))
        q = norm(q.reshape(time, shape.queries, HEAD)) * self._sharpness(name, state, time, pin)
        q = q.swapaxes(0, 1).reshape(SHARED, -1, HEAD)  # [SHARED, group x time, HEAD]
        parts = [pinned.newest(pinned.size), recent.newest(shape.window + time - 1)]
        costs = [self._later(time, pinned.size) if pin else 0, self._cost(time, parts[1].shape[2])]
        scores = [
            (q @ held[0].swapaxes(-1, -2)).reshape(shape.queries, time, -1) - cost
            for held, cost in zip(parts, costs, strict=True)
        ]
        share = softmax(np.concatenate(scores, -1)).reshape(SHARED, q.shape[1], -1)
        out = share[..., : pinned.size] @ parts[0][1] + share[..., pinned.size :] @ parts[1][1]
        recent.trim(shape.window)
        mixed: Array = out.reshape(shape.queries, time, HEAD).swapaxes(0, 1).reshape(time, -1)
        return mixed * sigmoid(gate)

    def _sharpness(self, name: str, state: EngineState, time: int, pin: bool) -> Array:
        """The factor of each byte's queries, by head: it grows with the keys in sight. [time, queries, 1]."""
        read = np.arange(1, time + 1)
        seen = (
            read + state.prompt if pin else state.prompt + np.minimum(read + state.trace, self.shape.window)
        )
        stretch = np.maximum(np.log(seen.astype(np.float32)), 1).astype(np.float32)[:, None, None]
        sharpness: Array = self.weights[name + "sharpness"][:, None] / np.float32(math.sqrt(HEAD))
        return stretch * sharpness

    def _later(self, time: int, keys: int) -> Array:
        """Infinite where a key of the prompt is newer than the query: the queries are the newest. [time, keys]."""
        newest = np.arange(keys - time, keys)[:, None]
        return np.where(np.arange(keys) > newest, np.float32(np.inf), np.float32(0))

    def _cost(self, time: int, keys: int) -> Array:
        """What the distance to a key of the trace costs; infinite beyond the window. [queries, time, keys]."""
        distance = np.arange(keys - time, keys)[:, None] - np.arange(keys)
        cost = np.asarray(self.shape.slopes, np.float32)[:, None, None] * distance
        cost[:, (distance < 0) | (distance >= self.shape.window)] = np.inf
        return cost


def _blank(shape: Shape, kind: str) -> Memory:
    short = (TAPS - 1, shape.width)
    delta = np.zeros((shape.heads, HEAD, HEAD), np.float32) if kind == "delta" else None
    pinned, recent = (KeyValueBuffer.empty(), KeyValueBuffer.empty()) if kind == "attention" else (None, None)
    return Memory(np.zeros(short, np.float32), np.zeros(short, np.float32), delta, pinned, recent)


def _convolve(x: Array, taps: Array, held: Sequence[Array]) -> Array:
    """x plus a weighted sum of it and the inputs before it, of which `held` keeps the newest. [states, time, width]."""
    time = x.shape[1]
    padded = np.concatenate([np.stack(held), x], 1)
    out: Array = x * (1 + taps[0])
    for back in range(1, TAPS):
        out += padded[:, TAPS - 1 - back : TAPS - 1 - back + time] * taps[back]
    for old, new in zip(held, padded[:, time:], strict=True):
        old[:] = new
    return out


def norm(x: Array) -> Array:
    """To unit root mean square along the last axis."""
    scale: Array = np.sqrt(np.mean(x * x, -1, keepdims=True) + np.float32(EPSILON))
    return x / scale


def unit(x: Array) -> Array:
    """To unit length along the last axis."""
    return norm(x) / np.float32(math.sqrt(x.shape[-1]))


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)), without overflow."""
    half: Array = np.tanh(np.float32(0.5) * x)
    return np.float32(0.5) * (1 + half)


def softmax(x: Array) -> Array:
    """Shares that sum to one along the last axis."""
    raised: Array = np.exp(x - x.max(-1, keepdims=True))
    raised /= raised.sum(-1, keepdims=True)
    return raised


def dimensions(shape: Shape) -> dict[str, tuple[int, ...]]:
    """The name and the dimensions of every parameter."""
    named: dict[str, tuple[int, ...]] = {}
    width, queries, hidden = shape.width, HEAD * shape.queries, shape.hidden
    named["embed"] = named["head"] = (shape.vocabulary, width)
    for n, kind in enumerate(shape.layers):
        name, writes = f"layers.{n}.", shape.heads * shape.householders
        named[name + "mixer_short.taps"] = named[name + "mlp_short.taps"] = (TAPS, width)
        if kind == "delta":
            named[name + "mixer.inner.weight"] = (sum(shape.delta_rows), width)
            named[name + "mixer.outer.weight"] = (width, width)
            named[name + "mixer.rates"] = (writes + shape.gated, width)
            named[name + "mixer.bias"] = (writes + shape.gated,)
        else:
            named[name + "mixer.inner.weight"] = (sum(shape.attention_rows), width)
            named[name + "mixer.outer.weight"] = (width, queries)
            named[name + "mixer.sharpness"] = (shape.queries,)
        named[name + "mlp.inner.weight"] = (2 * hidden, width)
        named[name + "mlp.outer.weight"] = (width, hidden)
    return named


def check_weights(shape: Shape, weights: Mapping[str, Stored]) -> None:
    """Refuse weights of another shape, by the first name that does not fit."""
    found = dimensions_of(weights)
    for name, wanted in dimensions(shape).items():
        if name not in found:
            raise ValueError(f"there are no weights {name!r}")
        if found[name] != wanted:
            raise ValueError(f"the weights {name!r} are {found[name]}, not {wanted}")


def checked_ids(shape: Shape, data: Ids) -> NDArray[np.int32]:
    """The ids as an array, each within the vocabulary."""
    ids = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else np.asarray(data, np.int64)
    if ids.ndim != 1 or (len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < shape.vocabulary):
        raise ValueError(f"the ids must be a sequence of numbers below {shape.vocabulary}")
    return ids.astype(np.int32)
