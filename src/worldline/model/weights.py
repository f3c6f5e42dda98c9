"""Weights out of a safetensors file, without torch: a dict of arrays under the names of `Trunk.state_dict()`.

The file is mapped, not copied. bfloat16 is read as its bits, uint16, which the C engine takes as they are; `read`
widens them to float32. The header is untrusted: every name, type, shape and offset is checked against the file.
Nothing is written here, and nothing is verified by digest: that is the caller's.
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

from worldline.errors import FormatError
from worldline.files import disk

Array = NDArray[np.float32]
Stored = NDArray[Any]  # float32, or bfloat16 as the bits of a uint16

_TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "BF16": np.dtype("<u2")}
_HEADER = 1 << 20  # bytes: ours have a few kilobytes


def read(path: Path) -> dict[str, Array]:
    """Every tensor as float32."""
    return {name: widen(array) for name, array in read_stored(path).items()}


def read_stored(path: Path) -> dict[str, Stored]:
    """Every tensor as it is stored: read-only views of the mapped file, bfloat16 as uint16."""
    with disk(path), path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
    size = int.from_bytes(data[:8], "little")
    if size > min(_HEADER, len(data) - 8):
        raise FormatError(f"{path} is not a safetensors file")
    try:
        header, body = json.loads(data[8 : 8 + size]), np.frombuffer(data, np.uint8, offset=8 + size)
        return {name: _tensor(body, entry) for name, entry in header.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"{path} is not a safetensors file of float32 or bfloat16: {error!r}") from error


def _tensor(data: Stored, entry: Mapping[str, Any]) -> Stored:
    kind, shape, (first, end) = _TYPES[entry["dtype"]], tuple(entry["shape"]), entry["data_offsets"]
    if not all(type(n) is int and n >= 0 for n in (*shape, first, end)):
        raise ValueError(f"a shape or offset of {entry} is no count")
    if not first <= end <= len(data) or end - first != math.prod(shape) * kind.itemsize:
        raise ValueError(f"the offsets of {entry} do not fit")
    found: Stored = data[first:end].view(kind).reshape(shape)
    return found


def widen(array: Stored) -> Array:
    """float32 from float32 or from the bits of bfloat16."""
    if array.dtype == np.uint16:
        wide: Array = (array.astype(np.uint32) << 16).view(np.float32)
        return wide
    return np.ascontiguousarray(array, np.float32)
