"""Render objects as canonical text (docs/reference/format.md, section 1), calling no method of the program.

The readable twin of native/canonical.h, with the same text and numbers. It trusts only exact built-in
types and their C slots, and reads everything else through descriptors in the real `__dict__` of its
type. It holds no strong reference to an object with a finaliser.
"""

from __future__ import annotations

import builtins
import collections
import types
from collections.abc import Callable
from typing import Any

from .arrays.memory import Arrays, arrays_of
from .arrays.pandas_scalars import text_of_pandas_scalar
from .arrays.tables import put_table, table_of
from .arrays.text import MAX_CHECKED_BYTES, put_array, text_of_scalar
from .atoms import TooLong, is_identifier, text_of_complex, text_of_float, text_of_int, text_of_range, text_of_str, word
from .kinds import STRUCTURED, TYPE_DICT, Kind, base_of, identity, ids, is_dunder, name_of

# Only exact types are asked for here, and by identity: a class of the program may lie about equality and hashing.
globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_ARGS: Callable[[Any], tuple[Any, ...]] = BaseException.__dict__["args"].__get__
_CAUSE: Callable[[Any], Any] = BaseException.__dict__["__cause__"].__get__
_CONTEXT: Callable[[Any], Any] = BaseException.__dict__["__context__"].__get__
_SUPPRESSED: Callable[[Any], bool] = BaseException.__dict__["__suppress_context__"].__get__
_MODULE_DICT: Callable[[Any], dict[Any, Any]] = TYPE_DICT(types.ModuleType)["__dict__"].__get__
_PLAIN = ids(*STRUCTURED, bool, type(None), type(...), type(NotImplemented), range, slice)
_ATOMS = ids(int, float, complex, str, bytes, bool, type(None), type(...), type(NotImplemented), range)
_SIZED = ids(str, bytes, bytearray, list, tuple, dict, set, frozenset, collections.deque)
_MUTABLE = ids(list, dict, set, bytearray, collections.deque)
_CONTAINERS = ids(list, dict, set, frozenset, tuple, collections.deque)
_NAMED: dict[int, tuple[str, Callable[[Any], Any]]] = {
    id(types.FunctionType): ("function", lambda f: f.__name__),
    id(types.BuiltinFunctionType): ("builtin", lambda f: f.__name__),
    id(types.ModuleType): ("module", lambda m: _MODULE_DICT(m).get("__name__")),
    id(types.GeneratorType): ("generator", lambda g: g.__name__),
    id(types.CoroutineType): ("coroutine", lambda g: g.__name__),
    id(types.AsyncGeneratorType): ("async_generator", lambda g: g.__name__),
    id(types.CodeType): ("code", lambda c: c.co_name),
    id(types.FrameType): ("frame", lambda f: f.f_code.co_name),
}


class _Mark:
    """A place in the text where a container starts, or is referred to: a label or a reference may be needed there."""

    __slots__ = ("is_container", "target")

    def __init__(self, target: int, is_container: bool) -> None:
        self.target, self.is_container = target, is_container


_Parts = list[str | _Mark]
_SetKey = tuple[int, int, Any, bytes]


# The types without items. What is not here and is no container: None, True, False, Ellipsis, NotImplemented.
_TEXT_OF: dict[int, Callable[[Any], str]] = {
    id(str): text_of_str,
    id(int): text_of_int,
    id(float): text_of_float,
    id(bytes): lambda value: bytes.__repr__(bytes.__getitem__(value, slice(None))),
    id(bytearray): lambda value: f"bytearray({bytes.__repr__(bytes(bytearray.__getitem__(value, slice(None))))})",
    id(complex): text_of_complex,
    id(range): text_of_range,
}


def _outgrows(cls: type[Any], value: Any, size: int) -> bool:
    """Tell whether the text of this str, bytes or int is certainly too long, before it is created."""
    if cls is int:
        return int.bit_length(value) > size * 4
    return cls is not int and id(cls) in _SIZED and bool(cls.__len__(value) > size)


