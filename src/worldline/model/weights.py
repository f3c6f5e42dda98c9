"""Weights out of a safetensors file and into one, without torch: arrays under the names of `Trunk.state_dict()`.

A matrix is the rows of NAME, float32 or bfloat16, and below them those of NAME.int8, each times its number in
NAME.scale; either part may be absent. The file is mapped, not copied. bfloat16 is held as its bits, uint16: the C
engine takes all as it is stored, and `read` widens all to float32. The header is untrusted: every name, type, shape and
offset is checked against the file, and so is every scale. Nothing is verified by digest here: that is the caller's.
"""

from __future__ import annotations

import json
import math
import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.core.errors import FormatError
from worldline.storage.files import disk

Array = NDArray[np.float32]
Stored = NDArray[Any]  # float32, int8, or bfloat16 as the bits of a uint16

INT8, SCALE = ".int8", ".scale"
_TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "BF16": np.dtype("<u2"), "I8": np.dtype("i1")}
_HEADER = 1 << 20  # bytes: ours have a few kilobytes


def read(path: Path) -> dict[str, Array]:
    """Every matrix as float32, whatever it is stored as."""
    return widened(read_stored(path))


def read_stored(path: Path) -> dict[str, Stored]:
    """Every tensor as it is stored: read-only views of the mapped file, bfloat16 as uint16."""
    with disk(path), path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
    size = int.from_bytes(data[:8], "little")
    if size > min(_HEADER, len(data) - 8):
        raise FormatError(f"{path} is not a safetensors file")
    try:
        header, body = json.loads(data[8 : 8 + size]), np.frombuffer(data, np.uint8, offset=8 + size)
        found = {name: _tensor(body, entry) for name, entry in header.items() if name != "__metadata__"}
        _check_scaled(found)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(
            f"{path} is not a safetensors file of float32, bfloat16 or int8 with scales: {error!r}"
        ) from error
    return found


def _tensor(data: Stored, entry: Mapping[str, Any]) -> Stored:
    kind, shape, (first, end) = _TYPES[entry["dtype"]], tuple(entry["shape"]), entry["data_offsets"]
    if not all(type(n) is int and n >= 0 for n in (*shape, first, end)):
        raise ValueError(f"a shape or offset of {entry} is no count")
    if not first <= end <= len(data) or end - first != math.prod(shape) * kind.itemsize:
        raise ValueError(f"the offsets of {entry} do not fit")
    found: Stored = data[first:end].view(kind).reshape(shape)
    return found


def _check_scaled(stored: Mapping[str, Stored]) -> None:
    """ValueError unless int8 comes in rows under the name that says so, each with a scale above zero, and only then."""
    for name, array in stored.items():
        base = name.removesuffix(INT8).removesuffix(SCALE)
        if (array.dtype == np.int8) != name.endswith(INT8):
            raise ValueError(f"{name!r} is of {array.dtype}")
        if base == name:
            continue
        rows, scale, above = stored.get(base + INT8), stored.get(base + SCALE), stored.get(base)
        if rows is None or scale is None or rows.ndim != 2 or scale.shape != rows.shape[:1]:
            raise ValueError(f"{base!r} has no scale for each of its rows of int8")
        if above is not None and (above.ndim != 2 or above.shape[1] != rows.shape[1]):
            raise ValueError(f"{base!r} has rows of two lengths")
        if scale.dtype != np.float32 or not (np.isfinite(scale) & (scale > 0)).all():
            raise ValueError(f"a scale of {base!r} is not a float32 above zero")


def dimensions_of(stored: Mapping[str, Stored]) -> dict[str, tuple[int, ...]]:
    """The name and the dimensions of every matrix, its rows of int8 counted."""
    found: dict[str, tuple[int, ...]] = {}
    for name, array in stored.items():
        base = name.removesuffix(INT8)
        if base != name and base in stored:
            found[base] = (len(stored[base]) + len(array), *array.shape[1:])
        elif not (name.endswith(SCALE) or name + INT8 in stored):
            found[base] = array.shape
    return found


def widened(stored: Mapping[str, Stored]) -> dict[str, Array]:
    """Every matrix as float32, from its tensors as they are stored."""
    found: dict[str, Array] = {}
    for name in dimensions_of(stored):
        parts = [widen(stored[name])] if name in stored else []
        if name + INT8 in stored:
            parts.append(stored[name + INT8] * stored[name + SCALE][:, None])
        found[name] = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return found


def widen(array: Stored) -> Array:
    """float32 from float32 or from the bits of bfloat16."""
    if array.dtype == np.uint16:
        wide: Array = (array.astype(np.uint32) << 16).view(np.float32)
        return wide
    return np.ascontiguousarray(array, np.float32)


def narrow(array: Array) -> Stored:
    """The bits of the nearest bfloat16, ties to even; of finite numbers."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def to_safetensors(stored: Mapping[str, Stored]) -> bytes:
    """Tensors as a safetensors file, the widest first, so that each is aligned."""
    names = {kind: name for name, kind in _TYPES.items()}
    header: dict[str, Any] = {}
    end, body = 0, []
    for name, array in sorted(stored.items(), key=lambda item: -item[1].itemsize):
        first, end = end, end + array.nbytes
        kind = names[array.dtype.newbyteorder("<")]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [first, end]}
        body.append(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(body)
