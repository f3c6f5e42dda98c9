"""Run the compiler's commands, read their messages, and compile the runtime of the recorder."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

from .machine import MACHINES, Machine

RUNTIME = Path(__file__).with_name("runtime")
_ERROR = re.compile(r"^([^:\n]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.M)
_RUST_ERROR = re.compile(r"^error(?:\[E\d+\])?: (.*)\n *--> ([^:\n]+):(\d+):", re.M)
_UNDEFINED = re.compile(r"(?:([^\s:]+):(\d+): )?((?:undefined reference to|multiple definition of) [^;\n]*)", re.M)


class CompileError(Exception):
    """The compiler refused; the argument is its message."""


def machine() -> Machine:
    """Return the architecture that programs are compiled for: the one of this machine."""
    return MACHINES[platform.machine()]


def run(command: list[str], environment: dict[str, str] | None = None) -> str:
    """Run a tool. Return its stderr; raise CompileError if it fails."""
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, env=environment)
    message = done.stderr.decode(errors="replace")
    if done.returncode:
        raise CompileError(message or f"{command[0]} ended with {done.returncode}")
    return message


def as_file(name: str) -> str:
    """Return a file name that a compiler does not mistake for an option."""
    return f"./{name}" if name.startswith("-") else name


def first_error(message: str, program: str) -> str:
    """Return the first error of a compiler message, with its line, and its file if that is not the program's own."""
    match = _ERROR.search(message)
    if match:
        return f"{_place(match[1], match[2], program)}: {match[3]}"
    match = _RUST_ERROR.search(message)
    if match:
        return f"{_place(match[2], match[3], program)}: {match[1]}"
    match = _UNDEFINED.search(message)
    if match:
        return f"{_place(match[1], match[2], program)}: {match[3]}" if match[1] else match[3]
    return next((line for line in message.splitlines() if line.strip()), "the compiler failed")[:500]


def _place(file: str, line: str, program: str) -> str:
    name = os.path.relpath(file) if os.path.isabs(file) else os.path.normpath(file)
    return f"line {line}" if name == program else f"{name}, line {line}"


def library_folders(libraries: list[str], *below: str) -> list[str]:
    """Return the folders among the libraries, and those of the given names in them."""
    folders = [path for path in libraries if os.path.isdir(path)]
    inside = [os.path.join(folder, name) for folder in folders for name in below]
    return [*folders, *(path for path in inside if os.path.isdir(path))]


def _objects(*, controlled: bool) -> dict[str, str]:
    """Return the object file of each unit; the runtime of controlled programs has the functions of hidden.h."""
    return {
        "runtime.c": "controlled.o" if controlled else "runtime.c.o",
        (hook := f"hook_{machine().name}.S"): f"{hook}.o",
    }


def compile_runtime(compiler: str, folder: str) -> None:
    """Compile the runtime of the recorder with the compiler of the program."""
    flags = ["-O1", "-fno-strict-aliasing", "-fno-stack-protector", "-w"]
    for controlled, own in ((False, []), (True, ["-DCONTROLLED"])):
        for unit, object_file in _objects(controlled=controlled).items():
            run([compiler, *flags, *own, "-c", str(RUNTIME / unit), "-o", os.path.join(folder, object_file)])


def runtime(spec: dict[str, Any]) -> list[str]:
    """Return the object files of the recorder for a program, in the folder of the tools."""
    return [os.path.join(spec["tools"], name) for name in _objects(controlled=spec["controlled"]).values()]