class Renderer:
    """Renders the values of one trace, and holds the numbers of its objects."""

    def __init__(self, value_bytes: int, value_depth: int) -> None:
        self.value_bytes, self.value_depth = value_bytes, value_depth
        self.containers: list[int] = []
        """The built-in containers that the newest text writes out, in its order, by address."""
        self._serials: dict[int, tuple[int, Callable[[], Any] | None]] = {}
        self._kinds: dict[int, tuple[type[Any], Kind]] = {}
        self._next = 1

    def render(self, value: Any) -> str:
        """Return the canonical text of one value."""
        self._size = 0
        self.checked_bytes = MAX_CHECKED_BYTES
        self._seen: set[int] = set()
        self._labels: set[int] = set()
        self._open_arrays: list[int] = []
        self._parts: _Parts = []
        try:
            self.put_value(value, 0)
            text = self._join()
            if len(text.encode()) > self.value_bytes:
                raise TooLong
        except TooLong:
            text = self._cut_text(value)
            self._parts = []
        self.containers = [part.target for part in self._parts if isinstance(part, _Mark) and part.is_container]
        del self._seen, self._parts
        return text

    def _join(self) -> str:
        if not self._labels:
            return "".join([part for part in self._parts if type(part) is str])
        out: list[str] = []
        numbers: dict[int, int] = {}
        for part in self._parts:
            if isinstance(part, str):
                out.append(part)
            elif part.target in self._labels:
                out.append(f"#{numbers.setdefault(part.target, len(numbers) + 1)}")
        return "".join(out)

    def put(self, text: str) -> None:
        """Append text."""
        self._size += len(text) if text.isascii() else len(text.encode())
        self._parts.append(text)

    def _cut_text(self, value: Any) -> str:
        return f"...<{_dotted(name_of(type(value)))} {self._extent(value)}>"

    def _extent(self, value: Any) -> int:
        cls: type[Any] = type(value)
        if cls is int:
            return int.bit_length(value)
        base = base_of(cls)
        return int(base.__len__(value)) if base is not None and id(base) in _SIZED else 0

    def check_size(self) -> None:
        """Stop if the text is longer than a value may be."""
        if self._size > self.value_bytes:
            raise TooLong

    def put_value(self, value: Any, depth: int) -> None:
        """Append a value that is nested this deep."""
        self.check_size()
        cls: type[Any] = type(value)
        if id(cls) not in _PLAIN:
            self._foreign(cls, value, depth)
            return
        if depth > self.value_depth and id(cls) not in _ATOMS:
            self.put(self._cut_text(value))
            return
        is_new = id(cls) not in _MUTABLE or id(value) not in self._seen
        if id(cls) in _MUTABLE or id(cls) in _CONTAINERS:
            self._parts.append(_Mark(id(value), is_new and id(cls) in _CONTAINERS and not self._open_arrays))
        if not is_new:
            self._labels.add(id(value))
            return
        if id(cls) in _MUTABLE:
            self._seen.add(id(value))
        self._plain(cls, value, depth)

    def _plain(self, cls: type[Any], value: Any, depth: int) -> None:
        """Render a value as the built-in type `cls`."""
        if cls is list:
            self._items("[", value, "]", depth)
        elif cls is tuple:
            self._items("(", value, ",)" if tuple.__len__(value) == 1 else ")", depth)
        elif cls is dict:
            self._dict(value, depth)
        elif cls is set:
            self._set("{", value, "}", "set()", depth)
        elif cls is frozenset:
            self._set("frozenset({", value, "})", "frozenset()", depth)
        elif cls is slice:
            self._items("slice(", (value.start, value.stop, value.step), ")", depth)
        elif cls is collections.deque:
            maxlen = collections.deque.maxlen.__get__(value)
            self._items("deque([", value, "])" if maxlen is None else f"], maxlen={maxlen})", depth)
        elif _outgrows(cls, value, self.value_bytes):
            raise TooLong
        else:
            self.put(_TEXT_OF.get(id(cls), repr)(value))

    def _items(self, opening: str, values: Any, closing: str, depth: int) -> None:
        base: Any = base_of(type(values))
        if base.__len__(values) * 2 > self.value_bytes:
            raise TooLong
        self.put(opening)
        for place, item in enumerate(list(base.__iter__(values))):
            if place:
                self.put(", ")
            self.put_value(item, depth + 1)
        self.put(closing)

    def _dict(self, value: Any, depth: int) -> None:
        if dict.__len__(value) * 2 > self.value_bytes:
            raise TooLong
        self.put("{")
        # An OrderedDict keeps an order of its own; reading it hashes the keys, so only keys whose hash is trusted.
        keyed = type(value) is collections.OrderedDict
        ordered = keyed and all(id(type(key)) in _ATOMS for key in dict.__iter__(value))
        items: Any = _ordered_items(value) if ordered else list(dict.items(value))
        for place, (key, item) in enumerate(items):
            if place:
                self.put(", ")
            self.put_value(key, depth + 1)
            self.put(": ")
            self.put_value(item, depth + 1)
        self.put("}")

    def _set(self, opening: str, values: Any, closing: str, empty: str, depth: int) -> None:
        base: type[Any] = set if issubclass(type(values), set) else frozenset
        if base.__len__(values) * 2 > self.value_bytes:
            raise TooLong
        if not base.__len__(values):
            self.put(empty)
            return
        self.put(opening)
        outer = self._parts
        rows: list[tuple[_SetKey, _Parts]] = []
        for item in base.__iter__(values):
            self._parts = []
            self.put_value(item, depth + 1)
            text = "".join([part for part in self._parts if type(part) is str])
            rows.append((_set_key(item, text), self._parts))
            self._size += 2
        self._parts = outer
        self._size -= 2
        rows.sort(key=lambda row: row[0])
        for place, (_, parts) in enumerate(rows):
            if place:
                self._parts.append(", ")
            self._parts.extend(parts)
        self.put(closing)

    def kind(self, cls: type[Any]) -> Kind:
        """Return how to read the instances of a class."""
        known = self._kinds.get(id(cls))
        if known is None or known[0] is not cls:
            known = self._kinds[id(cls)] = (cls, Kind(cls))
        return known[1]

    def _foreign(self, cls: type[Any], value: Any, depth: int) -> None:
        named = _NAMED.get(id(cls))
        if named is not None:
            self.put(f"<{named[0]} {_opaque_name(named[1](value))}>")
        elif cls is types.MethodType:
            function = value.__func__
            name = function.__name__ if type(function) is types.FunctionType else None
            self.put(f"<method {_opaque_name(name)}>")
        elif issubclass(cls, type):
            self.put(f"<class {_opaque_name(name_of(value))}>")
        else:
            kind = self.kind(cls)
            if kind.exception:
                self._exception(kind, value, depth)
            elif (text := kind.library_text(value) or text_of_pandas_scalar(value, kind)) is not None:
                self.put(text)
            elif kind.is_array and (arrays := arrays_of(cls)).is_readable:
                self._array(arrays, value, depth)
            elif (text := text_of_scalar(value, kind.static_name, self.value_bytes)) is not None:
                self.put(text)
            elif not kind.structured:
                self.put(f"<{_opaque_name(kind.name)}>")
            elif kind.enum and type(member := kind.fields(value).get("_name_")) is str:
                self.put(_class_name(kind) + "." + word(member, "|"))
            else:
                self._object(kind, value, depth)

    def _object(self, kind: Kind, value: Any, depth: int) -> None:
        head = f"{_dotted(kind.name)}#{self._serial(value)}"
        if id(value) in self._seen:
            self.put(head)
            return
        if depth > self.value_depth:
            self.put(self._cut_text(value))
            return
        self._seen.add(id(value))
        self.put(head + "(")
        table = table_of(self, value, kind) if kind.is_table else None
        if table is not None:
            put_table(self, kind, value, table, depth)
        else:
            is_first = not self._base(kind, value, depth)
            self._fields(kind, value, depth, is_first)
        self.put(")")

    def _base(self, kind: Kind, value: Any, depth: int) -> bool:
        """Render an object as the built-in value or array that it also is, if any. Return whether it is one."""
        if kind.base is not None:
            self._plain(kind.base, value, depth)
            return True
        arrays = None if kind.array_base is None else arrays_of(kind.array_base)
        if arrays is None or not arrays.is_readable:
            return False
        self._array(arrays, arrays.plain_view(value), depth)
        return True

    def _array(self, arrays: Arrays, value: Any, depth: int) -> None:
        """Render an array. It has no number: a weak reference would keep the program from resizing it."""
        if id(value) in self._open_arrays or depth > self.value_depth:
            self.put("...<ndarray 0>")
            return
        self._open_arrays.append(id(value))
        self.put("ndarray(")
        put_array(self, arrays, value, depth)
        self.put(")")
        self._open_arrays.pop()

    def _fields(self, kind: Kind, value: Any, depth: int, first: bool) -> bool:
        """Render the attributes, separated by commas. Return whether the next one would be the first."""
        items = kind.fields(value).items()
        attributes = [(name, item) for name, item in items if type(name) is str and not is_dunder(name)]
        for name, get in kind.slots:
            try:
                attributes.append((name, get(value)))
            except AttributeError:
                continue
        for name, item in attributes:
            self.put(f"{word(name)}=" if first else f", {word(name)}=")
            first = False
            self.put_value(item, depth + 1)
        return first

    def _exception(self, kind: Kind, value: Any, depth: int) -> None:
        if id(value) in self._seen or depth > self.value_depth:
            self.put(f"...<{_dotted(kind.name)} 0>")
            return
        self._seen.add(id(value))
        self.put(_class_name(kind) + "(")
        first = True
        for item in _ARGS(value):
            if not first:
                self.put(", ")
            first = False
            self.put_value(item, depth + 1)
        first = self._fields(kind, value, depth, first)
        context = None if _SUPPRESSED(value) else _CONTEXT(value)
        for name, other in (("__cause__", _CAUSE(value)), ("__context__", context)):
            if other is not None:
                self.put(f"{name}=" if first else f", {name}=")
                first = False
                self.put_value(other, depth + 1)
        self.put(")")

    def _serial(self, value: Any) -> int:
        known = self._serials.get(id(value))
        if known is not None and (known[1] is None or known[1]() is value):
            return known[0]
        number, self._next = self._next, self._next + 1
        self._serials[id(value)] = (number, identity(value))
        return number


