"""Prepare a Rust program: compile to assembly and MIR, insert the hooks, assemble and link as rustc does.

What rustc links besides the program (the archives of std, a shim for the allocator) is learnt once
from an empty program.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from ..refused import Refused
from . import calls, flow, mir, toolbox
from .arguments import Misfit
from .assembly import instrument
from .layouts.library import Library
from .linked import LinkedProgram

_FLAGS = [
    "--edition",
    "2021",
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
# MIR as `mir` reads it needs flags that only a bootstrap may use; features of the nightly compiler stay forbidden.
_UNSTABLE = ["-Z", "mir-opt-level=0", "-Z", "mir-include-spans=on", "-Z", "allow-features="]


_LINKING, _SHIM = "linking.json", "shim.o"  # what is linked beside the program's own object, in its order


def learn(rustc: str, folder: str) -> None:
    """Store how this rustc links, from an empty program whose link command is only printed."""
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "empty.rs").write_text("fn main() {}\n")
        asking = ["-C", "save-temps=yes", "-C", "linker=true", "--print", "link-args"]
        done = subprocess.run(
            [rustc, *_FLAGS, *asking, "empty.rs"], cwd=scratch, capture_output=True, stdin=subprocess.DEVNULL
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


def _is_library(word: str, before: str) -> bool:
    plain = word.startswith(("-l", "-Wl,-B", "-Wl,--as-needed", "-Wl,--eh-frame"))
    return plain or word.endswith((".rlib", ".a")) or word == "-nodefaultlibs"


def prepare(spec: dict[str, Any], folder: str) -> dict[str, bytes]:
    """Return the parts of a Rust program of one file."""
    tools, name = spec["toolchain"]["executables"], spec["name"]
    machine = toolbox.machine()
    names = ("program.s", "program.mir", "woven.s", "program")
    assembly, moves, woven, program = (str(Path(folder, file)) for file in names)
    if spec["call"]:
        try:
            calls.append(name, calls.in_rust(spec["call"], spec["source"]))
        except Misfit as error:
            raise Refused("call", str(error)) from None
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    emit = f"--emit=asm={assembly},mir={moves}"
    source_file = toolbox.as_file(name)
    toolbox.run([tools["rustc"], *_FLAGS, *_UNSTABLE, "--crate-name", "program", emit, source_file], environment)
    sources = {path: text.split("\n") for path, text in [(name, spec["source"]), *spec["files"].items()]}
    mir_text = Path(moves).read_text()
    loops = mir.loops_of(mir_text, source_file, spec["source"])
    instrumented = instrument(Path(assembly).read_text(), machine, sources, loops)
    Path(woven).write_text(instrumented.text)
    wrapped = ["-no-pie", "-Wl,--wrap=main", "-Wl,--gc-sections,-u,__wl_places", "-Wa,--gdwarf-5"]
    objects = [woven, *toolbox.runtime(spec["tools"]), *_libraries(spec["tools"])]
    toolbox.run([tools["gcc"], *wrapped, "-o", program, *objects])
    binary = Path(program).read_bytes()
    known_moves = mir.read(mir_text, source_file, spec["source"])
    described = LinkedProgram(binary, instrumented, sources, machine.name, Library("rust"), known_moves)
    table = described.table("rustc", spec["toolchain"]["version"], b"" if spec["call"] else None)
    known = flow.flow_of(described, machine)
    return {"program": binary, "table": table, "flow": json.dumps(known).encode()}
