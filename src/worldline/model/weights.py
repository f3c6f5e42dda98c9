"""Read and write weights as safetensors, without torch. Names are those of `Trunk.state_dict()`.

A matrix has the rows of NAME (float32 or bfloat16) and below them the rows of NAME.int8, each
multiplied by its factor in NAME.scale. Either part may be absent. The file is mapped, not copied;
only NAME.packed, int8 rows that packing.py entropy-coded, is decoded when the file is read.
bfloat16 is held as bits in uint16: the C engine takes tensors as stored, `read_float32` converts them.
The header is untrusted: every name, type, shape, offset and scale is checked. The caller verifies
digests.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldline.core.errors import FormatError
from worldline.model.packing import count_columns, unpack_levels
from worldline.storage.files import disk

FloatArray = NDArray[np.float32]
# float32, int8, or bfloat16 as the bits of a uint16.
StoredArray = NDArray[Any]

INT8_SUFFIX, SCALE_SUFFIX, PACKED_SUFFIX = ".int8", ".scale", ".packed"
_DTYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "BF16": np.dtype("<u2"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
}
# Headers of our own models have a few kilobytes.
_MAX_HEADER_BYTES = 1 << 20
# Few packed bytes can stand for many weights: no file may ask for more memory than this.
MAX_UNPACKED_WEIGHTS = 1 << 31


def read_float32(path: Path) -> dict[str, FloatArray]:
    """Read every matrix as float32, however it is stored."""
    return dequantize(read_stored(path))


def read_stored(path: Path) -> dict[str, StoredArray]:
    """Read every tensor as it is stored, packed rows as int8.

    Args:
        path: A safetensors file.

    Returns:
        Read-only views of the mapped file by name, bfloat16 as uint16.

    Raises:
        FormatError: The file is damaged or not a safetensors file of float32, bfloat16 or scaled int8.
    """
    with disk(path), path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
    size = int.from_bytes(data[:8], "little")
    if size > min(_MAX_HEADER_BYTES, len(data) - 8):
        raise FormatError(f"{path} is not a safetensors file")
    try:
        header, body = json.loads(data[8 : 8 + size]), np.frombuffer(data, np.uint8, offset=8 + size)
        tensors = {name: _read_tensor(body, entry) for name, entry in header.items() if name != "__metadata__"}
        tensors = _unpack(tensors)
        _check_scales(tensors)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(
            f"{path} is not a safetensors file of float32, bfloat16 or int8 with scales: {error!r}"
        ) from error
    return tensors


def _read_tensor(data: StoredArray, entry: Mapping[str, Any]) -> StoredArray:
    kind, shape, (first, end) = _DTYPES[entry["dtype"]], tuple(entry["shape"]), entry["data_offsets"]
    if not all(type(n) is int and n >= 0 for n in (*shape, first, end)):
        raise ValueError(f"a shape or offset of {entry} is not a count")
    if not first <= end <= len(data) or end - first != math.prod(shape) * kind.itemsize:
        raise ValueError(f"the offsets of {entry} do not match its shape and the file")
    tensor: StoredArray = data[first:end].view(kind).reshape(shape)
    return tensor


def _unpack(tensors: Mapping[str, StoredArray]) -> dict[str, StoredArray]:
    """Decode packed rows to int8 rows with float32 scales, on all cores."""
    plain = {name: array for name, array in tensors.items() if not name.endswith(PACKED_SUFFIX)}
    packed = {name.removesuffix(PACKED_SUFFIX): array for name, array in tensors.items() if name not in plain}
    if any(array.dtype == np.uint8 for array in plain.values()):
        raise ValueError(f"uint8 tensors must end in {PACKED_SUFFIX}")
    rows, total = {}, 0
    for name, array in packed.items():
        if array.dtype != np.uint8 or array.ndim != 1 or name + INT8_SUFFIX in plain:
            raise ValueError(f"{name!r} is packed, but not as one row of bytes")
        scale = to_float32(plain[name + SCALE_SUFFIX])
        plain[name + SCALE_SUFFIX], rows[name] = scale, len(scale)
        total += len(scale) * count_columns(array.data)
    if total > MAX_UNPACKED_WEIGHTS:
        raise ValueError(f"{total} packed weights are more than {MAX_UNPACKED_WEIGHTS}")
    if not packed:
        return plain
    from concurrent.futures import ThreadPoolExecutor  # an import that other models do not need

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        decoded = pool.map(lambda name: unpack_levels(packed[name].data, rows[name]), packed)
        plain.update(zip((name + INT8_SUFFIX for name in packed), decoded, strict=True))
    return plain


def _check_scales(stored: Mapping[str, StoredArray]) -> None:
    """Raise ValueError unless int8 tensors, and only they, are rows named `.int8` with a positive scale each."""
    for name, array in stored.items():
        base = name.removesuffix(INT8_SUFFIX).removesuffix(SCALE_SUFFIX)
        if (array.dtype == np.int8) != name.endswith(INT8_SUFFIX):
            raise ValueError(f"{name!r} has type {array.dtype}: int8 tensors, and only they, end in {INT8_SUFFIX}")
        if base == name:
            continue
        rows, scale, unscaled = (stored.get(base + INT8_SUFFIX), stored.get(base + SCALE_SUFFIX), stored.get(base))
        if rows is None or scale is None or rows.ndim != 2 or scale.shape != rows.shape[:1]:
            raise ValueError(f"{base!r} needs one scale per int8 row")
        if unscaled is not None and (unscaled.ndim != 2 or unscaled.shape[1] != rows.shape[1]):
            raise ValueError(f"{base!r} has rows of different lengths")
        if scale.dtype != np.float32 or not (np.isfinite(scale) & (scale > 0)).all():
            raise ValueError(f"a scale of {base!r} is not a positive float32")


def stored_shapes(stored: Mapping[str, StoredArray]) -> dict[str, tuple[int, ...]]:
    """Return the shape of every matrix by name, its int8 rows included."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, array in stored.items():
        base = name.removesuffix(INT8_SUFFIX)
        if base != name and base in stored:
            shapes[base] = (len(stored[base]) + len(array), *array.shape[1:])
        elif not (name.endswith(SCALE_SUFFIX) or name + INT8_SUFFIX in stored):
            shapes[base] = array.shape
    return shapes


def dequantize(stored: Mapping[str, StoredArray]) -> dict[str, FloatArray]:
    """Convert every matrix to float32 from its stored tensors."""
    matrices: dict[str, FloatArray] = {}
    for name in stored_shapes(stored):
        parts = [to_float32(stored[name])] if name in stored else []
        if name + INT8_SUFFIX in stored:
            parts.append(stored[name + INT8_SUFFIX] * stored[name + SCALE_SUFFIX][:, None])
        matrices[name] = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return matrices


def to_float32(array: StoredArray) -> FloatArray:
    """Convert float32, or the bits of bfloat16, to float32."""
    if array.dtype == np.uint16:
        widened: FloatArray = (array.astype(np.uint32) << 16).view(np.float32)
        return widened
    return np.ascontiguousarray(array, np.float32)


def to_bfloat16(array: FloatArray) -> StoredArray:
    """Return the bits of the nearest bfloat16, ties to even. Numbers must be finite."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def to_safetensors(stored: Mapping[str, StoredArray]) -> bytes:
    """Encode tensors as a safetensors file, the widest type first so that each is aligned."""
    names = {kind: name for name, kind in _DTYPES.items()}
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
