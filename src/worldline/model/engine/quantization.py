"""Quantize weights to what the C engine holds, to the bit: int8 with a scale per row, bfloat16, float32.

native/engine_net.h defines which matrix is held how. The engine would quantize the same weights in the
same way, so an exported model gives the same logits, is smaller to read and opens without rounding.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from worldline.core.errors import FormatError
from worldline.model.shape import Shape
from worldline.model.weights import INT8_SUFFIX, SCALE_SUFFIX, FloatArray, StoredArray, to_bfloat16

# A row whose largest magnitude is below this counts as zero.
MIN_ROW_MAXIMUM = np.float32(1e-30)


def quantize(shape: Shape, weights: Mapping[str, FloatArray]) -> dict[str, StoredArray]:
    """Quantize weights as the engine holds them.

    Args:
        shape: Shape of the model.
        weights: Weights in float32.

    Returns:
        Tensors under the names of a weights file.

    Raises:
        FormatError: A weight is not finite.
    """
    tensors: dict[str, StoredArray] = {}
    for name, array in weights.items():
        if not np.isfinite(array).all():
            raise FormatError(f"weights {name!r} are not all finite")
        bfloat16_rows = count_bfloat16_rows(shape, name)
        if bfloat16_rows is None:
            tensors[name] = np.ascontiguousarray(array, np.float32)
            continue
        if bfloat16_rows:
            tensors[name] = to_bfloat16(array[:bfloat16_rows])
        if bfloat16_rows < len(array):
            tensors[name + INT8_SUFFIX], tensors[name + SCALE_SUFFIX] = to_int8(array[bfloat16_rows:])
    return tensors


def count_bfloat16_rows(shape: Shape, name: str) -> int | None:
    """Count the rows of a matrix held as bfloat16, the rest below them as int8; None if all are float32."""
    if name == "head":
        return shape.vocabulary
    if name.endswith("mixer.inner.weight"):
        is_delta = shape.layers[int(name.split(".")[1])] == "delta"
        # Queries and keys of attention are bfloat16.
        return 0 if is_delta else sum(shape.attention_rows[:2])
    return 0 if name.endswith((".outer.weight", ".inner.weight")) else None


def to_int8(rows: FloatArray) -> tuple[StoredArray, FloatArray]:
    """Round rows to integers up to 127; return them and the scale of each row."""
    largest = np.abs(rows).max(-1).astype(np.float32)
    is_zero = largest <= MIN_ROW_MAXIMUM
    safe = np.where(is_zero, np.float32(1), largest)
    inverse = np.where(is_zero, np.float32(0), np.float32(127) / safe)
    scale: FloatArray = np.where(is_zero, np.float32(1), safe / np.float32(127))
    return np.rint(rows * inverse[:, None]).astype(np.int8), scale
