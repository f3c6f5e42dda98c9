"""Low-rank changes of a model's matrices, without torch: what an adaptation adds to its base.

Of each changed matrix there are two tensors, NAME.up [rows, rank] and NAME.down [rank, columns]: up @ down is added to
it. The others stay as they are stored. The changes are untrusted: each must fit a matrix of the base and be finite.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from worldline.model.weights import INT8, SCALE, Array, Stored, dimensions_of, widened

UP, DOWN = ".up", ".down"


def merged(base: Mapping[str, Stored], changes: Mapping[str, Array]) -> dict[str, Stored]:
    """The base's weights, the changed matrices in float32; ValueError where a change does not fit."""
    names = sorted({name.removesuffix(UP).removesuffix(DOWN) for name in changes})
    found, known = dict(base), dimensions_of(base)
    for name in names:
        if name not in known or {name + UP, name + DOWN} - changes.keys():
            raise ValueError(f"{name!r} is no matrix with a change of two parts")
        own = {part: found.pop(part) for part in (name, name + INT8, name + SCALE) if part in found}
        found[name] = _changed(name, widened(own)[name], changes[name + UP], changes[name + DOWN])
    return found


def _changed(name: str, matrix: Array, up: Array, down: Array) -> Array:
    if any(part.ndim != 2 for part in (matrix, up, down)):
        raise ValueError(f"{name!r} is no matrix")
    if up.shape[1] != down.shape[0] or (up.shape[0], down.shape[1]) != matrix.shape:
        raise ValueError(f"a change of {up.shape} and {down.shape} does not fit {name!r} of {matrix.shape}")
    changed: Array = matrix + up @ down
    if not np.isfinite(changed).all():
        raise ValueError(f"the changed {name!r} is not finite")
    return changed
