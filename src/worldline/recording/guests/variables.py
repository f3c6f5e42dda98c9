"""Read the variables of a function's frame without side effects, for the readable core.

Before 3.13 `f_locals` is a dict that belongs to the frame, the same that `locals()` returns to the
program. Reading updates it, so it is restored afterwards, except on 3.11, where `sys.settrace` itself
updates it around each event. From 3.13 on it is a view. In its first releases reading some names
crashes, so they are not read.
"""

from __future__ import annotations

import builtins
import opcode
from types import CodeType, FrameType
from typing import Any

from . import behavior

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

if behavior.SHADOWED_CELLS_CRASH:
    from dis import _parse_exception_table  # type: ignore[attr-defined]


class Variables:
    """The variables of one activation."""

    __slots__ = ("_frame_dict", "_shadows")

    def __init__(self, shadows: list[tuple[int, int, set[str]]]) -> None:
        self._shadows = shadows
        self._frame_dict: dict[str, Any] = {}  # the dict that the frame keeps, before 3.13

    def readable(self, real: FrameType, names: list[str]) -> list[str]:
        """Return the names that may be read now."""
        at = real.f_lasti
        unread = [names for start, end, names in self._shadows if start <= at < end]
        return [name for name in names if not any(name in hidden for hidden in unread)] if unread else names

    def read(self, real: FrameType, names: list[str]) -> dict[str, Any]:
        """Return the values of these names, as far as they are bound."""
        shown: Any
        if behavior.LOCALS_ARE_LIVE:
            shown = real.f_locals
            return {name: shown[name] for name in names if name in shown}
        before = dict(self._frame_dict)
        shown = real.f_locals
        values = {name: shown[name] for name in names if name in shown}
        if behavior.HAS_MONITORING:
            self._frame_dict = shown
            shown.clear()
            shown.update(before)
        return values


def shadows_in(code: CodeType) -> list[tuple[int, int, set[str]]]:
    """Return the spans of code in which comprehensions replace the cells of a closure by their variables.

    The interpreter restores the cells in a handler around each comprehension: it stores them and raises
    again.
    """
    if not behavior.SHADOWED_CELLS_CRASH or not code.co_cellvars:
        return []
    spans: dict[int, tuple[int, int]] = {}
    for entry in _parse_exception_table(code):
        start, end = spans.get(entry.target, (entry.start, entry.end))
        spans[entry.target] = min(start, entry.start), max(end, entry.end)
    cells = set(code.co_cellvars)
    spans_of = [(start, end, cells & _stored(code, handler)) for handler, (start, end) in spans.items()]
    return [(start, _behind(code, end, names), names) for start, end, names in spans_of if names]


def _stores(code: CodeType, at: int) -> set[str] | None:
    """The variables that the instruction stores; None where it does anything else but move values."""
    names = [*code.co_varnames, *(name for name in code.co_cellvars if name not in code.co_varnames)]
    op, arg = opcode.opname[code.co_code[at]], code.co_code[at + 1]
    if at and opcode.opname[code.co_code[at - 2]] == "EXTENDED_ARG":
        arg |= code.co_code[at - 1] << 8
    if op == "STORE_FAST":
        return {names[arg]}
    if op == "STORE_FAST_STORE_FAST":
        return {names[arg >> 4], names[arg & 15]}
    return set() if op in ("SWAP", "POP_TOP", "EXTENDED_ARG") else None


def _stored(code: CodeType, at: int) -> set[str]:
    """Return what a handler stores before it raises again; nothing if it is the handler of a statement."""
    stored: set[str] = set()
    while (names := _stores(code, at)) is not None:
        stored |= names
        at += 2
    return stored if opcode.opname[code.co_code[at]] == "RERAISE" else set()


def _behind(code: CodeType, at: int, cells: set[str]) -> int:
    """The place where the cells are back, after a comprehension that came to its end."""
    missing = set(cells)
    while missing and at < len(code.co_code):
        missing -= _stores(code, at) or set()
        at += 2
    return at
