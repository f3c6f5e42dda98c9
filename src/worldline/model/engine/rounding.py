"""Weights rounded to what the C engine holds, to the bit: int8 with a scale a row, bfloat16, float32.

Which matrix is held how is said in native/engine_net.h. What is exported so is what the engine would have made of
the same weights itself, so that it says the same, and has less to read and nothing to round when it is opened.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from worldline.core.errors import FormatError
from worldline.model.shape import Shape
from worldline.model.weights import INT8, SCALE, Array, Stored, narrow

LEAST = np.float32(1e-30)  # a row that is nowhere larger is zero


def engine_form(shape: Shape, weights: Mapping[str, Array]) -> dict[str, Stored]:
    """The weights as the engine holds them, under the names of a file; FormatError if one is no number."""
    found: dict[str, Stored] = {}
    for name, array in weights.items():
        if not np.isfinite(array).all():
            raise FormatError(f"the weights {name!r} are not all finite")
        above = rows_above(shape, name)
        if above is None:
            found[name] = np.ascontiguousarray(array, np.float32)
            continue
        if above:
            found[name] = narrow(array[:above])
        if above < len(array):
            found[name + INT8], found[name + SCALE] = to_int8(array[above:])
    return found


def rows_above(shape: Shape, name: str) -> int | None:
    """How many rows of a matrix are bfloat16, the others below them being int8; None where all are float32."""
    if name == "head":
        return shape.vocabulary
    if name.endswith("mixer.inner.weight"):
        is_delta = shape.layers[int(name.split(".")[1])] == "delta"
        return 0 if is_delta else sum(shape.attention_rows[:2])  # queries and keys
    return 0 if name.endswith((".outer.weight", ".inner.weight")) else None


def to_int8(rows: Array) -> tuple[Stored, Array]:
    """Rows as whole numbers up to 127, and what each row is to be multiplied by."""
    most = np.abs(rows).max(-1).astype(np.float32)
    is_zero = most <= LEAST
    safe = np.where(is_zero, np.float32(1), most)
    inverse = np.where(is_zero, np.float32(0), np.float32(127) / safe)
    scale: Array = np.where(is_zero, np.float32(1), safe / np.float32(127))
    return np.rint(rows * inverse[:, None]).astype(np.int8), scale
