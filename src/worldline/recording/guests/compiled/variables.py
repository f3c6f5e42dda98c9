"""Functions and variables from DWARF: where each variable is, and which are in scope at each site."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from . import dwarf
from .assembly.routine import ENTRY, HookSite, Routine
from .dwarf import TAG, Die, Dwarf
from .mir import Moves
from .types import TypeRows

AT_FRAME, AT_REGISTER_BASE, AT_REGISTER, AT_ADDRESS, AT_FRAME_DEREF, AT_FRAME_TWICE, AT_REGISTER_DEREF = range(7)
PARAMETER, SET, DESTROYED, TRACKED, BUILT = 1, 2, 4, 8, 16
LIBRARIES = frozenset({"std", "__gnu_cxx", "__gnu_debug", "__pstl", "alloc", "core", "hashbrown"})
_FBREG, _ADDR, _DEREF, _CFA, _PLUS = 0x91, 0x03, 0x06, 0x9C, 0x23


@dataclass
class Var:
    """One variable: where it is, and from which address on it is declared."""

    name: str
    type: int
    where: int
    offset: int
    register: int = 0  # or what is added behind a pointer
    flags: int = 0
    behind: int = 0  # what is added behind a second pointer
    line: int = 0
    file: int = 0
    ranges: list[tuple[int, int]] = field(default_factory=list)
    born: int = 0
    depth: int = 0
    unit: int | None = None  # of a global that only one compiled file sees: where that file's DWARF begins


@dataclass(frozen=True)
class Handover:
    """A line that returns or passes a variable, or gives its value to another variable."""

    line: int
    giver: str
    declared: int = 0  # the line of the giver's declaration; 0: not known
    taker: int | None = None  # the index of the other variable; None: it is returned, or passed to a function
    is_passed: bool = False


@dataclass
class Described:
    """A function of the program: its entry, its variables, and those that live at fixed addresses inside it."""

    function: Routine
    die: Die
    address: int
    name: str
    line: int
    result: int
    variables: list[Var]
    statics: list[Var]
    hidden: bool = False  # made by the compiler: it has no steps
    moves: Moves | None = None
    handovers: list[Handover] = field(default_factory=list)


def entries_by_address(reader: Dwarf, roots: list[Die], wanted: set[int]) -> dict[int, Die]:
    """Return the wanted functions by their first addresses."""
    entries: dict[int, Die] = {}

    def walk(die: Die) -> None:
        for child in reader.children(die):
            if child.tag == TAG["subprogram"]:
                low = child.get(dwarf.LOW_PC)
                if low in wanted:
                    entries[low] = child
                    inside(child)
            elif child.tag == TAG["namespace"] and child.get(dwarf.NAME) not in LIBRARIES:
                walk(child)

    def inside(die: Die) -> None:
        for child in reader.children(die):
            if child.tag == TAG["subprogram"]:
                if child.get(dwarf.LOW_PC) in wanted:
                    entries[child.get(dwarf.LOW_PC)] = child
                    inside(child)
            elif child.tag in (TAG["lexical_block"], TAG["structure"], TAG["class"]):
                inside(child)  # lambdas, and methods of local classes

    for root in roots:
        walk(root)
    return entries


def attribute(reader: Dwarf, die: Die, number: int) -> object:
    """Return an attribute, if needed from the declaration that an entry completes."""
    for _ in range(8):
        value = die.get(number)
        if value is not None:
            return value
        origin = die.get(dwarf.ABSTRACT_ORIGIN, die.get(dwarf.SPECIFICATION))
        if origin is None:
            return None
        die = reader.at(origin, die.unit)
    return None


def describe(
    reader: Dwarf, types: TypeRows, function: Routine, die: Die, places: list[int], source: list[str]
) -> Described:
    """Return the variables of one function, each with the addresses where it is in scope."""
    base = _frame_base(die, function)
    begins = next(place for place in (item.place for item in function.sites.values() if item.kind & ENTRY))
    locs = [(places[place], line) for _, line, place in function.locs if places[place] >= places[begins]]
    variables: list[Var] = []
    statics: list[Var] = []
    for child, ranges, depth in _variables(reader, die, reader.ranges(die), 0):
        item = _variable(reader, types, child, base)
        if item is None:
            continue
        if item.where == AT_ADDRESS:
            statics.append(item)
            continue
        item.ranges, item.depth = ranges, depth
        declared = attribute(reader, child, dwarf.DECL_LINE), attribute(reader, child, dwarf.DECL_FILE)
        item.line, item.file = (value if isinstance(value, int) else 0 for value in declared)
        captured = child.get(dwarf.ARTIFICIAL) and item.where >= AT_FRAME_DEREF
        if (child.tag == TAG["parameter"] or captured) and not depth:
            item.flags |= PARAMETER
        else:
            line = attribute(reader, child, dwarf.DECL_LINE)
            item.born = _born(item, line if isinstance(line, int) else 0, locs)
            item.flags |= SET if _has_value(item.name, line, source) else 0
        variables.append(item)
    name = str(attribute(reader, die, dwarf.NAME) or function.label)
    if name == "operator()" and attribute(reader, die, dwarf.ARTIFICIAL):
        name = "<lambda>"
    elif not name.startswith("operator"):
        name = name.partition("<")[0] or name
    for item in variables:
        item.flags |= BUILT if item.name == "this" and _is_called(types, item.type, name) else 0
    line = attribute(reader, die, dwarf.DECL_LINE)
    return Described(
        function,
        die,
        places[function.place],
        name,
        line if isinstance(line, int) else function.opening,
        _result(reader, types, die),
        variables,
        statics,
        _is_hidden(reader, die, name),
    )


def _is_called(types: TypeRows, reference: int, name: str) -> bool:
    """Whether the class behind a reference has the name of the function: that is its constructor."""
    return types.rows[types.rows[reference].to].name.partition("<")[0].rpartition("::")[2] == name


def _is_hidden(reader: Dwarf, die: Die, name: str) -> bool:
    generated = attribute(reader, die, dwarf.ARTIFICIAL) or attribute(reader, die, dwarf.DEFAULTED)
    # The body is in the other destructor.
    deletes = name.startswith("~") and str(die.get(dwarf.LINKAGE_NAME)).endswith("D0Ev")
    return name != "<lambda>" and (bool(generated) or deletes)


def _result(reader: Dwarf, types: TypeRows, die: Die) -> int:
    for _ in range(8):
        if die.get(dwarf.TYPE) is not None:
            return types.of(die)
        origin = die.get(dwarf.ABSTRACT_ORIGIN, die.get(dwarf.SPECIFICATION))
        if origin is None:
            return 0
        die = reader.at(origin, die.unit)
    return 0


def _variables(
    reader: Dwarf, die: Die, ranges: list[tuple[int, int]], depth: int
) -> Iterator[tuple[Die, list[tuple[int, int]], int]]:
    for child in reader.children(die):
        if child.tag in (TAG["parameter"], TAG["variable"]):
            yield child, ranges, depth
        elif child.tag == TAG["lexical_block"]:
            yield from _variables(reader, child, reader.ranges(child) or ranges, depth + 1)


def _frame_base(die: Die, function: Routine) -> int:
    """What an offset from the frame's base lacks to be one from the canonical frame address."""
    expression = die.get(dwarf.FRAME_BASE, b"")
    if not isinstance(expression, bytes) or expression[:1] == bytes([_CFA]) or not expression:
        return 0
    register = expression[0] - 0x50
    site = next((candidate for candidate in function.sites.values() if candidate.register == register), None)
    return -(site.offset if site else function.frames.get(register, 0))


