"""A call's arguments by the parameters' types: registers, and blocks of memory with links (runtime/call.h)."""

from __future__ import annotations

import struct
from typing import Any

from . import types as kinds
from .table import R_FLOATS, R_MEMORY, R_MIXED, result_of
from .types import TypeRow, TypeRows
from .variables import PARAMETER, Described

GENERAL, FLOAT, POINTER, STACKED = range(4)
_MOST = {"aarch64": (8, 8), "x86_64": (6, 8)}  # registers of each class
_SEVERAL = ("list", "tuple")


class Misfit(Exception):
    """An argument does not fit its parameter; the message says why."""


def miscounted(function: str, takes: int, given: int) -> str:
    """The sentence for a call with too many or too few arguments."""
    return f"{function} takes {takes} argument{'s' * (takes != 1)}, and {given} {'is' if given == 1 else 'are'} given"


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
        one = self.types.rows[row]
        if one.kind == kinds.POINTER:
            block = self.pointed(tree, one.to, where)
            return bytes(8), [] if block is None else [(0, block)]
        if one.kind == kinds.ARRAY:
            return self._array(tree, one, where)
        if one.kind in (kinds.STRUCT, kinds.UNION):
            return self._struct(tree, one, where)
        return _scalar(tree, one, where), []

    def _struct(self, tree: Any, one: TypeRow, where: str) -> tuple[bytes, list[tuple[int, int]]]:
        """A struct's members, by name or in their order; those that are not given are zero, as in C."""
        name = one.name or "struct"
        members = {member.name: member for member in one.fields}
        if tree[0] == "dict":
            given = [(key[1] if key[0] == "str" else str(key[1:]), value) for key, value in tree[1]]
        elif tree[0] == "tuple":
            given = list(zip(members, tree[1], strict=False))
            if len(tree[1]) > len(members):
                said = f"which has {len(members)} members, and {len(tree[1])} are given"
                raise Misfit(f"{where} is a {name}, {said}")
        else:
            raise Misfit(f"{where} is a {name}, which {tree[0]} does not fit")
        data, links = bytearray(one.size), list[tuple[int, int]]()
        for key, value in given:
            member = members.get(key)
            if member is None:
                raise Misfit(f"{where} is a {name}, which has no {key}")
            if member.bits:
                raise Misfit(f"{where} is a {name}, whose bit field {key} cannot be given")
            piece, inner = self.value(value, member.type, f"{where}.{key}")
            data[member.offset : member.offset + len(piece)] = piece
            links += [(member.offset + at, block) for at, block in inner]
        return bytes(data), links

    def _array(self, tree: Any, one: TypeRow, where: str) -> tuple[bytes, list[tuple[int, int]]]:
        inner = self.types.rows[one.to]
        if inner.kind == kinds.CHAR and tree[0] in ("str", "bytes"):
            data, links = _text(tree), list[tuple[int, int]]()
        elif tree[0] in _SEVERAL:
            data, links = self.items(tree[1], one.to, where)
        else:
            raise Misfit(f"{where} is an array, and {tree[0]} is none")
        if len(data) > one.size:
            raise Misfit(f"{where} has more than {one.count} elements")
        return data.ljust(one.size, b"\0"), links

    def _is_one(self, tree: Any, inner: TypeRow) -> bool:
        """Whether a tuple is one struct, and not several things side by side."""
        return inner.kind in (kinds.STRUCT, kinds.UNION) and tree[0] == "tuple"

    def passed(self, tree: Any, row: int, where: str, machine: str) -> list[tuple[int, int, int]]:
        """A struct by value: the registers that it is in, or that point to it, or its place on the stack."""
        data, links = self.value(tree, row, where)
        how, mask = result_of(self.types, row, machine)
        if how == R_MEMORY:
            return [(STACKED if machine == "x86_64" else POINTER, self.block(data, links), 0)]
        each = mask if how == R_FLOATS else 8
        blocks = dict(links)
        rows: list[tuple[int, int, int]] = []
        for at in range(0, len(data), each):
            bits = int.from_bytes(data[at : at + each], "little")
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
        if tree[0] in _SEVERAL and inner.size and not self._is_one(tree, inner):
            return self.block(*self.items(tree[1], row, where))
        if tree[0] in ("dict", "tuple") and inner.kind in (kinds.STRUCT, kinds.UNION):
            return self.block(*self.value(tree, row, where))
        raise Misfit(f"{where} is a pointer, which a list, a str or None fits, and not {tree[0]}")


