"""DWARF's types into rows of the table: kinds, sizes, fields; typedefs and qualifiers are seen through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import dwarf
from .dwarf import TAG, Die, Dwarf

(VOID, INT, UINT, CHAR, BOOL, FLOAT, COMPLEX, ENUM, POINTER, ARRAY, STRUCT, UNION, FUNCTION, OPAQUE, REFERENCE) = range(
    15
)
TUPLE = 32 + 9  # of the kinds of `library`
FLEXIBLE, VARIABLE = 1, 2  # flags of an array: its length is the block's, or in the frame
BY_REFERENCE, POLYMORPHIC, CLASS = 4, 8, 16  # of a class: returned in memory, knows its type, of C++ or Rust
STREAM = 32  # stdio's
_THROUGH = {TAG[name] for name in ("typedef", "const", "volatile", "restrict", "atomic")}
_DECLARED = {TAG[name] for name in ("structure", "class", "union", "enumeration")}
_ENCODINGS = {1: UINT, 2: BOOL, 3: COMPLEX, 4: FLOAT, 5: INT, 6: INT, 7: UINT, 8: UINT, 0x10: CHAR}
_DECLARED_SIZES = {  # classes of libstdc++ that a program only declares: their code and fields are in the library
    **dict.fromkeys(("exception", "bad_alloc", "bad_cast", "bad_typeid", "bad_any_cast"), 8),
    **dict.fromkeys(("bad_function_call", "bad_weak_ptr", "bad_optional_access"), 8),
    **dict.fromkeys(("runtime_error", "range_error", "overflow_error", "underflow_error", "bad_variant_access"), 16),
    **dict.fromkeys(("logic_error", "out_of_range", "invalid_argument", "length_error", "domain_error"), 16),
    **{"system_error": 32, "basic_stringstream": 392, "basic_ostringstream": 376, "basic_istringstream": 384},
}
_FBREG, _DEREF = 0x91, 0x06
_KNOWN_AS = {"_IO_FILE": "FILE", "__jmp_buf_tag": "jmp_buf", "__va_list": "va_list", "__va_list_tag": "va_list"}


@dataclass
class TypeField:
    """A member, or an enumerator (its offset is the value)."""

    name: str
    type: int
    offset: int
    bit: int = 0
    bits: int = 0


@dataclass
class TypeRow:
    """One row: what the runtime's `struct type` holds."""

    kind: int
    name: str = ""
    size: int = 0
    to: int = 0
    count: int = 0
    flags: int = 0
    aux: int = 0
    fields: list[TypeField] = field(default_factory=list)
    bases: list[TypeField] = field(default_factory=list)  # behind the fields, as many as `count` says


