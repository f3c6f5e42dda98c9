"""What a call accesses: builtin functions and methods by a table, locks by what they wait for, all else everything.

A function of the program accesses nothing by being called: its own instructions are seen. A function of a library is
one access that goes on until the program's own code continues. Those of `threading`, `queue` and `concurrent.futures`
guard what they hold with locks, so that they access their object and the locks that they take.
"""

from __future__ import annotations

import _thread
import builtins
from _collections import OrderedDict, defaultdict, deque  # type: ignore[import-not-found]
from _functools import partial  # type: ignore[import-not-found]
from collections.abc import Callable
from types import FrameType, FunctionType, GeneratorType, MethodType, MethodWrapperType, ModuleType
from typing import Any

from .. import behavior
from .footprint import WHOLE
from .locks import call_test, free_test, giving_mode, is_simple_queue, taking_mode
from .operands import (
    ATOMS,
    DICTS,
    LOCKS,
    MISSING,
    SYNCHRONISERS,
    Access,
    Operands,
    bases,
    group,
    is_heap_type,
    is_kind,
    module_is,
)

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_METHODS = group(type(list.append), type(list.__init__))
_BOUND = group(type(len), MethodWrapperType)
_QUIET = ("current_thread", "currentThread", "get_ident", "get_native_id", "main_thread", "allocate_lock", "sleep")
_READERS = (
    "is_set",
    "isSet",
    "is_alive",
    "isAlive",
    "locked",
    "done",
    "cancelled",
    "running",
    "qsize",
    "empty",
    "full",
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# They take no locks but their own, those of single waiters, and those of the module `threading`.
_SELF_CONTAINED = _words("Thread Event Condition Semaphore BoundedSemaphore Barrier Queue LifoQueue PriorityQueue")
_PURE = _words(
    "isinstance issubclass callable id chr ord range hash iter enumerate zip map filter reversed slice type object "
    "super property staticmethod classmethod __build_class__"
)
_CONSUMING = _words("len any all abs divmod pow round bin hex oct list tuple set frozenset dict next bytes bytearray")
_DEEP = _words("print repr str ascii format int float complex bool sorted min max sum")
_WRITERS = {
    id(list): "append extend insert remove pop clear sort reverse __setitem__ __delitem__ __iadd__",
    id(deque): "append appendleft extend extendleft insert remove pop popleft clear rotate reverse __setitem__",
    id(set): "add discard remove pop clear update difference_update intersection_update symmetric_difference_update",
    id(dict): "pop popitem clear update setdefault __setitem__ __delitem__ move_to_end",
    id(bytearray): "append extend insert remove pop clear reverse",
}
_MODES = {kind: frozenset(names.split()) for kind, names in _WRITERS.items()}
_VALUES = group(int, float, complex, bool, str, bytes, tuple, frozenset, range, type(None), slice)
_MADE = group(object, deque, defaultdict, OrderedDict, partial)
_get = object.__getattribute__
_MAX_WRAPPED = 5  # partials around partials


class Calls:
    """Knows what each function accesses when it is called with these arguments."""

    def __init__(self, operands: Operands) -> None:
        self._operands, self._numbers = operands, operands.numbers

    def call(self, access: Access, frame: FrameType, top: int, count: int) -> None:
        """Access what a call with `count` arguments accesses; the last is at `top`."""
        at = self._operands.at
        first, second = at(frame, top - count - 1), at(frame, top - count)
        args = [at(frame, place) for place in range(top - count + 1, top + 1)]
        if behavior.CALLABLE_COMES_FIRST:
            function, args = first, args if second is MISSING else [second, *args]
        elif first is MISSING:
            function = second
        else:
            function, args = first, [second, *args]
        del first, second  # references are counted
        self._hide_private(frame, args, top)
        self.classify(access, function, args)

    def _hide_private(self, frame: FrameType, args: list[Any], top: int) -> None:
        """Leave out containers that only this frame refers to: `range(2)`, a list that is being built."""
        for number, arg in enumerate(args):
            if id(type(arg)) not in ATOMS:
                place = next((p for p in range(top, -1, -1) if self._operands.at(frame, p) is arg), -1)
                args[number] = None
                del arg
                if place >= 0 and not self._operands.is_private(frame, place, top):
                    args[number] = self._operands.at(frame, place)
                elif place >= 0:
                    args[number] = _Private(self._operands.at(frame, place))

    def call_with_tuple(self, access: Access, frame: FrameType, at: int, top: int) -> None:
        """Access what `f(*args, **kwargs)` accesses; the tuple is at `at`, the dict at `top` if there is one."""
        packed = self._operands.at(frame, at)
        function = self._operands.at(frame, at - (2 if behavior.CALLABLE_COMES_FIRST else 1))
        args = list(packed) if type(packed) is tuple else [packed]
        self.classify(access, function, args)

    def enter(self, access: Access, manager: Any) -> None:
        """Access what `with` accesses when it enters."""
        lock = _lock_of(manager)
        if lock is not None:
            self._acquire(access, lock)
            return
        kind = type(manager)
        method = next((names["__enter__"] for names in _namespaces(kind) if "__enter__" in names), None)
        self.classify(access, method, [manager])

    def classify(self, access: Access, function: Any, args: list[Any], depth: int = 0) -> None:
        """Access what a function accesses."""
        kind = type(function)
        if kind is MethodType:
            self.classify(access, function.__func__, [function.__self__, *args], depth + 1)
        elif kind is FunctionType:
            self._function(access, function, args)
        elif kind is partial and depth < _MAX_WRAPPED:
            self.classify(access, function.func, [*function.args, *args], depth + 1)
        elif is_kind(kind, group(type)):
            self._create(access, function, args)
        elif id(kind) in _BOUND:
            owner = function.__self__
            if type(owner) is ModuleType or owner is None:
                self._builtin(access, function.__name__, args, function.__module__)
            else:
                self._method(access, owner, function.__name__, args)
        elif id(kind) in _METHODS and args:
            self._method(access, args[0], function.__name__, args[1:])
        elif not self._operands.is_own_class(kind) or kind is object:
            self._library(access)

    def _library(self, access: Access) -> None:
        access.is_call = True
        access.everything()

    def _function(self, access: Access, function: FunctionType, args: list[Any]) -> None:
        if self._operands.is_own(function.__code__):
            return
        module = function.__module__
        if not module_is(module, SYNCHRONISERS) or not args:
            if function.__name__ not in _QUIET or not module_is(module, SYNCHRONISERS):
                self._library(access)
            return
        name, owner = function.__name__, unwrapped(args[0])
        lock = _lock_of(owner)
        if lock is not None and name in ("acquire", "__enter__", "__exit__", "release"):
            self._lock(access, lock, name, args[1:])
        elif name == "__init__" and is_kind(type(owner), _threads()):
            self._name_thread(access)
        elif name != "__init__":
            access.is_call = True
            access.is_open = not any(
                module_is(_module_of(cls), ("threading", "queue")) and _name_of(cls) in _SELF_CONTAINED
                for cls in bases(type(owner))
            )
            if name == "join" and len(args) == 1 and is_kind(type(owner), _threads()):
                access.test = _end_of(owner)
            elif module_is(_module_of(type(owner)), SYNCHRONISERS):
                access.test = call_test(owner, name, len(args) - 1)
            self._guarded(access, owner, "r" if name in _READERS else "w")

    def _guarded(self, access: Access, owner: Any, mode: str) -> None:
        """Access an object that guards itself, and its locks."""
        state = self._numbers.part("(state)")  # no name: to read its methods is no access to its state
        access.entries.append((self._numbers.of(owner), state, mode))
        try:
            parts = _get(owner, "__dict__").values()
        except AttributeError:
            return
        for part in list(parts):
            module = _module_of(type(part))
            if id(type(part)) in LOCKS or module_is(module, SYNCHRONISERS):
                access.entries.append((self._numbers.of(part), state, mode))
                lock = _lock_of(part)
                if lock is not None:
                    access.entries.append((self._numbers.of(lock), WHOLE, mode))

    def _name_thread(self, access: Access) -> None:
        """Create a thread: its name counts those before."""
        access.entries.append((self._numbers.of(_get), WHOLE, "w"))

    def _create(self, access: Access, kind: type, args: list[Any]) -> None:
        name = _name_of(kind) if not is_heap_type(kind) else ""
        if kind is type or is_kind(kind, group(BaseException)):
            return
        if name in _PURE or name in _CONSUMING or name in _DEEP:
            self._builtin(access, name, args, "builtins")
        elif id(kind) in _MADE or id(kind) in LOCKS or _module_of(kind) in ("collections", "_queue"):
            for arg in args:
                self._operands.iterate(access, unwrapped(arg), private=type(arg) is _Private)
        elif is_kind(kind, _threads()):
            if not self._runs_own(kind, "__init__"):
                self._name_thread(access)
        elif not is_heap_type(kind):
            if not is_kind(kind, _VALUES):
                self._library(access)
        elif not self._operands.is_own_class(kind) and not module_is(_module_of(kind), SYNCHRONISERS):
            self._library(access)

    def _runs_own(self, kind: type, name: str) -> bool:
        method = next((names[name] for names in _namespaces(kind) if name in names), None)
        return type(method) is FunctionType and self._operands.is_own(method.__code__)

    def _builtin(self, access: Access, name: str, args: list[Any], module: Any) -> None:
        operands = self._operands
        plain = [unwrapped(arg) for arg in args]
        if module_is(module, ("builtins", "_functools", "functools")) and name in ("getattr", "hasattr", "setattr"):
            if len(args) > 1 and type(plain[1]) is str:
                operands.attribute(access, plain[0], plain[1], "w" if name == "setattr" else "r")
        elif module_is(module, ("builtins",)) and name in _PURE:
            return
        elif module_is(module, ("builtins",)) and name in _CONSUMING:
            for arg, thing in zip(args, plain, strict=True):
                operands.iterate(access, thing, private=type(arg) is _Private)
        elif module_is(module, ("builtins",)) and name in _DEEP:
            for thing in plain:
                operands.iterate(access, thing) if type(thing) is GeneratorType else operands.deep(access, thing)
            if name == "print":
                access.entries.append((self._numbers.of(print), WHOLE, "w"))
        elif module_is(module, ("_thread", "time")) and name in (*_QUIET, "start_new_thread"):
            return
        elif module_is(module, ("math",)):
            for thing in plain:
                operands.deep(access, thing)
        else:
            self._library(access)

    def _method(self, access: Access, owner: Any, name: str, args: list[Any]) -> None:
        is_private, owner = type(owner) is _Private, unwrapped(owner)
        kind = type(owner)
        if id(kind) in LOCKS:
            self._lock(access, owner, name, args)
            return
        if is_simple_queue(kind):
            mode = "r" if name in ("empty", "qsize") else "u" if name.startswith("put") else "w"
            access.entries.append((self._numbers.of(owner), WHOLE, mode))
            access.test = call_test(owner, name, len(args))
        elif kind is GeneratorType:
            self._operands.iterate(access, owner)
        elif id(kind) in DICTS and name in ("get", "__contains__", "__getitem__") and id(type(args[0])) in ATOMS:
            if not is_private:
                access.entries.append((self._numbers.of(owner), self._numbers.part(args[0]), "r"))
        elif base := next((id(cls) for cls in bases(kind) if id(cls) in _MODES), 0):
            if not is_private:
                access.entries.append((self._numbers.of(owner), WHOLE, "w" if name in _MODES[base] else "r"))
            self._take(access, name, args)
        elif is_kind(kind, _VALUES):
            for arg in args:
                self._operands.deep(access, unwrapped(arg))
        elif name in ("__init__", "__init_subclass__", "__new__") or kind is type:
            return  # of `object`, on the way up from the program's own
        else:
            self._library(access)

    def _take(self, access: Access, name: str, args: list[Any]) -> None:
        """Read the arguments from which a method takes items; others are stored as they are."""
        if name not in ("append", "appendleft", "add", "insert", "setdefault", "__setitem__", "pop", "rotate", "sort"):
            for arg in args:
                private = type(arg) is _Private
                self._operands.iterate(access, unwrapped(arg), private=private)

    # ---- locks

    def _lock(self, access: Access, lock: Any, name: str, args: list[Any]) -> None:
        if name in ("acquire", "acquire_lock", "__enter__"):
            blocks = not args or (unwrapped(args[0]) is True and len(args) == 1)
            self._acquire(access, lock, blocks=blocks)
        elif name in ("release", "release_lock", "__exit__"):
            access.entries.append((self._numbers.of(lock), WHOLE, giving_mode(lock)))
        else:
            access.entries.append((self._numbers.of(lock), WHOLE, "r"))

    def _acquire(self, access: Access, lock: Any, *, blocks: bool = True) -> None:
        access.entries.append((self._numbers.of(lock), WHOLE, taking_mode(lock)))
        if blocks:
            access.test = free_test(lock)


class _Private:
    """Stands for an argument that only the calling frame refers to."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing


def unwrapped(arg: Any) -> Any:
    """Return an argument itself."""
    return arg.thing if type(arg) is _Private else arg


def _end_of(thread: Any) -> Callable[[], Any] | None:
    """Return the test that a thread has ended; None where joining it does not wait."""
    parts = _get(thread, "__dict__")
    handle, lock, started = parts.get("_handle"), parts.get("_tstate_lock"), parts.get("_started")
    if started is None or not _get(started, "__dict__").get("_flag"):
        return None
    if handle is not None:
        return lambda: handle.is_done()
    return None if type(lock) is not _thread.LockType else free_test(lock)


def _lock_of(thing: Any) -> Any:
    """Return the lock that an object is, or that a condition is about; None for others."""
    if id(type(thing)) in LOCKS:
        return thing
    if _module_of(type(thing)) == "threading" and _name_of(type(thing)) == "Condition":
        lock = _get(thing, "__dict__").get("_lock")
        return lock if id(type(lock)) in LOCKS else None
    return None


def _module_of(kind: type) -> str:
    module = _get(kind, "__dict__").get("__module__")
    return module if type(module) is str else ""


def _name_of(kind: type) -> str:
    name: str = _get(kind, "__name__")
    return name


def _namespaces(kind: type) -> list[Any]:
    return [_get(cls, "__dict__") for cls in bases(kind)]


def _threads() -> frozenset[int]:
    import sys

    threading = sys.modules.get("threading")
    return frozenset() if threading is None else group(threading.Thread)