def _text(tree: Any) -> bytes:
    return bytes.fromhex(tree[1]) if tree[0] == "bytes" else str(tree[1]).encode("utf-8", "surrogatepass")


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiAEIO' else 'a'} {name}"


def _scalar(tree: Any, one: TypeRow, where: str) -> bytes:
    kind: str = tree[0]
    given: Any = tree[1] if len(tree) > 1 else None
    if one.kind == kinds.FLOAT and one.size in (4, 8) and kind in ("float", "int"):
        try:
            return struct.pack("<f" if one.size == 4 else "<d", float(given))
        except OverflowError:
            raise Misfit(f"{where} is {_article(one.name)}, which cannot hold {given}") from None
    if one.kind == kinds.CHAR and kind == "str" and len(given.encode("utf-8", "surrogatepass")) == one.size:
        return bytes(given.encode("utf-8", "surrogatepass"))
    whole = {"int": lambda: int(given), "bool": lambda: int(given)}.get(kind)
    if (
        whole is None
        or one.kind not in (kinds.INT, kinds.UINT, kinds.CHAR, kinds.BOOL, kinds.ENUM)
        or one.size > 8
    ):
        raise Misfit(f"{where} is {_article(one.name or 'struct')}, which {kind} does not fit")
    signed = one.kind in (kinds.INT, kinds.ENUM, kinds.CHAR)
    try:
        return whole().to_bytes(one.size, "little", signed=signed)
    except OverflowError:
        raise Misfit(f"{where} is {_article(one.name)}, which cannot hold {given}") from None


def encode(call: dict[str, Any], functions: list[Described], types: TypeRows, machine: str) -> bytes:
    """The call as the runtime reads it."""
    number = next((at for at, one in enumerate(functions) if one.name == call["function"]), None)
    if number is None:
        raise Misfit(f"there is no function {call['function']}")
    parameters = [one for one in functions[number].variables if one.flags & PARAMETER]
    given = call["arguments"]
    if len(parameters) != len(given):
        raise Misfit(miscounted(call["function"], len(parameters), len(given)))
    memory = _Memory(types)
    rows: list[tuple[int, int, int]] = []
    for one, tree in zip(parameters, given, strict=True):
        row = types.rows[one.type]
        if row.kind == kinds.POINTER:
            block = memory.pointed(tree, row.to, one.name)
            rows.append((GENERAL, 0, 0) if block is None else (POINTER, block, 0))
            continue
        if row.kind in (kinds.STRUCT, kinds.UNION):
            rows += memory.passed(tree, one.type, one.name, machine)
            continue
        data = _scalar(tree, row, one.name)
        signed = row.kind in (kinds.INT, kinds.ENUM)
        bits = int.from_bytes(data, "little", signed=signed) & (1 << 64) - 1
        rows.append((FLOAT if row.kind == kinds.FLOAT else GENERAL, 0, bits))
    general = sum(kind in (GENERAL, POINTER) for kind, _, _ in rows)
    floating = sum(kind == FLOAT for kind, _, _ in rows)
    in_memory = result_of(types, functions[number].result, machine)[0] == R_MEMORY
    if general + (in_memory and machine == "x86_64") > _MOST[machine][0] or floating > _MOST[machine][1]:
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
    return (
        struct.pack("<4IQQ", number, len(rows), len(memory.blocks), 0, head, head + len(args))
        + args
        + blocks
        + tail
    )