def _ordered_items(value: Any) -> list[tuple[Any, Any]]:
    """Return the items in the dict's own order, unless `dict.__delitem__` has removed a key behind its back."""
    try:
        return list(collections.OrderedDict.items(value))
    except KeyError:
        return list(dict.items(value))


def is_shareable(value: Any, renderer: Renderer) -> bool:
    """Tell whether two names can share a value that changes."""
    cls: type[Any] = type(value)
    if id(cls) in _PLAIN:
        return id(cls) in _MUTABLE
    if id(cls) in _NAMED or cls is types.MethodType or issubclass(cls, type):
        return False
    kind = renderer.kind(cls)
    return kind.is_array or (kind.structured and not kind.enum and not kind.exception)


_RESERVED = frozenset(
    ("None", "True", "False", "Ellipsis", "NotImplemented", "inf", "nan", "float", "complex", "set", "frozenset",
     "bytearray", "deque", "range", "slice")
)  # fmt: skip


def _dotted(name: str) -> str:
    return word(name, ".")


def _class_name(kind: Kind) -> str:
    """Return the name of a class whose instances have no number; reserved words are quoted."""
    return text_of_str(kind.name) if kind.name in _RESERVED else _dotted(kind.name)


def _opaque_name(name: Any) -> str:
    """Return the name of an opaque value; "<lambda>" and the like stay as they are."""
    if not isinstance(name, str):
        return "?"
    name = str.__str__(name)
    return name if name[:1] == "<" and name[-1:] == ">" and is_identifier(name[1:-1]) else _dotted(name)


_RANKS = {id(cls): rank for rank, cls in enumerate((type(None), bool, int, float, str, bytes, tuple))}


def _set_key(value: Any, text: str) -> _SetKey:
    rank = _RANKS.get(id(type(value)), 7)
    encoded = text.encode()
    if rank == 2:
        return (rank, 0, value, encoded)
    if rank == 3:
        return (rank, 1, 0.0, encoded) if value != value else (rank, 0, value, encoded)
    return (rank, 0, 0, encoded)
