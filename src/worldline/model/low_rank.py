"""Merge the low-rank changes of an adaptation into its base model, without torch.

Each changed matrix has two tensors, NAME.up [rows, rank] and NAME.down [rank, columns]; up @ down is
added to it. All other tensors stay as stored. Changes are untrusted: each must fit a matrix of the
base and be finite.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from worldline.model.weights import INT8_SUFFIX, SCALE_SUFFIX, FloatArray, StoredArray, dequantize, stored_shapes

UP_SUFFIX, DOWN_SUFFIX = ".up", ".down"


def merge_changes(base: Mapping[str, StoredArray], changes: Mapping[str, FloatArray]) -> dict[str, StoredArray]:
    """Merge low-rank changes into the weights of the base model.

    Args:
        base: Weights of the base, as stored.
        changes: The `.up` and `.down` tensors of every changed matrix.

    Returns:
        The weights of the base, changed matrices in float32.

    Raises:
        ValueError: A change does not fit a matrix of the base, or the sum is not finite.
    """
    names = sorted({name.removesuffix(UP_SUFFIX).removesuffix(DOWN_SUFFIX) for name in changes})
    weights, shapes = dict(base), stored_shapes(base)
    for name in names:
        if name not in shapes or {name + UP_SUFFIX, name + DOWN_SUFFIX} - changes.keys():
            raise ValueError(f"{name!r} is not a matrix of the base with both {UP_SUFFIX} and {DOWN_SUFFIX}")
        stored = {
            part: weights.pop(part) for part in (name, name + INT8_SUFFIX, name + SCALE_SUFFIX) if part in weights
        }
        weights[name] = _merge_change(
            name, dequantize(stored)[name], changes[name + UP_SUFFIX], changes[name + DOWN_SUFFIX]
        )
    return weights


def _merge_change(name: str, matrix: FloatArray, up: FloatArray, down: FloatArray) -> FloatArray:
    if any(part.ndim != 2 for part in (matrix, up, down)):
        raise ValueError(f"{name!r} is not a matrix")
    if up.shape[1] != down.shape[0] or (up.shape[0], down.shape[1]) != matrix.shape:
        raise ValueError(f"a change of {up.shape} and {down.shape} does not fit {name!r} of {matrix.shape}")
    changed: FloatArray = matrix + up @ down
    if not np.isfinite(changed).all():
        raise ValueError(f"the changed {name!r} is not finite")
    return changed
