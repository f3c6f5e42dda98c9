"""How a library type's value lies in memory, as DWARF says: a kind, numbers (mostly offsets) and its parts' types.

A shape is found by the names of fields, never by a version: where a field is missing, there is no shape, and the value
is opaque. `libstdcxx` and `rust_std` find them, the runtime (`containers.h`) reads values by them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..dwarf import BYTE_SIZE, DECLARATION, EXTERNAL, MEMBER_LOCATION, NAME, TAG, TYPE, Die, Dwarf

ALIGNMENT = 0x88
PACK = 0x4107  # DW_TAG_GNU_template_parameter_pack
LIST, SET, DICT = 0, 1, 2  # how elements are written
_WRAPPERS = {TAG[name] for name in ("typedef", "const", "volatile", "restrict", "atomic")}
_STRUCTURES = {TAG["structure"], TAG["class"], TAG["union"]}


class Unknown(Exception):
    """A layout without the fields that were looked for."""


@dataclass(frozen=True)
class LibraryShape:
    """One layout. `kind` and the meaning of `numbers` are those of containers.h."""

    kind: str
    numbers: tuple[int, ...] = ()
    types: tuple[Die, ...] = ()
    name: str = ""


@dataclass(frozen=True)
class Part:
    """A field found in a structure: where it begins and its type, bare of typedefs."""

    offset: int
    type: Die


class Layouts:
    """Questions about the structures of one program's debug information."""

    def __init__(self, dwarf: Dwarf) -> None:
        self.dwarf = dwarf
        self.addresses: dict[int, dict[int, int]] = {}  # of functions, by unit and declaration
        self.vtables: dict[int, list[tuple[str, int, Die]]] = {}  # of Rust's trait objects, by unit

    def bare(self, die: Die) -> Die:
        """A type without typedefs, const and volatile."""
        while die.tag in _WRAPPERS and die.get(TYPE) is not None:
            die = self.dwarf.at(die.get(TYPE), die.unit)
        return die

    def target(self, die: Die) -> Die:
        """The bare type that a pointer, reference, array, member or variable is of."""
        offset = die.get(TYPE)
        if offset is None:
            raise Unknown("no type")
        return self.bare(self.dwarf.at(offset, die.unit))

    def size(self, die: Die) -> int:
        """A type's size in bytes."""
        bare = self.bare(die)
        size = bare.get(BYTE_SIZE)
        if size is not None:
            return int(size)
        if bare.tag in (TAG["pointer"], TAG["reference"], TAG["rvalue_reference"]):
            return 8
        if bare.tag == TAG["array"]:
            return self.size(self.target(bare)) * self.length(bare)
        raise Unknown("no size")

    def length(self, die: Die) -> int:
        """How many elements an array has."""
        for child in self.dwarf.children(die):
            if child.tag == TAG["subrange"]:
                count, upper = child.get(0x37), child.get(0x2F)
                return int(count) if count is not None else int(upper) + 1 if upper is not None else 0
        return 0

    def alignment(self, die: Die) -> int:
        """A type's alignment: what DWARF says, or that of the largest scalar in it."""
        bare = self.bare(die)
        if bare.get(ALIGNMENT) is not None:
            return int(bare.get(ALIGNMENT))
        if bare.tag in _STRUCTURES:
            parts = [self.target(child) for child, _ in self.members(bare)]
            return max([1, *(self.alignment(part) for part in parts)])
        if bare.tag == TAG["array"]:
            return self.alignment(self.target(bare))
        return self.size(bare) or 1

    def members(self, die: Die) -> Iterator[tuple[Die, bool]]:
        """The fields and bases of a structure that take room in it; True for a base."""
        for child in self.dwarf.children(die):
            if child.tag == TAG["inheritance"] or (
                child.tag == TAG["member"] and not child.get(EXTERNAL) and not child.get(DECLARATION)
            ):
                yield child, child.tag == TAG["inheritance"]

    def field(self, die: Die, *path: str) -> Part:
        """The field at the end of a path of names; bases are looked through."""
        offset, here = 0, self.bare(die)
        for name in path:
            part = self._field(here, name)
            if part is None:
                raise Unknown(f"{here.get(NAME)} has no {name}")
            offset, here = offset + part.offset, part.type
        return Part(offset, here)

    def _field(self, die: Die, name: str) -> Part | None:
        bases = []
        for child, base in self.members(die):
            if base:
                bases.append(child)
            elif child.get(NAME) == name:
                return Part(location(child), self.target(child))
        for child in bases:
            inner = self.target(child)
            part = self._field(inner, name) if inner.tag in _STRUCTURES else None
            if part is not None:
                return Part(location(child) + part.offset, part.type)
        return None

    def arguments(self, die: Die) -> list[Die]:
        """The types among a template's arguments, packs opened."""
        types: list[Die] = []
        for child in self.dwarf.children(die):
            if child.tag == TAG["template_type"] and child.get(TYPE) is not None:
                types.append(self.target(child))
            elif child.tag == PACK:
                types += [self.target(member) for member in self.dwarf.children(child) if member.get(TYPE) is not None]
        return types


def location(die: Die) -> int:
    """Where a member or a base begins."""
    place = die.get(MEMBER_LOCATION, 0)
    if not isinstance(place, int):
        raise Unknown("a virtual base")
    return place


def base_name(die: Die) -> str:
    """A type's name without its template arguments."""
    name: str = die.get(NAME) or ""
    return name.partition("<")[0]
