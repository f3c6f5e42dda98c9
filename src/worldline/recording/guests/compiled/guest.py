"""The guest of compiled languages: `prepare` compiles inside the box, `run` executes what was prepared.

The recorder's own runtime, and what else only depends on the toolchain, is `groundwork`: made once, kept by the host.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from ..refused import Refused
from . import c, cpp, rust, toolbox

_laid: list[str] = []  # the folder of the groundwork, where the host has one


def warm(config: dict[str, Any]) -> None:
    """Where programs are prepared: what was made for all of them."""
    if config.get("groundwork"):
        _laid.append(config["groundwork"])


def groundwork(spec: dict[str, Any]) -> dict[str, bytes]:
    """What is made once for a toolchain: files by name."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            _lay(spec["toolchain"], folder)
            if "g++" in spec["toolchain"]["executables"]:
                cpp.precompile(spec["toolchain"], folder)
            if "rustc" in spec["toolchain"]["executables"]:
                rust.strip_libraries(folder)
        except toolbox.CompileError as error:
            raise Refused("toolchain", toolbox.first_error(str(error)), str(error)) from None
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def _lay(toolchain: dict[str, Any], folder: str) -> None:
    """As much of it as there must be."""
    tools = toolchain["executables"]
    toolbox.compile_runtime(tools["gcc"], folder)
    if "rustc" in tools:
        rust.learn(tools["rustc"], folder)


def prepare(spec: dict[str, Any]) -> dict[str, bytes]:
    """The program, its table and its control flow."""
    made_of = {"c": c.prepare, "cpp": cpp.prepare, "rust": rust.prepare}[spec["language"]]
    with tempfile.TemporaryDirectory() as folder:
        try:
            ground = _laid[0] if _laid else os.path.join(folder, "groundwork")
            if not _laid:
                os.mkdir(ground)
                _lay(spec["toolchain"], ground)
            return made_of(spec, folder, ground)
        except toolbox.CompileError as error:
            raise Refused("source", toolbox.first_error(str(error)), str(error)) from None


def run(spec: dict[str, Any], parts: dict[str, str], wire_fd: int, report_fd: int) -> NoReturn:
    """Execute the program; its first words are the runtime's."""
    table = os.open(parts["table"], os.O_RDONLY)
    os.unlink(parts["table"])
    for fd in (table, wire_fd, report_fd):
        os.set_inheritable(fd, True)
    limits = spec["limits"]
    given = (wire_fd, table, report_fd, limits["steps"], limits["value_bytes"], limits["value_depth"])
    environment = {**os.environ, "WORLDLINE_GUEST": ",".join(str(one) for one in given)}
    name = "./" + os.path.splitext(spec["name"])[0]
    os.execve(parts["program"], [name, *spec["argv"]], environment)
