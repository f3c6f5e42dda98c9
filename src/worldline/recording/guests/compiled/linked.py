"""A linked program's debug information beside the pass that wove it: its functions, its fixed variables, its table."""

from __future__ import annotations

import struct
from collections.abc import Callable

from .assembly import Woven
from .dwarf import TAG, Die, Dwarf
from .elf import Elf
from .table import TableWriter
from .types import TypeRow, TypeRows
from .variables import Described, Var, describe, entries_by_address, globals_of


class LinkedProgram:
    """What is known of a compiled program. `special` may know a struct of a library by its name."""

    def __init__(
        self,
        binary: bytes,
        woven: Woven,
        sources: dict[str, list[str]],
        machine: str,
        special: Callable[[TypeRows, Die, str], TypeRow | None] | None = None,
    ) -> None:
        elf = Elf(binary)
        self.places = [value for (value,) in struct.iter_unpack("<Q", elf.section(".wl_places"))]
        self.machine = machine
        self.reader = Dwarf(elf)
        self.types = TypeRows(self.reader, special)
        self.roots = [self.reader.root(unit) for unit in self.reader.units if unit.kind == 1]
        found = entries_by_address(self.reader, self.roots)
        self.fixed = globals_of(self.reader, self.types, self.roots)
        self.functions: list[Described] = []
        for function in woven.functions:
            die = found.get(self.places[function.place])
            if die is None:
                die = Die(0, self.roots[0].unit, TAG["subprogram"], {}, 0)
            lines = sources.get(function.file, [])
            self.functions.append(describe(self.reader, self.types, function, die, self.places, lines))

    def used(self, described: Described) -> list[Var]:
        """The fixed variables that a function's code names."""
        mine = [one for one in self.fixed if one.name in described.function.words]
        return mine + described.statics

    def table(self, compiler: str, version: str, call: bytes | None) -> bytes:
        """The table for the runtime."""
        made = TableWriter(self.types, self.machine, self.places)
        rows = {id(one): made.variable(one) for one in self.fixed}
        for described in self.functions:
            rows |= {id(one): made.variable(one) for one in described.statics}
            made.function(described, [rows[id(one)] for one in self.used(described)])
        return made.pack(compiler, version, call)
