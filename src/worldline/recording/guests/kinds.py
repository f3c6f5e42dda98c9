"""What can be known of a class without calling it: its name, its dict, its slots, its built-in base.

Reads only through the C slots of `type` and compares by identity, because a metaclass of the program
may define `__eq__`, `__hash__`, `__mro__` or `__dict__`. The readable twin of native/kinds.h.
"""

from __future__ import annotations

import builtins
import collections
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_NAME: Callable[[Any], str] = type.__dict__["__name__"].__get__
mro_of: Callable[[Any], tuple[type[Any], ...]] = type.__dict__["__mro__"].__get__
_FLAGS: Callable[[Any], int] = type.__dict__["__flags__"].__get__
_MODULE: Callable[[Any], Any] = type.__dict__["__module__"].__get__
_WEAK_OFFSET: Callable[[Any], int] = type.__dict__["__weakrefoffset__"].__get__
_BASIC_SIZE: Callable[[Any], int] = type.__dict__["__basicsize__"].__get__
TYPE_DICT: Callable[[Any], dict[str, Any]] = type.__dict__["__dict__"].__get__
_MODULE_DICT: Callable[[Any], dict[Any, Any]] = TYPE_DICT(types.ModuleType)["__dict__"].__get__
_HEAP_TYPE = 1 << 9
# Where an array of NumPy has its weak references, in the layout that both cores read.
_ARRAY_WEAK_OFFSET = 72
STRUCTURED: tuple[type[Any], ...] = (
    int,
    float,
    complex,
    str,
    bytes,
    bytearray,
    list,
    tuple,
    dict,
    set,
    frozenset,
    collections.deque,
)


def ids(*classes: type[Any]) -> frozenset[int]:
    """Return the identities of classes, for lookups."""
    return frozenset(id(cls) for cls in classes)


_STRUCTURED_IDS = ids(*STRUCTURED)


def name_of(cls: type[Any]) -> str:
    """Return the `__name__` of a class as an exact str."""
    return str.__str__(_NAME(cls))


def static_name(cls: type[Any]) -> str:
    """Return the full name of a type that no class statement has made; empty for all others."""
    return "" if _FLAGS(cls) & _HEAP_TYPE else f"{_MODULE(cls)}.{name_of(cls)}"


def base_of(cls: type[Any]) -> type[Any] | None:
    """Return the built-in type with a value of its own that a class is or inherits from."""
    return next((base for base in mro_of(cls) if id(base) in _STRUCTURED_IDS), None)


def is_dunder(name: str) -> bool:
    """Tell whether the interpreter or the language defines this name."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def is_unwritten(name: str) -> bool:
    """Tell whether a variable is not the program's: a dunder, or a name that no source can spell (`@py_assert1`)."""
    return is_dunder(name) or name.startswith("@")


def _is_enum(cls: type[Any]) -> bool:
    return any(name_of(base) in ("EnumType", "EnumMeta") for base in mro_of(type(cls)))


_MODULES = sys.modules
_LIBRARY = {
    "Decimal": "_decimal",
    "date": "_datetime",
    "timedelta": "_datetime",
    "datetime": "_datetime",
    "time": "_datetime",
}
_TABLES = {
    "DataFrame": "pandas.core.frame",
    "Series": "pandas.core.series",
    "Index": "pandas.core.indexes.base",
    "RangeIndex": "pandas.core.indexes.range",
    "DatetimeIndex": "pandas.core.indexes.datetimes",
    "TimedeltaIndex": "pandas.core.indexes.timedeltas",
    "CategoricalIndex": "pandas.core.indexes.category",
    "MultiIndex": "pandas.core.indexes.multi",
    "Categorical": "pandas.core.arrays.categorical",
}
_PANDAS_SCALARS = {
    "Timestamp": "pandas._libs.tslibs.timestamps",
    "Timedelta": "pandas._libs.tslibs.timedeltas",
    "NaTType": "pandas._libs.tslibs.nattype",
    "NAType": "pandas._libs.missing",
}


def _is_defined_in(cls: type[Any], homes: dict[str, str]) -> bool:
    """Tell whether a class is the one of its name in its module."""
    module = _MODULES.get(homes.get(name_of(cls), ""))
    return isinstance(module, types.ModuleType) and _MODULE_DICT(module).get(name_of(cls)) is cls


