"""The guest of compiled languages: `prepare` compiles inside the sandbox, `run` executes the result.

Its `tools` are the runtime of the recorder and all else that depends only on the toolchain. They are
built once and cached by the host.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from ..hidden import nameless
from ..refused import Refused
from . import c, cpp, rust, toolbox


def warm(config: dict[str, Any]) -> None:
    """Do nothing: the tools are built for all sandboxes."""


def tools(spec: dict[str, Any]) -> dict[str, bytes]:
    """Build the tools of a toolchain: files by name."""
    toolchain = spec["toolchain"]
    executables = toolchain["executables"]
    with tempfile.TemporaryDirectory() as folder:
        try:
            toolbox.compile_runtime(executables["gcc"], folder)
            if "g++" in executables:
                cpp.precompile(toolchain, folder)
            if "rustc" in executables:
                rust.learn(executables["rustc"], folder)
                rust.strip_libraries(folder)
        except toolbox.CompileError as error:
            raise Refused("toolchain", toolbox.first_error(str(error), ""), str(error)) from None
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def prepare(spec: dict[str, Any]) -> dict[str, bytes]:
    """Return the program, its table and its control flow."""
    made_of = {"c": c.prepare, "cpp": cpp.prepare, "rust": rust.prepare}[spec["language"]]
    with tempfile.TemporaryDirectory() as folder:
        try:
            return made_of(spec, folder)
        except toolbox.CompileError as error:
            raise Refused("source", toolbox.first_error(str(error), spec["name"]), str(error)) from None


def run(spec: dict[str, Any], parts: dict[str, str], wire_fd: int, report_fd: int) -> NoReturn:
    """Execute the program. The runtime starts first."""
    table = os.open(parts["table"], os.O_RDONLY)
    os.unlink(parts["table"])
    control = [] if spec["control"] is None else [nameless.nameless_file(nameless.control_text(spec["control"]))]
    for fd in (table, wire_fd, report_fd, *control):
        os.set_inheritable(fd, True)
    limits = spec["limits"]
    settings = (wire_fd, table, report_fd, limits["steps"], limits["value_bytes"], limits["value_depth"], *control)
    environment = {**os.environ, "WORLDLINE_GUEST": ",".join(str(number) for number in settings)}
    name = "./" + os.path.splitext(spec["name"])[0]
    os.execve(parts["program"], [name, *spec["argv"]], environment)
