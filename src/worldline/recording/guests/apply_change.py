"""Apply a change to a running program, in its own frames, while one of its events is handled.

Names are bound as by an assignment, and the next line is set by CPython's own jump (`f_lineno`). Names
of one object that get the same value stay names of one object. An impossible change ends the run with
a message. Only the readable core uses this. A finaliser that a changed name frees runs unrecorded, but
its effects are recorded.
"""

from __future__ import annotations

import builtins
import collections
import opcode
import struct
import sys
from collections.abc import Callable
from gc import get_objects
from types import AsyncGeneratorType, CoroutineType, FrameType, GeneratorType
from typing import Any, NoReturn, Protocol

from . import behavior
from .canonical import Renderer

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_GONE: Any = object()
_RESUME = opcode.opmap["RESUME"]
# Steps that take no changes, by tag: a return, and core.events.CHANGELESS, which no guest can import.
_NAMELESS = {6: "return", 9: "output", 10: "input", 11: "exit"}
_FRAME_OF: dict[int, Callable[[Any], FrameType | None]] = {
    id(GeneratorType): GeneratorType.__dict__["gi_frame"].__get__,
    id(CoroutineType): CoroutineType.__dict__["cr_frame"].__get__,
    id(AsyncGeneratorType): AsyncGeneratorType.__dict__["ag_frame"].__get__,
}


class ChangeableRecorder(Protocol):
    """What a `ChangeApplier` needs of a recorder."""

    suspended: dict[int, Any]
    stack: list[Any]

    def code_of(self, code: Any) -> Any:
        """Return the facts about a code object."""


def _float(text: str) -> float:
    if not text.startswith("nan("):
        return float(text)
    value: float = struct.unpack("<d", int(text[4:-1], 16).to_bytes(8, "little"))[0]
    return value


_WORDS = {"None": None, "True": True, "False": False, "Ellipsis": ..., "NotImplemented": NotImplemented}
_ATOMS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("None", "bool", "Ellipsis", "NotImplemented"), _WORDS.__getitem__),
    "int": lambda text: int(text, 0),
    "float": _float,
    "complex": lambda text: complex(*map(_float, text[8:-1].split(", "))),
    "range": lambda text: range(*(int(part, 0) for part in text[6:-1].split(", "))),
    "str": lambda text: bytes.fromhex(text).decode("utf-8", "surrogatepass"),
    "bytes": bytes.fromhex,
    "bytearray": bytearray.fromhex,
}
_SHELLS: dict[str, Callable[[str], Any]] = {  # made before their items, which may hold them
    "list": lambda _: [],
    "dict": lambda _: {},
    "set": lambda _: set(),
    "deque": lambda maxlen: collections.deque(maxlen=int(maxlen) if maxlen else None),
    **dict.fromkeys(("tuple", "frozenset", "slice"), lambda _: None),
}
_MUTABLE = {id(kind) for kind in (list, dict, set, bytearray, collections.deque)}
_HOLDERS = _MUTABLE | {id(tuple), id(frozenset)}
_FILL: dict[str, Callable[[Any, list[Any]], Any]] = {
    "list": list.extend,
    "dict": lambda shell, items: shell.update(zip(items[::2], items[1::2], strict=True)),
    "set": set.update,
    "deque": collections.deque.extend,
    "tuple": lambda _, items: tuple(items),
    "frozenset": lambda _, items: frozenset(items),
    "slice": lambda _, items: slice(*items),
}


def build(acts: list[list[Any]]) -> Any:
    """Build the value from the acts of recording/constructible.py."""
    items: list[list[Any]] = [[]]
    opened: list[tuple[str, Any]] = []
    labelled: dict[int, Any] = {}
    for kind, payload, label in acts:
        if kind in _SHELLS:
            opened.append((kind, _SHELLS[kind](payload)))
            labelled[label] = opened[-1][1]
            items.append([])
            continue
        if kind == "close":
            kind, shell = opened.pop()
            value = _FILL[kind](shell, items.pop())
            value = shell if value is None else value
        else:
            value = labelled[int(payload)] if kind == "ref" else _ATOMS[kind](payload)
            if label:
                labelled[label] = value
        items[-1].append(value)
    return items[0][0]


def _mutable_in(value: Any) -> set[int]:
    """Return the identities of the mutable plain containers in a value, without looking into objects."""
    seen: set[int] = set()
    mutable: set[int] = set()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = id(type(item))
        if kind in _HOLDERS and id(item) not in seen:
            seen.add(id(item))
            mutable |= {id(item)} if kind in _MUTABLE else set()
            waiting += [*item, *item.values()] if kind == id(dict) else item
    return mutable


