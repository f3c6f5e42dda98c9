"""Render arrays and scalars of NumPy: shape, dtype, the first items, and a checksum of all bytes.

An array of at most 100 items is written whole. Of a larger one a leading block of at most 20 is, and the
checksum tells a change behind it, while the arrays of one value have at most 256 KiB together.
"""

from __future__ import annotations

import builtins
from binascii import crc32
from typing import Any, Protocol

from ..atoms import TooLong, text_of_str
from ..kinds import Kind
from .descriptors import attribute, static_base
from .dtypes import Layout, layout_of, text_of_item
from .memory import Arrays, count_of

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

WHOLE_ITEMS, HEAD_ITEMS, MAX_ITEM_BYTES, MAX_CHECKED_BYTES = 100, 20, 4096, 1 << 18
_INTEGERS = {f"{sign}int{bits}": (sign or "i", bits // 8) for sign in ("", "u") for bits in (8, 16, 32, 64)}
# The scalars that are read, by the name of their type: kind and size.
_SCALARS: dict[str, tuple[str, int]] = {
    **_INTEGERS,
    **{f"{sign}{name}": (sign or "i", size) for sign in ("", "u") for name, size in (("intc", 4), ("longlong", 8))},
    **{"bool": ("b", 1), "bool_": ("b", 1), "float16": ("f", 2), "float32": ("f", 4), "float64": ("f", 8)},
    **{"complex64": ("c", 8), "complex128": ("c", 16), "datetime64": ("M", 8), "timedelta64": ("m", 8)},
    **{"str_": ("U", 0), "bytes_": ("S", 0)},
}


class TextWriter(Protocol):
    """What rendering an array needs of the renderer of its value."""

    checked_bytes: int
    value_depth: int

    def kind(self, cls: type[Any]) -> Kind:
        """Return how to read the instances of a class."""

    def put(self, text: str) -> None:
        """Append text."""

    def put_value(self, value: Any, depth: int) -> None:
        """Append a value that is nested this deep."""

    def check_size(self) -> None:
        """Stop if the text is longer than a value may be."""


def text_of_scalar(value: Any, full_name: str, value_bytes: int) -> str | None:
    """Return the canonical text of a scalar of NumPy; None for all other values.

    Raises:
        TooLong: The text certainly has more than `value_bytes`.
    """
    library, _, name = full_name.rpartition(".")
    kind, size = _SCALARS.get(name, ("", 0)) if library == "numpy" else ("", 0)
    if not kind:
        return None
    if kind in "US":
        base: Any = str if kind == "U" else bytes
        if base.__len__(value) > value_bytes:
            raise TooLong
        text = text_of_str(value) if kind == "U" else repr(bytes.__getitem__(value, slice(None)))
        return f"{name}({text})"
    with memoryview(value) as view:
        data = bytes(view)
    layout: Layout | None = Layout(kind, size, name)
    if kind in "Mm":
        generic = static_base(type(value), "numpy.generic")
        dtype_of = None if generic is None else attribute(generic, "dtype")
        layout = None if dtype_of is None else layout_of(dtype_of(value))
    if layout is None or len(data) != size or layout.kind != kind:
        return None
    unit = f"{layout.unit[0] if layout.unit[0] > 1 else ''}{layout.unit[1]}"
    extra = f", {text_of_str(unit)}" if unit else ""
    return f"{'bool_' if kind == 'b' else name}({text_of_item(layout, data)}{extra})"


def put_array(writer: TextWriter, arrays: Arrays, array: Any, depth: int) -> None:
    """Append the fields of an array."""
    shape, layout = arrays.shape_of(array), layout_of(arrays.dtype_of(array))
    sizes = f"({shape[0]},)" if len(shape) == 1 else "(" + ", ".join(map(str, shape)) + ")"
    writer.put(f"shape={sizes}, dtype={'None' if layout is None else layout.text}, ")
    writer.check_size()
    count = count_of(shape)
    if not count:
        writer.put("data=[]")
        return
    owner = None if layout is None else arrays.owner_of(array, layout)
    size = 0 if layout is None else count * layout.size
    if layout is None or owner is None or layout.kind == "?":
        writer.put(f"data=...<bytes {size}>")
        return
    block = leading_block(shape, layout.size)
    is_whole = count_of(block) == count
    writer.put("data=" if is_whole else "head=")
    part = array if is_whole else arrays.part_of(array, tuple(slice(length) for length in block))
    _put_items(writer, _items(arrays, part, layout), block, layout, depth)
    if is_whole:
        return
    if layout.is_dense and size <= writer.checked_bytes:
        writer.checked_bytes -= size
        writer.put(f", crc32={crc32(arrays.bytes_of(array))}")
    else:
        writer.put(f", data=...<bytes {size}>")


def leading_block(shape: tuple[int, ...], item_size: int) -> tuple[int, ...]:
    """Return the sizes of the block of first items that is written: whole rows where one fits."""
    fitting = max(1, MAX_ITEM_BYTES // item_size)
    budget = min(WHOLE_ITEMS, fitting)
    if count_of(shape) > budget:
        budget = min(HEAD_ITEMS, fitting)
    block: list[int] = []
    for axis, length in enumerate(shape):
        inner = count_of(shape[axis + 1 :])
        block.append(min(length, max(1, budget // inner)) if all(size == 1 for size in block) else length)
    return tuple(block)


def _items(arrays: Arrays, part: Any, layout: Layout) -> list[Any]:
    """Return the items of an array in C order: objects, or the bytes of each."""
    if layout.kind == "O":
        return [arrays.part_of(part, place) for place in _places(arrays.shape_of(part))]
    data, size = arrays.bytes_of(part), layout.size
    return [data[place * size : (place + 1) * size] for place in range(count_of(arrays.shape_of(part)))]


def _places(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    places: list[tuple[int, ...]] = [()]
    for size in shape:
        places = [(*place, index) for place in places for index in range(size)]
    return places


def _put_items(writer: TextWriter, items: list[Any], block: tuple[int, ...], layout: Layout, depth: int) -> None:
    """Append the items as nested lists."""
    for place, item in enumerate(items):
        opened = _rows_at(place, block)
        if place:
            writer.put("]" * opened + ", ")
        writer.put("[" * (opened if place else len(block)))
        if layout.kind == "O":
            writer.put_value(item, depth + 1)
        else:
            writer.check_size()
            writer.put(text_of_item(layout, item))
    writer.put("]" * len(block))


def _rows_at(place: int, block: tuple[int, ...]) -> int:
    """Return how many rows begin at this item."""
    rows, inner = 0, 1
    for size in reversed(block[1:]):
        inner *= size
        rows += place % inner == 0
    return rows
