"""Prepare a C++ program: as for C, with the library's containers and without lines that only unwinding runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..refused import Refused
from . import calls, flow, toolbox
from .arguments import Misfit
from .assembly import instrument
from .c import with_main
from .layouts.library import Library
from .linked import LinkedProgram

_CHECKS = "signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow"
# Read as it was compiled where a program names it first, which is what most of them do; elsewhere it is as any other.
_FIRST = "iostream"


def precompile(toolchain: dict[str, Any], folder: str) -> None:
    """Precompile the most expensive header: `#include <X>` finds `X.gch` before X."""
    text = os.path.join(folder, "first.hpp")
    Path(text).write_text(f"#include <{_FIRST}>\n")
    compiler, flags = toolchain["executables"]["g++"], _flags(toolchain["version"], toolbox.machine().name)
    target = os.path.join(folder, f"{_FIRST}.gch")
    toolbox.run([compiler, "-x", "c++-header", *flags, "-o", target, text])
    os.unlink(text)


def prepare(spec: dict[str, Any], folder: str) -> dict[str, bytes]:
    """Return the parts of a C++ program, whose files are in the current directory."""
    compiler, name = spec["toolchain"]["executables"]["g++"], spec["name"]
    machine = toolbox.machine()
    assembly, woven, program = (str(Path(folder, file)) for file in ("program.s", "woven.s", "program"))
    flags = _flags(spec["toolchain"]["version"], machine.name)
    if spec["call"]:
        try:
            calls.append(name, calls.in_cpp(spec["call"]))
        except Misfit as error:
            raise Refused("call", str(error)) from None
    try:
        toolbox.run([compiler, "-S", *flags, "-I", spec["tools"], "-o", assembly, toolbox.as_file(name)])
    except toolbox.CompileError as error:
        misfit = calls.misfit_in_cpp(spec["call"], str(error)) if spec["call"] else None
        if misfit is None:
            raise
        raise Refused("call", misfit) from None
    sources = {path: text.split("\n") for path, text in [(name, spec["source"]), *spec["files"].items()]}
    instrumented = instrument(with_main(Path(assembly).read_text(), spec), machine, sources)
    Path(woven).write_text(instrumented.text)
    objects = [woven, *toolbox.runtime(spec["tools"]), "-lm", "-pthread"]
    toolbox.run([compiler, "-no-pie", "-Wl,--wrap=main", "-o", program, *objects])
    binary = Path(program).read_bytes()
    described = LinkedProgram(binary, instrumented, sources, machine.name, Library("cpp"))
    table = described.table("g++", spec["toolchain"]["version"], b"" if spec["call"] else None)
    known = flow.flow_of(described, machine)
    return {"program": binary, "table": table, "flow": json.dumps(known).encode()}


def _flags(release: str, machine: str) -> list[str]:
    flags = ["-g", "-gdwarf-5", "-O0", "-fno-stack-protector", "-fno-pie", f"-fsanitize={_CHECKS}"]
    version = int(release.split(".")[0])
    flags.append("-std=gnu++20" if version >= 11 else "-std=gnu++17")
    if version >= 12:
        flags.append("-ftrivial-auto-var-init=pattern")
    if machine == "x86_64":
        flags += ["-mno-red-zone", "-fcf-protection=none"]
    return flags
