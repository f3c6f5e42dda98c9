"""The texts of an Arrow string column, which pandas uses for texts where pyarrow is installed.

Reads its buffers through the C code of pyarrow's own types, and checks every offset.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from types import WrapperDescriptorType
from typing import Any

from ..kinds import TYPE_DICT, name_of, static_name
from .descriptors import attribute, static_base

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

# The bytes of an offset, by the type of a chunk.
_OFFSET_BYTES = {"pyarrow.lib.StringArray": 4, "pyarrow.lib.LargeStringArray": 8}


def is_chunked(value: Any) -> bool:
    """Tell whether a value is a column of Arrow."""
    return static_name(type(value)) == "pyarrow.lib.ChunkedArray"


def length_of(column: Any) -> int:
    """Return how many items a column has."""
    measure = attribute(type(column), "__len__")
    return 0 if measure is None else int(measure(column))


def first_texts(column: Any, count: int) -> list[str | None] | None:
    """Return the first texts of a column, None where one is missing; None if it does not hold texts."""
    read_chunks = attribute(type(column), "chunks")
    chunks = None if read_chunks is None else read_chunks(column)
    texts: list[str | None] = []
    for chunk in chunks if type(chunks) is list else ():
        if len(texts) >= count:
            break
        part = _chunk_texts(chunk, count - len(texts))
        if part is None:
            return None
        texts += part
    return texts if len(texts) >= count else None


def _buffers_of(array_type: type[Any]) -> Callable[[Any], Any] | None:
    """Return the function that lists the buffers of a chunk, if Cython compiled it."""
    function: Any = TYPE_DICT(array_type).get("buffers")
    call = TYPE_DICT(type(function)).get("__call__")
    is_compiled = type(call) is WrapperDescriptorType and call.__objclass__ is type(function)
    return function if is_compiled and name_of(type(function)) == "cython_function_or_method" else None


def _chunk_texts(chunk: Any, count: int) -> list[str | None] | None:
    width = _OFFSET_BYTES.get(static_name(type(chunk)), 0)
    base = static_base(type(chunk), "pyarrow.lib.Array")
    if not width or base is None:
        return None
    measure, offset_of, buffers_of = attribute(base, "__len__"), attribute(base, "offset"), _buffers_of(base)
    if measure is None or offset_of is None or buffers_of is None:
        return None
    length, start, buffers = measure(chunk), offset_of(chunk), buffers_of(chunk)
    if type(buffers) is not list or len(buffers) != 3:
        return None
    mask, ends, data = (b"" if buffer is None else _bytes_of(buffer) for buffer in buffers)
    texts: list[str | None] = []
    for place in range(start, start + min(length, count)):
        if mask and not mask[place >> 3] >> (place & 7) & 1:
            texts.append(None)
            continue
        at, end = (int.from_bytes(ends[k * width : (k + 1) * width], "little") for k in (place, place + 1))
        if not at <= end <= len(data):
            return None
        texts.append(bytes(data[at:end]).decode("utf-8", "replace"))
    return texts


def _bytes_of(buffer: Any) -> memoryview | bytes:
    return memoryview(buffer).cast("B") if static_name(type(buffer)) == "pyarrow.lib.Buffer" else b""
