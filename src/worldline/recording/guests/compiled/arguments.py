"""Encode the arguments of a call by parameter types: registers, and linked blocks (runtime/call.h)."""

from __future__ import annotations

import struct
from typing import Any

from . import types as kinds
from .table import R_FLOATS, R_MEMORY, R_MIXED, result_of
from .types import TypeRow, TypeRows
from .variables import PARAMETER, Described

GENERAL, FLOAT, POINTER, STACKED = range(4)
_MAX_REGISTERS = {"aarch64": (8, 8), "x86_64": (6, 8)}  # registers of each class
_SEVERAL = ("list", "tuple")


class Misfit(Exception):
    """An argument does not fit its parameter; the message says why."""


def miscounted(function: str, takes: int, count: int) -> str:
    """Return the message for a call with too many or too few arguments."""
    return f"{function} takes {takes} argument{'s' * (takes != 1)}, and {count} {'is' if count == 1 else 'are'} given"


class _Memory:
    """The blocks that a call's pointers point to."""

    def __init__(self, types: TypeRows) -> None:
        self.types = types
        self.blocks: list[tuple[bytes, list[tuple[int, int]]]] = []

    def block(self, data: bytes, links: list[tuple[int, int]]) -> int:
        self.blocks.append((data, links))
        return len(self.blocks) - 1

    def items(self, trees: list[Any], row: int, where: str) -> tuple[bytes, list[tuple[int, int]]]:
        """Several values side by side."""
        data, links = b"", list[tuple[int, int]]()
        for tree in trees:
            piece, inner = self.value(tree, row, where)
            links += [(len(data) + at, block) for at, block in inner]
            data += piece
        return data, links

    def value(self, tree: Any, row: int, where: str) -> tuple[bytes, list[tuple[int, int]]]:
        """A value's bytes, and which of them are pointers to which block."""
        type_row = self.types.rows[row]
        if type_row.kind == kinds.POINTER:
            block = self.pointed(tree, type_row.to, where)
            return bytes(8), [] if block is None else [(0, block)]
        if type_row.kind == kinds.ARRAY:
            return self._array(tree, type_row, where)
        if type_row.kind in (kinds.STRUCT, kinds.UNION):
            return self._struct(tree, type_row, where)
        return _scalar(tree, type_row, where), []

    def _struct(self, tree: Any, row: TypeRow, where: str) -> tuple[bytes, list[tuple[int, int]]]:
        """A struct's members, by name or in their order; those that are not given are zero, as in C."""
        name = row.name or "struct"
        members = {member.name: member for member in row.fields}
        if tree[0] == "dict":
            pairs = [(key[1] if key[0] == "str" else str(key[1:]), value) for key, value in tree[1]]
        elif tree[0] == "tuple":
            pairs = list(zip(members, tree[1], strict=False))
            if len(tree[1]) > len(members):
                mismatch = f"which has {len(members)} members, and {len(tree[1])} are given"
                raise Misfit(f"{where} is a {name}, {mismatch}")
        else:
            raise Misfit(f"{where} is a {name}, which {tree[0]} does not fit")
        data, links = bytearray(row.size), list[tuple[int, int]]()
        for key, value in pairs:
            member = members.get(key)
            if member is None:
                raise Misfit(f"{where} is a {name}, which has no {key}")
            if member.bits:
                raise Misfit(f"{where} is a {name}, whose bit field {key} cannot be given")
            piece, inner = self.value(value, member.type, f"{where}.{key}")
            data[member.offset : member.offset + len(piece)] = piece
            links += [(member.offset + at, block) for at, block in inner]
        return bytes(data), links

    def _array(self, tree: Any, row: TypeRow, where: str) -> tuple[bytes, list[tuple[int, int]]]:
        inner = self.types.rows[row.to]
        if inner.kind == kinds.CHAR and tree[0] in ("str", "bytes"):
            data, links = _text(tree), list[tuple[int, int]]()
        elif tree[0] in _SEVERAL:
            data, links = self.items(tree[1], row.to, where)
        else:
            raise Misfit(f"{where} is an array, and {tree[0]} is none")
        if len(data) > row.size:
            raise Misfit(f"{where} has more than {row.count} elements")
        return data.ljust(row.size, b"\0"), links

    def _is_single_value(self, tree: Any, inner: TypeRow) -> bool:
        """Whether a tuple is one struct, and not several things side by side."""
        return inner.kind in (kinds.STRUCT, kinds.UNION) and tree[0] == "tuple"

    def passed(self, tree: Any, row: int, where: str, machine: str) -> list[tuple[int, int, int]]:
        """A struct by value: the registers that it is in, or that point to it, or its place on the stack."""
        data, links = self.value(tree, row, where)
        how, mask = result_of(self.types, row, machine)
        if how == R_MEMORY:
            return [(STACKED if machine == "x86_64" else POINTER, self.block(data, links), 0)]
        width = mask if how == R_FLOATS else 8
        blocks = dict(links)
        rows: list[tuple[int, int, int]] = []
        for at in range(0, len(data), width):
            bits = int.from_bytes(data[at : at + width], "little")
            floats = how == R_FLOATS or (how == R_MIXED and mask >> at // 8 & 1)
            rows.append((POINTER, blocks[at], 0) if at in blocks else (FLOAT if floats else GENERAL, 0, bits))
        return rows

    def pointed(self, tree: Any, row: int, where: str) -> int | None:
        """The block that an argument for a pointer becomes; None for NULL."""
        inner = self.types.rows[row]
        if tree[0] == "none":
            return None
        if inner.kind in (kinds.CHAR, kinds.VOID) and tree[0] in ("str", "bytes"):
            return self.block(_text(tree) + b"\0", [])
        if inner.kind in (kinds.INT, kinds.UINT) and inner.size == 1 and tree[0] in ("str", "bytes"):
            return self.block(_text(tree) + b"\0", [])
        if tree[0] in _SEVERAL and inner.size and not self._is_single_value(tree, inner):
            return self.block(*self.items(tree[1], row, where))
        if tree[0] in ("dict", "tuple") and inner.kind in (kinds.STRUCT, kinds.UNION):
            return self.block(*self.value(tree, row, where))
        raise Misfit(f"{where} is a pointer, which a list, a str or None fits, and not {tree[0]}")


def _text(tree: Any) -> bytes:
    return bytes.fromhex(tree[1]) if tree[0] == "bytes" else str(tree[1]).encode("utf-8", "surrogatepass")


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiAEIO' else 'a'} {name}"


def _scalar(tree: Any, row: TypeRow, where: str) -> bytes:
    kind: str = tree[0]
    value: Any = tree[1] if len(tree) > 1 else None
    if row.kind == kinds.FLOAT and row.size in (4, 8) and kind in ("float", "int"):
        try:
            return struct.pack("<f" if row.size == 4 else "<d", float(value))
        except OverflowError:
            raise Misfit(f"{where} is {_article(row.name)}, which cannot hold {value}") from None
    if row.kind == kinds.CHAR and kind == "str" and len(value.encode("utf-8", "surrogatepass")) == row.size:
        return bytes(value.encode("utf-8", "surrogatepass"))
    whole = {"int": lambda: int(value), "bool": lambda: int(value)}.get(kind)
    if whole is None or row.kind not in (kinds.INT, kinds.UINT, kinds.CHAR, kinds.BOOL, kinds.ENUM) or row.size > 8:
        raise Misfit(f"{where} is {_article(row.name or 'struct')}, which {kind} does not fit")
    signed = row.kind in (kinds.INT, kinds.ENUM, kinds.CHAR)
    try:
        return whole().to_bytes(row.size, "little", signed=signed)
    except OverflowError:
        raise Misfit(f"{where} is {_article(row.name)}, which cannot hold {value}") from None


def encode(call: dict[str, Any], functions: list[Described], types: TypeRows, machine: str) -> bytes:
    """Encode a call for the runtime.

    Args:
        call: The function and its arguments.
        functions: The functions of the program.
        types: Their types.
        machine: The architecture.

    Raises:
        Misfit: There is no such function, or an argument does not fit.
    """
    number = next((at for at, parameter in enumerate(functions) if parameter.name == call["function"]), None)
    if number is None:
        raise Misfit(f"there is no function {call['function']}")
    parameters = [parameter for parameter in functions[number].variables if parameter.flags & PARAMETER]
    trees = call["arguments"]
    if len(parameters) != len(trees):
        raise Misfit(miscounted(call["function"], len(parameters), len(trees)))
    memory = _Memory(types)
    rows: list[tuple[int, int, int]] = []
    for parameter, tree in zip(parameters, trees, strict=True):
        row = types.rows[parameter.type]
        if row.kind == kinds.POINTER:
            block = memory.pointed(tree, row.to, parameter.name)
            rows.append((GENERAL, 0, 0) if block is None else (POINTER, block, 0))
            continue
        if row.kind in (kinds.STRUCT, kinds.UNION):
            rows += memory.passed(tree, parameter.type, parameter.name, machine)
            continue
        data = _scalar(tree, row, parameter.name)
        signed = row.kind in (kinds.INT, kinds.ENUM)
        bits = int.from_bytes(data, "little", signed=signed) & (1 << 64) - 1
        rows.append((FLOAT if row.kind == kinds.FLOAT else GENERAL, 0, bits))
    general = sum(kind in (GENERAL, POINTER) for kind, _, _ in rows)
    floating = sum(kind == FLOAT for kind, _, _ in rows)
    in_memory = result_of(types, functions[number].result, machine)[0] == R_MEMORY
    if (
        general + (in_memory and machine == "x86_64") > _MAX_REGISTERS[machine][0]
        or floating > _MAX_REGISTERS[machine][1]
    ):
        raise Misfit(f"{call['function']} takes more arguments than there are registers for")
    return _packed(number, rows, memory)


def _packed(number: int, rows: list[tuple[int, int, int]], memory: _Memory) -> bytes:
    head = 32
    args = b"".join(struct.pack("<IIQ", *row) for row in rows)
    at = head + len(args) + 24 * len(memory.blocks)
    blocks, tail = b"", b""
    for data, links in memory.blocks:
        linked = b"".join(struct.pack("<QII", place, block, 0) for place, block in links)
        blocks += struct.pack("<QQII", len(data), at + len(tail) + len(linked), at + len(tail), len(links))
        tail += linked + data + bytes(-len(data) % 8)
    return struct.pack("<4IQQ", number, len(rows), len(memory.blocks), 0, head, head + len(args)) + args + blocks + tail
