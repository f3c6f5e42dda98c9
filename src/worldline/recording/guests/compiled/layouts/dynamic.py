"""Values whose type the program knows only while it runs, and values shown by a digest of their state.

A holder has a key: the address of a table of methods (Rust's `dyn`) or of a function (`std::any`, `std::function`). Its
alternatives are read from DWARF: each a key, the type that it stands for, and where the value lies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..dwarf import LOCATION, LOW_PC, NAME, SPECIFICATION, TAG, Die
from .shape import Layouts, LibraryShape, Unknown, base_name, location

_CONTAINING_TYPE, _CONST_VALUE = 0x1D, 0x1C
_IN_PLACE = -1  # instead of an offset behind the pointer
_CELLS = {"RefCell": 8, "Mutex": 5}  # bytes before their value, without padding
_TRAIT_OBJECT = re.compile(  # what a fat pointer points to: a cell or none, and the trait
    r"(?:&(?:mut )?|\*\w+ )?(?:(?:\w+::)*(?:Box|RcInner|ArcInner)<)?(?:(?:\w+::)*(RefCell|Mutex)<)?\(?dyn ([\w:]+)"
)
_POINTERS = {TAG["pointer"], TAG["reference"], TAG["rvalue_reference"]}
_BY_BYTES = {TAG["base"], TAG["enumeration"]}
_ADDRESS = 0x03  # DW_OP_addr
_POINTER_SIZE = -1  # instead of a size: an address is never in a digest, only what it points into


def dynamic(layouts: Layouts, die: Die, name: str, offset: int, header: int) -> LibraryShape:
    """The shape of a fat pointer to a trait object; `header`: bytes before what it points to."""
    title = re.search(r"dyn (?:\w+::)*(\w+)", name)
    opaque = f"dyn {title[1]}" if title else "dyn"
    words = _TRAIT_OBJECT.match(name)
    value, key = layouts.field(die, "pointer"), layouts.field(die, "vtable")
    numbers, types = [offset + key.offset, offset + value.offset], []
    for trait, address, kind in _vtables(layouts, die) if words else ():
        if words is None or trait != words[2]:
            continue
        align = layouts.alignment(kind)
        at = _aligned(header, max(align, 8) if words[1] else align)
        numbers += [address, at + _aligned(_CELLS[words[1]], align) if words[1] else at]
        types.append(kind)
    return LibraryShape("dynamic", tuple(numbers), tuple(types), opaque)


def _aligned(size: int, align: int) -> int:
    return (size + align - 1) // align * align


def _vtables(layouts: Layouts, die: Die) -> Iterator[tuple[str, int, Die]]:
    """The tables of methods that a unit describes: the trait, the address, the type that implements it."""
    tables = layouts.vtables.get(die.unit.offset)
    if tables is None:
        tables = layouts.vtables[die.unit.offset] = []
        for entry in layouts.dwarf.children(layouts.dwarf.root(die.unit)):
            name, place = entry.get(NAME) or "", entry.get(LOCATION)
            words = re.search(r" as ([\w:]+)(?:<.*>)?>::\{vtable\}$", name)
            if words and entry.tag == TAG["variable"] and isinstance(place, bytes) and place[:1] == bytes([_ADDRESS]):
                concrete = layouts.target(entry).get(_CONTAINING_TYPE)
                if concrete is not None:
                    kind = layouts.bare(layouts.dwarf.at(concrete, die.unit))
                    tables.append((words[1], int.from_bytes(place[1:9], "little"), kind))
    yield from tables


def any_holder(layouts: Layouts, die: Die) -> LibraryShape:
    """The shape of `std::any`: the key is the function that manages the value."""
    key, value = layouts.field(die, "_M_manager"), layouts.field(die, "_M_storage")
    numbers, types = [key.offset, value.offset], []
    holders = [holder for holder in _standard(layouts) if holder.get(NAME) == "any" and holder.tag == TAG["class"]]
    for manager in (inner for holder in holders for inner in layouts.dwarf.children(holder)):
        address = _function_of(layouts, manager, "_S_manage")
        if address and base_name(manager) in ("_Manager_internal", "_Manager_external"):
            numbers += [address, _IN_PLACE if base_name(manager) == "_Manager_internal" else 0]
            types += layouts.arguments(manager)[:1]
    return LibraryShape("dynamic", tuple(numbers), tuple(types))


def function_holder(layouts: Layouts, die: Die) -> LibraryShape:
    """The shape of `std::function`: the key is the function that copies and destroys what it calls."""
    key, value = layouts.field(die, "_M_manager"), layouts.field(die, "_M_functor")
    numbers, types = [key.offset, value.offset], []
    for address, is_local, called in _handlers(layouts, die):
        numbers += [address, _IN_PLACE if is_local else 0]
        types.append(called)
    return LibraryShape("dynamic", tuple(numbers), tuple(types))


def _handlers(layouts: Layouts, die: Die) -> Iterator[tuple[int, bool, Die]]:
    """What functions of a signature hold in a unit: the key, whether it lies in the function, its type."""
    prefix = f"_Function_handler<{(die.get(NAME) or '')[len('function<') :].rpartition('>')[0].rstrip()},"
    for handler in _standard(layouts):
        if not (handler.get(NAME) or "").startswith(prefix):
            continue
        address = _function_of(layouts, handler, "_M_manager")
        base = next((layouts.target(child) for child, is_base in layouts.members(handler) if is_base), None)
        if address and base is not None:
            yield address, _is_local(layouts, base), layouts.arguments(handler)[-1]


def _standard(layouts: Layouts) -> Iterator[Die]:
    """What every unit has in namespace std: the address of a function is in one of them only."""
    for unit in layouts.dwarf.units:
        for space in layouts.dwarf.children(layouts.dwarf.root(unit)) if unit.kind == 1 else ():
            if space.get(NAME) == "std" and space.tag == TAG["namespace"]:
                yield from layouts.dwarf.children(space)


def _is_local(layouts: Layouts, base: Die) -> bool:
    for member in layouts.dwarf.children(base):
        if member.get(NAME) == "__stored_locally":
            return bool(member.get(_CONST_VALUE))
    raise Unknown("no __stored_locally")


def _function_of(layouts: Layouts, die: Die, name: str) -> int:
    """The address of a class's function; 0: there is none."""
    for member in layouts.dwarf.children(die) if die.tag in (TAG["structure"], TAG["class"]) else ():
        if member.tag == TAG["subprogram"] and member.get(NAME) == name:
            return _addresses(layouts, die).get(member.offset, 0)
    return 0