class TypeRows:
    """The types that a program's variables need, each described once. `special` may know a struct by its name.

    With `are_merged`, a type that several compiled files declare alike is one type.
    """

    def __init__(
        self,
        reader: Dwarf,
        special: Callable[[TypeRows, Die, str], TypeRow | None] | None = None,
        *,
        are_merged: bool = False,
    ) -> None:
        self.reader, self._special, self._are_merged = reader, special, are_merged
        self._declared: dict[tuple[Any, ...], int] = {}
        self.rows: list[TypeRow] = [TypeRow(VOID, "void")]
        self._known: dict[int, int] = {}
        self._pointers: dict[int, int] = {}
        self._referring: dict[int, int] = {}

    def of(self, die: Die) -> int:
        """The row of the type that an entry refers to; 0, void, where it has none."""
        offset = die.get(dwarf.TYPE)
        return 0 if offset is None else self.at(offset, die)

    def at(self, offset: int, near: Die, name: str = "") -> int:
        """The row of the type at an offset; `name` is that of the typedef it was reached by."""
        die = self.reader.at(offset, near.unit)
        while die.tag in _THROUGH:
            if die.tag == TAG["typedef"]:
                name = name or die.get(dwarf.NAME, "")
            following = die.get(dwarf.TYPE)
            if following is None:
                return 0
            die = self.reader.at(following, die.unit)
        row = self._known.get(die.offset)
        if row is None and die.tag == TAG["pointer"]:
            row = self._pointer(die)
        declared = self._declaration(die, name) if row is None and self._are_merged else None
        if declared in self._declared:
            row = self._known[die.offset] = self._declared[declared]
        if row is None:
            row = self._known[die.offset] = len(self.rows)
            if declared is not None:
                self._declared[declared] = row
            self.rows.append(TypeRow(OPAQUE, name))
            self.rows[row] = self._describe(die, name, row)
        return row

    def _declaration(self, die: Die, typedef: str) -> tuple[Any, ...] | None:
        """What a type has in common with the same type in another compiled file; None if unknown."""
        name, size = die.get(dwarf.NAME) or typedef, die.get(dwarf.BYTE_SIZE)
        if die.tag == TAG["base"]:
            return die.tag, name, size, die.get(dwarf.ENCODING)
        line = die.get(dwarf.DECL_LINE)
        if die.tag not in _DECLARED or not name or not size or not line:
            return None
        members = [(member.tag, member.get(dwarf.NAME)) for member in self.reader.children(die)]
        return die.tag, name, size, line, *members

    def _pointer(self, die: Die) -> int | None:
        """The one row of pointers to a type, by whatever names they call it; None: the library knows it."""
        name = die.get(dwarf.NAME) or ""
        if self._special is not None and self._special(self, die, name) is not None:
            return None
        to = self.of(die)
        if to not in self._pointers:
            self._pointers[to] = len(self.rows)
            self.rows.append(TypeRow(POINTER, name, 8, to))
        self._known[die.offset] = self._pointers[to]
        return self._pointers[to]

    def referring(self, pointer: int) -> int:
        """The row of references to what a pointer points to: `this` is one object, whatever lies beside it."""
        if pointer not in self._referring:
            self._referring[pointer] = len(self.rows)
            self.rows.append(TypeRow(REFERENCE, "", 8, self.rows[pointer].to))
        return self._referring[pointer]

    def is_built(self, row: int) -> bool:
        """Whether a value of a type may have to be taken apart: it is no number and no pointer."""
        type_row = self.rows[row]
        return (
            self.is_built(type_row.to)
            if type_row.kind == ARRAY
            else type_row.kind in (STRUCT, UNION) or type_row.kind > REFERENCE
        )

    def is_number(self, row: int) -> bool:
        """Whether a type is a number, a character, a bool or an enum."""
        return INT <= self.rows[row].kind <= ENUM

    def _describe(self, die: Die, typedef: str, row: int) -> TypeRow:
        name, size = die.get(dwarf.NAME) or typedef, die.get(dwarf.BYTE_SIZE, 0)
        size = size if isinstance(size, int) else 0
        if die.tag == TAG["base"]:
            return _base(name, size, die.get(dwarf.ENCODING, 0))
        if die.tag == TAG["pointer"]:
            special = self._special(self, die, name) if self._special is not None else None
            if special is not None:
                return special
            return TypeRow(POINTER, name, 8, self.of(die))
        if die.tag in (TAG["reference"], TAG["rvalue_reference"]):
            return TypeRow(REFERENCE, name, 8, self.of(die))
        if die.tag == TAG["subroutine"]:
            return TypeRow(FUNCTION, name)
        if die.tag == TAG["enumeration"]:
            return self._enumeration(die, name, size)
        if die.tag == TAG["array"]:
            return self._array(die)
        if die.tag in (TAG["structure"], TAG["class"], TAG["union"]):
            return self._structure(die, name, size, row)
        return TypeRow(OPAQUE, name, size)

    def _enumeration(self, die: Die, name: str, size: int) -> TypeRow:
        under = die.get(dwarf.TYPE)
        signed = under is None or self.rows[self.of(die)].kind == INT
        enumerators = [member for member in self.reader.children(die) if member.tag == TAG["enumerator"]]
        members = [
            TypeField(member.get(dwarf.NAME, "?"), 0, member.get(dwarf.CONST_VALUE, 0)) for member in enumerators
        ]
        return TypeRow(ENUM, name, size, aux=int(signed), fields=members)

    def _array(self, die: Die) -> TypeRow:
        inner = self.of(die)
        bounds = [self._count(child) for child in self.reader.children(die) if child.tag == TAG["subrange"]]
        for count, flags, place in reversed(bounds[1:]):
            self.rows.append(self._array_of(inner, count, flags, place))
            inner = len(self.rows) - 1
        first = bounds[0] if bounds else (0, FLEXIBLE, 0)
        if first[0] == 1 and self.rows[inner].kind == OPAQUE:
            return self.rows[inner]  # as the library makes jmp_buf, and on some machines va_list
        return self._array_of(inner, *first)

    def _array_of(self, inner: int, count: int, flags: int, place: int) -> TypeRow:
        size = self.rows[inner].size * count
        return TypeRow(ARRAY, "", size, inner, count, flags, place)

    def _count(self, die: Die) -> tuple[int, int, int]:
        """Elements of one dimension: how many, a flag, and where in the frame the upper bound is."""
        count, upper = die.get(dwarf.COUNT), die.get(dwarf.UPPER_BOUND)
        if isinstance(count, int):
            return count, 0, 0
        if isinstance(upper, int):
            return (upper + 1 if upper < 1 << 62 else 0), 0, 0
        if isinstance(upper, tuple):
            upper = self.reader.at(upper[0], die.unit).get(dwarf.LOCATION)
        if isinstance(upper, bytes) and upper[:1] == bytes([_FBREG]):
            return 0, VARIABLE, dwarf.sleb(upper, 1)[0]
        return 0, FLEXIBLE, 0

    def _structure(self, die: Die, name: str, size: int, row: int) -> TypeRow:
        kind = UNION if die.tag == TAG["union"] else STRUCT
        if die.get(dwarf.DECLARATION) and not (self._special is not None and declared_size(name)):
            return TypeRow(OPAQUE, name, size)
        is_internal = name.startswith(("__", "_IO_")) and not name.startswith("__normal_iterator<")
        if is_internal:  # of the library, which may change it with each version
            return TypeRow(OPAQUE, _KNOWN_AS.get(name, name), size, flags=STREAM if name == "_IO_FILE" else 0)
        self.rows[row] = TypeRow(kind, name, size)  # for members that point back
        if self._special is not None:
            special = self._special(self, die, name)
            if special is not None:
                return special
        members = self.members(die, 0)
        if die.get(dwarf.DECLARATION) or (members and all(member.name.startswith("__") for member in members)):
            return TypeRow(OPAQUE, name or "value", size)
        return TypeRow(kind, name, size, fields=members)

    def bases(self, die: Die, base: int = 0) -> list[TypeField]:
        """The base classes of a class, those of its bases too."""
        fields: list[TypeField] = []
        for child in self.reader.children(die):
            if child.tag == TAG["inheritance"] and not isinstance(child.get(dwarf.MEMBER_LOCATION), bytes):
                offset = base + _offset(child)
                fields.append(TypeField("", self.of(child), offset))
                fields += self.bases(self._bare(child), offset)
        return fields

    def is_polymorphic(self, die: Die) -> bool:
        """Whether objects of a class know what they are."""
        for child in self.reader.children(die):
            if child.tag == TAG["member"] and (child.get(dwarf.NAME) or "").startswith("_vptr"):
                return True
            if child.tag == TAG["inheritance"] and self.is_polymorphic(self._bare(child)):
                return True
        return False

    def members(self, die: Die, base: int = 0) -> list[TypeField]:
        """The fields of a struct, those of its bases and of anonymous members among them."""
        fields: list[TypeField] = []
        for child in self.reader.children(die):
            if child.tag not in (TAG["member"], TAG["inheritance"]) or child.get(dwarf.EXTERNAL):
                continue
            if (child.get(dwarf.NAME) or "").startswith("_vptr") or isinstance(child.get(dwarf.MEMBER_LOCATION), bytes):
                continue  # where a virtual base is only the object knows
            offset, name = base + _offset(child), child.get(dwarf.NAME)
            if name is None and child.get(dwarf.TYPE) is not None:  # anonymous, or a base class: its members are ours
                inner = self._bare(child)
                if inner.tag in (TAG["structure"], TAG["class"], TAG["union"]):
                    fields += self.members(inner, offset)
                    continue
            bits = child.get(dwarf.BIT_SIZE, 0)
            bit = child.get(dwarf.DATA_BIT_OFFSET, 0) if bits else 0
            row = self.of(child)
            if row:
                fields.append(TypeField(name or "?", row, base if bits else offset, bit, bits))
        return fields

    def _bare(self, die: Die) -> Die:
        die = self.reader.at(die.get(dwarf.TYPE), die.unit)
        while die.tag in _THROUGH and die.get(dwarf.TYPE) is not None:
            die = self.reader.at(die.get(dwarf.TYPE), die.unit)
        return die


def declared_size(name: str) -> int:
    """The size of a class of libstdc++ that a program only declares; 0: it is not known."""
    return _DECLARED_SIZES.get(name.partition("<char,")[0], 0)


def _base(name: str, size: int, encoding: int) -> TypeRow:
    kind = _ENCODINGS.get(encoding, OPAQUE)
    if name in ("char", "char8_t"):
        kind = CHAR
    if name == "()":
        kind = TUPLE
    return TypeRow(kind, name, size)


def _offset(die: Die) -> int:
    place: Any = die.get(dwarf.MEMBER_LOCATION, 0)
    if isinstance(place, int):
        return place
    if place[:1] == b"\x23":  # plus_uconst
        return dwarf.uleb(place, 1)[0]
    return 0
