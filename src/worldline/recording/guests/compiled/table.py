"""The table that the runtime maps (runtime/table.h): types, variables, functions, sites and scopes in fixed rows."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from . import types as kinds
from .mir import Moves
from .rust_result import rust_result
from .types import TypeRow, TypeRows
from .variables import PARAMETER, Described, Var, scope_at

R_NONE, R_GENERAL, R_FLOATS, R_MEMORY, R_MIXED, R_OPAQUE = range(6)
_HEADER = struct.Struct("<8s13I14I3I")
_TYPE, _FIELD, _VAR = struct.Struct("<4IQQqII"), struct.Struct("<IIqII"), struct.Struct("<4IqII")
_FN, _SITE = struct.Struct("<14IQ"), struct.Struct("<4IqII")
_NO_CALL = 0xFFFFFFFF
_RETURNED, _PASSED = 0xFFFFFFFF, 0xFFFFFFFE
_NAMED = 47


class TextPool:
    """Every text of the table, each once."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def number(self, text: str) -> int:
        """A text's number."""
        return self.texts.setdefault(text, len(self.texts))


def result_of(types: TypeRows, row: int, machine: str) -> tuple[int, int]:
    """How a function gives its value back: where it is, and a mask or the size of each part."""
    if not row:
        return R_NONE, 0
    type_row = types.rows[row]
    if type_row.kind == kinds.FLOAT:
        return (R_OPAQUE, 0) if machine == "x86_64" and type_row.size > 8 else (R_FLOATS, type_row.size)
    if type_row.kind == kinds.COMPLEX:
        small = machine == "x86_64" and type_row.size == 8
        return (
            (R_OPAQUE, 0)
            if machine == "x86_64" and type_row.size > 16
            else (R_FLOATS, 8 if small else type_row.size // 2)
        )
    if type_row.flags & kinds.BY_REFERENCE and type_row.kind != kinds.ARRAY:
        return R_MEMORY, 0
    if type_row.kind not in (kinds.STRUCT, kinds.UNION, kinds.TUPLE):
        return (R_GENERAL, 0) if 0 < type_row.size <= 16 else (R_OPAQUE, 0)
    parts = list(_scalars(types, type_row, 0))
    if machine == "aarch64":
        sizes = {part.size for part, _ in parts}
        if parts and len(parts) <= 4 and len(sizes) == 1 and all(part.kind == kinds.FLOAT for part, _ in parts):
            return R_FLOATS, sizes.pop()
        return (R_GENERAL, 0) if type_row.size <= 16 else (R_MEMORY, 0)
    if type_row.size > 16 or not parts or any(part.size > 8 and part.kind == kinds.FLOAT for part, _ in parts):
        return R_MEMORY, 0
    mask = 0
    for word in range(2):
        inside = [part for part, offset in parts if offset // 8 == word]
        if inside and all(part.kind == kinds.FLOAT for part in inside):
            mask |= 1 << word
    return R_MIXED, mask


def _scalars(types: TypeRows, row: TypeRow, offset: int) -> Iterable[tuple[TypeRow, int]]:
    if row.kind in (kinds.STRUCT, kinds.UNION, kinds.TUPLE):
        for part in row.fields:
            yield from _scalars(types, types.rows[part.type], offset + part.offset + part.bit // 8)
    elif row.kind == kinds.ARRAY:
        inner = types.rows[row.to]
        for index in range(min(row.count, 32)):
            yield from _scalars(types, inner, offset + index * inner.size)
    elif row.kind != _NAMED or row.size:
        yield row, offset


_ANY = 0xFFFFFFFF


def _ways(moves: Moves) -> Iterable[bytes]:
    """Rows of what is dead when: in a line for sure, and when one line comes after another; in order."""
    rows: dict[tuple[int, int], dict[int, bool]] = {(0, _ANY): dict.fromkeys(moves.dead_at_first, True)}
    rows |= {(line, _ANY): known for line, known in moves.sure.items()}
    rows |= {(line, _ANY): {} for line in moves.lines if line not in moves.sure}
    rows |= {(to, line): changes for (line, to), changes in moves.ways.items()}
    for (to, line), changes in sorted(rows.items()):
        words = sorted({n // 64 for n in changes if n < 256}) or [0]
        for word in words:
            inside = {n % 64: dead for n, dead in changes.items() if n // 64 == word}
            dead = sum(1 << n for n, gone in inside.items() if gone)
            there = sum(1 << n for n, gone in inside.items() if not gone)
            yield struct.pack("<4IQQ", to, line, word, 0, dead, there)


def _handovers(described: Described, rows: list[int], slots: dict[str, int]) -> Iterable[bytes]:
    """Rows of the lines that return a variable, or give its value to another one."""
    for handover in described.handovers:
        for row, variable in zip(rows, described.variables, strict=True):
            if variable.name != handover.giver or handover.declared not in (0, variable.line):
                continue
            own = None if handover.taker is None else rows[handover.taker]
            to = _PASSED if handover.is_passed else _RETURNED if own is None else own
            yield struct.pack("<4I", handover.line, to, row, slots[variable.name])


class TableWriter:
    """Collects rows; `pack` writes them."""

    def __init__(self, types: TypeRows, machine: str, places: list[int], rust: bool = False) -> None:
        self._types, self._machine, self._places, self._rust = types, machine, places, rust
        self._names = TextPool()
        self._vars: list[bytes] = []
        self._fns: list[bytes] = []
        self._sites: list[bytes] = []
        self._scopes: dict[tuple[tuple[tuple[int, int], ...], int], int] = {}
        self._entries: list[tuple[int, int]] = []
        self._scope_rows: list[bytes] = []
        self._used: list[int] = []
        self._slots: list[int] = []
        self._ways: list[bytes] = []
        self._handovers: list[bytes] = []

    def variable(self, described: Var) -> int:
        """The row of a variable."""
        name = self._names.number(described.name)
        line = described.line if 0 < described.line < 1 << 16 and not described.flags & PARAMETER else 0
        self._vars.append(
            _VAR.pack(
                name,
                described.type,
                described.flags | line << 16,
                described.where,
                described.offset,
                described.register,
                described.behind,
            )
        )
        return len(self._vars) - 1

    def function(self, described: Described, used: list[int]) -> int:
        """The row of a function, with its sites; `used` are rows of the fixed variables its code names."""
        rows = [self.variable(variable) for variable in described.variables]
        slots = {name: at for at, name in enumerate(dict.fromkeys(variable.name for variable in described.variables))}
        number = len(self._fns)
        how, mask = self._result_of(described)
        if how == R_MEMORY:
            how, mask = (R_MEMORY, described.function.kept) if described.function.kept >= 0 else (R_OPAQUE, 0)
        text, file = self._names.number(described.name), self._names.number(described.function.file)
        moves = list(_ways(described.moves)) if described.moves is not None else []
        where = len(self._slots), len(slots), len(self._used), len(used), file, len(self._ways), len(moves)
        handovers = list(_handovers(described, rows, slots))
        passed = len(self._handovers), len(handovers)
        row = text, described.line, described.result, how, mask, *where, *passed, described.address
        self._fns.append(_FN.pack(*row))
        self._ways += moves
        self._handovers += handovers
        self._slots += [self._names.number(name) for name in slots]
        self._used += used
        for site in described.function.sites.values():
            shown, more = scope_at(described, self._places[site.scope or site.place], site)
            pairs = [(slots[described.variables[at].name], rows[at]) for at in [*shown, *more]]
            scope = self._scope(pairs, len(shown))
            kind = 0 if described.hidden else site.kind
            self._sites.append(_SITE.pack(number, site.line, kind, site.register, site.offset, scope, 0))
        return number

    def _result_of(self, described: Described) -> tuple[int, int]:
        if not self._rust:
            return result_of(self._types, described.result, self._machine)
        if described.result and described.function.writes_result:
            return R_MEMORY, 0
        return rust_result(self._types, described.result)

    def _scope(self, pairs: list[tuple[int, int]], shown: int) -> int:
        key = tuple(pairs), shown
        known = self._scopes.get(key)
        if known is None:
            known = self._scopes[key] = len(self._scope_rows)
            self._scope_rows.append(struct.pack("<4I", shown, len(pairs) - shown, len(self._entries), 0))
            self._entries += pairs
        return known

    def pack(self, compiler: str, version: str, call: bytes | None) -> bytes:
        """The whole table."""
        number = self._names.number
        head = [number(compiler), number(version), 0]
        types, fields = self._type_rows()
        names, strings = self._texts()
        parts = [
            types,
            fields,
            self._vars,
            self._fns,
            self._sites,
            self._scope_rows,
            [struct.pack("<II", *pair) for pair in self._entries],
            [struct.pack("<I", index) for index in self._used],
            names,
            [struct.pack("<I", index) for index in self._slots],
            [call or b""],
            self._ways,
            self._handovers,
            [strings],
        ]
        blobs = [b"".join(part) for part in parts]
        counts = [len(part) for part in parts[:10]] + [
            1 if call is not None else _NO_CALL,
            len(self._ways),
            len(self._handovers),
        ]
        offsets, at = [], _HEADER.size
        for blob in blobs:
            at = at + 15 & ~15
            offsets.append(at)
            at += len(blob)
        out = bytearray(at + 16)
        _HEADER.pack_into(out, 0, b"WLTAB02\0", *counts, *offsets, *head)
        for offset, blob in zip(offsets, blobs, strict=True):
            out[offset : offset + len(blob)] = blob
        return bytes(out)

    def _type_rows(self) -> tuple[list[bytes], list[bytes]]:
        rows: list[bytes] = []
        fields: list[bytes] = []
        for described in self._types.rows:
            row = _TYPE.pack(
                described.kind,
                self._names.number(described.name),
                described.to,
                described.flags,
                described.size,
                described.count,
                described.aux,
                len(fields),
                len(described.fields),
            )
            rows.append(row)
            for part in (*described.fields, *described.bases):
                offset = part.offset if part.offset < 1 << 63 else part.offset - (1 << 64)
                fields.append(_FIELD.pack(self._names.number(part.name), part.type, offset, part.bit, part.bits))
        return rows, fields

    def _texts(self) -> tuple[list[bytes], bytes]:
        names, at, strings = [], 0, []
        for text in self._names.texts:
            data = text.encode(errors="replace") + b"\0"
            names.append(struct.pack("<I", at))
            strings.append(data)
            at += len(data)
        return names, b"".join(strings)
