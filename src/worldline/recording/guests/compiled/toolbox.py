"""Run the compiler's commands, read their messages, and compile the runtime of the recorder."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

from .machine import MACHINES, Machine

RUNTIME = Path(__file__).with_name("runtime")
_ERROR = re.compile(r"^[^:\n]+:(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.M)
_RUST_ERROR = re.compile(r"^error(?:\[E\d+\])?: (.*)\n *--> [^:\n]+:(\d+):", re.M)
_UNDEFINED = re.compile(r"(undefined reference to .*|multiple definition of .*?);?$", re.M)


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


def first_error(message: str) -> str:
    """Return the first error of a compiler message, with its line."""
    match = _ERROR.search(message)
    if match:
        return f"line {match[1]}: {match[2]}"
    match = _RUST_ERROR.search(message)
    if match:
        return f"line {match[2]}: {match[1]}"
    match = _UNDEFINED.search(message)
    if match:
        return match[1]
    return next((line for line in message.splitlines() if line.strip()), "the compiler failed")[:500]


def _objects() -> dict[str, str]:
    return {unit: f"{unit}.o" for unit in ("runtime.c", f"hook_{machine().name}.S")}


def compile_runtime(compiler: str, folder: str) -> None:
    """Compile the runtime of the recorder with the compiler of the program."""
    for unit, object_file in _objects().items():
        flags = ["-O1", "-fno-strict-aliasing", "-fno-stack-protector", "-w"]
        run([compiler, *flags, "-c", str(RUNTIME / unit), "-o", os.path.join(folder, object_file)])


def runtime(tools: str) -> list[str]:
    """Return the object files of the recorder in the folder of the tools."""
    return [os.path.join(tools, object_file) for object_file in _objects().values()]