def _variable(reader: Dwarf, types: TypeRows, die: Die, base: int) -> Var | None:
    name, place = attribute(reader, die, dwarf.NAME), reader.location(die)
    if not isinstance(name, str) or not place:
        return None
    if name.startswith("__") and attribute(reader, die, dwarf.ARTIFICIAL):
        return None
    row = _result(reader, types, die)
    if name == "this" and attribute(reader, die, dwarf.ARTIFICIAL):
        row = types.referring(row)
    operation = place[0]
    if operation == _FBREG:
        offset, at = dwarf.sleb(place, 1)
        if at == len(place):
            return Var(name, row, AT_FRAME, base + offset)
        steps = _pointers(place[at:])
        if steps and len(steps) < 3:
            where = AT_FRAME_DEREF if len(steps) == 1 else AT_FRAME_TWICE
            return Var(name, row, where, base + offset, steps[0], behind=steps[-1] if len(steps) == 2 else 0)
    elif operation == _ADDR and len(place) == 9:
        return Var(name, row, AT_ADDRESS, int.from_bytes(place[1:9], "little"))
    elif 0x50 <= operation <= 0x6F and len(place) == 1:
        return Var(name, row, AT_REGISTER, 0, operation - 0x50)
    elif 0x70 <= operation <= 0x8F:
        offset, at = dwarf.sleb(place, 1)
        if at == len(place):
            return Var(name, row, AT_REGISTER_BASE, offset, operation - 0x70)
        steps = _pointers(place[at:])
        if len(steps) == 1:
            return Var(name, row, AT_REGISTER_DEREF, offset, operation - 0x70, behind=steps[0])
    return None


