"""Compress weights to a few bits each: coarse integer levels, entropy-coded by packing.py.

A level times the scale of its row is a weight, as in int8, so the engine uses unpacked rows unchanged. The size
is set by how coarse the steps between levels are, not by a number of levels: entropy coding makes large levels
rare, not impossible, and nothing is clipped. With the second moments of a matrix's inputs (calibration.py) the
rounding error of a column is made up for by the columns after it (GPTQ, Frantar et al. 2022); else a weight
becomes the nearest level.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from worldline.core.errors import FormatError, UsageError
from worldline.model.engine.quantization import MIN_ROW_MAXIMUM, count_bfloat16_rows
from worldline.model.packing import measure_levels, pack_levels
from worldline.model.shape import Shape
from worldline.model.weights import (
    PACKED_SUFFIX,
    SCALE_SUFFIX,
    FloatArray,
    StoredArray,
    to_bfloat16,
    to_float32,
    to_safetensors,
)

# Second moments of the inputs of a matrix by its name, [columns, columns].
Moments = Mapping[str, FloatArray]

MIN_BITS, MAX_BITS = 3.0, 8.0
MAX_LEVEL = 127
# Steps of the queries and keys of attention, by which it finds what it copies, over those of other rows.
ATTENTION_FINENESS = 0.25
# Share of the mean moment that is added to each: no direction counts as never seen.
DAMPING = 0.01
# Columns whose errors are spread over the later columns together.
BLOCK_COLUMNS = 64
_MAX_ATTEMPTS = 8


def compress(
    shape: Shape, weights: Mapping[str, FloatArray], *, bits: float, moments: Moments | None = None
) -> dict[str, StoredArray]:
    """Round and pack weights so that the file has at most `bits` bits per weight.

    Args:
        shape: Shape of the model.
        weights: Weights in float32.
        bits: Size of the whole file, in bits per weight.
        moments: Second moments of the inputs of every packed matrix; None to round to the nearest level.

    Returns:
        Tensors under the names of a weights file.

    Raises:
        FormatError: A weight is not finite.
        UsageError: The size is out of range, or too small for what is not packed.
    """
    if not MIN_BITS <= bits <= MAX_BITS:
        raise UsageError(f"a packed model has {MIN_BITS:g} to {MAX_BITS:g} bits per weight, not {bits:g}")
    if broken := [name for name, array in weights.items() if not np.isfinite(array).all()]:
        raise FormatError(f"weights {broken[0]!r} are not all finite")
    packed = {name: array for name, array in weights.items() if is_packed(shape, name)}
    plain = {name: _narrow(array, name) for name, array in weights.items() if name not in packed}
    limit = bits / 8 * sum(array.size for array in weights.values())
    rest = sum(array.nbytes for array in plain.values()) + sum(map(_count_header_bytes, packed.values()))
    coarseness = _estimate_coarseness(shape, packed, limit - rest)
    for _ in range(_MAX_ATTEMPTS):
        tensors = plain | _pack_all(shape, packed, coarseness, moments)
        excess = len(to_safetensors(tensors)) - limit
        if excess <= 0:
            return tensors
        # A step twice as wide takes one bit less per weight.
        coarseness *= 2 ** (8 * excess / sum(array.size for array in packed.values()) + 0.002)
    raise UsageError(f"the model does not fit into {bits:g} bits per weight: allow more")


def is_packed(shape: Shape, name: str) -> bool:
    """Return whether a matrix is packed: those that the engine holds as int8, wholly or in part."""
    return name != "head" and count_bfloat16_rows(shape, name) is not None


def round_levels(weight: FloatArray, scale: FloatArray, moment: FloatArray | None = None) -> NDArray[np.int8]:
    """Round a matrix to integer levels.

    Args:
        weight: The matrix, [rows, columns].
        scale: The step between two levels of each row.
        moment: Second moments of its inputs; None to take the nearest levels.

    Returns:
        The levels, between -127 and 127.
    """
    if moment is None:
        return _nearest(weight / scale[:, None])
    # With errors in units of the row's step, all rows are alike.
    left = weight / scale[:, None]
    levels = np.empty(weight.shape, np.int8)
    order = np.argsort(-np.diagonal(moment))
    left, factor = left[:, order], _feedback(moment[np.ix_(order, order)])
    for first in range(0, left.shape[1], BLOCK_COLUMNS):
        last = min(first + BLOCK_COLUMNS, left.shape[1])
        errors = np.empty((len(left), last - first), np.float32)
        for column in range(first, last):
            rounded = _nearest(left[:, column])
            levels[:, order[column]] = rounded
            errors[:, column - first] = (left[:, column] - rounded) / factor[column, column]
            left[:, column + 1 : last] -= errors[:, column - first, None] * factor[column, column + 1 : last]
        left[:, last:] -= errors @ factor[first:last, last:]
    return levels


def _feedback(moment: FloatArray) -> FloatArray:
    """Return the upper Cholesky factor of the inverse: row i says how later columns make up for column i."""
    exact = moment.astype(np.float64)
    mean = np.trace(exact) / len(exact)
    exact[np.diag_indices_from(exact)] += DAMPING * mean if mean > 0 else 1.0
    # With U U^T the moments, U upper (NumPy factors L L^T: reversed twice), the inverse is V^T V with V = U^-1.
    upper = np.linalg.cholesky(exact[::-1, ::-1])[::-1, ::-1]
    return np.linalg.inv(upper).astype(np.float32)


def _nearest(numbers: FloatArray) -> NDArray[np.int8]:
    return np.clip(np.rint(numbers), -MAX_LEVEL, MAX_LEVEL).astype(np.int8)


def _estimate_coarseness(shape: Shape, packed: Mapping[str, FloatArray], limit: float) -> float:
    """Find how coarse nearest levels must be to fit, from every eighth row."""
    rows = {name: array[::8] for name, array in packed.items()}
    total, coarseness = sum(array.size for array in packed.values()), 0.1
    for _ in range(4):
        sizes = []
        for name, array in packed.items():
            levels = round_levels(rows[name], choose_scales(shape, name, array, coarseness)[::8])
            sizes.append(measure_levels(levels) * array.size)
        coarseness *= 2 ** ((sum(sizes) - 8 * limit) / max(1, total))
    return coarseness


def _count_header_bytes(weight: FloatArray) -> int:
    """Estimate the bytes of a packed matrix besides its levels: scales, classes, states and tables."""
    return 3 * len(weight) + 5 * int(weight.shape[1]) + 3000


def choose_scales(shape: Shape, name: str, weight: FloatArray, coarseness: float) -> FloatArray:
    """Choose the step between levels of each row.

    All rows of a matrix have the same step, in units of its root mean square: their errors add up alike in
    what the matrix writes. Queries and keys of attention have finer ones. A step is never so fine that a
    weight has no level.

    Args:
        shape: Shape of the model.
        name: Name of the matrix.
        weight: The matrix.
        coarseness: The step, over the root mean square of the matrix.

    Returns:
        The step of each row, as a bfloat16 can hold it.
    """
    size = np.sqrt(np.mean(np.square(weight, dtype=np.float64)))
    scale = np.full(len(weight), coarseness * size, np.float32)
    scale[: count_bfloat16_rows(shape, name) or 0] *= ATTENTION_FINENESS
    # Up by 1 / 256: rounding to bfloat16 must not bring it below.
    least = np.abs(weight).max(1) * np.float32((1 + 2**-8) / MAX_LEVEL)
    scale = np.maximum(np.maximum(scale, least), MIN_ROW_MAXIMUM)
    return to_float32(to_bfloat16(scale))


def _pack_all(
    shape: Shape, packed: Mapping[str, FloatArray], coarseness: float, moments: Moments | None
) -> dict[str, StoredArray]:
    tensors: dict[str, StoredArray] = {}
    for name, weight in packed.items():
        scale = choose_scales(shape, name, weight, coarseness)
        levels = round_levels(weight, scale, moments[name] if moments is not None else None)
        tensors[name + PACKED_SUFFIX] = np.frombuffer(pack_levels(levels), np.uint8)
        tensors[name + SCALE_SUFFIX] = to_bfloat16(scale)
    return tensors


def _narrow(array: FloatArray, name: str) -> StoredArray:
    """Return bfloat16 for the head, as the engine holds it, and wherever nothing is lost; else float32."""
    narrow = to_bfloat16(array)
    is_exact = np.array_equal(to_float32(narrow), array)
    return narrow if is_exact or name == "head" else np.ascontiguousarray(array, np.float32)
