"""Objects into canonical text (docs/format.md, section 1) without calling any method of the program.

The readable twin of native/canonical.c: same text, same numbers. Only exact built-in types and their own C slots are
trusted; everything else is read through descriptors found in the type's real `__dict__`. Nothing here imports the
package, records, or holds a strong reference to an object with a finaliser.
"""

import collections
import struct
import types
import weakref

_NAME = type.__dict__["__name__"].__get__
_MRO = type.__dict__["__mro__"].__get__
_TYPE_DICT = type.__dict__["__dict__"].__get__
_FLAGS = type.__dict__["__flags__"].__get__
_HEAP_TYPE = 1 << 9
_DECIMAL_BITS = 1024
_STRUCTURED = (
    int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, collections.deque,
)  # fmt: skip
_PLAIN = frozenset(_STRUCTURED) | {bool, type(None), type(...), type(NotImplemented), range, slice}
_ATOMS = frozenset(
    (int, float, complex, str, bytes, bool, type(None), type(...), type(NotImplemented), range)
)
_MUTABLE = frozenset((list, dict, set, bytearray, collections.deque))
_NAMED = {
    types.FunctionType: ("function", lambda f: f.__name__),
    types.BuiltinFunctionType: ("builtin", lambda f: f.__name__),
    types.ModuleType: ("module", lambda m: types.ModuleType.__getattribute__(m, "__dict__").get("__name__", "?")),
    types.GeneratorType: ("generator", lambda g: g.__name__),
    types.CoroutineType: ("coroutine", lambda g: g.__name__),
    types.AsyncGeneratorType: ("async_generator", lambda g: g.__name__),
    types.CodeType: ("code", lambda c: c.co_name),
    types.FrameType: ("frame", lambda f: f.f_code.co_name),
}
_ESCAPED = (
    (0x0, 0x1F), (0x7F, 0xA0), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x1680, 0x1680), (0x180E, 0x180E),
    (0x2000, 0x200F), (0x2028, 0x202F), (0x205F, 0x206F), (0x3000, 0x3000), (0xD800, 0xDFFF), (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB), (0xE0000, 0xE007F),
)  # fmt: skip
_SHORT = {0x5C: "\\\\", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}


class _Over(Exception):
    """The text has outgrown `value_bytes`."""


class _Mark:
    """A place in the text where a label or a reference to one may have to stand."""

    __slots__ = ("is_ref", "target")

    def __init__(self, target, is_ref):
        self.target, self.is_ref = target, is_ref


def _escape_table():
    table = dict(_SHORT)
    for low, high in _ESCAPED:
        for point in range(low, high + 1):
            if point < 0x100:
                table.setdefault(point, f"\\x{point:02x}")
            else:
                table.setdefault(point, f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}")
    return table


_ESCAPES = _escape_table()


def text_of_str(value):
    """A str as canonical text."""
    quote = '"' if "'" in value and '"' not in value else "'"
    body = value.translate(_ESCAPES)
    return quote + (body.replace("'", "\\'") if quote == "'" else body) + quote


def text_of_float(value):
    """A float as canonical text, exact to the bit."""
    if value == value:
        return float.__repr__(value)
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    return "nan" if bits == 0x7FF8000000000000 else f"nan({bits:016x})"


def text_of_int(value):
    """An int as canonical text; never through the limited str()."""
    return int.__repr__(value) if value.bit_length() <= _DECIMAL_BITS else hex(value)


def _is_enum(cls):
    return any(_NAME(base) in ("EnumType", "EnumMeta") for base in _MRO(type(cls)))


class _Kind:
    """What can be known of a class once: how to read its instances."""

    __slots__ = ("base", "dict_of", "enum", "exception", "name", "slots", "structured")

    def __init__(self, cls):
        mro = _MRO(cls)
        heap = bool(_FLAGS(cls) & _HEAP_TYPE)
        self.name = _NAME(cls)
        self.enum = heap and _is_enum(cls)
        self.exception = BaseException in mro
        self.base = next((base for base in mro if base in _STRUCTURED), None)
        self.dict_of = next(
            (
                d.__get__
                for d in (_TYPE_DICT(base).get("__dict__") for base in mro)
                if type(d) is types.GetSetDescriptorType
            ),
            None,
        )
        self.slots = []
        declares = False
        for base in reversed(mro):
            if _FLAGS(base) & _HEAP_TYPE and "__slots__" in _TYPE_DICT(base):
                declares = True
                for name, member in _TYPE_DICT(base).items():
                    if type(member) is types.MemberDescriptorType and not is_dunder(name):
                        self.slots.append((name, member.__get__))
        self.structured = self.base is not None or heap and (self.dict_of is not None or declares)


