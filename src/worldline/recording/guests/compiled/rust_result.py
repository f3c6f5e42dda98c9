"""How a Rust function gives its value back: rustc's own convention, which is no C compiler's.

The compiler's IR says which functions write their result where the caller says: releases of rustc differ in it. Of the
others, a value of one or two scalars comes in registers, each scalar in the next one of its class, and any other value
comes in general registers as it lies in memory.
"""

from __future__ import annotations

import re

from . import types as kinds
from .types import TypeRow, TypeRows

R_NONE, R_GENERAL, R_FLOATS, R_MEMORY, R_MIXED, R_OPAQUE, R_SCALARS = range(7)
_TEXT, _SPAN, _BITS = 33, 32, 34
_ENUM, _INNER, _OWNER, _NAMED, _WEAK = 45, 42, 46, 47, 49
_WORDS = 8

Scalar = tuple[int, int, bool]  # where it lies, its size, whether it is a float


_DEFINITION = re.compile(r'^define [^@\n]*@("?)([^"(\n]+)\1\([^\n]*\bsret\(', re.MULTILINE)


def writing_results(ir: str) -> set[str]:
    """The symbols of the functions of LLVM's IR that write their result where the caller says."""
    return {match[2] for match in _DEFINITION.finditer(ir)}


def rust_result(types: TypeRows, row: int) -> tuple[int, int]:
    """How any other function gives its result; for scalars a mask: of each its offset, size and class in 16 bits."""
    type_row = types.rows[row]
    if not row:
        return R_NONE, 0
    try:
        scalars = sorted(set(_scalars(types, type_row, 0)))
    except ValueError:
        scalars = []
    if type_row.size == 0:
        return R_GENERAL, 0
    if (
        scalars
        and len(scalars) <= 2
        and len({offset for offset, _, _ in scalars}) == len(scalars)
        and type_row.size <= 16
    ):
        mask = 0
        for at, (offset, size, is_float) in enumerate(scalars):
            mask |= (offset | size << 6 | is_float << 12) << 16 * at
        return R_SCALARS, mask
    return (R_GENERAL, 0) if type_row.size <= 2 * _WORDS else (R_MEMORY, 0)


def _scalars(types: TypeRows, row: TypeRow, offset: int) -> list[Scalar]:
    """The scalars of a value; ValueError where that cannot be told."""
    if row.kind in (kinds.INT, kinds.UINT, kinds.CHAR, kinds.BOOL, kinds.ENUM, kinds.FLOAT):
        return [(offset, row.size, row.kind == kinds.FLOAT)] if row.size else []
    if row.kind in (kinds.POINTER, kinds.REFERENCE, kinds.FUNCTION):
        return [(offset, 8, False)]
    if row.kind in (_TEXT, _SPAN) and row.size == 16:
        return [(offset, 8, False), (offset + 8, 8, False)]
    if row.kind in (kinds.STRUCT, kinds.TUPLE, _INNER):
        return [
            scalar for part in row.fields for scalar in _scalars(types, types.rows[part.type], offset + part.offset)
        ]
    if row.kind == _OWNER or (row.kind == _WEAK and row.size == 8):
        return [(offset, 8, False)]
    if row.kind == _ENUM:
        return _variants(types, row, offset)
    if row.kind in (kinds.OPAQUE, _NAMED) and not row.size:
        return []
    raise ValueError("not known")


def _variants(types: TypeRows, row: TypeRow, offset: int) -> list[Scalar]:
    numbers = [part.offset for part in row.fields]
    scalars: list[Scalar] = [(offset + numbers[0], numbers[1], False)] if numbers[1] else []
    for at in range(row.count):
        inner = types.rows[row.fields[at].type]
        for scalar in _scalars(types, inner, offset + numbers[4 + 3 * at]):
            if scalar[0] != offset + numbers[0] or not numbers[1]:
                scalars.append(scalar)
            elif scalar[1] != numbers[1]:
                raise ValueError("a niche inside a scalar")
    return scalars
