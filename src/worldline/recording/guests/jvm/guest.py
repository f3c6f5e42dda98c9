"""The guest of Java: javac and a bytecode pass prepare a program; a fresh JVM executes and records it.

Runs in the sandbox and imports nothing of worldline. Its Java code is compiled by the JDK of the user:
`compiler/` (javac in memory and the pass; it executes no program) and `recorder/` (called by
instrumented code).
"""

from __future__ import annotations

import os
from typing import Any, NoReturn

from ..hidden import nameless
from . import build, launch, service

#: Open files that those who prepare a program keep; `warm` fills it.
FILES = service.FILES


def warm(config: dict[str, Any]) -> None:
    """Start a compiler that waits for programs, in sandboxes that prepare."""
    service.start(config)


def tools(spec: dict[str, Any]) -> dict[str, bytes]:
    """Build the classes of the compiler and the recorder, once per JDK."""
    launch.check_version(spec["toolchain"])
    return build.build(spec["toolchain"]["executables"])


def prepare(spec: dict[str, Any]) -> dict[str, bytes]:
    """Return the instrumented classes of the program, the facts about its methods, and its control flow."""
    return service.compile_program(spec)


def run(spec: dict[str, Any], parts: dict[str, str], wire_fd: int, report_fd: int) -> NoReturn:
    """Replace this process by a JVM."""
    control = [] if spec["control"] is None else [nameless.nameless_file(nameless.control_text(spec["control"]))]
    for fd in (wire_fd, report_fd, *control):
        os.set_inheritable(fd, True)
    command, environment = launch.command(spec, parts, wire_fd, report_fd, *control)
    os.execve(command[0], command, environment)
