"""Prepare a C++ program: as for C, with the library's containers and without lines that only unwinding runs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..refused import Refused
from . import calls, flow, toolbox
from .arguments import Misfit
from .c import compile_c, compiled_sources, compiler_flags, linker_flags, weave
from .layouts.library import Library
from .linked import LinkedProgram

_CHECKS = "signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow"
# Read as it was compiled where a program names it first, which is what most of them do; elsewhere it is as any other.
_FIRST = "iostream"


def precompile(toolchain: dict[str, Any], folder: str) -> None:
    """Precompile the most expensive header: `#include <X>` finds `X.gch` before X."""
    text = os.path.join(folder, "first.hpp")
    Path(text).write_text(f"#include <{_FIRST}>\n")
    compiler, release = toolchain["executables"]["g++"], toolchain["version"]
    flags = [_default_standard(release), *_flags(release, toolbox.machine().name)]
    target = os.path.join(folder, f"{_FIRST}.gch")
    toolbox.run([compiler, "-x", "c++-header", *flags, "-o", target, text])
    os.unlink(text)


def prepare(spec: dict[str, Any], folder: str) -> dict[str, bytes]:
    """Return the parts of a C++ program, whose files are in the current directory."""
    compiler, name = spec["toolchain"]["executables"]["g++"], spec["name"]
    machine, program = toolbox.machine(), str(Path(folder, "program"))
    if spec["call"]:
        try:
            calls.append(name, calls.in_cpp(spec["call"]))
        except Misfit as error:
            raise Refused("call", str(error)) from None
    try:
        assemblies = [_assembly(path, text, spec, folder) for path, text in compiled_sources(spec)]
    except toolbox.CompileError as error:
        misfit = calls.misfit_in_cpp(spec["call"], str(error)) if spec["call"] else None
        if misfit is None:
            raise
        raise Refused("call", misfit) from None
    sources = {path: text.split("\n") for path, text in [(name, spec["source"]), *spec["files"].items()]}
    instrumented, woven = weave(assemblies, spec, sources, folder)
    objects = [*woven, *toolbox.runtime(spec), *linker_flags(spec), "-lm", "-pthread"]
    toolbox.run([compiler, "-no-pie", "-Wl,--wrap=main", "-o", program, *objects])
    binary = Path(program).read_bytes()
    described = LinkedProgram(binary, instrumented, sources, machine.name, Library("cpp"))
    table = described.table("g++", spec["toolchain"]["version"], b"" if spec["call"] else None)
    known = flow.flow_of(described, machine)
    return {"program": binary, "table": table, "flow": json.dumps(known).encode()}


def _assembly(path: str, text: str, spec: dict[str, Any], folder: str) -> str:
    """Return the assembly of a file; one that ends in `.c` is C, as for a linker of both."""
    executables = spec["toolchain"]["executables"]
    if path.endswith(".c"):
        return compile_c(executables["gcc"], path, text, spec, folder)
    target, flags = str(Path(folder, "program.s")), _flags(spec["toolchain"]["version"], toolbox.machine().name)
    flags = [_default_standard(spec["toolchain"]["version"]), *compiler_flags(spec), *flags]
    toolbox.run([executables["g++"], "-S", *flags, "-I", spec["tools"], "-o", target, toolbox.as_file(path)])
    return Path(target).read_text()


def _default_standard(release: str) -> str:
    return "-std=gnu++20" if int(release.split(".")[0]) >= 11 else "-std=gnu++17"


def _flags(release: str, machine: str) -> list[str]:
    flags = ["-g", "-gdwarf-5", "-O0", "-fno-stack-protector", "-fno-pie", f"-fsanitize={_CHECKS}"]
    if int(release.split(".")[0]) >= 12:
        flags.append("-ftrivial-auto-var-init=pattern")
    if machine == "x86_64":
        flags += ["-mno-red-zone", "-fcf-protection=none"]
    return flags
