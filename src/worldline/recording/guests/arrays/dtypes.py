"""What a NumPy dtype says about the bytes of an item: its name, its parts, and the text of one item.

Reads the C attributes of `numpy.dtype` only. A dtype may have been forged (`__setstate__`), so that the
places of its parts are checked.
"""

from __future__ import annotations

import builtins
import struct
from collections.abc import Callable
from gc import get_referents
from types import MappingProxyType
from typing import Any, NamedTuple

from ..atoms import text_of_float, text_of_str
from ..kinds import name_of, static_name
from .dates import NOT_A_TIME, split_unit, text_of_date
from .descriptors import attributes, static_base

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_ATTRIBUTES = ("num", "byteorder", "itemsize", "str", "names", "fields", "subdtype")
# By NumPy's numbers of types: bool, integers, floats, complex numbers, objects, texts, raw bytes, times, half floats.
_KINDS = dict(enumerate("b" + "iu" * 5 + "ff?cc?OSUVMm" + "f"))
_WORDS = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
_LONG_DOUBLES = {13: "longdouble", 16: "clongdouble"}
# The sizes that an item of a kind can have.
_SIZES: dict[str, tuple[int, ...]] = {
    **{"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16), "M": (8,), "m": (8,), "O": (8,)}
}
MAX_FIELDS, MAX_NESTING = 64, 8
# By size: the code of `struct`, how many digits always suffice, and the bits of the fraction.
_PRECISION = {2: ("<e", 5, 10), 4: ("<f", 9, 23)}


_known: dict[int, dict[str, Callable[..., Any]]] = {}  # by the type of the dtype, which as a type of C is never freed


class Layout(NamedTuple):
    """The kind of an item, `?` for one that is not read, its size, and its fields with their offsets."""

    kind: str
    size: int
    name: str
    is_swapped: bool = False
    unit: tuple[int, str] = (1, "")
    fields: tuple[tuple[str, int, Layout], ...] = ()

    @property
    def text(self) -> str:
        """The canonical text of the dtype."""
        if not self.fields:
            return text_of_str(self.name)
        return "{" + ", ".join(f"{text_of_str(name)}: {part.text}" for name, _, part in self.fields) + "}"

    @property
    def is_dense(self) -> bool:
        """Whether every byte belongs to a value: the bytes between fields are arbitrary."""
        if not self.fields:
            return self.kind not in "?O"
        return sum(part.size for _, _, part in self.fields) == self.size and all(
            part.is_dense for _, _, part in self.fields
        )


def layout_of(dtype: Any, nesting: int = 0) -> Layout | None:
    """Return the layout of a dtype; None if the object is not a dtype of NumPy."""
    read = _known.get(id(type(dtype)))
    if read is None:
        base = static_base(type(dtype), "numpy.dtype")
        read = None if base is None else attributes(base, _ATTRIBUTES)
        if read is None:
            return None
        if static_name(type(dtype)):
            _known[id(type(dtype))] = read
    number, size = read["num"](dtype), read["itemsize"](dtype)
    kind = _KINDS.get(number, "?")
    is_swapped = read["byteorder"](dtype) == ">"
    is_sound = size in _SIZES[kind] if kind in _SIZES else size > 0 and (kind != "U" or size % 4 == 0)
    if kind == "?" or not is_sound:
        return Layout("?", size, _LONG_DOUBLES.get(number) or name_of(type(dtype)))
    if kind == "V" and (read["names"](dtype) is not None or read["subdtype"](dtype) is not None):
        fields = _fields(read, dtype, size, nesting)
        return Layout("?" if fields is None else "V", size, f"V{size}", fields=fields or ())
    if kind in "Mm":
        typestr = read["str"](dtype)
        unit = split_unit(typestr)
        word = ("datetime64" if kind == "M" else "timedelta64") + typestr[3:]
        return Layout(kind, size, typestr if is_swapped else word, is_swapped, unit)
    return Layout(kind, size, _simple_name(kind, size, is_swapped), is_swapped)


def _simple_name(kind: str, size: int, is_swapped: bool) -> str:
    if kind == "b":
        return "bool"
    if kind == "O":
        return "object"
    if kind in "SUV":
        return (">" if is_swapped else "") + f"{kind}{size // 4 if kind == 'U' else size}"
    return f">{kind}{size}" if is_swapped else f"{_WORDS[kind]}{size * 8}"


def _fields(
    read: dict[str, Callable[..., Any]], dtype: Any, size: int, nesting: int
) -> tuple[tuple[str, int, Layout], ...] | None:
    """Return the fields of a structured dtype; None if they cannot be read."""
    names, proxy = read["names"](dtype), read["fields"](dtype)
    if type(names) is not tuple or type(proxy) is not MappingProxyType:
        return None
    table = get_referents(proxy)[0]
    if type(table) is not dict or nesting == MAX_NESTING or not 0 < len(names) <= MAX_FIELDS:
        return None
    fields: list[tuple[str, int, Layout]] = []
    for name in names:
        # Found by identity: keys of the program may hash and compare as they like.
        entry: Any = next((entry for key, entry in table.items() if key is name), None)
        if type(name) is not str or type(entry) is not tuple or len(entry) < 2 or type(entry[1]) is not int:
            return None
        part = layout_of(entry[0], nesting + 1)
        if part is None or part.kind in "?O" or not 0 <= entry[1] <= size - part.size:
            return None
        fields.append((name, entry[1], part))
    return tuple(fields)


def text_of_item(layout: Layout, data: bytes) -> str:
    """Return the canonical text of one item, which is not an object, from its bytes."""
    if layout.fields:
        parts = [text_of_item(part, data[at : at + part.size]) for _, at, part in layout.fields]
        return f"({parts[0]},)" if len(parts) == 1 else "(" + ", ".join(parts) + ")"
    if layout.kind in "SV":
        return repr(data.rstrip(b"\0") if layout.kind == "S" else data)
    order = ">" if layout.is_swapped else "<"
    if layout.kind == "U":
        points = struct.unpack(f"{order}{layout.size // 4}I", data)
        # NumPy does not check what a program writes here.
        letters = [chr(point) if point < 0x110000 else "\ufffd" for point in points]
        return text_of_str("".join(letters).rstrip("\0"))
    if layout.kind == "c":
        data = data if not layout.is_swapped else data[: len(data) // 2][::-1] + data[len(data) // 2 :][::-1]
        half = len(data) // 2
        return f"complex({_text_of_real(data[:half])}, {_text_of_real(data[half:])})"
    data = data[::-1] if layout.is_swapped else data
    if layout.kind == "f":
        return _text_of_real(data)
    if layout.kind == "b":
        return "True" if data[0] else "False"
    number = int.from_bytes(data, "little", signed=layout.kind != "u")
    if layout.kind == "M":
        return text_of_date(number, *layout.unit)
    return "'NaT'" if layout.kind == "m" and number == NOT_A_TIME else str(number)


def _text_of_real(data: bytes) -> str:
    """Return the shortest text that tells this number from all others of its size."""
    if len(data) == 8:
        return text_of_float(struct.unpack("<d", data)[0])
    code, most, width = _PRECISION[len(data)]
    value = struct.unpack(code, data)[0]
    if value != value:  # the same payload, in a float
        bits = int.from_bytes(data, "little")
        sign, payload = bits >> (len(data) * 8 - 1), bits & ((1 << width) - 1)
        return text_of_float(
            struct.unpack("<d", (sign << 63 | 0x7FF << 52 | payload << 52 - width).to_bytes(8, "little"))[0]
        )
    for digits in range(1, most + 1):
        shorter = float(f"{value:.{digits}g}")
        try:
            if struct.unpack(code, struct.pack(code, shorter))[0] == value:
                return text_of_float(shorter)
        except OverflowError:
            continue
    return text_of_float(value)
