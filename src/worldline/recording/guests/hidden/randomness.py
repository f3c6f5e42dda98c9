"""Swap random draws: `_random.Random`, the system's random bytes, and the functions of `random` itself.

A generator that the program seeded draws nothing hidden. Others are seeded by the tape and keep their
own values unless the tape has others, so their states stay consistent. If `random` combines several
draws, they are recorded as one.
"""

from __future__ import annotations

import _random
import builtins
import posix
import sys
from collections.abc import Callable
from contextlib import suppress
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any
from weakref import ref

from .tape import Tape

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_MAX_SEEDED = 1000  # seeded generators that may have died before they are looked through
_digits = int.__repr__


class Generators:
    """Knows which generators the program has seeded itself; all others are hidden."""

    def __init__(self) -> None:
        self._seeded: dict[int, ref[Any]] = {}
        self._states: set[int] = set()  # that hidden ones have shown

    def is_hidden(self, generator: Any) -> bool:
        """Tell whether the text of the program does not determine its draws."""
        known = self._seeded.get(id(generator))
        return known is None or known() is not generator

    def mark(self, generator: Any, *, hidden: bool) -> None:
        """Record that a generator was seeded, by the program or not."""
        if hidden:
            self._seeded.pop(id(generator), None)
            return
        if len(self._seeded) > _MAX_SEEDED:
            self._seeded = {key: known for key, known in self._seeded.items() if known() is not None}
        with suppress(TypeError):  # a bare `_random.Random` has no weak references: it counts as hidden
            self._seeded[id(generator)] = ref(generator)

    def show(self, state: tuple[int, ...]) -> None:
        """Record that a hidden generator has revealed its state."""
        self._states.add(hash(state))

    def was_shown(self, state: Any) -> bool:
        """Tell whether a hidden generator had this state."""
        return type(state) is tuple and hash(state) in self._states


def install(tape: Tape, swap: Callable[[Any, str, Callable[..., Any]], Any]) -> None:
    """Swap every source of randomness."""
    generators = Generators()
    _swap_generator(tape, swap, generators)
    _swap_system(tape, swap)
    early = sys.modules.get("random")
    if early is not None:  # without a sandbox, `tempfile` has imported it: its generator is seeded anew
        early.seed()


def _swap_generator(tape: Tape, swap: Callable[..., Any], generators: Generators) -> None:
    def random(self: Any) -> Any:
        value = random_(self)
        return tape.draw("float", value) if generators.is_hidden(self) else value

    def getrandbits(self: Any, k: Any, /) -> Any:
        value = getrandbits_(self, k)
        return tape.draw(f"bits {_count(k)}", value) if generators.is_hidden(self) else value

    def seed(self: Any, *args: Any) -> None:
        own = len(args) != 0 and args[0] is not None
        if own or tape.live or len(args) > 1:
            seed_(self, *args)
        else:
            seed_(self, tape.bits(128))
        generators.mark(self, hidden=not own)
        _tell_as_whole(tape, generators, type(self))

    def getstate(self: Any) -> Any:
        state = getstate_(self)
        if generators.is_hidden(self):
            generators.show(state := tape.draw("state", state))
        return state

    def setstate(self: Any, state: Any, /) -> None:
        setstate_(self, state)
        generators.mark(self, hidden=generators.was_shown(state))

    kind = _random.Random
    random_ = swap(kind, "random", random)
    getrandbits_ = tape.getrandbits = swap(kind, "getrandbits", getrandbits)
    seed_ = swap(kind, "seed", seed)
    getstate_ = swap(kind, "getstate", getstate)
    setstate_ = swap(kind, "setstate", setstate)


def _swap_system(tape: Tape, swap: Callable[..., Any]) -> None:
    def some(count: int) -> bytes:
        return tape.bits(8 * count).to_bytes(count, "little") if count else b""

    def urandom(*args: Any, **kwargs: Any) -> Any:
        value = urandom_(*args, **kwargs)
        return tape.draw(f"urandom {len(value)}", value if tape.live else some(len(value)))

    def getrandom(*args: Any, **kwargs: Any) -> Any:
        value = getrandom_(*args, **kwargs)
        return tape.draw(f"urandom {len(value)}", value if tape.live else some(len(value)))

    urandom_ = swap(posix, "urandom", urandom)
    getrandom_ = swap(posix, "getrandom", getrandom)


def _count(k: Any) -> str:
    return _digits(k if isinstance(k, int) else k.__index__())


def _tell_as_whole(tape: Tape, generators: Generators, kind: type) -> None:
    """Record what `random` makes of several draws as one. Seed its first generator after its import."""
    for cls in kind.__mro__:
        function = cls.__dict__.get("_randbelow_with_getrandbits")
        if type(function) is FunctionType and function.__code__.co_consts[-1] is not _TELLING:
            _wrap(tape, generators, function, "below {}")
            system = function.__globals__.get("SystemRandom")
            if type(system) is type:
                for name, form in (("random", "float"), ("getrandbits", "bits {}")):
                    _wrap(tape, generators, system.__dict__[name], form)


def _wrap(tape: Tape, generators: Generators, function: Any, form: str) -> None:
    """Replace the code of a function so that its draws are recorded as one."""
    code = function.__code__
    original: Any = FunctionType(code, function.__globals__, function.__name__, function.__defaults__)

    def whole(self: Any, *args: Any) -> Any:
        own = self.getrandbits
        ours = type(own) is BuiltinMethodType or (
            type(own) is MethodType and own.__func__.__code__.co_filename == code.co_filename
        )
        if tape.quiet or not ours or own.__self__ is not self or not generators.is_hidden(self):
            return original(self, *args)
        tape.quiet += 1
        try:
            value = original(self, *args)
        finally:
            tape.quiet -= 1
        return tape.draw(form.format(*map(_count, args)), value)

    template = (_with_argument if code.co_argcount == 2 else _without_argument).__code__
    function.__code__ = template.replace(
        co_consts=(*(whole if const == _PLACE else const for const in template.co_consts), _TELLING),
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_varnames=(*code.co_varnames[: code.co_argcount], "act"),
    )


_PLACE = 271828.5  # in a template, where the function goes that is called
_TELLING = "worldline"


def _without_argument(self: Any) -> Any:
    act: Any = 271828.5
    return act(self)


def _with_argument(self: Any, n: Any) -> Any:
    act: Any = 271828.5
    return act(self, n)
