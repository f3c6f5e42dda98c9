"""What an instruction of the program is about to read and write, of all that threads may share.

Nothing of the program is called: objects are told apart by identity, and only builtin types are looked into. What
cannot be known is everything, so that it depends on all else. An object that only the running frame refers to is
private, and its accesses do not count.
"""

from __future__ import annotations

import _thread
import builtins
from _collections import OrderedDict, defaultdict, deque  # type: ignore[import-not-found]
from collections.abc import Callable, Container
from gc import get_referents
from itertools import chain, count, cycle
from sys import getrefcount
from types import CodeType, FrameType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from .footprint import EVERYTHING, WHOLE, Entry
from .instructions import Instruction, count_variables, missing_marker

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

MISSING = missing_marker()


def group(*kinds: type) -> frozenset[int]:
    """Return a set of types by identity: a metaclass of the program may compare and hash as it likes."""
    return frozenset(map(id, kinds))


ATOMS = group(int, float, complex, bool, str, bytes, type(None), type(...), type(NotImplemented), range, slice)
_INERT = ATOMS | group(tuple, frozenset, MethodType, ModuleType, type, type(len), CodeType, property, FunctionType)
DICTS = group(dict, defaultdict, OrderedDict)
_HOLDERS = group(list, set, deque, tuple, frozenset) | DICTS
_MUTABLE = group(list, set, deque, bytearray) | DICTS
_VIEWS = group(type({}.keys()), type({}.values()), type({}.items()))
_LAZY = group(*map(type, map(iter, ([], {}, {}.values(), {}.items(), set(), deque(), (), "", "é", range(0), b""))))
_LAZY |= group(type(reversed([])), type(reversed({})), enumerate, zip, map, filter, reversed, count, cycle, chain)
LOCKS = group(_thread.LockType, _thread.RLock)
_WITHOUT_ATTRIBUTES = (_INERT - group(FunctionType)) | _MUTABLE | _VIEWS | _LAZY | LOCKS | group(GeneratorType)
SYNCHRONISERS = ("threading", "queue", "_queue", "_thread", "concurrent.futures._base", "concurrent.futures.thread")
_HEAP_TYPE = 1 << 9
_MAX_DEPTH, _MAX_PARTS = 8, 500  # of a value that is read as a whole
_get = object.__getattribute__
_arguments: Any = BaseException.__dict__["args"].__get__
_order: Any = type.__dict__["__mro__"].__get__
_flags: Any = type.__dict__["__flags__"].__get__


class Access:
    """What is about to be accessed, and what the thread waits for first."""

    __slots__ = ("entries", "is_call", "is_open", "test")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.is_call = False  # of library code, which goes on under the same footprint
        self.is_open = False  # it may access more than its entries say
        self.test: Callable[[], Any] | None = None

    def everything(self) -> None:
        """Access everything."""
        self.entries.extend(EVERYTHING)


class Numbers:
    """Numbers objects and their parts by first sight.

    An object with a number stays alive, so that no other one has its place: dependences that differ between runs would
    hide others.
    """

    def __init__(self) -> None:
        self._objects: dict[int, int] = {}
        self._alive: list[Any] = []
        self._parts: dict[Any, int] = {}

    def of(self, thing: Any) -> int:
        """Return the number of an object."""
        number = self._objects.get(id(thing))
        if number is None:
            number = self._objects[id(thing)] = len(self._objects) + 1
            self._alive.append(thing)
        return number

    def part(self, key: Any) -> int:
        """Return the number of an attribute or item, whose key is an atom."""
        return self._parts.setdefault(key, len(self._parts) + 1)


