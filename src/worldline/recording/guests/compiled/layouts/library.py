"""Types that are not shown by their fields alone: those of libstdc++ and Rust's std as rows of the table, or opaque.

`special` is what `types.TypeRows` asks for each struct and pointer. A type of a library without a shape is opaque by
its name: its fields are nobody's business, and change with each version.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace

from ..dwarf import ARTIFICIAL, BYTE_SIZE, DECLARATION, DEFAULTED, NAME, TAG, TYPE, Die, Dwarf
from ..types import (
    BY_REFERENCE,
    CLASS,
    OPAQUE,
    POINTER,
    POLYMORPHIC,
    REFERENCE,
    STRUCT,
    UNION,
    TypeField,
    TypeRow,
    TypeRows,
    declared_size,
)
from . import libstdcxx, rust_std
from .shape import Layouts, LibraryShape, base_name

_KINDS = (
    "span",
    "text",
    "bits",
    "chain",
    "tree",
    "deque",
    "ring",
    "buckets",
    "btree",
    "tuple",
    "inner",
    "optional",
    "variant",
    "enum",
    "owner",
    "opaque",
    "bitset",
    "weak",
    "dynamic",
    "digest",
    "node",
    "error",
    "stream",
)
CONTAINERS = 32  # the first of them in the runtime's table
NAMED = CONTAINERS + _KINDS.index("opaque")
_CARED_FOR = ("unique_ptr", "shared_ptr", "weak_ptr", "function", "move_only_function", "any", "thread")
_CPP_LIBRARIES = ("std", "__gnu_cxx", "__gnu_debug", "__pstl", "__cxxabiv1")
_RUST_LIBRARIES = ("std", "alloc", "core", "hashbrown")
_SHOWN = (  # Rust's, by their fields
    *("Range", "RangeInclusive", "RangeFrom", "RangeTo", "Duration", "Some", "Ok", "Err"),
    *("Enumerate", "Peekable", "Rev", "Skip", "Take", "Chain", "Zip", "StepBy", "CharIndices", "Cloned", "Copied"),
    *("Windows", "Chunks", "Cycle", "Map", "Filter", "TakeWhile", "SkipWhile", "Fuse", "Repeat", "Once"),
    *("ParseIntError", "ParseFloatError", "ParseBoolError", "ParseCharError", "CharTryFromError", "TryFromIntError"),
    *("Utf8Error", "FromUtf8Error", "BorrowError", "BorrowMutError", "PoisonError", "Layout", "LayoutError"),
)


class Library:
    """Which types of one program are a library's, and how they are shown."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._places: dict[int, list[tuple[int, str]]] = {}  # by where a unit begins

    def bind(self, reader: Dwarf, symbols: dict[str, int]) -> None:
        """Says which program's debug information is meant, and where its symbols are."""
        self._layouts, self._reader = Layouts(reader), reader
        self._tables = {name: at for name, at in symbols.items() if name.startswith("_ZTV")}

    def special(self, types: TypeRows, die: Die, name: str) -> TypeRow | None:
        """The row of a type that has one of its own kind; None: it is shown as in C."""
        return self._rust(types, die, name) if self.language == "rust" else self._cpp(types, die, name)

    def _cpp(self, types: TypeRows, die: Die, name: str) -> TypeRow | None:
        if die.tag == TAG["pointer"]:
            return None
        if die.tag != TAG["union"] and (not name or "<lambda" in name) and self._is_lambda(die):
            return self._closure(types, die, "<lambda>")
        if die.get(DECLARATION) and not (declared_size(name) and self._is_library(die)):
            return None
        if not self._is_library(die):
            kind = UNION if die.tag == TAG["union"] else STRUCT
            return self._class(types, die, kind, name)
        shape = libstdcxx.shape(self._layouts, die)
        return self._row(types, shape, die) if shape else TypeRow(OPAQUE, _identifier(name), die.get(BYTE_SIZE, 0))

    def _class(self, types: TypeRows, die: Die, kind: int, name: str) -> TypeRow:
        bases, fields = types.bases(die), types.members(die)
        polymorphic = types.is_polymorphic(die)
        inside = any(types.rows[part.type].flags & BY_REFERENCE for part in (*fields, *bases))
        flags = CLASS | (POLYMORPHIC if polymorphic else 0)
        flags |= BY_REFERENCE if polymorphic or inside or self._is_cared_for(die) else 0
        shown = _identifier(name) if name else ""
        table = self._tables.get(f"_ZTV{len(shown)}{shown}", 0) if flags & POLYMORPHIC else 0
        return TypeRow(kind, shown, die.get(BYTE_SIZE, 0), 0, len(bases), flags, table and table + 16, fields, bases)

    def _closure(self, types: TypeRows, die: Die, name: str) -> TypeRow:
        """The row of a function object: with what it captures, as a function with properties."""
        size = die.get(BYTE_SIZE, 0)
        if self.language == "rust":
            fields = self._struct(types, die, name).fields
        else:
            fields = [replace(part, name=part.name.removeprefix("__")) for part in types.members(die)]
        if not fields:
            return TypeRow(NAMED, f"function {name}", size)
        types.rows.append(TypeRow(NAMED, f"function {name}"))
        title = TypeField("", len(types.rows) - 1, 0)
        flags = CLASS | (BY_REFERENCE if any(types.rows[part.type].flags & BY_REFERENCE for part in fields) else 0)
        return TypeRow(STRUCT, "function", size, flags=flags, fields=[title, *fields])

    def _rust(self, types: TypeRows, die: Die, name: str) -> TypeRow | None:
        if die.tag == TAG["pointer"]:
            shown = name.startswith(("&", "alloc::boxed::Box<", "Box<"))
            return TypeRow(REFERENCE if shown else POINTER, "", 8, types.of(die)) if name else None
        if name.startswith("{closure_env"):
            return self._closure(types, die, "<closure>")
        shape = rust_std.shape(self._layouts, die)
        if shape is not None:
            return self._row(types, shape, die)
        if self._is_library(die) and base_name(die) not in _SHOWN:
            return TypeRow(OPAQUE, _identifier(name), die.get(BYTE_SIZE, 0))
        return self._struct(types, die, name)

    def _struct(self, types: TypeRows, die: Die, name: str) -> TypeRow:
        kind = UNION if die.tag == TAG["union"] else STRUCT
        members = [child for child, _ in self._layouts.members(die) if child.get(TYPE) is not None]
        rows = [TypeField(_field_name(child), types.of(child), child.get(0x38, 0)) for child in members]
        return TypeRow(kind, _identifier(name), die.get(BYTE_SIZE, 0), flags=CLASS, fields=rows)

    def _row(self, types: TypeRows, shape: LibraryShape, die: Die) -> TypeRow:
        if shape.kind == "opaque":
            return TypeRow(NAMED, shape.name, die.get(BYTE_SIZE, 0))
        width = max(len(shape.numbers), len(shape.types))
        rows = [types.at(part.offset, part) for part in shape.types]
        if shape.kind == "enum":  # a library's variants are shown, though its structs are not
            for row, part in zip(rows, shape.types, strict=True):
                types.rows[row] = self._struct(types, part, part.get(NAME) or "")
        fields = [
            TypeField("", rows[i] if i < len(rows) else 0, _signed(shape.numbers[i]) if i < len(shape.numbers) else 0)
            for i in range(width)
        ]
        kind = CONTAINERS + _KINDS.index(shape.kind)
        cared_for = base_name(die) in _CARED_FOR or any(types.rows[row].flags & BY_REFERENCE for row in rows)
        size = die.get(BYTE_SIZE, 0) or (declared_size(die.get(NAME) or "") if self.language == "cpp" else 0)
        is_in_memory = size > 16 or cared_for or shape.kind == "error"
        flags = BY_REFERENCE if self.language == "cpp" and is_in_memory else 0
        name = shape.name or _identifier(die.get(NAME) or "")
        return TypeRow(kind, name, size, 0, len(rows), flags, fields=fields)

    def _is_cared_for(self, die: Die) -> bool:
        """Whether a class has a destructor or a copy constructor of its own: its values are returned in memory."""
        for member in self._reader.children(die):
            name = member.get(NAME) or "" if member.tag == TAG["subprogram"] else ""
            if member.get(ARTIFICIAL) or member.get(DEFAULTED) or not name:
                continue
            if name.startswith("~") or (name == die.get(NAME) and self._copies(member, die)):
                return True
        return False

    def _copies(self, constructor: Die, die: Die) -> bool:
        parameters = [
            child
            for child in self._reader.children(constructor)
            if child.tag == TAG["parameter"] and not child.get(ARTIFICIAL)
        ]
        if len(parameters) != 1 or parameters[0].get(TYPE) is None:
            return False
        reference = self._reader.at(parameters[0].get(TYPE), die.unit)
        if reference.tag not in (TAG["reference"], TAG["rvalue_reference"]):
            return False
        return self._layouts.target(reference).offset == die.offset

    def add_classes(self, types: TypeRows, roots: list[Die]) -> None:
        """Classes that objects may be of though no variable is: those with a table of methods of their own."""
        names = {name[len("_ZTV") :].lstrip("0123456789") for name in self._tables}
        for root in roots if names else ():
            for die in self._reader.children(root):
                if die.tag in (TAG["structure"], TAG["class"]) and die.get(NAME) in names:
                    types.at(die.offset, die)

    def _is_lambda(self, die: Die) -> bool:
        inside = self._reader.children(die)
        return any(member.tag == TAG["subprogram"] and member.get(NAME) == "operator()" for member in inside)

    def _is_library(self, die: Die) -> bool:
        """Whether an entry lies in one of the library's namespaces."""
        places = self._places.get(die.unit.offset)
        if places is None:
            places = self._places[die.unit.offset] = self._reader.top_level(die.unit)
        at = bisect_right(places, (die.offset, "\U0010ffff")) - 1
        return at >= 0 and places[at][1] in (_RUST_LIBRARIES if self.language == "rust" else _CPP_LIBRARIES)


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


def _field_name(die: Die) -> str:
    name: str = die.get(NAME) or "?"
    return name[2:] if re.fullmatch(r"__\d+", name) else name


def _identifier(name: str) -> str:
    """A type's name without its arguments and the namespaces before it."""
    bare = re.sub(r"<.*", "", name).rpartition("::")[2]
    return bare or "value"
