"""Rust: rustc to assembly and MIR, the calls woven in, assembled, and linked with std as rustc itself would.

What rustc links besides the program (std's archives, a shim for the allocator) is learnt once, from an empty program.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..refused import Refused
from . import calls, flow, mir, toolbox
from .arguments import Misfit
from .assembly import instrument
from .layouts.library import Library
from .linked import LinkedProgram

_FLAGS = [
    "--edition", "2021", "-g", "-C", "opt-level=0", "-C", "codegen-units=1", "-C", "force-frame-pointers=yes",
    "-C", "no-redzone=yes", "-C", "debuginfo=2", "--cap-lints", "allow", "--color", "never",
]  # fmt: skip
# MIR as `mir` reads it needs flags that only a bootstrap may use; features of the nightly compiler stay forbidden.
_UNSTABLE = ["-Z", "mir-opt-level=0", "-Z", "mir-include-spans=on", "-Z", "allow-features="]


@dataclass(frozen=True)
class Linking:
    """What is linked beside the program's own object, in its order, and the shim's object."""

    arguments: tuple[str, ...]
    shim: bytes


def learn(rustc: str, folder: str) -> Linking:
    """How this rustc links: asked with an empty program, whose linking is only printed."""
    Path(folder, "empty.rs").write_text("fn main() {}\n")
    command = [
        rustc,
        *_FLAGS,
        "-C",
        "save-temps=yes",
        "-C",
        "linker=true",
        "--print",
        "link-args",
        "empty.rs",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL)
    words = shlex.split(done.stdout.decode(errors="replace"))
    if done.returncode or not words:
        raise toolbox.CompileError(done.stderr.decode(errors="replace") or "rustc does not say how it links")
    objects = [word for word in words if word.endswith(".rcgu.o")]
    shims = [word for word in objects if "-cgu." not in word]
    kept = [word for at, word in enumerate(words) if _is_library(word, words[at - 1])]
    return Linking(tuple(kept), Path(folder, shims[0]).read_bytes() if shims else b"")


def _is_library(word: str, before: str) -> bool:
    plain = word.startswith(("-l", "-Wl,-B", "-Wl,--as-needed", "-Wl,--eh-frame"))
    return plain or word.endswith((".rlib", ".a")) or word == "-nodefaultlibs"


def prepare(spec: dict[str, Any], folder: str, runtime: list[str], linking: Linking) -> dict[str, bytes]:
    """The parts of a Rust program of one file."""
    tools, name = spec["toolchain"]["executables"], spec["name"]
    machine = toolbox.machine()
    assembly, moves, woven, shim, program = (
        str(Path(folder, file)) for file in ("program.s", "program.mir", "woven.s", "shim.o", "program")
    )
    if spec["call"]:
        try:
            calls.append(name, calls.in_rust(spec["call"], spec["source"]))
        except Misfit as error:
            raise Refused("call", str(error)) from None
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    emit = f"--emit=asm={assembly},mir={moves}"
    given = toolbox.as_file(name)
    toolbox.run([tools["rustc"], *_FLAGS, *_UNSTABLE, "--crate-name", "program", emit, given], environment)
    sources = {path: text.split("\n") for path, text in [(name, spec["source"]), *spec["files"].items()]}
    made = instrument(Path(assembly).read_text(), machine, sources)
    Path(woven).write_text(made.text)
    Path(shim).write_bytes(linking.shim)
    objects = [woven, *([shim] if linking.shim else []), *runtime]
    wrapped = ["-no-pie", "-Wl,--wrap=main", "-Wa,--gdwarf-5"]
    toolbox.run([tools["gcc"], *wrapped, "-o", program, *objects, *linking.arguments])
    binary = Path(program).read_bytes()
    known_moves = mir.read(Path(moves).read_text(), given, spec["source"])
    described = LinkedProgram(binary, made, sources, machine.name, Library("rust"), known_moves)
    table = described.table("rustc", spec["toolchain"]["version"], b"" if spec["call"] else None)
    known = flow.flow_of(described, machine)
    return {"program": binary, "table": table, "flow": json.dumps(known).encode()}
