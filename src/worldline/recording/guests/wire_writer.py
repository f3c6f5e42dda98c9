"""Write records into the wire (docs/reference/format.md, section 3), each completely or not at all.

This is the specification of native/wire_writer.h. Here the memory is a Python object, which a program
can find and write to; in the native twin it is not.
"""

from __future__ import annotations

import builtins
import opcode
from collections.abc import Callable
from mmap import mmap
from os import _exit, fstat
from types import CodeType
from typing import NamedTuple, NoReturn

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_TEXT, _DELTA, _SPLICE, _END = 0x01, 0x10, 0x13, 0x3F
_HEADER, _RESERVE = 64, 4096
# The weight of a record and of each text besides their bytes: about what the reader allocates.
_RECORD_WEIGHT, _TEXT_WEIGHT = 8, 32
# A value of so many bytes may be the base of a splice. A splice costs its middle and something besides; a chain of
# them costs at most the length of its last text, then the value is written whole.
_LARGE, _SPLICE_COST = 256, 48
_MAX_LENGTH = (1 << 32) - 1
_JUMP = 0x15
_EXTENDED_ARG = opcode.opmap["EXTENDED_ARG"]
_CONDITIONAL = {
    number for name, number in opcode.opmap.items() if name == "FOR_ITER" or ("JUMP" in name and "_IF_" in name)
}


class LargeValue(NamedTuple):
    """The value that a name was told with last, of which the next one may be a splice."""

    text: str
    number: int
    cost: int


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _common_ends(old: str, new: str) -> tuple[int, int]:
    """Return how many first characters two texts share, and how many last ones of what remains."""
    limit = min(len(old), len(new))
    prefix = _longest(limit, lambda n: old.startswith(new[:n]))
    return prefix, _longest(limit - prefix, lambda n: old.endswith(new[len(new) - n :]))


def _longest(limit: int, holds: Callable[[int], bool]) -> int:
    """Return the largest n up to the limit for which something holds that holds for all smaller ones."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


class WireWriter:
    """Writes records into the memory of a file until the budget is used up."""

    def __init__(self, fd: int, detach: Callable[[], None] | None = None) -> None:
        self._detach = detach  # what to do at a limit; None: end the process
        self._memory = mmap(fd, fstat(fd).st_size)
        self._view = memoryview(self._memory)
        self._at, self._left = _HEADER, len(self._view) - _HEADER - 2 * _RESERVE
        self._view[:_HEADER] = b"WLW1".ljust(_HEADER, b"\0")
        self._names: dict[str, int] = {}
        self._large = 0
        self.ended = self._closed = False
        self._commit()

    def _commit(self) -> None:
        self._view[8:16] = self._at.to_bytes(8, "little")

    def put(self, tag: int, *fields: int | str | bytes) -> None:
        """Write one record: ints as varints, strs and bytes with their length."""
        if self._closed:
            return
        parts = [bytes([tag])]
        for field in fields:
            if isinstance(field, int):
                parts.append(_varint(field))
            else:
                data = field if isinstance(field, bytes) else field.encode()
                parts += [_varint(len(data)), data]
        record = b"".join(parts)
        texts = sum(not isinstance(field, int) for field in fields)
        weight = len(record) + _RECORD_WEIGHT + texts * _TEXT_WEIGHT
        if weight > self._left:
            self.limit("bytes")
            return
        self._left -= weight
        self._view[self._at : self._at + len(record)] = record
        self._at += len(record)
        self._commit()

    def change(self, name: int, text: str, before: LargeValue | None) -> LargeValue | None:
        """Write a changed value, as a splice of the large one before it if that costs less. Return the next base."""
        size = len(text.encode())
        if not _LARGE <= size < _MAX_LENGTH:
            self.put(_DELTA, name, text)
            return None
        cost = 0
        if before is not None:
            prefix, suffix = _common_ends(before.text, text)
            middle = text[prefix : len(text) - suffix]
            cost = before.cost + len(middle) + _SPLICE_COST
            if cost > len(text):
                before, cost = None, 0
            else:
                self.put(_SPLICE, name, self._large - before.number, prefix, suffix, middle)
        if before is None:
            self.put(_DELTA, name, text)
        self._large += 1
        return LargeValue(text, self._large - 1, cost)

    def name(self, name: str) -> int:
        """Return the text id of a name, and write its text the first time."""
        number = self._names.get(name)
        if number is None:
            try:
                data = name.encode()
            except UnicodeEncodeError:
                data = b"?"
            self.put(_TEXT, data)
            number = self._names[name] = len(self._names)
        return number

    def end(self, kind: str, detail: str) -> None:
        """Write the explicit end record."""
        if not self.ended:
            self.ended = True
            self._left += _RESERVE + _RECORD_WEIGHT + 2 * _TEXT_WEIGHT
            cut = detail.encode()[: _RESERVE - len(kind) - 32]
            self.put(_END, kind, cut.decode(errors="ignore"))  # no character is torn

    def limit(self, which: str) -> None:
        """Name the budget that is used up. Then end the process, or detach: later records are not written."""
        if self._detach is None:
            self.leave("limit", which)
        self.end("limit", which)
        self.close()
        self._detach()

    def close(self) -> None:
        """Give the memory back. Later records are not written."""
        if not self._closed:
            self.ended = self._closed = True
            self._view.release()
            self._memory.close()

    def leave(self, kind: str, detail: str) -> NoReturn:
        """End the process and keep what is written: a budget is used up, or a change is impossible."""
        self.end(kind, detail)
        _exit(0)


class JumpWriter:
    """Writes conditional jumps, and knows for each frame the one that is being decided. Twin: native/steps.h.

    An instruction decides by where its frame continues: 3.11 shows that by an event before every instruction, 3.12 and
    later by an event of their own.
    """

    def __init__(self, put: Callable[..., None], switch: Callable[[int], None]) -> None:
        self._put, self._switch = put, switch
        self._tables: dict[int, tuple[CodeType, _JumpTable]] = {}
        self._pending: dict[int, int] = {}  # by frame

    def arrive(self, serial: int, code: CodeType, offset: int, executes: bool) -> None:
        """Note that a frame has come to an instruction (3.11), which it now executes or only begins a line with."""
        before = self._pending.pop(serial, None)
        if before is not None:
            self.write(serial, code, before, offset)
        if executes and (jump := self._table(code).by_event.get(offset)) is not None:
            self._pending[serial] = jump

    def leave(self, serial: int) -> None:
        """Forget what a frame was deciding: an exception ended it."""
        self._pending.pop(serial, None)

    def write(self, serial: int, code: CodeType, offset: int, target: int) -> None:
        """Write one jump, or that it was not taken: then the target is the next instruction."""
        self._switch(serial)
        self._put(_JUMP, offset, target, self._table(code).columns.get(offset, 0))

    def _table(self, code: CodeType) -> _JumpTable:
        entry = self._tables.get(id(code))
        if entry is None:
            entry = self._tables[id(code)] = code, _JumpTable(code)
        return entry[1]


class _JumpTable:
    """The conditional jumps of a code object: by the offset of their event (of a prefix), and their columns plus 1."""

    def __init__(self, code: CodeType) -> None:
        self.by_event: dict[int, int] = {}
        self.columns: dict[int, int] = {}
        data, start = code.co_code, 0
        for at, (_line, _end, column, _last) in zip(range(0, len(data), 2), code.co_positions(), strict=True):
            if data[at] in _CONDITIONAL:
                self.by_event[start], self.columns[at] = at, 0 if column is None else column + 1
            if data[at] != _EXTENDED_ARG:
                start = at + 2
