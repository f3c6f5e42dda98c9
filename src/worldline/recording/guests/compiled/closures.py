"""Captured variables of Rust's closures: they have values when the closure is called, as parameters do."""

from __future__ import annotations

from . import dwarf
from .dwarf import TAG, Die, Dwarf
from .types import TypeRows
from .variables import (
    AT_FRAME,
    AT_FRAME_DEREF,
    AT_FRAME_TWICE,
    AT_REGISTER_BASE,
    AT_REGISTER_DEREF,
    LIBRARIES,
    PARAMETER,
    SET,
    Described,
)

_CLOSURE, _ENVIRONMENT, _BY_REFERENCE = "{closure#", "{closure_env#", "_ref__"
_POINTER_BYTES = 8
# Where a pointer is, by where its target is.
_POINTERS = {AT_FRAME_TWICE: AT_FRAME_DEREF, AT_FRAME_DEREF: AT_FRAME, AT_REGISTER_DEREF: AT_REGISTER_BASE}


def closure_environments(reader: Dwarf, roots: list[Die]) -> dict[int, Die]:
    """Return the structs of captured variables, by the first addresses of their closures."""
    environments: dict[int, Die] = {}

    def walk(die: Die) -> None:
        children = list(reader.children(die))
        structs = {child.get(dwarf.NAME): child for child in children if child.tag == TAG["structure"]}
        for child in children:
            name = str(child.get(dwarf.NAME) or "")
            if child.tag == TAG["namespace"] and name not in LIBRARIES:
                walk(child)
            elif child.tag == TAG["subprogram"] and name.startswith(_CLOSURE):
                struct = structs.get(name.replace(_CLOSURE, _ENVIRONMENT, 1))
                if struct is not None and child.get(dwarf.LOW_PC):
                    environments[child.get(dwarf.LOW_PC)] = struct

    for root in roots:
        walk(root)
    return environments


def show_captures(reader: Dwarf, types: TypeRows, described: Described, environment: Die | None) -> None:
    """Make the captured variables of a closure parameters; other functions stay as they are."""
    if not described.name.startswith(_CLOSURE):
        return
    wide = _wide_pointers(reader, types, environment) if environment else {}
    for variable in described.variables:
        # What the body or a pattern declares is in a block.
        if variable.depth or variable.flags & PARAMETER:
            continue
        variable.flags = (variable.flags & ~SET) | PARAMETER
        # rustc describes a captured `&str` or slice as its first element.
        if variable.name in wide and variable.where in _POINTERS:
            variable.type, variable.where = wide[variable.name], _POINTERS[variable.where]


def _wide_pointers(reader: Dwarf, types: TypeRows, environment: Die) -> dict[str, int]:
    """Return the types of references to values without a size, by the names of the captured variables."""
    rows = {
        str(member.get(dwarf.NAME)): types.of(member)
        for member in reader.children(environment)
        if str(member.get(dwarf.NAME)).startswith(_BY_REFERENCE)
    }
    return {
        name.removeprefix(_BY_REFERENCE): row for name, row in rows.items() if types.rows[row].size > _POINTER_BYTES
    }
