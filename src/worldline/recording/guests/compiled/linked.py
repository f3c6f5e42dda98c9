"""The debug information of a linked, instrumented program: its functions, fixed variables and table."""

from __future__ import annotations

import re
import struct
from collections.abc import Collection

from .assembly.instrument import Woven
from .closures import closure_environments, show_captures
from .dwarf import NAME, TAG, Die, Dwarf
from .elf import Elf
from .layouts.library import Library
from .mir import Moves
from .table import TableWriter
from .types import TypeRows
from .variables import (
    AT_FRAME_DEREF,
    AT_REGISTER_DEREF,
    DESTROYED,
    PARAMETER,
    TRACKED,
    Described,
    Handover,
    Var,
    describe,
    entries_by_address,
    globals_of,
)

MAX_TRACKED = 256

_RETURN = re.compile(r"\breturn\b\s*(?:(\w+)\s*;)?")


def _is_own(root: Die, sources: dict[str, list[str]]) -> bool:
    name = str(root.get(NAME) or "").partition("/@/")[0]
    return any(name == source or name.endswith("/" + source) for source in sources)


def moves_of(all_moves: list[Moves], described: Described) -> Moves | None:
    """Return the moves of a function: those of its file and name whose header is the first at or after its line."""
    near = [
        moves
        for moves in all_moves
        if moves.file == described.function.file
        and moves.line >= described.line
        and moves.name.rpartition("::")[2] == described.name
    ]
    return min(near, key=lambda moves: moves.line, default=None)


def returned_variables(described: Described, source: list[str]) -> list[Handover]:
    """Return the lines of a function of C or C++ that only return a variable."""
    # What a lambda captured lives on.
    end = AT_FRAME_DEREF if described.name == "<lambda>" else AT_REGISTER_DEREF + 1
    named = {variable.name for variable in described.variables if variable.where < end}
    lines = {site.line for site in described.function.sites.values() if 0 < site.line <= len(source)}
    statements = ((line, _RETURN.findall(source[line - 1])) for line in sorted(lines))
    return [Handover(line, names[0]) for line, names in statements if len(names) == 1 and names[0] in named]


def _moved_variables(described: Described) -> list[Handover]:
    """Return the lines of a function of Rust that move a whole variable to another one, or return it."""
    places = {(variable.name, variable.line): at for at, variable in enumerate(described.variables)}
    moves = described.moves.handovers if described.moves else []
    return [
        Handover(move.line, *move.giver, places[move.taker] if move.taker else None, move.is_passed)
        for move in moves
        if move.taker is None or move.taker in places
    ]


class LinkedProgram:
    """A compiled program; `library` knows the types of the library of its language.

    `writing` are the symbols of Rust functions that write their result where the caller says.
    """

    def __init__(
        self,
        binary: bytes,
        woven: Woven,
        sources: dict[str, list[str]],
        machine: str,
        library: Library | None = None,
        moves: list[Moves] | None = None,
        writing: Collection[str] = (),
    ) -> None:
        elf = Elf(binary)
        self.places = [value for (value,) in struct.iter_unpack("<Q", elf.section(".wl_places"))]
        self.machine = machine
        self.reader = Dwarf(elf)
        roots = [self.reader.root(unit) for unit in self.reader.units if unit.kind == 1]
        self.roots = [root for root in roots if _is_own(root, sources)] or roots
        self.library, self._moves, self._writing = library, moves or [], writing
        self._symbols = {at: name for name, at in elf.symbols().items()} if library else {}
        if library is not None:
            library.bind(self.reader, elf.symbols() if library.language == "cpp" else {})
        self.types = TypeRows(self.reader, library.special if library else None, are_merged=len(self.roots) > 1)
        entries = entries_by_address(
            self.reader, self.roots, {self.places[routine.place] for routine in woven.functions}
        )
        if library is not None:
            library.add_classes(self.types, self.roots)
        is_rust = library is not None and library.language == "rust"
        self._environments = closure_environments(self.reader, self.roots) if is_rust else {}
        self.fixed = globals_of(self.reader, self.types, self.roots)
        self.functions: list[Described] = []
        for function in woven.functions:
            die = entries.get(self.places[function.place])
            if die is None:
                die = Die(0, self.roots[0].unit, TAG["subprogram"], {}, 0)
            lines = sources.get(function.file, [])
            described = describe(self.reader, self.types, function, die, self.places, lines)
            if library is not None:
                self._refine(described, library.language)
            if not is_rust:
                described.handovers = returned_variables(described, lines)
            self.functions.append(described)

    def _refine(self, described: Described, language: str) -> None:
        """What a variable's life is like where there are destructors, and moves."""
        rust = language == "rust"
        moves = moves_of(self._moves, described) if rust else None
        if moves is not None:
            made_up = set(moves.made_up)
            described.variables = [
                variable for variable in described.variables if (variable.name, variable.line) not in made_up
            ]
            described.moves = moves
        if rust:
            described.function.writes_result = self._symbols.get(described.address) in self._writing
            own = described.function.file_number
            described.variables = [variable for variable in described.variables if variable.file == own]
            show_captures(self.reader, self.types, described, self._environments.get(described.address))
            described.handovers = _moved_variables(described)
        for variable in described.variables:
            if rust:
                variable.born = -1  # its scope begins behind its declaration
            inside = not variable.flags & PARAMETER and not self.types.is_number(variable.type)
            if inside or (rust and self.types.is_built(variable.type)):
                variable.flags |= DESTROYED
            if moves is not None and (variable.name, variable.line) in moves.tracked[:MAX_TRACKED]:
                variable.flags |= TRACKED | moves.tracked.index((variable.name, variable.line)) << 8

    def used(self, described: Described) -> list[Var]:
        """Return the fixed variables that the code of a function names."""
        words = described.function.words
        mine = [
            variable
            for variable in self.fixed
            if (variable.name in words or self._symbols.get(variable.offset, "") in words)
            and variable.unit in (None, described.die.unit.offset)
        ]
        return mine + described.statics

    def table(self, compiler: str, version: str, call: bytes | None) -> bytes:
        """Return the table for the runtime."""
        rust = self.library is not None and self.library.language == "rust"
        writer = TableWriter(self.types, self.machine, self.places, rust)
        rows = {id(variable): writer.variable(variable) for variable in self.fixed}
        for described in self.functions:
            rows |= {id(variable): writer.variable(variable) for variable in described.statics}
            writer.function(described, [rows[id(variable)] for variable in self.used(described)])
        return writer.pack(compiler, version, call)