def _fast_writer() -> Callable[[FrameType], None] | None:
    """Return what writes `f_locals` back into the variables of a frame, if `f_locals` is a copy."""
    if behavior.LOCALS_ARE_LIVE:
        return None
    before = set(sys.modules)
    import ctypes

    act = ctypes.pythonapi.PyFrame_LocalsToFast
    act.argtypes, act.restype = [ctypes.py_object, ctypes.c_int], None
    for name in set(sys.modules) - before:
        del sys.modules[name]  # the program finds what a plain run has
    return lambda real: act(real, 1)


class ChangeApplier:
    """One change: its values are built before the program starts, and bound when its step is done."""

    def __init__(
        self,
        change: dict[str, Any],
        limits: dict[str, int],
        recorder: ChangeableRecorder,
        leave: Callable[[str, str], NoReturn],
    ) -> None:
        self._recorder, self._leave = recorder, leave
        self._step: int = change["step"]
        self._line: int | None = change["line"]
        self.frame: Any = None  # whose step it is, once it has begun
        self._values: dict[int, dict[str, Any]] = {}
        self._texts: dict[tuple[int, str], str] = {}
        renderer = Renderer(limits["value_bytes"], limits["value_depth"])
        for serial, name, text, acts in change["values"]:
            value = _GONE if acts is None else self._built(name, text, acts, renderer)
            self._values.setdefault(serial, {})[name] = value
            self._texts[serial, name] = text
        self._settle = _fast_writer()

    def _built(self, name: str, text: str, acts: list[list[Any]], renderer: Renderer) -> Any:
        """Return the value if the interpreter represents it as written: no duplicate key, nothing over the limits."""
        try:
            value = build(acts)
            shown = renderer.render(value)
        except (TypeError, ValueError, KeyError, OverflowError, RecursionError, MemoryError) as error:
            self._refuse(f"{name}={text[:200]}: {type(error).__name__}: {error}")
        if shown != text:
            self._refuse(f"{name}={text[:200]}: it would be {shown[:200]}")
        return value

    def _refuse(self, why: str) -> NoReturn:
        self._leave("unsupported", f"change: {why.encode(errors='backslashreplace').decode()}")

    def passed(self, step: int, frame: Any, tag: int) -> None:
        """Note that a step has started, in case it is the step of the change."""
        if step == self._step:
            if tag in _NAMELESS:
                self._refuse(f"step {step} ({_NAMELESS[tag]}) has no names to change")
            self.frame = frame

    def unmade(self, steps: int) -> str:
        """Return why a run ended without the change."""
        if self.frame is None:
            return f"step {self._step} is never reached: the run has {steps} steps"
        return f"step {self._step} is never done: its frame has no event behind it"

    def make(self, real: FrameType, coming: int | None) -> int | None:
        """Bind the names and jump. Return the line that comes next, if a line was coming."""
        live = self._live(real)
        for serial in self._values:
            if serial not in live:
                self._refuse(f"frame {serial} is not live when step {self._step} is done")
        self._join(live)
        for serial, names in self._values.items():
            self._bind(*live[serial], names)
        for serial, names in self._values.items():
            self._check(*live[serial], names)
        if self._line is None or self._line == coming:
            return coming
        self._jump(real, self._line, coming)
        return self._line

    def _join(self, live: dict[int, tuple[Any, FrameType]]) -> None:
        """Bind names of one object that get one value to one object; refuse other sharing, which is ambiguous."""
        first: dict[int, tuple[int, str]] = {}
        inside: dict[int, tuple[int, str]] = {}
        for place, text in self._texts.items():
            serial, name = place
            old, new = self._now(*live[serial], name), self._values[serial][name]
            if old is _GONE or new is _GONE:
                continue
            first_place = first.setdefault(id(old), place)
            if first_place != place:
                if self._texts[first_place] == text and (id(type(old)) in _MUTABLE or not _mutable_in(new)):
                    self._values[serial][name] = self._values[first_place[0]][first_place[1]]
                continue
            for shared in _mutable_in(old):
                other = inside.setdefault(shared, place)
                if other != place:
                    self._refuse(f"{other[1]} and {name} share an object, and no text says how that goes on")

    def _now(self, frame: Any, real: FrameType, name: str) -> Any:
        """Return the current value of a name."""
        namespace = self._namespace(frame, real, name)
        if namespace is None:
            return frame.vars.read(real, [name]).get(name, _GONE)
        return dict.get(namespace, name, _GONE) if issubclass(type(namespace), dict) else _GONE

    def _namespace(self, frame: Any, real: FrameType, name: str) -> Any:
        """Return the namespace of a name; None for a variable of a function."""
        if frame.namespace is not None:
            return frame.namespace
        code = real.f_code
        is_variable = name in code.co_varnames or name in code.co_cellvars or name in code.co_freevars
        if not is_variable and name not in frame.code.globals:
            self._refuse(f"{code.co_qualname} has no name {name}")
        if not frame.vars.readable(real, [name]):
            self._refuse(f"{name} cannot be changed in {code.co_qualname}")
        return None if is_variable else real.f_globals

    def _check(self, frame: Any, real: FrameType, names: dict[str, Any]) -> None:
        """Refuse the change if a value did not arrive; two frames may share a cell."""
        for name, value in names.items():
            if self._now(frame, real, name) is not value:
                self._refuse(f"{name} cannot be changed in {real.f_code.co_qualname}")

    def _live(self, real: FrameType) -> dict[int, tuple[Any, FrameType]]:
        """Match the recorder's frames with the interpreter's: this one, its callers and, if needed, suspended ones."""
        live: dict[int, tuple[Any, FrameType]] = {}
        at: FrameType | None = real
        for frame in reversed(self._recorder.stack):
            while at is not None and self._recorder.code_of(at.f_code) is not frame.code:
                at = at.f_back
            if at is None:
                break
            live[frame.serial] = frame, at
            at = at.f_back
        if not self._values.keys() <= live.keys():
            live |= self._asleep()
        return live

    def _asleep(self) -> dict[int, tuple[Any, FrameType]]:
        """Return suspended frames. Only their generators hold them, so that they end as in a plain run."""
        frames: dict[int, tuple[Any, FrameType]] = {}
        for candidate in get_objects():
            frame_of = _FRAME_OF.get(id(type(candidate)))
            real = frame_of(candidate) if frame_of is not None else None
            frame = self._recorder.suspended.get(id(real)) if real is not None else None
            if real is not None and frame is not None and self._recorder.code_of(real.f_code) is frame.code:
                frames[frame.serial] = frame, real
        return frames

    def _bind(self, frame: Any, real: FrameType, names: dict[str, Any]) -> None:
        fast: dict[str, Any] = {}
        for name, value in names.items():
            namespace = self._namespace(frame, real, name)
            if namespace is None:
                fast[name] = value
            else:
                self._bind_in(namespace, name, value)
        if fast:
            self._bind_fast(real, fast)

    def _bind_in(self, namespace: Any, name: str, value: Any) -> None:
        if not issubclass(type(namespace), dict):
            self._refuse(f"{name} is in a namespace that is no dict")
        if value is not _GONE:
            dict.__setitem__(namespace, name, value)
        elif dict.__contains__(namespace, name):
            dict.__delitem__(namespace, name)

    def _bind_fast(self, real: FrameType, values: dict[str, Any]) -> None:
        """Bind the variables of a function."""
        shown: Any = real.f_locals  # read once: each read undoes what is not yet written back
        for name, value in values.items():
            if value is not _GONE:
                shown[name] = value
            elif name in shown:
                if behavior.LOCALS_STAY_BOUND:
                    self._refuse(f"{name}: this interpreter cannot take a function's variable away")
                del shown[name]
        if self._settle is not None:
            self._settle(real)

    def _jump(self, real: FrameType, line: int, coming: int | None) -> None:
        code = real.f_code
        lines = [number for start, end, number in code.co_lines() for _ in range(start, end, 2)]
        if line not in lines:
            self._refuse(f"line {line} is no line of {code.co_qualname}")
        if line == lines[code.co_code[::2].index(_RESUME)]:  # it would make the cells of the function anew
            self._refuse(f"no jump to line {line}: there {code.co_qualname} begins")
        if coming is None:
            self._refuse(f"no jump to line {line}: can only jump from a 'line' trace event")
        if behavior.LOCALS_STAY_BOUND and not self._recorder.stack[-1].code.namespace:
            # The jump itself would do so, with a warning that goes through the program's own hands.
            known, cells = real.f_locals, code.co_cellvars
            unbound = [name for name in code.co_varnames if name not in cells and name not in known]
            frame, missing = self._recorder.stack[-1], dict.fromkeys(unbound)
            self._bind_fast(real, missing)
            self._check(frame, real, missing)
        try:
            setattr(real, "f_lineno", line)  # noqa: B010 - read-only for a type checker
        except (ValueError, RuntimeWarning) as error:
            self._refuse(f"no jump to line {line}: {error}")