class Operands:
    """Reads the operands of a frame's next instruction and says what it accesses."""

    def __init__(self, slot: Callable[[FrameType, int, Any], Any], files: Container[str], numbers: Numbers) -> None:
        self.slot, self.files, self.numbers = slot, files, numbers
        self.doubts: dict[str, None] = {}  # why accesses may be missed

    def read(self, frame: FrameType, instruction: Instruction) -> Access | None:
        """Return what an instruction accesses; None if nothing that threads share."""
        access = Access()
        getattr(self, "_" + instruction.group.replace(" ", "_"))(access, frame, instruction)
        return access if access.entries or access.test else None

    def at(self, frame: FrameType, place: int) -> Any:
        """Return the value at a place of a frame."""
        return self.slot(frame, place, MISSING)

    # ---- names, cells and attributes

    def _load_name(self, access: Access, frame: FrameType, what: Instruction, mode: str = "r") -> None:
        if what.is_local and mode == "w":
            return  # in the body of a class
        whole = mode == "w" and what.name not in frame.f_globals
        part = WHOLE if whole else self.numbers.part(what.name)
        access.entries.append((self.numbers.of(frame.f_globals), part, mode))

    def _store_name(self, access: Access, frame: FrameType, what: Instruction) -> None:
        self._load_name(access, frame, what, "w")

    def _delete_name(self, access: Access, frame: FrameType, what: Instruction) -> None:
        if not what.is_local:
            access.entries.append((self.numbers.of(frame.f_globals), WHOLE, "w"))

    def _load_cell(self, access: Access, frame: FrameType, what: Instruction, mode: str = "r") -> None:
        cell = self.at(frame, what.argument)
        if cell is not MISSING and not self.is_private(frame, what.argument, what.top):
            access.entries.append((self.numbers.of(cell), WHOLE, mode))

    def _store_cell(self, access: Access, frame: FrameType, what: Instruction) -> None:
        self._load_cell(access, frame, what, "w")

    def _load_attribute(self, access: Access, frame: FrameType, what: Instruction) -> None:
        if not self.is_private(frame, what.top, what.top):
            self.attribute(access, self.at(frame, what.top), what.name, "r")

    def _store_attribute(self, access: Access, frame: FrameType, what: Instruction) -> None:
        if not self.is_private(frame, what.top, what.top):
            self.attribute(access, self.at(frame, what.top), what.name, "w")

    def _delete_attribute(self, access: Access, frame: FrameType, what: Instruction) -> None:
        access.entries.append((self.numbers.of(self.at(frame, what.top)), WHOLE, "w"))

    def attribute(self, access: Access, owner: Any, name: str, mode: str) -> None:
        """Access an attribute of any object."""
        kind = type(owner)
        if name == "__dict__":
            self.doubts["an object is read through its __dict__"] = None
        if kind is ModuleType:
            owner = _get(owner, "__dict__")
            whole = mode == "w" and name not in owner
            access.entries.append((self.numbers.of(owner), WHOLE if whole else self.numbers.part(name), mode))
            return
        if not is_heap_type(kind) and kind is not type:
            if not is_kind(kind, _WITHOUT_ATTRIBUTES):
                access.entries.append((self.numbers.of(owner), self.numbers.part(name), mode))
            return
        is_class = is_kind(kind, group(type))
        classes = bases(owner) if is_class else bases(kind)
        whole = mode == "w" and not is_class and not self._has(owner, name)
        if any("__del__" in _get(cls, "__dict__") for cls in classes):
            self.doubts["objects with finalisers live longer while accesses are observed"] = None
        if mode == "r" and not is_class and is_guarded(kind) and not self._is_method(classes, owner, name):
            whole = True  # what it guards may be read without its methods
        access.entries.append((self.numbers.of(owner), WHOLE if whole else self.numbers.part(name), mode))
        if mode == "r":
            part = self.numbers.part(name)
            heap = [cls for cls in classes if is_heap_type(cls) and cls is not owner]
            access.entries.extend((self.numbers.of(cls), part, "r") for cls in heap)

    def _is_method(self, classes: tuple[type, ...], owner: Any, name: str) -> bool:
        value = next((names[name] for names in (_get(cls, "__dict__") for cls in classes) if name in names), None)
        return type(value) is FunctionType and not self._has(owner, name)

    def _has(self, owner: Any, name: str) -> bool:
        try:
            return name in _get(owner, "__dict__")
        except AttributeError:  # it has slots
            return True

    # ---- items

    def _load_item(self, access: Access, frame: FrameType, what: Instruction) -> None:
        place = what.top - 1
        if not self.is_private(frame, place, what.top):
            self.item(access, self.at(frame, place), self.at(frame, what.top), "r")

    def _store_item(self, access: Access, frame: FrameType, what: Instruction) -> None:
        place = what.top - 1
        if not self.is_private(frame, place, what.top):
            self.item(access, self.at(frame, place), self.at(frame, what.top), "w")

    def _delete_item(self, access: Access, frame: FrameType, what: Instruction) -> None:
        if not self.is_private(frame, what.top - 1, what.top):
            self.whole(access, self.at(frame, what.top - 1), "w")

    def _load_slice(self, access: Access, frame: FrameType, what: Instruction) -> None:
        if not self.is_private(frame, what.top - 2, what.top):
            self.whole(access, self.at(frame, what.top - 2), "r")

    def _store_slice(self, access: Access, frame: FrameType, what: Instruction) -> None:
        if not self.is_private(frame, what.top - 2, what.top):
            self.whole(access, self.at(frame, what.top - 2), "w")
        self.consume(access, frame, what.top - 3, what.top)

    def item(self, access: Access, container: Any, key: Any, mode: str) -> None:
        """Access an item of any container."""
        kind = type(container)
        if id(kind) in DICTS and id(type(key)) in ATOMS:
            present = dict.__contains__(container, key)
            adds = not present and (mode == "w" or kind is defaultdict)
            part = WHOLE if adds else self.numbers.part(key)
            access.entries.append((self.numbers.of(container), part, "w" if adds else mode))
        elif kind is list and type(key) is int and 0 <= key < list.__len__(container):
            access.entries.append((self.numbers.of(container), self.numbers.part(key), mode))
        else:
            self.whole(access, container, mode)

    def whole(self, access: Access, thing: Any, mode: str) -> None:
        """Access an object as a whole."""
        kind = type(thing)
        if is_kind(kind, _MUTABLE):
            access.entries.append((self.numbers.of(thing), WHOLE, mode))
        elif id(kind) in _VIEWS:
            for part in get_referents(thing):
                self.whole(access, part, mode)
        elif is_kind(kind, _INERT) or thing is MISSING:
            return
        elif self.is_own_class(kind):
            access.entries.append((self.numbers.of(thing), WHOLE, "r"))  # its methods write by themselves
        else:
            access.everything()

    # ---- operators, truth and iteration

    def _operator(self, access: Access, frame: FrameType, what: Instruction) -> None:
        in_place = what.argument >= 13
        for place, mode in ((what.top - 1, "w" if in_place else "r"), (what.top, "r")):
            if not self.is_private(frame, place, what.top):
                self.whole(access, self.at(frame, place), mode)

    def _compare(self, access: Access, frame: FrameType, what: Instruction) -> None:
        for place in (what.top - 1, what.top):
            if not self.is_private(frame, place, what.top):
                self.deep(access, self.at(frame, place))

    def _contains(self, access: Access, frame: FrameType, what: Instruction) -> None:
        if self.is_private(frame, what.top, what.top):
            return
        container, item = self.at(frame, what.top), self.at(frame, what.top - 1)
        if id(type(container)) in DICTS and id(type(item)) in ATOMS:
            access.entries.append((self.numbers.of(container), self.numbers.part(item), "r"))
        else:
            self.consume(access, frame, what.top, what.top)

    def _truth(self, access: Access, frame: FrameType, what: Instruction) -> None:
        is_private = self.is_private(frame, what.top, what.top)
        thing = self.at(frame, what.top)
        kind = type(thing)
        if is_kind(kind, _MUTABLE):
            if not is_private:
                access.entries.append((self.numbers.of(thing), WHOLE, "r"))
        elif (
            not is_kind(kind, _INERT)
            and not self.is_own_class(kind)
            and any(name in _get(cls, "__dict__") for cls in bases(kind) for name in _SIZES)
        ):
            access.everything()

    def _iterate(self, access: Access, frame: FrameType, what: Instruction) -> None:
        if self.is_private(frame, what.top, what.top):
            return
        thing = self.at(frame, what.top)
        if id(type(thing)) not in _LAZY and type(thing) is not GeneratorType:
            self.whole(access, thing, "r")

    def _advance(self, access: Access, frame: FrameType, what: Instruction) -> None:
        self.consume(access, frame, what.top, what.top)

    def _consume(self, access: Access, frame: FrameType, what: Instruction) -> None:
        self.consume(access, frame, what.top, what.top)

    def _send(self, access: Access, frame: FrameType, what: Instruction) -> None:
        self.consume(access, frame, what.top - 1, what.top)

    def _match(self, access: Access, frame: FrameType, what: Instruction) -> None:
        for place in range(what.top - 2, what.top):
            self.whole(access, self.at(frame, place), "r")

    def _format(self, access: Access, frame: FrameType, what: Instruction) -> None:
        for place in (what.top - 1, what.top):
            self.deep(access, self.at(frame, place))

    def consume(self, access: Access, frame: FrameType, place: int, top: int) -> None:
        """Iterate over the value at a place, or look into it."""
        private = self.is_private(frame, place, top)  # before anything here refers to it
        self.iterate(access, self.at(frame, place), private=private)

    def iterate(self, access: Access, thing: Any, *, private: bool = False, depth: int = 0) -> None:
        """Take items of an iterator, or read a container."""
        kind = type(thing)
        if id(kind) in _LAZY and depth < _MAX_DEPTH:
            if not private:
                access.entries.append((self.numbers.of(thing), WHOLE, "w"))
            for source in get_referents(thing):
                if id(type(source)) not in ATOMS:
                    self.iterate(access, source, depth=depth + 1)
        elif kind is GeneratorType:
            if not self.is_own(thing.gi_code):
                access.everything()
            elif not private:
                access.entries.append((self.numbers.of(thing), WHOLE, "w"))
        elif not private:
            self.whole(access, thing, "r")

    def deep(self, access: Access, thing: Any) -> None:
        """Read a value with all that it holds, as its text or a comparison does."""
        todo, seen = [(thing, 0)], set[int]()
        while todo:
            part, depth = todo.pop()
            kind = type(part)
            if id(part) in seen or id(kind) in ATOMS:
                continue
            seen.add(id(part))
            if depth > _MAX_DEPTH or len(seen) > _MAX_PARTS:
                access.everything()
                return
            if is_kind(kind, group(BaseException)):
                todo.extend((arg, depth + 1) for arg in _arguments(part))
                continue
            self.whole(access, part, "r")
            if is_kind(kind, _HOLDERS):
                todo.extend((held, depth + 1) for held in get_referents(part) if held is not kind)

    # ---- calls: what is called decides

    def _call(self, access: Access, frame: FrameType, what: Instruction) -> None:
        self.calls.call(access, frame, what.top, what.argument)

    def _call_with_names(self, access: Access, frame: FrameType, what: Instruction) -> None:
        self.calls.call(access, frame, what.top - 1, what.argument)

    def _call_with_tuple(self, access: Access, frame: FrameType, what: Instruction) -> None:
        self.calls.call_with_tuple(access, frame, what.top - (what.argument & 1), what.top)

    def _enter(self, access: Access, frame: FrameType, what: Instruction) -> None:
        self.calls.enter(access, self.at(frame, what.top))

    def _leave(self, access: Access, frame: FrameType, what: Instruction) -> None:
        self.calls.classify(access, self.at(frame, what.top - 3), [])

    def _import(self, access: Access, frame: FrameType, what: Instruction) -> None:
        access.everything()

    calls: Any = None  # knows what each function accesses; set when both exist

    # ---- what is private or the program's own

    def is_own(self, code: CodeType) -> bool:
        """Tell whether code is of the program's files."""
        return code.co_filename in self.files

    def is_own_class(self, kind: type) -> bool:
        """Tell whether a class is not a library's or C's: what its methods do is seen."""
        if not is_heap_type(kind):
            return kind is object
        names = _get(kind, "__dict__")
        functions = [value for value in names.values() if type(value) is FunctionType]
        module = names.get("__module__")
        return any(self.is_own(function.__code__) for function in functions) or module_is(module, self.modules)

    modules: Container[str] = ("__main__",)  # of the program

    def is_private(self, frame: FrameType, place: int, top: int) -> bool:
        """Tell whether only this frame refers to the value at a place."""
        thing = self.at(frame, place)
        refs = getrefcount(thing) - 2  # this name, and the argument
        if thing is MISSING or refs > 8:
            return False
        last = max(top, count_variables(frame.f_code) - 1)
        held = sum(1 for other in range(last + 1) if self.at(frame, other) is thing)
        return held == refs


_SIZES = ("__bool__", "__len__")


def module_is(module: Any, modules: Container[str]) -> bool:
    """Tell whether the `__module__` of a class or function is one of these."""
    return type(module) is str and module in modules


def is_guarded(kind: type) -> bool:
    """Tell whether the objects of a class guard what they hold with locks of their own."""
    return any(module_is(_get(cls, "__dict__").get("__module__"), SYNCHRONISERS) for cls in bases(kind))


def bases(kind: type) -> tuple[type, ...]:
    """Return the classes of a class in their order, without asking its metaclass."""
    order: tuple[type, ...] = _order(kind)
    return order


def is_heap_type(kind: type) -> bool:
    """Tell whether a class was made by a `class` statement or a C module, and may have attributes of its own."""
    return bool(_flags(kind) & _HEAP_TYPE)


def is_kind(kind: type, kinds: frozenset[int]) -> bool:
    """Tell whether a class is one of others or derived from one."""
    return any(id(cls) in kinds for cls in bases(kind))