def _has_known_layout(cls: type[Any]) -> bool:
    return _WEAK_OFFSET(cls) == _ARRAY_WEAK_OFFSET and _BASIC_SIZE(cls) > _ARRAY_WEAK_OFFSET


class Kind:
    """How to read the instances of a class, computed once."""

    __slots__ = (
        "_dict_of",
        "_zone_of",
        "array_base",
        "base",
        "enum",
        "exception",
        "is_array",
        "is_pandas_scalar",
        "is_table",
        "library",
        "name",
        "slots",
        "static_name",
        "structured",
    )

    def __init__(self, cls: type[Any]) -> None:
        mro = mro_of(cls)
        heap = bool(_FLAGS(cls) & _HEAP_TYPE)
        self.name = name_of(cls)
        self.enum = heap and _is_enum(cls)
        self.exception = any(base is BaseException for base in mro)
        self.base = base_of(cls)
        # A C module of numbers or dates defines it: its repr is exact and calls nothing else.
        self.library = _is_defined_in(cls, _LIBRARY)
        self.is_table = heap and _is_defined_in(cls, _TABLES)
        self.is_pandas_scalar = heap and _is_defined_in(cls, _PANDAS_SCALARS)
        zoned = self.library and self.name in ("datetime", "time")
        self._zone_of: Callable[[Any], Any] | None = TYPE_DICT(cls)["tzinfo"].__get__ if zoned else None
        # A class that defines its own `__dict__` hides the dict of its instances from this core.
        descriptors = (TYPE_DICT(base).get("__dict__") for base in mro)
        real = (types.GetSetDescriptorType, types.MemberDescriptorType)
        self._dict_of: Callable[[Any], Any] | None = next(
            (d.__get__ for d in descriptors if d is not None and type(d) in real), None
        )
        self.slots: list[tuple[str, Callable[[Any], Any]]] = []
        declares = False
        for base in reversed(mro):
            if _FLAGS(base) & _HEAP_TYPE and "__slots__" in TYPE_DICT(base):
                declares = True
                for name, member in TYPE_DICT(base).items():
                    # A descriptor of another class would read at a wrong offset.
                    own = type(member) is types.MemberDescriptorType and member.__objclass__ is base
                    if own and type(name) is str and not is_dunder(name):
                        self.slots.append((name, member.__get__))
        self.static_name = static_name(cls)
        self.is_array = self.static_name == "numpy.ndarray" and _has_known_layout(cls)
        # A subclass of arrays, whose instances begin as an array does.
        arrays = (base for base in mro if heap and static_name(base) == "numpy.ndarray" and _has_known_layout(base))
        self.array_base = next(arrays, None) if self.base is None else None
        # The scalars of NumPy that are built-in numbers or texts too are written by their own rule.
        is_plain = self.base is not None and not self.static_name.startswith("numpy.")
        has_fields = heap and (self._dict_of is not None or declares)
        self.structured = is_plain or has_fields or self.array_base is not None

    def library_text(self, value: Any) -> str | None:
        """Return the repr of a number or date; None if that would call the time zone of the program."""
        if not self.library or (self._zone_of is not None and self._zone_of(value) is not None):
            return None
        cls: Any = type(value)
        return str.removeprefix(cls.__repr__(value), "datetime.")

    def fields(self, value: Any) -> dict[Any, Any]:
        """Return a copy of the instance dict; empty if there is none."""
        attributes = self._dict_of(value) if self._dict_of is not None else None
        return dict(dict.items(attributes)) if isinstance(attributes, dict) else {}

    def field(self, value: Any, name: str) -> Any:
        """Return an item of the instance dict, None if missing, without hashing keys, which may be the program's."""
        attributes = self._dict_of(value) if self._dict_of is not None else None
        items: Any = dict.items(attributes) if isinstance(attributes, dict) else ()
        return next((item for key, item in items if type(key) is str and key == name), None)


def identity(value: Any) -> Callable[[], Any] | None:
    """Return a function that tells whether an object at this address is still the same; None if impossible."""
    try:
        return weakref.ref(value)
    except TypeError:
        finalised = any("__del__" in TYPE_DICT(base) for base in mro_of(type(value)))
        return None if finalised else (lambda: value)