def _addresses(layouts: Layouts, die: Die) -> dict[int, int]:
    """Where the functions begin that a unit defines, by the entry of their declaration."""
    addresses = layouts.addresses.get(die.unit.offset)
    if addresses is None:
        entries = layouts.dwarf.children(layouts.dwarf.root(die.unit))
        defined = [entry for entry in entries if entry.tag == TAG["subprogram"] and SPECIFICATION in entry.attributes]
        addresses = {entry.get(SPECIFICATION): entry.get(LOW_PC, 0) for entry in defined}
        layouts.addresses[die.unit.offset] = addresses
    return addresses


def digest(layouts: Layouts, die: Die) -> LibraryShape:
    """The shape of a value shown by a digest: where its numbers and pointers lie, without padding."""
    pieces = list(_pieces(layouts, die, 0))
    if not pieces:
        raise Unknown("no state")
    return LibraryShape("digest", tuple(number for piece in pieces for number in piece))


def _pieces(layouts: Layouts, die: Die, offset: int) -> Iterator[tuple[int, int]]:
    if die.tag in _POINTERS:
        yield offset, _POINTER_SIZE
    elif die.tag in _BY_BYTES or (die.tag == TAG["array"] and layouts.target(die).tag in _BY_BYTES):
        yield offset, layouts.size(die)
    elif die.tag in (TAG["structure"], TAG["class"]):
        for child, _ in layouts.members(die):
            yield from _pieces(layouts, layouts.target(child), offset + location(child))
    else:
        raise Unknown("a union")