def is_dunder(name):
    """A name that the interpreter or the language has given."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


class Renderer:
    """Renders values for one trace: it holds the numbers given to objects."""

    def __init__(self, value_bytes, value_depth):
        self.value_bytes, self.value_depth = value_bytes, value_depth
        self._serials, self._kinds, self._next = {}, {}, 1

    def render(self, value):
        """The canonical text of one value."""
        self._size, self._seen, self._parts, self._labels = 0, {}, [], {}
        try:
            self._value(value, 0)
            text = self._join()
            if len(text.encode()) > self.value_bytes:
                raise _Over
        except _Over:
            text = self._cut_text(value)
        del self._seen, self._parts
        return text

    def _join(self):
        if not self._labels:
            return "".join([part for part in self._parts if type(part) is str])
        out, numbers = [], {}
        for part in self._parts:
            if type(part) is str:
                out.append(part)
            elif part.target in self._labels:
                out.append(f"#{numbers.setdefault(part.target, len(numbers) + 1)}")
        return "".join(out)

    def _put(self, text):
        self._size += len(text) if text.isascii() else len(text.encode())
        self._parts.append(text)

    def _cut_text(self, value):
        return f"...<{_NAME(type(value))} {self._extent(value)}>"

    def _extent(self, value):
        cls = type(value)
        if cls is int:
            return value.bit_length()
        base = cls if cls in _PLAIN else next((b for b in _MRO(cls) if b in _STRUCTURED), None)
        if base in (str, bytes, bytearray, list, tuple, dict, set, frozenset, collections.deque):
            return base.__len__(value)
        return 0

    def _value(self, value, depth):
        if self._size > self.value_bytes:
            raise _Over
        cls = type(value)
        if cls in _PLAIN:
            if depth > self.value_depth and cls not in _ATOMS:
                self._put(self._cut_text(value))
                return
            if cls in _MUTABLE:
                mark = self._seen.get(id(value))
                if mark is not None:
                    self._labels[id(value)] = True
                    self._parts.append(_Mark(id(value), True))
                    return
                self._seen[id(value)] = True
                self._parts.append(_Mark(id(value), False))
            self._plain(cls, value, depth)
            return
        self._foreign(cls, value, depth)

    def _plain(self, cls, value, depth):
        """A value of, or seen as, the built-in type `cls`."""
        if cls is str:
            if str.__len__(value) > self.value_bytes:
                raise _Over
            self._put(text_of_str(str.__str__(value)))
        elif cls is int:
            if int.bit_length(value) > self.value_bytes * 4:
                raise _Over
            self._put(text_of_int(int.__int__(value)))
        elif cls is float:
            self._put(text_of_float(float.__float__(value)))
        elif cls is list:
            self._items("[", value, "]", depth)
        elif cls is tuple:
            self._items("(", value, ",)" if tuple.__len__(value) == 1 else ")", depth)
        elif cls is dict:
            self._dict(value, depth)
        elif cls is set:
            self._set("{", value, "}", "set()", depth)
        elif cls is frozenset:
            self._set("frozenset({", value, "})", "frozenset()", depth)
        elif cls is bytes or cls is bytearray:
            if cls.__len__(value) > self.value_bytes:
                raise _Over
            text = bytes.__repr__(bytes(value) if cls is bytearray else bytes.__getitem__(value, slice(None)))
            self._put(f"bytearray({text})" if cls is bytearray else text)
        elif cls is complex:
            real, imag = complex.__complex__(value).real, complex.__complex__(value).imag
            self._put(f"complex({text_of_float(real)}, {text_of_float(imag)})")
        elif cls is range:
            step = "" if value.step == 1 else f", {text_of_int(value.step)}"
            self._put(f"range({text_of_int(value.start)}, {text_of_int(value.stop)}{step})")
        elif cls is slice:
            self._items("slice(", (value.start, value.stop, value.step), ")", depth)
        elif cls is collections.deque:
            maxlen = collections.deque.maxlen.__get__(value)
            self._items("deque([", value, "])" if maxlen is None else f"], maxlen={maxlen})", depth)
        else:
            self._put(repr(value))  # None, True, False, Ellipsis, NotImplemented

    def _items(self, opening, values, closing, depth):
        base = next(base for base in _MRO(type(values)) if base in _STRUCTURED)
        if base.__len__(values) * 2 > self.value_bytes:
            raise _Over
        self._put(opening)
        for i, item in enumerate(base.__iter__(values)):
            if i:
                self._put(", ")
            self._value(item, depth + 1)
        self._put(closing)

    def _dict(self, value, depth):
        if dict.__len__(value) * 2 > self.value_bytes:
            raise _Over
        self._put("{")
        # An OrderedDict keeps an order of its own; reading it hashes the keys, so only keys whose hash is trusted.
        ordered = type(value) is collections.OrderedDict and all(type(k) in _ATOMS for k in dict.__iter__(value))
        items = collections.OrderedDict.items(value) if ordered else dict.items(value)
        for i, (key, item) in enumerate(items):
            if i:
                self._put(", ")
            self._value(key, depth + 1)
            self._put(": ")
            self._value(item, depth + 1)
        self._put("}")

    def _set(self, opening, values, closing, empty, depth):
        base = set if issubclass(type(values), set) else frozenset
        if base.__len__(values) * 2 > self.value_bytes:
            raise _Over
        if not base.__len__(values):
            self._put(empty)
            return
        self._put(opening)
        outer, rows = self._parts, []
        for item in base.__iter__(values):
            self._parts = []
            self._value(item, depth + 1)
            text = "".join([part for part in self._parts if type(part) is str])
            rows.append((_set_key(item, text), self._parts))
            self._size += 2
        self._parts = outer
        self._size -= 2
        rows.sort(key=lambda row: row[0])
        for i, (_, parts) in enumerate(rows):
            if i:
                self._parts.append(", ")
            self._parts.extend(parts)
        self._put(closing)

    def kind(self, cls):
        """What is known of a class."""
        found = self._kinds.get(id(cls))
        if found is None or found[0] is not cls:
            found = self._kinds[id(cls)] = (cls, _Kind(cls))
        return found[1]

    def _foreign(self, cls, value, depth):
        named = _NAMED.get(cls)
        if named is not None:
            self._put(f"<{named[0]} {_plain_name(named[1](value))}>")
        elif cls is types.MethodType:
            function = value.__func__
            name = function.__name__ if type(function) is types.FunctionType else "?"
            self._put(f"<method {_plain_name(name)}>")
        elif issubclass(cls, type):
            self._put(f"<class {_plain_name(_NAME(value))}>")
        else:
            kind = self.kind(cls)
            if kind.exception:
                self._exception(kind, value, depth)
            elif not kind.structured:
                self._put(f"<{_plain_name(kind.name)}>")
            elif kind.enum and type(kind.dict_of(value).get("_name_")) is str:
                self._put(f"{kind.name}.{kind.dict_of(value)['_name_']}")
            else:
                self._object(kind, value, depth)

    def _object(self, kind, value, depth):
        head = f"{kind.name}#{self._serial(value)}"
        if id(value) in self._seen:
            self._put(head)
            return
        if depth > self.value_depth:
            self._put(self._cut_text(value))
            return
        self._seen[id(value)] = True
        self._put(head + "(")
        first = True
        if kind.base is not None:
            self._plain(kind.base, value, depth)
            first = False
        self._fields(kind, value, depth, first)
        self._put(")")

    def _fields(self, kind, value, depth, first):
        names = kind.dict_of(value) if kind.dict_of is not None else None
        found = [(k, v) for k, v in dict.items(names) if type(k) is str and not is_dunder(k)] if names else []
        for name, get in kind.slots:
            try:
                found.append((name, get(value)))
            except AttributeError:
                continue
        for name, item in found:
            self._put(f"{name}=" if first else f", {name}=")
            first = False
            self._value(item, depth + 1)
        return first

    def _exception(self, kind, value, depth):
        if id(value) in self._seen or depth > self.value_depth:
            self._put(f"...<{kind.name} 0>")
            return
        self._seen[id(value)] = True
        self._put(kind.name + "(")
        first = True
        for item in BaseException.args.__get__(value):
            if not first:
                self._put(", ")
            first = False
            self._value(item, depth + 1)
        first = self._fields(kind, value, depth, first)
        cause = BaseException.__dict__["__cause__"].__get__(value)
        context = BaseException.__dict__["__context__"].__get__(value)
        suppressed = BaseException.__dict__["__suppress_context__"].__get__(value)
        for name, other in (("__cause__", cause), ("__context__", None if suppressed else context)):
            if other is not None:
                self._put(f"{name}=" if first else f", {name}=")
                first = False
                self._value(other, depth + 1)
        self._put(")")

    def _serial(self, value):
        found = self._serials.get(id(value))
        if found is not None and (found[1] is None or found[1]() is value):
            return found[0]
        number, self._next = self._next, self._next + 1
        self._serials[id(value)] = (number, _identity(value))
        return number


def is_shareable(value, renderer):
    """Can two names share it, and one of them change it?"""
    cls = type(value)
    if cls in _PLAIN:
        return cls in _MUTABLE
    if cls in _NAMED or cls is types.MethodType or issubclass(cls, type):
        return False
    kind = renderer.kind(cls)
    return kind.structured and not kind.enum and not kind.exception


def _identity(value):
    """Something that tells whether an object at this address is still this object; None where nothing can."""
    try:
        return weakref.ref(value)
    except TypeError:
        finalised = any("__del__" in _TYPE_DICT(base) for base in _MRO(type(value)))
        return None if finalised else (lambda: value)


def _plain_name(name):
    return str.__str__(name).translate(_ESCAPES) if isinstance(name, str) else "?"


_RANKS = {type(None): 0, bool: 1, int: 2, float: 3, str: 4, bytes: 5, tuple: 6}


def _set_key(value, text):
    rank = _RANKS.get(type(value), 7)
    encoded = text.encode()
    if rank == 2:
        return (rank, 0, value, encoded)
    if rank == 3:
        return (rank, 1, 0.0, encoded) if value != value else (rank, 0, value, encoded)
    return (rank, 0, 0, encoded)
