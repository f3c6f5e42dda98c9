"""Grow a model in width without changing its function.

New channels of the residual stream start at zero: nothing writes to them, but what reads them is random, so that
training can use them. New heads and MLP channels are random and have no output yet. The embedding is normed over all
channels, so the stream of a wider model is larger by the square root of the ratio of the widths: what writes to it is
scaled by that factor, and what reads it by its inverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.core.errors import UsageError
from worldline.model.shape import HEAD_SIZE, Shape

FloatArray = NDArray[np.float32]
Index = NDArray[np.intp]
# Where a new attention head starts, as in `hybrid.Attention`.
SHARPNESS = 1 / 6


def widened_shape(shape: Shape, width: int) -> Shape:
    """Return the shape of a model grown to a width; the number of layers stays.

    Raises:
        UsageError: The width is not a larger multiple of the head size.
    """
    if width <= shape.width or width % HEAD_SIZE:
        raise UsageError(f"width {width}: pass a multiple of {HEAD_SIZE} above {shape.width}, the width of the model")
    return replace(shape, depth=width // HEAD_SIZE + 1, stack=len(shape.layers))


@dataclass(frozen=True)
class _Growth:
    """Where the old channels and heads stand in the wider model. Halves with different roles grow apart."""

    old: Shape
    new: Shape
    rng: np.random.Generator

    @property
    def factor(self) -> float:
        return float(np.sqrt(self.new.width / self.old.width))

    @property
    def channels(self) -> Index:
        """Of the residual stream: the old ones come first."""
        return np.arange(self.old.width)

    @property
    def delta_heads(self) -> Index:
        """Heads that can forget come first, then the others."""
        old, new = self.old, self.new
        return np.concatenate([np.arange(old.gated), new.gated + np.arange(old.heads - old.gated)])

    @property
    def query_heads(self) -> Index:
        """Heads without a penalty for distance come first, then those with one, each from its first."""
        old, new = self.old, self.new
        near = old.queries // 2
        return np.concatenate([np.arange(old.queries - near), new.queries - new.queries // 2 + np.arange(near)])

    def random(self, rows: int, columns: int) -> FloatArray:
        return self.rng.standard_normal((rows, columns), dtype=np.float32) * np.float32(columns**-0.5)


def _of_heads(heads: Index) -> Index:
    """The rows of heads, HEAD_SIZE each."""
    return (heads[:, None] * HEAD_SIZE + np.arange(HEAD_SIZE)).ravel()


def _stacked(parts: Sequence[tuple[Index, int]]) -> Index:
    """The rows of fused maps, each given by its old rows and its new size."""
    starts = np.cumsum([0, *(size for _, size in parts[:-1])])
    return np.concatenate([start + rows for start, (rows, _) in zip(starts, parts, strict=True)])


def widen(shape: Shape, weights: dict[str, FloatArray], width: int, *, seed: int = 0) -> dict[str, FloatArray]:
    """Grow the weights of a model to a width.

    Args:
        shape: The shape of the model.
        weights: Its weights by name.
        width: Channels of the residual stream afterwards.
        seed: Seed of the new weights.

    Returns:
        The weights of a model of shape `widened_shape(shape, width)`, which computes the same.

    Raises:
        UsageError: The width is not a larger multiple of the head size.
    """
    growth = _Growth(shape, widened_shape(shape, width), np.random.default_rng(seed))
    return {name: _grow(growth, name, array) for name, array in weights.items()}


def _grow(growth: _Growth, name: str, array: FloatArray) -> FloatArray:
    old, new, factor = growth.old, growth.new, np.float32(growth.factor)
    kind = "attention" if name.startswith("layers.") and old.layers[int(name.split(".")[1])] == "attention" else "delta"
    match name.rpartition("layers.")[2].partition(".")[2] if name.startswith("layers.") else name:
        case "embed":
            return _placed(growth, array, None, growth.channels, np.zeros((len(array), new.width), np.float32))
        case "head":
            return _placed(growth, array / factor, None, growth.channels, np.zeros((len(array), new.width), np.float32))
        case "mixer_short.taps" | "mlp_short.taps":
            return _placed(growth, array, None, growth.channels, np.zeros((len(array), new.width), np.float32))
        case "mixer.inner.weight":
            rows = _mixer_rows(growth, kind)
            sizes = new.attention_rows if kind == "attention" else new.delta_rows
            return _placed(growth, array / factor, rows, growth.channels, growth.random(sum(sizes), new.width))
        case "mixer.outer.weight":
            heads = growth.query_heads if kind == "attention" else growth.delta_heads
            columns = HEAD_SIZE * new.queries if kind == "attention" else new.width
            empty = np.zeros((new.width, columns), np.float32)
            return _placed(growth, array * factor, growth.channels, _of_heads(heads), empty)
        case "mixer.rates":
            fill = growth.random(new.heads * new.householders + new.gated, new.width) * np.float32(0.1)
            return _placed(growth, array / factor, _rate_rows(growth), growth.channels, fill)
        case "mixer.bias":
            return _placed_vector(array, _rate_rows(growth), _initial_bias(new))
        case "mixer.sharpness":
            return _placed_vector(array, growth.query_heads, np.full(new.queries, SHARPNESS, np.float32))
        case "mlp.inner.weight":
            rows = _stacked([(np.arange(old.hidden), new.hidden)] * 2)
            return _placed(growth, array / factor, rows, growth.channels, growth.random(2 * new.hidden, new.width))
        case "mlp.outer.weight":
            empty = np.zeros((new.width, new.hidden), np.float32)
            return _placed(growth, array * factor, growth.channels, np.arange(old.hidden), empty)
        case other:
            raise UsageError(f"a model with weights {other!r} cannot be grown")


def _placed(growth: _Growth, array: FloatArray, rows: Index | None, columns: Index, into: FloatArray) -> FloatArray:
    rows = np.arange(len(array)) if rows is None else rows
    into[np.ix_(rows, columns)] = array
    return into


def _placed_vector(array: FloatArray, at: Index, into: FloatArray) -> FloatArray:
    into[at] = array
    return into


def _mixer_rows(growth: _Growth, kind: str) -> Index:
    old, new = growth.old, growth.new
    if kind == "attention":
        queries, shared = _of_heads(growth.query_heads), np.arange(old.attention_rows[1])
        maps = (queries, shared, shared, queries)
        return _stacked(list(zip(maps, new.attention_rows, strict=True)))
    heads = _of_heads(growth.delta_heads)
    written = _stacked([(heads, new.width)] * old.householders)
    maps = (heads, written, written, heads)
    return _stacked(list(zip(maps, new.delta_rows, strict=True)))


def _rate_rows(growth: _Growth) -> Index:
    """The rows of write rates, one per step and head, then those of the heads that can forget."""
    old, new = growth.old, growth.new
    parts: list[tuple[Index, int]] = [(growth.delta_heads, new.heads)] * old.householders
    return _stacked([*parts, (np.arange(old.gated), new.gated)])


def _initial_bias(shape: Shape) -> Any:
    """Biases at which new heads start, as in `hybrid.GatedDeltaNet`."""
    rates = np.logspace(-3, -1, shape.gated) if shape.gated > 1 else np.full(shape.gated, 0.01)
    writes = np.zeros(shape.heads * shape.householders)
    return np.concatenate([writes, np.log(np.expm1(rates))]).astype(np.float32)
