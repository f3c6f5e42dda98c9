"""A lazy reader of DWARF 4 and 5 as gcc and rustc write it: entries by offset, children and siblings on demand.

Only what is asked for is parsed: a C++ program's headers hold a hundred times its own entries. Not covered: split and
supplementary files, type units, line tables (the assembly has them).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from .elf import Elf

# Attributes and tags by the standard's numbers.
SIBLING, LOCATION, NAME, BYTE_SIZE, LOW_PC, HIGH_PC = 0x01, 0x02, 0x03, 0x0B, 0x11, 0x12
LANGUAGE, DISCR, DISCR_VALUE, CONST_VALUE, UPPER_BOUND, PROTOTYPED = 0x13, 0x15, 0x16, 0x1C, 0x2F, 0x27
ABSTRACT_ORIGIN, ARTIFICIAL, COUNT, MEMBER_LOCATION, DECL_FILE, DECL_LINE = 0x31, 0x34, 0x37, 0x38, 0x3A, 0x3B
DECLARATION, ENCODING, EXTERNAL, FRAME_BASE, SPECIFICATION, TYPE, RANGES = (0x3C, 0x3E, 0x3F, 0x40, 0x47, 0x49, 0x55)
BIT_OFFSET, BIT_SIZE, DATA_BIT_OFFSET, LINKAGE_NAME, STR_OFFSETS_BASE, ADDR_BASE = (0x0C, 0x0D, 0x6B, 0x6E, 0x72, 0x73)
RNGLISTS_BASE, ALIGNMENT, DEFAULTED = 0x74, 0x88, 0x8B
TAG = {
    "array": 0x01,
    "class": 0x02,
    "enumeration": 0x04,
    "parameter": 0x05,
    "lexical_block": 0x0B,
    "member": 0x0D,
    "pointer": 0x0F,
    "reference": 0x10,
    "compile_unit": 0x11,
    "structure": 0x13,
    "subroutine": 0x15,
    "typedef": 0x16,
    "union": 0x17,
    "unspecified_parameters": 0x18,
    "variant": 0x19,
    "inheritance": 0x1C,
    "subrange": 0x21,
    "base": 0x24,
    "const": 0x26,
    "enumerator": 0x28,
    "subprogram": 0x2E,
    "template_type": 0x2F,
    "template_value": 0x30,
    "variant_part": 0x33,
    "variable": 0x34,
    "volatile": 0x35,
    "restrict": 0x37,
    "namespace": 0x39,
    "rvalue_reference": 0x42,
    "atomic": 0x47,
}
_FIXED = {
    0x0B: 1,
    0x05: 2,
    0x06: 4,
    0x07: 8,
    0x0C: 1,
    0x01: 8,
    0x17: 4,
    0x11: 1,
    0x12: 2,
    0x13: 4,
    0x14: 8,
    0x10: 4,
    0x20: 8,
}
_REFERENCES = (0x11, 0x12, 0x13, 0x14, 0x15)
_STRX, _ADDRX = {0x1A: 0, 0x25: 1, 0x26: 2, 0x27: 3, 0x28: 4}, {0x1B: 0, 0x29: 1, 0x2A: 2, 0x2B: 3, 0x2C: 4}


def uleb(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128 number and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def sleb(data: bytes, at: int) -> tuple[int, int]:
    """A signed LEB128 number and where it ends."""
    start = at
    value, at = uleb(data, at)
    bits = 7 * (at - start)
    return (value - (1 << bits) if value >> (bits - 1) & 1 else value), at


class Die:
    """One entry: its tag, its attributes, where its children begin."""

    __slots__ = ("attributes", "children", "offset", "tag", "unit")

    def __init__(self, offset: int, unit: DwarfUnit, tag: int, attributes: dict[int, Any], children: int) -> None:
        self.offset, self.unit, self.tag, self.attributes = offset, unit, tag, attributes
        self.children = children  # 0: none may follow

    def get(self, attribute: int, default: Any = None) -> Any:
        """An attribute's value: a number, bytes (an expression), text, or an offset for a reference."""
        return self.attributes.get(attribute, default)


class DwarfUnit:
    """One compilation unit: its abbreviations and where its entries are."""

    def __init__(self, dwarf: Dwarf, offset: int) -> None:
        info = dwarf.info
        length, self.version = struct.unpack_from("<IH", info, offset)
        self.offset, self.end = offset, offset + 4 + length
        if self.version >= 5:
            self.kind, abbreviations, self.first = (
                info[offset + 6],
                struct.unpack_from("<I", info, offset + 8)[0],
                offset + 12,
            )
        else:
            self.kind, abbreviations, self.first = (1, struct.unpack_from("<I", info, offset + 6)[0], offset + 11)
        self.abbreviations = dwarf.abbreviations(abbreviations)
        self.strings_base, self.address_base, self.ranges_base, self.low = 8, 8, 12, 0


