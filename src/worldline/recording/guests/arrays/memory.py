"""Whose memory an array shows, and whether it may be read: only what an array, bytes or a bytearray owns and still has.

An array over anything else (a memory map, a pointer) may show memory that is gone. So may a view of an
array that was resized. The structs of NumPy's and CPython's own objects are read where no attribute says it.
"""

from __future__ import annotations

import builtins
import ctypes
from collections.abc import Callable
from typing import Any

from ..kinds import mro_of
from .descriptors import attributes
from .dtypes import Layout, layout_of

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_ATTRIBUTES = ("shape", "strides", "dtype", "base", "tobytes", "__getitem__", "view")
_VIEWED: Callable[[Any], Any] = memoryview.__dict__["obj"].__get__
# The words of an array: the reference count, the type, the data, the number of axes, the sizes and strides of the
# axes, the base, the dtype, the flags. `Kind.is_array` has checked that the layout is this one.
_WORDS, _DATA, _FLAGS = 9, 2, 8
_OWNS_DATA = 0x4
_BYTEARRAY_START = 5
_POINTER_BYTES = 8
_MAX_BASES = 16


def _words(value: Any, count: int) -> list[int]:
    """Return the first words of an object's struct."""
    return (ctypes.c_size_t * count).from_address(id(value))[:]


class Arrays:
    """How to read `numpy.ndarray`, the type of C itself: its subclasses may belong to the program."""

    def __init__(self, cls: type[Any]) -> None:
        self.cls = cls
        read = attributes(cls, _ATTRIBUTES)
        self.is_readable = read is not None
        if read is not None:
            self.shape_of, self.dtype_of, self._strides_of = read["shape"], read["dtype"], read["strides"]
            self.bytes_of, self.part_of, self._base_of = read["tobytes"], read["__getitem__"], read["base"]
            self._view_of = read["view"]

    def plain_view(self, array: Any) -> Any:
        """Return an instance of a subclass as a plain array: parts of it would be made by the program's class."""
        return self._view_of(array, self.cls)

    def _is_array(self, value: Any) -> bool:
        return self.cls in mro_of(type(value))

    def owner_of(self, array: Any, layout: Layout) -> Any:
        """Return the array, bytes or bytearray that owns the memory of an array; None if it must not be read."""
        owner = array
        for _ in range(_MAX_BASES):
            if self._is_array(owner):
                if _words(owner, _WORDS)[_FLAGS] & _OWNS_DATA:
                    break
                owner = self._base_of(owner)
            elif type(owner) is memoryview:
                try:
                    owner = _VIEWED(owner)
                except ValueError:  # it was released
                    return None
            else:
                break
        start, end = self._memory(owner)
        first, last = self._span(array, layout.size)
        is_inside = start <= first and last <= end
        return owner if is_inside and (layout.kind != "O" or self._are_objects(array, owner)) else None

    def _are_objects(self, array: Any, owner: Any) -> bool:
        """Tell whether an array of objects lies where its owner has objects: it can be made over any bytes."""
        if not self._is_array(owner):
            return False
        layout = layout_of(self.dtype_of(owner))
        steps = (_words(array, _WORDS)[_DATA] - _words(owner, _WORDS)[_DATA], *self._strides_of(array))
        return layout is not None and layout.kind == "O" and all(step % _POINTER_BYTES == 0 for step in steps)

    def _memory(self, owner: Any) -> tuple[int, int]:
        """Return where the memory of an owner lies; an empty range for everything else."""
        if type(owner) is bytes:
            start = id(owner) + bytes.__basicsize__ - 1
            return start, start + len(owner)
        if type(owner) is bytearray:
            start = _words(owner, _BYTEARRAY_START + 1)[_BYTEARRAY_START]
            return start, start + len(owner)
        if not self._is_array(owner) or not _words(owner, _WORDS)[_FLAGS] & _OWNS_DATA:
            return 1, 0
        start = _words(owner, _WORDS)[_DATA]
        return start, start + count_of(self.shape_of(owner)) * self._item_size(owner)

    def _item_size(self, array: Any) -> int:
        layout = layout_of(self.dtype_of(array))
        return 0 if layout is None else layout.size

    def _span(self, array: Any, item_size: int) -> tuple[int, int]:
        """Return where the items of an array lie, which has at least one."""
        reach = [(size - 1) * step for size, step in zip(self.shape_of(array), self._strides_of(array), strict=True)]
        start = _words(array, _WORDS)[_DATA]
        low = sum(distance for distance in reach if distance < 0)
        high = sum(distance for distance in reach if distance > 0)
        return start + low, start + high + item_size


_known: dict[int, Arrays] = {}  # a type of C is never freed


def arrays_of(cls: type[Any]) -> Arrays:
    """Return how to read the arrays of a type of C."""
    if id(cls) not in _known:
        _known[id(cls)] = Arrays(cls)
    return _known[id(cls)]


def count_of(shape: tuple[int, ...]) -> int:
    """Return how many items an array of this shape has."""
    count = 1
    for size in shape:
        count *= size
    return count
