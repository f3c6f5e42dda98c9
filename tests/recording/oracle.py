"""The oracle: what `sys.settrace` sees of programs, values spelled by docs/reference/format.md; not worldline's work.

A script: JSON on standard input (a list of sources), JSON on standard output (for each, its rows). A row is a line of a
function with its names before it ran, `[name, line, names, values]`, or a value it gave, `[name, "gave", value]`, but
for None: `sys.settrace` says that of frames that an exception leaves, too. A value is its text with `#` in the place of
each object's number, or None where the oracle does not know it. It sees no better than `f_locals` does: programs whose
comprehensions use the name of a closure's variable are not for it (gh-128396).
"""

import collections
import datetime
import decimal
import enum
import io
import json
import re
import sys
import types

BASES = (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, collections.deque)
MUTABLE = (list, dict, set, bytearray, collections.deque)
NAMED = {
    types.FunctionType: "function", types.BuiltinFunctionType: "builtin", types.ModuleType: "module",
    types.GeneratorType: "generator", types.CoroutineType: "coroutine", types.AsyncGeneratorType: "async_generator",
}  # fmt: skip
LIBRARY = (decimal.Decimal, datetime.date, datetime.timedelta, datetime.datetime, datetime.time)
ESCAPED = re.compile(
    "[\\\\\0-\x1f\x7f-\xa0\xad\u034f\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
SHORT = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")
LONGEST = 4000


class Unknown(Exception):
    """The oracle does not say what this value's text is."""


def escaped(match):
    char = match[0]
    point = ord(char)
    if char in SHORT:
        return SHORT[char]
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def text_of_str(value):
    quote = '"' if "'" in value and '"' not in value else "'"
    text = ESCAPED.sub(escaped, value)
    return quote + (text.replace("'", "\\'") if quote == "'" else text) + quote


def number(value):
    if type(value) is float:
        return "nan" if value != value else repr(value)
    return repr(value) if value.bit_length() <= 1024 else hex(value)


def rank(value):
    kinds = (type(None), bool, int, float, str, bytes, tuple)
    return kinds.index(type(value)) if type(value) in kinds else 7


def plain(base, value, seen):
    """A value of, or seen as, a built-in type."""
    each = lambda values: ", ".join([spelled(one, seen) for one in values])  # noqa: E731
    if base in (int, float):
        return number(base(value) if type(value) is not base else value)
    if base is complex:
        return f"complex({number(value.real)}, {number(value.imag)})"
    if base is str:
        return text_of_str(str.__str__(value))
    if base is bytes:
        return repr(bytes(value))
    if base is bytearray:
        return f"bytearray({bytes(value)!r})"
    if base is list:
        return f"[{each(list.__iter__(value))}]"
    if base is tuple:
        return f"({each(tuple.__iter__(value))}{',' if len(value) == 1 else ''})"
    if base is dict:
        pairs = [f"{spelled(key, seen)}: {spelled(item, seen)}" for key, item in value.items()]
        return "{" + ", ".join(pairs) + "}"
    if base is collections.deque:
        return f"deque([{each(value)}]" + (")" if value.maxlen is None else f", maxlen={value.maxlen})")
    return text_of_set(base, value, seen)


def text_of_set(base, value, seen):
    texts = {one: spelled(one, seen) for one in value}
    if any("#" in text for text in texts.values()):
        raise Unknown  # in any order
    by_number = lambda one: one if type(one) in (int, float) else 0  # noqa: E731
    items = ", ".join(
        [texts[one] for one in sorted(value, key=lambda one: (rank(one), by_number(one), texts[one].encode()))]
    )
    if base is set:
        return f"{{{items}}}" if items else "set()"
    return f"frozenset({{{items}}})" if items else "frozenset()"


def fields(value):
    """The instance's dict, then its slots, base classes first."""
    found = []
    if any("__dict__" in vars(cls) for cls in type(value).__mro__):
        found += vars(value).items()
    for cls in reversed(type(value).__mro__):
        for name, member in sorted(vars(cls).items()) if "__slots__" in vars(cls) else ():
            if type(member) is types.MemberDescriptorType and hasattr(value, name):
                found.append((name, getattr(value, name)))
    return [(name, item) for name, item in found if not (name[:2] == name[-2:] == "__")]


def structured(cls):
    heap = bool(cls.__flags__ & 1 << 9)
    offers = any(
        "__dict__" in vars(base) or ("__slots__" in vars(base) and base.__flags__ & 1 << 9) for base in cls.__mro__
    )
    return any(base in BASES for base in cls.__mro__) or (heap and offers)


def text_of_exception(value, seen):
    if id(value) in seen:
        return f"...<{type(value).__name__} 0>"
    seen.add(id(value))
    parts = [spelled(arg, seen) for arg in value.args]
    parts += [f"{name}={spelled(item, seen)}" for name, item in fields(value)]
    context = None if value.__suppress_context__ else value.__context__
    for name, other in (("__cause__", value.__cause__), ("__context__", context)):
        parts += [] if other is None else [f"{name}={spelled(other, seen)}"]
    return f"{type(value).__name__}({', '.join(parts)})"


def text_of_object(value, seen):
    cls = type(value)
    if id(value) in seen:
        return f"{cls.__name__}#"
    seen.add(id(value))
    base = next((base for base in cls.__mro__ if base in BASES), None)
    parts = [] if base is None else [plain(base, value, seen)]
    parts += [f"{name}={spelled(item, seen)}" for name, item in fields(value)]
    return f"{cls.__name__}#({', '.join(parts)})"


def spelled(value, seen):
    cls = type(value)
    if value is None or value is ... or value is NotImplemented or cls is bool:
        return repr(value)
    if cls in BASES:
        if cls in MUTABLE:
            if id(value) in seen:
                raise Unknown  # labels
            seen.add(id(value))
        return plain(cls, value, seen)
    if cls is range:
        step = "" if value.step == 1 else f", {value.step}"
        return f"range({value.start}, {value.stop}{step})"
    if cls is slice:
        return f"slice({', '.join([spelled(part, seen) for part in (value.start, value.stop, value.step)])})"
    if cls in LIBRARY and getattr(value, "tzinfo", None) is None:
        return repr(value).removeprefix("datetime.")
    if isinstance(value, type):
        return f"<class {value.__name__}>"
    if cls in NAMED:
        return f"<{NAMED[cls]} {value.__name__}>"
    if cls is types.MethodType:
        return (
            f"<method {getattr(value, '__name__', '?')}>"
            if type(value.__func__) is types.FunctionType
            else "<method ?>"
        )
    if isinstance(value, enum.Enum):
        if value._name_ is None:
            raise Unknown
        return f"{cls.__name__}.{value._name_}"
    if isinstance(value, BaseException):
        return text_of_exception(value, seen)
    if cls.__name__.endswith("EventLoop"):
        raise Unknown  # numbers of threads and descriptors
    return text_of_object(value, seen) if structured(cls) else f"<{cls.__name__}>"


def text_of(value):
    try:
        text = spelled(value, set())
    except (Unknown, RecursionError):
        return None
    return text if len(text) < LONGEST else None


def watch(source):
    rows = []

    def trace(frame, event, arg):
        code = frame.f_code
        if code.co_filename != "program.py" or code.co_name in COMPREHENSIONS or not code.co_flags & 1:
            return None if code.co_filename != "program.py" else trace
        if event == "line":
            found = dict(frame.f_locals)
            names = [*code.co_varnames, *code.co_cellvars, *code.co_freevars]
            names = [name for name in names if not (name[:2] == name[-2:] == "__")]
            rows.append([code.co_qualname, frame.f_lineno, names, {n: text_of(found[n]) for n in names if n in found}])
        elif event == "return" and arg is not None:
            rows.append([code.co_qualname, "gave", text_of(arg)])
        return trace

    code = compile(source, "program.py", "exec")
    kept, sys.stdout = sys.stdout, io.StringIO()
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__dict__.update(__file__="program.py", __builtins__=__builtins__)
    sys.settrace(trace)
    try:
        exec(code, main.__dict__)
        for name in list(main.__dict__):  # as at the end of a module: generators that are left are closed
            if name != "__builtins__":
                main.__dict__[name] = None
    finally:
        sys.settrace(None)
        sys.stdout = kept
    return rows


if __name__ == "__main__":
    print(json.dumps([watch(source) for source in json.load(sys.stdin)]))
