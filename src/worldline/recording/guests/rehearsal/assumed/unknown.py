"""Values that nothing in the sandbox can know: what is done with them is followed, and gives more of them.

They are text and bytes, so that they can be written and sent; the text is their own name in angle brackets. A condition
on one is decided by `Answers.decide`. A value that has to be a number is assumed to be the likely one, or 1. Code
of libraries sees plain text and bytes: what it does with them is not the script's decision.
"""

from __future__ import annotations

import builtins
import opcode
import operator
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from sys import _getframe
from types import FunctionType
from typing import Any

from ..script_frames import OWN
from .answers import BY_NOBODY, MAX_SHOWN, Answers, spell, spelled_call

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_LIKELY = {
    "status_code": 200,
    "status": 200,
    "code": 200,
    "returncode": 0,
    "exit_code": 0,
    "ok": True,
    "empty": False,
    "error": False,
    "errors": False,
}
_ERRORS = ("Error", "Exception", "Timeout", "Warning", "Interrupt")
_BINARY_CALLS = ("encode", "recv", "tobytes", "read_bytes", "iter_content", "iter_bytes")
_READING = ("read", "read1", "readline", "getvalue", "peek")
_UNPACK, _UNPACK_EX, _CALL = (opcode.opmap[name] for name in ("UNPACK_SEQUENCE", "UNPACK_EX", "CALL"))
_get, _set = object.__getattribute__, object.__setattr__
_answers: list[Answers] = []
_texts: dict[str, None] = {}


def use(answers: Answers) -> None:
    """Set what decides and reports in this run."""
    _answers[:] = [answers]


def unknown(name: str, likely: Any = None, *, text: str | None = None, binary: bool = False, root: bool = False) -> Any:
    """Create an unknown value. `binary`: reading from it gives bytes. `root`: calls of it are reported."""
    name = _without_middle(name)
    value = str.__new__(UnknownText, _named(name) if text is None else text)
    for key, held in (("_shown", name), ("_likely", likely), ("_binary", binary), ("_root", root)):
        _set(value, key, held)
    return value


def unknown_bytes(name: str) -> Any:
    """Create unknown bytes."""
    value = bytes.__new__(UnknownBytes, _named(name[:MAX_SHOWN]).encode())
    _set(value, "_shown", name[:MAX_SHOWN])
    return value


def _without_middle(name: str) -> str:
    """Shorten a long name: its end says what is asked of its start."""
    return name if len(name) <= MAX_SHOWN else f"{name[:40]}...{name[43 - MAX_SHOWN :]}"


def _named(name: str) -> str:
    """The text of an unknown value: its name, without what would make a path of it."""
    text = f"<{name.replace('/', ':')}>"
    _texts[text] = None
    return text


def has_unknown(path: Any) -> bool:
    """Tell whether a path contains the text of an unknown value."""
    text = plain(path)
    text = text if isinstance(text, str) else str(text) if type(text).__module__.startswith("pathlib") else ""
    return any(name in text for name in _texts)


def is_unknown(value: Any) -> bool:
    """Tell whether a value is unknown."""
    return isinstance(type(value), type) and type(value) in (UnknownText, UnknownBytes)