def _pointers(place: bytes) -> list[int]:
    """What a location goes through: of each pointer what is added behind it; empty: it is another kind of location."""
    steps: list[int] = []
    at = 0
    while at < len(place):
        if place[at] == _DEREF:
            steps.append(0)
            at += 1
        elif place[at] == _PLUS and steps:
            more, at = dwarf.uleb(place, at + 1)
            steps[-1] += more
        else:
            return []
    return steps


def _born(variable: Var, line: int, locs: list[tuple[int, int]]) -> int:
    """The address of the first code of a variable's declaration; without any, of the first code behind it."""
    inside = [(at, where) for at, where in locs if any(low <= at < high for low, high in variable.ranges)]
    exact = [at for at, where in inside if where == line]
    if exact:
        return exact[0]
    return next((at for at, where in inside if where >= line), 0)


def _has_value(name: str, line: object, source: list[str]) -> bool:
    if not isinstance(line, int) or not 0 < line <= len(source):
        return False
    return re.search(rf"\b{re.escape(name)}\s*(\[[^]]*\]\s*)*[={{(]", source[line - 1]) is not None


def scope_at(described: Described, address: int, site: HookSite) -> tuple[list[int], list[int]]:
    """Return the variables that have a value at a site, and those that get one later, as indices."""
    shown: dict[str, int] = {}
    more: list[int] = []
    for index, variable in enumerate(described.variables):
        if not any(low <= address < high for low, high in variable.ranges):
            continue
        declared = address > variable.born and variable.line <= site.line and not site.kind & ENTRY
        if variable.flags & PARAMETER or declared:
            other = shown.get(variable.name)
            if other is not None and described.variables[other].depth > variable.depth:
                more.append(index)
                continue
            if other is not None:
                more.append(other)
            shown[variable.name] = index
        elif address >= variable.born or site.line >= variable.line:  # nothing points to what is declared further on
            more.append(index)
    return sorted(shown.values()), more


def globals_of(reader: Dwarf, types: TypeRows, roots: list[Die]) -> list[Var]:
    """Return the variables of the file itself that have an address."""
    variables: list[Var] = []

    def walk(die: Die) -> None:
        for child in reader.children(die):
            if child.tag == TAG["variable"]:
                variable = _variable(reader, types, child, 0)
                if variable is not None and variable.where == AT_ADDRESS:
                    variable.unit = None if attribute(reader, child, dwarf.EXTERNAL) else child.unit.offset
                    variables.append(variable)
            elif child.tag == TAG["namespace"] and child.get(dwarf.NAME) not in LIBRARIES:
                walk(child)

    for root in roots:
        walk(root)
    return variables


def covering(starts: list[int], address: int) -> int:
    """Return the index of the last start at or below an address."""
    return bisect_right(starts, address) - 1