class Dwarf:
    """The debug information of one linked file."""

    def __init__(self, elf: Elf) -> None:
        self.info, self._abbrev = elf.section(".debug_info"), elf.section(".debug_abbrev")
        self._str, self._line_str = elf.section(".debug_str"), elf.section(".debug_line_str")
        self._offsets, self._addresses = elf.section(".debug_str_offsets"), elf.section(".debug_addr")
        self._locations = elf.section(".debug_loc")
        self._ranges, self._lists = elf.section(".debug_ranges"), elf.section(".debug_rnglists")
        self._tables: dict[int, dict[int, tuple[int, bool, list[tuple[int, int, int]]]]] = {}
        self._dies: dict[int, Die] = {}
        self.units: list[DwarfUnit] = []
        at = 0
        while at + 11 < len(self.info):
            unit = DwarfUnit(self, at)
            self.units.append(unit)
            at = unit.end

    def abbreviations(self, at: int) -> dict[int, tuple[int, bool, list[tuple[int, int, int]]]]:
        """The shapes of entries of one table: code to tag, children, and (attribute, form, constant)."""
        known = self._tables.get(at)
        if known is not None:
            return known
        table = self._tables[at] = {}
        data = self._abbrev
        while True:
            code, at = uleb(data, at)
            if not code:
                return table
            tag, at = uleb(data, at)
            children, at = data[at] == 1, at + 1
            shape = []
            while True:
                attribute, at = uleb(data, at)
                form, at = uleb(data, at)
                constant = 0
                if form == 0x21:
                    constant, at = sleb(data, at)
                if not attribute and not form:
                    break
                shape.append((attribute, form, constant))
            table[code] = tag, children, shape

    def root(self, unit: DwarfUnit) -> Die:
        """The unit's own entry; the bases it names are kept."""
        die, _ = self._parse(unit, unit.first)
        assert die is not None
        unit.strings_base = die.get(STR_OFFSETS_BASE, unit.strings_base)
        unit.address_base = die.get(ADDR_BASE, unit.address_base)
        unit.ranges_base = die.get(RNGLISTS_BASE, unit.ranges_base)
        self._dies.pop(unit.first, None)
        die, _ = self._parse(unit, unit.first)  # once more: its own indices need the bases
        assert die is not None
        low = die.get(LOW_PC, 0)
        unit.low = low if isinstance(low, int) else 0
        return die

    def top_level(self, unit: DwarfUnit) -> list[tuple[int, str]]:
        """The entries right below a unit's own, in order: where each begins, and its name (empty: none)."""
        return [(die.offset, str(die.get(NAME) or "")) for die in self.children(self.root(unit))]

    def at(self, offset: int, unit: DwarfUnit) -> Die:
        """The entry at an offset of .debug_info."""
        die = self._dies.get(offset)
        if die is None:
            if not unit.offset <= offset < unit.end:
                unit = next(other for other in self.units if other.offset <= offset < other.end)
            die, _ = self._parse(unit, offset)
            assert die is not None
        return die

    def children(self, die: Die) -> Iterator[Die]:
        """The entries directly below one."""
        at = die.children
        while at:
            child, end = self._parse(die.unit, at)
            if child is None:
                return
            yield child
            at = self._after(child, end)

    def _after(self, die: Die, end: int) -> int:
        """Where the entry after this one, and all below it, begins."""
        if not die.children:
            return end
        sibling = die.get(SIBLING)
        if sibling is not None:
            return int(sibling)
        at = die.children
        while True:
            child, end = self._parse(die.unit, at)
            if child is None:
                return end
            at = self._after(child, end)

    def _parse(self, unit: DwarfUnit, at: int) -> tuple[Die | None, int]:
        offset = at
        code, at = uleb(self.info, at)
        if not code:
            return None, at
        tag, children, shape = unit.abbreviations[code]
        attributes: dict[int, Any] = {}
        for attribute, form, constant in shape:
            if form == 0x21:
                attributes[attribute] = constant
            else:
                attributes[attribute], at = self._value(unit, form, at)
                if attribute in (UPPER_BOUND, COUNT) and form in _REFERENCES:
                    attributes[attribute] = (attributes[attribute],)  # a variable's entry, not a number
        die = self._dies.get(offset)
        if die is None:
            die = self._dies[offset] = Die(offset, unit, tag, attributes, at if children else 0)
        return die, at

    def _value(self, unit: DwarfUnit, form: int, at: int) -> tuple[Any, int]:
        data = self.info
        size = _FIXED.get(form)
        if size is not None:
            value: Any = int.from_bytes(data[at : at + size], "little")
            return (value + unit.offset if form in _REFERENCES else value), at + size
        if form in (0x0E, 0x1F):  # strp, line_strp: text where it is asked for
            offset = int.from_bytes(data[at : at + 4], "little")
            return _text(self._str if form == 0x0E else self._line_str, offset), at + 4
        if form == 0x19:
            return True, at
        if form in (0x18, 0x09):  # exprloc, block
            size, at = uleb(data, at)
            return data[at : at + size], at + size
        if form == 0x0F or form == 0x15:
            value, at = uleb(data, at)
            return (value + unit.offset if form == 0x15 else value), at
        if form == 0x0D:
            return sleb(data, at)
        return self._rare(unit, form, at)

    def _rare(self, unit: DwarfUnit, form: int, at: int) -> tuple[Any, int]:
        data = self.info
        if form == 0x08:
            end = data.index(b"\0", at)
            return data[at:end].decode(errors="replace"), end + 1
        if form in (0x0A, 0x03, 0x04):  # block1, block2, block4
            width = {0x0A: 1, 0x03: 2, 0x04: 4}[form]
            size = int.from_bytes(data[at : at + width], "little")
            return data[at + width : at + width + size], at + width + size
        if form == 0x1E:
            return int.from_bytes(data[at : at + 16], "little"), at + 16
        if form in _STRX:
            index, at = self._index(_STRX[form], at)
            place = unit.strings_base + 4 * index
            return _text(self._str, int.from_bytes(self._offsets[place : place + 4], "little")), at
        if form in _ADDRX:
            index, at = self._index(_ADDRX[form], at)
            place = unit.address_base + 8 * index
            return int.from_bytes(self._addresses[place : place + 8], "little"), at
        if form in (0x22, 0x23):  # loclistx, rnglistx
            index, at = uleb(data, at)
            place = unit.ranges_base + 4 * index
            return unit.ranges_base + int.from_bytes(self._lists[place : place + 4], "little"), at
        raise ValueError(f"DWARF form {form:#x}")

    def _index(self, width: int, at: int) -> tuple[int, int]:
        if not width:
            return uleb(self.info, at)
        return int.from_bytes(self.info[at : at + width], "little"), at + width

    def ranges(self, die: Die) -> list[tuple[int, int]]:
        """The addresses that an entry covers."""
        low, high = die.get(LOW_PC), die.get(HIGH_PC)
        if low is not None and high is not None:
            return [(low, low + high)]  # both compilers write a length
        place = die.get(RANGES)
        if place is None:
            return []
        return self._range_list(die.unit, place) if die.unit.version >= 5 else self._old_ranges(die.unit, place)

    def location(self, die: Die) -> bytes:
        """Where a variable is: its expression; of a list of them (DWARF 4) the one that holds longest; or none.

        What a register held at the entry is told as what it holds: whoever reads it reads it at the entry.
        """
        place = die.get(LOCATION)
        if isinstance(place, bytes) or not isinstance(place, int) or die.unit.version >= 5:
            return place if isinstance(place, bytes) else b""
        longest: dict[bytes, int] = {}
        while place + 16 <= len(self._locations):
            low, high = struct.unpack_from("<QQ", self._locations, place)
            place += 16
            if not low and not high:
                break
            if low == (1 << 64) - 1:
                continue
            (size,) = struct.unpack_from("<H", self._locations, place)
            expression = _at_entry(self._locations[place + 2 : place + 2 + size])
            longest[expression] = longest.get(expression, 0) + high - low
            place += 2 + size
        return max(longest, key=lambda candidate: longest[candidate], default=b"")

    def _old_ranges(self, unit: DwarfUnit, at: int) -> list[tuple[int, int]]:
        ranges: list[tuple[int, int]] = []
        base = unit.low
        while True:
            low, high = struct.unpack_from("<QQ", self._ranges, at)
            at += 16
            if not low and not high:
                return ranges
            if low == (1 << 64) - 1:
                base = high
            else:
                ranges.append((base + low, base + high))

    def _range_list(self, unit: DwarfUnit, at: int) -> list[tuple[int, int]]:
        ranges: list[tuple[int, int]] = []
        base, data = unit.low, self._lists
        while True:
            kind, at = data[at], at + 1
            if kind == 0:
                return ranges
            if kind in (5, 6, 7):  # base_address, start_end, start_length
                first = int.from_bytes(data[at : at + 8], "little")
                at += 8
                if kind == 5:
                    base = first
                elif kind == 6:
                    ranges.append((first, int.from_bytes(data[at : at + 8], "little")))
                    at += 8
                else:
                    length, at = uleb(data, at)
                    ranges.append((first, first + length))
                continue
            first_operand, at = uleb(data, at)
            if kind == 1:
                base = self._address(unit, first_operand)
                continue
            second_operand, at = uleb(data, at)
            if kind == 4:
                ranges.append((base + first_operand, base + second_operand))
            elif kind == 2:
                ranges.append((self._address(unit, first_operand), self._address(unit, second_operand)))
            else:
                ranges.append((self._address(unit, first_operand), self._address(unit, first_operand) + second_operand))

    def _address(self, unit: DwarfUnit, index: int) -> int:
        place = unit.address_base + 8 * index
        return int.from_bytes(self._addresses[place : place + 8], "little")


def _at_entry(expression: bytes) -> bytes:
    """An expression of a register's value at the entry (DW_OP_entry_value, or GNU's) as one of that register."""
    is_entry = len(expression) == 3 and expression[0] in (0xA3, 0xF3) and 0x50 <= expression[2] <= 0x6F
    return bytes([expression[2] + 0x20, 0]) if is_entry else expression


def _text(section: bytes, offset: int) -> str:
    return section[offset : section.index(b"\0", offset)].decode(errors="replace")
