"""From a C source to parts: compile to assembly, weave the calls in, assemble, link, read DWARF, write the table."""

from __future__ import annotations

import os
import platform
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

from . import dwarf
from .assembly import Pass, instrument
from .dwarf import TAG, Die, Dwarf
from .elf import Elf
from .machine import MACHINES, Machine
from .table import Table
from .types import Type, Types
from .variables import Described, Var, describe, entries_by_address, globals_of

RUNTIME = Path(__file__).with_name("runtime")
FLAGS = ["-g", "-O0", "-fno-stack-protector", "-fcf-protection=none"]


class CompileError(Exception):
    """The compiler refused; its message is the argument."""


def machine() -> Machine:
    """The architecture that programs are compiled for: this machine's."""
    return MACHINES[platform.machine()]


def run(command: list[str], *, folder: str = ".") -> str:
    """What a tool said on stderr; CompileError when it failed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL)
    said = done.stderr.decode(errors="replace")
    if done.returncode:
        raise CompileError(said)
    return said


def compile_runtime(compiler: str, folder: str) -> list[str]:
    """The recorder's own objects, made by the program's compiler."""
    objects = []
    for unit in ("runtime.c", f"hook_{machine().name}.S"):
        target = str(Path(folder) / f"{unit}.o")
        run([compiler, "-O2", "-fno-strict-aliasing", "-fno-stack-protector", "-w", "-c", str(RUNTIME / unit), "-o", target])
        objects.append(target)
    return objects


def places_of(elf: Elf) -> list[int]:
    """The addresses of all labels of the pass."""
    data = elf.section(".wl_places")
    return [value for (value,) in struct.iter_unpack("<Q", data)]


class Program:
    """A linked program's debug information beside the pass that made it."""

    def __init__(
        self,
        binary: bytes,
        woven: Pass,
        source: str,
        special: Callable[[Types, Die, str], Type | None] | None = None,
    ) -> None:
        elf = Elf(binary)
        self.places, self.woven = places_of(elf), woven
        self.reader = Dwarf(elf)
        self.types = Types(self.reader, special)
        self.roots = [self.reader.root(unit) for unit in self.reader.units if unit.kind == 1]
        found = entries_by_address(self.reader, self.roots)
        lines = source.split("\n")
        self.functions: list[Described] = []
        self.fixed = globals_of(self.reader, self.types, self.roots)
        for function in woven.functions:
            die = found.get(self.places[function.place])
            if die is None:
                die = Die(0, self.roots[0].unit, TAG["subprogram"], {}, 0)
            self.functions.append(describe(self.reader, self.types, function, die, self.places, lines))

    def used(self, described: Described) -> list[Var]:
        """The fixed variables that a function's code names."""
        mine = [one for one in self.fixed if one.name in described.function.words]
        return mine + described.statics

    def table(self, file: str, compiler: str, version: str, call: Callable[[Program], bytes] | None = None) -> bytes:
        """The table for the runtime."""
        made = Table(self.types, machine().name, self.places)
        rows = {id(one): made.variable(one) for one in self.fixed}
        for described in self.functions:
            rows |= {id(one): made.variable(one) for one in described.statics}
            made.function(described, [rows[id(one)] for one in self.used(described)])
        return made.pack(file, compiler, version, call(self) if call else None)
