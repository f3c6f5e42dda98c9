"""Prepare a Rust program: compile to assembly, MIR and IR, insert the hooks, assemble and link as rustc does.

What rustc links besides the program (the archives of std, a shim for the allocator) is learnt once
from an empty program.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from ..refused import Refused
from . import calls, flow, mir, rust_marks, toolbox
from .arguments import Misfit
from .assembly.instrument import instrument
from .layouts.library import Library
from .linked import LinkedProgram
from .rust_result import writing_results

_FLAGS = [
    "-g",
    "-C",
    "opt-level=0",
    "-C",
    "codegen-units=1",
    "-C",
    "force-frame-pointers=yes",
    "-C",
    "no-redzone=yes",
    "-C",
    "debuginfo=2",
    "--cap-lints",
    "allow",
    "--color",
    "never",
]
_EDITION = "--edition=2021"
# MIR as `mir` reads it needs flags that only a bootstrap may use; features of the nightly compiler stay forbidden.
_UNSTABLE = ["-Z", "mir-opt-level=0", "-Z", "mir-include-spans=on", "-Z", "allow-features="]


_CRATE = re.compile(r"lib(\w+?)(?:-[0-9a-f]+)?\.(?:rlib|so)$")
_LINKING, _SHIM = "linking.json", "shim.o"  # what is linked beside the program's own object, in its order


def learn(rustc: str, folder: str) -> None:
    """Store how this rustc links, from an empty program whose link command is only printed."""
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "empty.rs").write_text("fn main() {}\n")
        asking = ["-C", "save-temps=yes", "-C", "linker=true", "--print", "link-args"]
        done = subprocess.run(
            [rustc, _EDITION, *_FLAGS, *asking, "empty.rs"], cwd=scratch, capture_output=True, stdin=subprocess.DEVNULL
        )
        words = shlex.split(done.stdout.decode(errors="replace"))
        if done.returncode or not words:
            message = done.stderr.decode(errors="replace")
            raise toolbox.CompileError(message or "rustc does not say how it links")
        objects = [word for word in words if word.endswith(".rcgu.o")]
        shims = [word for word in objects if "-cgu." not in word]
        if shims:
            shutil.copy(Path(scratch, shims[0]), Path(folder, _SHIM))
    libraries = [word for at, word in enumerate(words) if _is_library(word, words[at - 1])]
    Path(folder, _LINKING).write_text(json.dumps([_SHIM, *libraries] if shims else libraries))


def strip_libraries(folder: str) -> None:
    """Copy std without debug information, which nobody reads and which doubles the time of linking."""
    words = json.loads(Path(folder, _LINKING).read_text())
    strip = shutil.which("strip")
    for at, word in enumerate(words):
        if strip and word.endswith(".rlib"):
            words[at] = os.path.basename(word)
            toolbox.run([strip, "--strip-debug", "-o", os.path.join(folder, words[at]), word])
    Path(folder, _LINKING).write_text(json.dumps(words))


def _libraries(tools: str) -> list[str]:
    words = json.loads(Path(tools, _LINKING).read_text())
    return [word if word.startswith(("-", "/")) else os.path.join(tools, word) for word in words]


def _crate_files(libraries: list[str]) -> list[str]:
    """Return the compiled crates among the libraries and in their folders, the newest last."""
    folders = toolbox.library_folders(libraries, "debug", "debug/deps", "deps")
    inside = [str(path) for folder in folders for path in Path(folder).glob("lib*.*")]
    files = [path for path in (*libraries, *inside) if path.endswith((".rlib", ".so"))]
    return sorted(files, key=os.path.getmtime)


def _crates(libraries: list[str]) -> dict[str, str]:
    """Return the file of each crate by its name; of two versions the newer."""
    named = [(_CRATE.match(os.path.basename(path)), path) for path in _crate_files(libraries)]
    return {match[1]: path for match, path in named if match}


def _archives(libraries: list[str]) -> list[str]:
    """Return what the linker needs of the libraries: their crates, in any order."""
    archives = [path for path in _crate_files(libraries) if path.endswith(".rlib")]
    return ["-Wl,--start-group", *archives, "-Wl,--end-group"] if archives else []


def _is_library(word: str, before: str) -> bool:
    plain = word.startswith(("-l", "-Wl,-B", "-Wl,--as-needed", "-Wl,--eh-frame"))
    return plain or word.endswith((".rlib", ".a")) or word == "-nodefaultlibs"


def _compile(command: list[str], source_file: str, source: str, call: str) -> str:
    """Compile a program and its call to assembly and MIR; return the source as it was compiled, with marks."""
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    marked = rust_marks.marked(source)
    if marked != source:
        _write(source_file, marked + call)
        try:
            toolbox.run([*command, source_file], environment)
        # Without marks, so that messages quote the program as it was written.
        except toolbox.CompileError:
            _write(source_file, source)
        else:
            return marked
    if call:
        calls.append(source_file, call)
    toolbox.run([*command, source_file], environment)
    return source


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def prepare(spec: dict[str, Any], folder: str) -> dict[str, bytes]:
    """Return the parts of a Rust program, whose files are in the current directory."""
    tools, name = spec["toolchain"]["executables"], spec["name"]
    machine = toolbox.machine()
    names = ("program.s", "program.mir", "program.ll", "woven.s", "program")
    assembly, moves, ir, woven, program = (str(Path(folder, file)) for file in names)
    try:
        call = calls.in_rust(spec["call"], spec["source"]) if spec["call"] else ""
    except Misfit as error:
        raise Refused("call", str(error)) from None
    source_file = toolbox.as_file(name)
    own = spec["flags"] if any(flag.startswith("--edition") for flag in spec["flags"]) else [_EDITION, *spec["flags"]]
    crates = _crates(spec["libraries"])
    folders = toolbox.library_folders(spec["libraries"], "debug", "debug/deps", "deps")
    crate_flags = [f"-Ldependency={folder}" for folder in folders]
    crate_flags += [f"--extern={crate}={path}" for crate, path in crates.items()]
    flags = [*own, *crate_flags, *_FLAGS, *_UNSTABLE, "--crate-name", "program"]
    command = [tools["rustc"], *flags, f"--emit=asm={assembly},mir={moves},llvm-ir={ir}"]
    source = _compile(command, source_file, spec["source"], call)
    lines = source.split("\n")[: spec["source"].count("\n") + 1]
    sources = {name: lines, **{path: text.split("\n") for path, text in spec["files"].items()}}
    mir_text = Path(moves).read_text()
    modules = {name: source, **{path: text for path, text in spec["files"].items() if path.endswith(".rs")}}
    loops = {path: mir.loops_of(mir_text, path, text) for path, text in modules.items()}
    instrumented = instrument(Path(assembly).read_text(), machine, sources, loops)
    Path(woven).write_text(instrumented.text)
    wrapped = ["-no-pie", "-Wl,--wrap=main", "-Wl,--gc-sections,-u,__wl_places", "-Wa,--gdwarf-5"]
    objects = [woven, *toolbox.runtime(spec), *_archives(spec["libraries"]), *_libraries(spec["tools"])]
    toolbox.run([tools["gcc"], *wrapped, "-o", program, *objects])
    binary = Path(program).read_bytes()
    known_moves = [moves for path, text in modules.items() for moves in mir.read(mir_text, path, text)]
    writing = writing_results(Path(ir).read_text(errors="replace"))
    described = LinkedProgram(binary, instrumented, sources, machine.name, Library("rust"), known_moves, writing)
    table = described.table("rustc", spec["toolchain"]["version"], b"" if spec["call"] else None)
    known = flow.flow_of(described, machine)
    return {"program": binary, "table": table, "flow": json.dumps(known).encode()}
