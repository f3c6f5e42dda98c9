"""The guest of Java: javac and a bytecode pass make the parts of a program; a fresh JVM runs them, and records itself.

Runs in the box and imports nothing of worldline. What is written in Java is compiled here, by the user's own JDK:
`compiler/` (javac in memory, the pass; it runs no program) and `recorder/` (what instrumented code calls).
"""

from __future__ import annotations

import os
from typing import Any, NoReturn

from . import build, launch, service

#: Open files that those who prepare a program keep; `warm` fills it.
FILES = service.FILES


def warm(config: dict[str, Any]) -> None:
    """A compiler that waits for programs, where programs are prepared."""
    service.start(config)


def tools(spec: dict[str, Any]) -> dict[str, bytes]:
    """The compiler's classes and the recorder's, once for a JDK."""
    launch.check_version(spec["toolchain"])
    return build.build(spec["toolchain"]["executables"])


def prepare(spec: dict[str, Any]) -> dict[str, bytes]:
    """The program's classes with hooks in them, what is known of its methods, its flow."""
    return service.compile_program(spec)


def run(spec: dict[str, Any], parts: dict[str, str], wire_fd: int, report_fd: int) -> NoReturn:
    """A JVM in the place of this process."""
    for fd in (wire_fd, report_fd):
        os.set_inheritable(fd, True)
    command, environment = launch.command(spec, parts, wire_fd, report_fd)
    os.execve(command[0], command, environment)
