"""Prepare a C program: compile to assembly, insert the hooks, assemble, link and describe it by a table."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..refused import Refused
from . import arguments, flow, toolbox
from .assembly import instrument
from .linked import LinkedProgram

# Not `bounds` beside a variable-length array: its checks go back to the line of the declaration.
_CHECKS = "signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow"
_MAIN = re.compile(r"^(?:main:|\s*\.set\s+main\s*,)", re.M)  # itself, or another name for a function
_VLA = "[-Wvla]"


def prepare(spec: dict[str, Any], folder: str) -> dict[str, bytes]:
    """Return the parts of a C program, whose files are in the current directory."""
    gcc, name = spec["toolchain"]["executables"]["gcc"], spec["name"]
    machine = toolbox.machine()
    assembly, woven, program = (str(Path(folder, file)) for file in ("program.s", "woven.s", "program"))
    flags = _flags(spec, machine.name)
    _compile([gcc, "-S", *flags, "-o", assembly, toolbox.as_file(name)], spec["source"])
    sources = {path: text.split("\n") for path, text in [(name, spec["source"]), *spec["files"].items()]}
    instrumented = instrument(with_main(Path(assembly).read_text(), spec), machine, sources)
    Path(woven).write_text(instrumented.text)
    objects = [woven, *toolbox.runtime(spec["tools"]), "-lm", "-pthread"]
    toolbox.run([gcc, "-no-pie", "-Wl,--wrap=main", "-o", program, *objects])
    binary = Path(program).read_bytes()
    described = LinkedProgram(binary, instrumented, sources, machine.name)
    call = spec["call"]
    try:
        encoded = call and arguments.encode(call, described.functions, described.types, machine.name)
    except arguments.Misfit as error:
        raise Refused("call", str(error)) from None
    table = described.table("gcc", spec["toolchain"]["version"], encoded)
    known = flow.flow_of(described, machine)
    return {"program": binary, "table": table, "flow": json.dumps(known).encode()}


def with_main(assembly: str, spec: dict[str, Any]) -> str:
    """The assembly of a program that can begin; the recorder's own `main` is for calls alone."""
    if not spec["call"] and not _MAIN.search(assembly):
        raise Refused("source", "there is no function main")
    return assembly


def _compile(command: list[str], source: str) -> None:
    """To assembly, with the checks that leave the lines in order; `register` only where it names a register."""
    if "register" in source and "asm" not in source:  # gcc forgets such a variable as soon as it is not read again
        with suppress(toolbox.CompileError):
            return _compile([*command, "-Dregister="], "")
    if _VLA in toolbox.run([*command, f"-fsanitize={_CHECKS},bounds", "-Wvla"]):
        toolbox.run([*command, f"-fsanitize={_CHECKS}"])


def _flags(spec: dict[str, Any], machine: str) -> list[str]:
    flags = ["-g", "-gdwarf-5", "-O0", "-fno-stack-protector", "-fno-pie"]
    if int(spec["toolchain"]["version"].split(".")[0]) >= 12:
        flags.append("-ftrivial-auto-var-init=pattern")
    if machine == "x86_64":
        flags += ["-mno-red-zone", "-fcf-protection=none"]
    if spec["call"]:
        flags.append("-fkeep-static-functions")
    return flags