class UnknownBase:
    """Replaces an unknown class that another class is derived from."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self.__dict__.update(named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return unknown(f"{type(self).__name__}.{name}")


class UnknownError(Exception):
    """An exception of a module that is not installed. It is raised where the script handles it, in one branch."""


def _raise_handled(what: str, frame: Any) -> None:
    """Raise an exception that the script handles around a call, if this branch takes the call to raise it."""
    for name in _answers[0].handled(frame):
        first, *rest = name.split(".")
        error = frame.f_locals.get(first, frame.f_globals.get(first))
        for part in rest:
            error = getattr(error, part, None)
        is_possible = isinstance(error, type) and issubclass(error, UnknownError)
        if is_possible and _answers[0].decide(f"{what} raises {name}", False):
            raise error("assumed")


class _Condition:
    """A comparison that is decided only if it is asked for; a negation has the `positive` one that it turns."""

    def __init__(self, written: str, positive: str, likely: bool, subject: str, value: Any) -> None:
        self.written, self.positive, self.likely = written, positive, likely
        self.subject, self.value = subject, value

    def holds(self) -> bool:
        holds = _answers[0].decide(self.written, self.likely, self.positive)
        is_equal = " == " in self.positive and holds == (self.written == self.positive)
        if is_equal and type(self.value) in (int, str, bool, float):
            _answers[0].values.setdefault(self.subject, self.value)
        return holds


_COMPARISONS: dict[str, tuple[str, bool, Callable[[Any, Any], Any]]] = {
    "__eq__": ("==", False, operator.eq),
    "__ne__": ("==", True, operator.eq),
    "__lt__": ("<", False, operator.lt),
    "__ge__": ("<", True, operator.lt),
    "__le__": ("<=", False, operator.le),
    "__gt__": ("<=", True, operator.le),
}
_ARITHMETIC = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "matmul": "@",
}


def _known_value(name: str, likely: Any) -> Any:
    return _answers[0].values.get(name, likely)


def _compare(value: Any, method: str, other: Any) -> Any:
    symbol, turned, act = _COMPARISONS[method]
    name = _get(value, "_shown")
    other_name = _get(other, "_shown") if is_unknown(other) else spell(other)
    if name == other_name:
        return (symbol != "<") != turned
    if name in _answers[0].values and not is_unknown(other):
        return _plainly(act, _answers[0].values[name], other, True) != turned
    likely = _get(value, "_likely") if type(value) is UnknownText else None
    # Without a likely value, the first branch is the one in which the test holds as it is written.
    holds = True if likely is None else _plainly(act, likely, other, True) != turned
    negation = {"==": "!=", "<": ">=", "<=": ">"}[symbol]
    positive = f"{name} {symbol} {other_name}"
    written = f"{name} {negation} {other_name}" if turned else positive
    answer = unknown(written)
    _set(answer, "_condition", _Condition(written, positive, holds, name, other))
    return answer


def _plainly(act: Callable[[Any, Any], Any], first: Any, second: Any, otherwise: bool) -> bool:
    """Compare two plain values."""
    plain = (int, float, str, bool, bytes, type(None))
    if type(first) not in plain or type(second) not in plain:
        return otherwise
    try:
        return bool(act(first, second))
    except TypeError:
        return otherwise


def _is_own(frame: Any) -> bool:
    """Tell whether code of the script asks, and not that of a library."""
    return bool(frame.f_code.co_filename.startswith(OWN))


def _looked_up(value: Any, name: str, plain: type, frame: Any) -> Any:
    own = _get(value, "__dict__")
    if name in own:
        return own[name]
    is_plain = (name.startswith("__") and name.endswith("__")) or (hasattr(plain, name) and not _is_own(frame))
    return _get(value, name) if is_plain else attribute_of(value, name)


def plain(value: Any) -> Any:
    """Return a value whose unknown texts and bytes are plain ones, for code of libraries."""
    kind = type(value)
    if kind is UnknownText:
        return str.__getitem__(value, slice(None))
    if kind is UnknownBytes:
        return bytes.__getitem__(value, slice(None))
    if kind in (list, tuple):
        return kind(map(plain, value))
    return {plain(key): plain(item) for key, item in value.items()} if kind is dict else value


def attribute_of(value: Any, name: str) -> Any:
    """Return an attribute of an unknown value: a stub of the user, an exception class, or another unknown value."""
    answers, whole = _answers[0], f"{_get(value, '_shown')}.{name}"
    if whole in answers.stubs:
        return answers.call_stub(whole, answers.stubs[whole])
    if name.endswith(_ERRORS) and name[:1].isupper():
        error = type(name, (UnknownError,), {"__module__": whole.rpartition(".")[0]})
        _get(value, "__dict__")[name] = error
        return error
    if name == "content" and not _get(value, "__dict__").get("_root"):
        return unknown_bytes(whole)
    rooted = _get(value, "__dict__").get("_root", False)
    return unknown(whole, _LIKELY.get(name), binary=_is_binary(value), root=rooted)


def _is_binary(value: Any) -> bool:
    return bool(_get(value, "__dict__").get("_binary", type(value) is UnknownBytes))


class UnknownText(str):
    """An unknown value."""

    def __getattribute__(self, name: str) -> Any:
        return _looked_up(self, name, str, _getframe(1))

    def __call__(self, *args: Any, **named: Any) -> Any:
        frame: Any = _getframe(1)
        name = _get(self, "_shown")
        if len(args) == 1 and isinstance(args[0], FunctionType | type) and _is_decorating(frame):
            return args[0]
        whole = spelled_call(name, args, named)
        is_supplied, value = _answers[0].supplied(whole, frame)
        if is_supplied:
            return value
        if _get(self, "_root"):
            _raise_handled(whole, frame)
            _answers[0].assume(whole, "", BY_NOBODY, frame)
        _answers[0].note_call(whole, frame)
        method = name.rpartition(".")[2]
        if method in _BINARY_CALLS or (method in _READING and _is_binary(self)):
            return iter([unknown_bytes(whole)]) if method.startswith("iter_") else unknown_bytes(whole)
        return unknown(whole, binary=_is_binary(self))

    def __bool__(self) -> bool:
        own = _get(self, "__dict__")
        if not _is_own(_getframe(1)):
            return True
        if "_condition" in own:
            return bool(own["_condition"].holds())
        known = _known_value(own["_shown"], own["_likely"])
        if own["_shown"] in _answers[0].values:
            return bool(known)
        return _answers[0].decide(own["_shown"], known is None or bool(known))

    def __iter__(self) -> Iterator[Any]:
        name, frame = _get(self, "_shown"), _getframe(1)
        if not _is_own(frame) and not _is_binary(self):
            return str.__iter__(self)
        op, count = frame.f_code.co_code[frame.f_lasti : frame.f_lasti + 2]
        if op in (_UNPACK, _UNPACK_EX):
            return iter([unknown(f"{name}[{at}]") for at in range(count)])
        if not _answers[0].decide(f"{name} has items", True):
            return iter(())
        first = unknown_bytes(f"{name}[0]") if _is_binary(self) else unknown(f"{name}[0]")
        return iter([first])

    def __next__(self) -> Any:
        return unknown(f"next({_get(self, '_shown')})")

    def __getitem__(self, key: Any) -> Any:
        if not _is_own(_getframe(1)) and type(key) in (int, slice):
            return str.__getitem__(self, key)
        return unknown(f"{_get(self, '_shown')}[{_key(key)}]")

    def __contains__(self, key: Any) -> bool:
        if not _is_own(_getframe(1)):
            return isinstance(key, str) and str.__contains__(self, key)
        return _answers[0].decide(f"{spell(key)} in {_get(self, '_shown')}", True)

    def __instancecheck__(self, value: Any) -> bool:
        return _answers[0].decide(f"isinstance({spell(value)}, {_get(self, '_shown')})", True)

    def __int__(self) -> int:
        own = _get(self, "__dict__")
        known = _known_value(own["_shown"], own["_likely"])
        number = int(known) if type(known) in (int, float, bool) else 1
        _answers[0].assume(f"int({own['_shown']})", str(number), BY_NOBODY, _getframe(1))
        return number

    __index__ = __int__

    def __float__(self) -> float:
        return float(self.__int__())

    def __len__(self) -> int:
        return 1 if _is_own(_getframe(1)) else str.__len__(self)

    def __setattr__(self, name: str, value: Any) -> None:
        _get(self, "__dict__")[name] = value

    def __setitem__(self, key: Any, value: Any) -> None:
        """Keep nothing: what is read from it stays unknown."""

    def __delitem__(self, key: Any) -> None:
        """Keep nothing."""

    def __str__(self) -> str:
        return self

    def __repr__(self) -> str:
        return str.__getitem__(self, slice(None))

    def __format__(self, spec: str) -> str:
        return self.__repr__()

    def __fspath__(self) -> str:
        return self.__repr__()

    def __bytes__(self) -> bytes:
        return self.__repr__().encode()

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        """Suppress nothing."""

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *error: Any) -> None:
        """Suppress nothing."""

    def __await__(self) -> Generator[None, None, Any]:
        return self
        yield

    async def __aiter__(self) -> AsyncIterator[Any]:
        for item in self.__iter__():
            yield item

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return (UnknownBase,)


class UnknownBytes(bytes):
    """Unknown bytes. They are as long as their name."""

    def __getattribute__(self, name: str) -> Any:
        return _looked_up(self, name, bytes, _getframe(1))

    def __bool__(self) -> bool:
        return not _is_own(_getframe(1)) or _answers[0].decide(_get(self, "_shown"), True)

    def __getitem__(self, key: Any) -> Any:
        return unknown_bytes(f"{_get(self, '_shown')}[{_key(key)}]")

    def __contains__(self, key: Any) -> bool:
        return _answers[0].decide(f"{spell(key)} in {_get(self, '_shown')}", True)

    def __int__(self) -> int:
        return 1

    def __hash__(self) -> int:
        return bytes.__hash__(self)


def _key(key: Any) -> str:
    return spell(key) if type(key) is not slice else f"{_part(key.start)}:{_part(key.stop)}"


def _part(bound: Any) -> str:
    return "" if bound is None else spell(bound)


def _is_decorating(frame: Any) -> bool:
    """Tell whether the caller applies a decorator: its call has no argument of its own."""
    op, count = frame.f_code.co_code[frame.f_lasti : frame.f_lasti + 2]
    return bool(op == _CALL and count == 0)


def _comparison(method: str) -> Callable[[Any, Any], Any]:
    def compare(self: Any, other: Any) -> Any:
        if _is_own(_getframe(1)):
            return _compare(self, method, other)
        return getattr(bytes if type(self) is UnknownBytes else str, method)(self, other)

    return compare


def _operation(symbol: str, reflected: bool) -> Callable[[Any, Any], Any]:
    def operate(self: Any, other: Any) -> Any:
        first, second = (other, self) if reflected else (self, other)
        names = [_get(side, "_shown") if is_unknown(side) else spell(side) for side in (first, second)]
        name = f"({names[0]} {symbol} {names[1]})"
        if symbol == "+" and isinstance(first, bytes) and isinstance(second, bytes):
            return unknown_bytes(name)
        texts = [str.__str__(side) for side in (first, second) if isinstance(side, str)]
        joined = "".join(texts) if symbol == "+" and len(texts) == 2 else None
        if symbol == "%" and reflected and type(other) is str:
            joined = other.replace("%s", str.__str__(self), 1)
        return unknown(name, text=joined)

    return operate


for _method in _COMPARISONS:
    for _type in (UnknownText, UnknownBytes):
        setattr(_type, _method, _comparison(_method))
for _word, _symbol in _ARITHMETIC.items():
    for _type in (UnknownText, UnknownBytes):
        setattr(_type, f"__{_word}__", _operation(_symbol, False))
        setattr(_type, f"__r{_word}__", _operation(_symbol, True))


def _rounding(word: str) -> Callable[..., Any]:
    return lambda self, *digits: unknown(spelled_call(word, (self, *digits), {}))


for _word in ("neg", "pos", "invert", "abs", "round", "trunc", "floor", "ceil", "divmod", "reversed"):
    setattr(UnknownText, f"__{_word}__", _rounding(_word))
