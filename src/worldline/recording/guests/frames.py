"""What the readable core knows of code objects, of running and suspended frames, and of threads."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from sys import _getframe
from types import CodeType, FrameType
from typing import Any

from .kinds import is_unwritten
from .variables import Variables, shadows_in
from .wire_writer import LargeValue

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_OPTIMIZED, _SUSPENDS = 0x1, 0x20 | 0x80 | 0x200


class KnownCode:
    """The facts about a code object, computed once."""

    def __init__(self, code: CodeType, file: str, global_names: Callable[[CodeType], tuple[str, ...]]) -> None:
        self.file, self.name, self.firstline = file, code.co_qualname, code.co_firstlineno
        self.namespace, self.suspends = not code.co_flags & _OPTIMIZED, bool(code.co_flags & _SUSPENDS)
        cells = [name for name in code.co_cellvars if name not in code.co_varnames]
        names = dict.fromkeys([*code.co_varnames, *cells, *code.co_freevars])
        self.names = [name for name in names if not is_unwritten(name)]
        self.parameters = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        self.shadows = shadows_in(code)
        self.globals = () if self.namespace else global_names(code)


class OpenFrame:
    """One activation: the text of each of its names at its last event."""

    __slots__ = (
        "aliases",
        "code",
        "containers",
        "globals",
        "ident",
        "large",
        "line",
        "looped",
        "namespace",
        "raised",
        "serial",
        "texts",
        "vars",
    )

    def __init__(self, serial: int, code: KnownCode, real: FrameType) -> None:
        self.serial, self.code, self.line = serial, code, code.firstline
        self.ident = id(real)
        self.texts: dict[str, str] = {}
        self.containers: dict[str, tuple[int, ...]] = {}  # by name, the addresses of what its value holds
        self.large: dict[str, LargeValue | None] = {}
        self.aliases: dict[str, str | None] = {}
        self.globals: dict[str, str | None] = {}
        self.raised = self.looped = False
        # Read once: later it may be a copy that contains the variables of a comprehension.
        self.namespace: Any = real.f_locals if code.namespace else None
        self.vars = Variables(code.shadows)


class OpenThread:
    """A thread of the program: its running frames, and its identity once it is recorded."""

    def __init__(self, stack: list[OpenFrame]) -> None:
        self.stack = stack
        self.ident: int | None = None
        self.last = 0, 0  # the frame that it left last, and its line


def are_running(stack: Sequence[OpenFrame]) -> bool:
    """Tell whether all these frames, the innermost one last, are on the stack of the calling thread."""
    real: FrameType | None = _getframe()
    for frame in reversed(stack):
        while real is not None and id(real) != frame.ident:
            real = real.f_back
        if real is None:
            return False
    return True
