"""Prepare a C program: compile to assembly, insert the hooks, assemble, link and describe it by a table."""

from __future__ import annotations

import json
import os
import posixpath
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..refused import Refused
from . import arguments, flow, toolbox
from .assembly.instrument import Woven, instrument
from .linked import LinkedProgram

# Not `bounds` beside a variable-length array: its checks go back to the line of the declaration.
_CHECKS = "signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow"
_MAIN = re.compile(r"^(?:main:|\s*\.set\s+main\s*,)", re.M)  # itself, or another name for a function
_VLA = "[-Wvla]"
_INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.M)
_LINKER_FLAGS = ("-l", "-L")
# Of files that are compiled with a program of a language, unless another file includes them.
_SOURCES = {"c": (".c",), "cpp": (".cpp", ".cc", ".cxx", ".c")}


def prepare(spec: dict[str, Any], folder: str) -> dict[str, bytes]:
    """Return the parts of a C program, whose files are in the current directory."""
    gcc, name = spec["toolchain"]["executables"]["gcc"], spec["name"]
    machine, program = toolbox.machine(), str(Path(folder, "program"))
    sources = {path: text.split("\n") for path, text in [(name, spec["source"]), *spec["files"].items()]}
    assemblies = [compile_c(gcc, path, text, spec, folder) for path, text in compiled_sources(spec)]
    instrumented, woven = weave(assemblies, spec, sources, folder)
    objects = [*woven, *toolbox.runtime(spec), *linker_flags(spec), "-lm", "-pthread"]
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


def compiled_sources(spec: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the files that are compiled, each with its text: the program's own, then those that no file includes."""
    texts = {spec["name"]: spec["source"], **spec["files"]}
    included = {
        posixpath.normpath(posixpath.join(posixpath.dirname(path), other))
        for path, text in texts.items()
        for other in _INCLUDED.findall(text)
    }
    others = [path for path in spec["files"] if path.endswith(_SOURCES[spec["language"]]) and path not in included]
    return [(path, texts[path]) for path in (spec["name"], *others)]


def weave(
    assemblies: list[str], spec: dict[str, Any], sources: dict[str, list[str]], folder: str
) -> tuple[Woven, list[str]]:
    """Insert the hooks into the assembly of each file. Return what all of them have, and the files to be linked."""
    if not spec["call"] and not any(_MAIN.search(text) for text in assemblies):
        raise Refused("source", "there is no function main")  # the recorder's own `main` is for calls alone
    files: list[str] = []
    woven: Woven | None = None
    for number, text in enumerate(assemblies):
        woven = instrument(text, toolbox.machine(), sources, before=woven)
        files.append(str(Path(folder, f"woven{number}.s")))
        Path(files[-1]).write_text(woven.text)
    assert woven is not None
    return woven, files


def linker_flags(spec: dict[str, Any]) -> list[str]:
    """Return the flags of the program that are for the linker, and its libraries."""
    files = [path for path in spec["libraries"] if not os.path.isdir(path)]
    folders = toolbox.library_folders(spec["libraries"], "lib")
    shared = dict.fromkeys([*folders, *(os.path.dirname(path) for path in files if path.endswith(".so"))])
    paths = [f"-Wl,-rpath,{folder}" for folder in shared] + [f"-L{folder}" for folder in folders]
    return [*paths, *files, *(flag for flag in spec["flags"] if flag.startswith(_LINKER_FLAGS))]


def compiler_flags(spec: dict[str, Any]) -> list[str]:
    """Return the flags of the program that are for the compiler. They stand before the recorder's own, which win."""
    folders = toolbox.library_folders(spec["libraries"], "include")
    own = [flag for flag in spec["flags"] if not flag.startswith(_LINKER_FLAGS)]
    return [*own, *(f"-I{folder}" for folder in folders)]


def compile_c(gcc: str, path: str, source: str, spec: dict[str, Any], folder: str) -> str:
    """Return the assembly of a C file."""
    target = str(Path(folder, "program.s"))
    # With `-w`, gcc would not say where a variable-length array is.
    own = [flag for flag in compiler_flags(spec) if flag != "-w"]
    flags = [*own, *_flags(spec, toolbox.machine().name)]
    _compile([gcc, "-S", *flags, "-o", target, toolbox.as_file(path)], source)
    return Path(target).read_text()


def _compile(command: list[str], source: str) -> None:
    """To assembly, with the checks that leave the lines in order; `register` only where it names a register."""
    if "register" in source and "asm" not in source:  # gcc forgets such a variable as soon as it is not read again
        with suppress(toolbox.CompileError):
            return _compile([*command, "-Dregister="], "")
    if _VLA in toolbox.run([*command, f"-fsanitize={_CHECKS},bounds", "-Wvla", "-Wno-error=vla"]):
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
