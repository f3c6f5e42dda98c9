"""The guest of compiled languages: `prepare` compiles inside the box, `run` executes what was prepared.

The recorder's own runtime is compiled once, where programs are prepared, by the compiler that is there.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from ..refused import Refused
from . import c, cpp, rust, toolbox

_runtime: dict[str, bytes] = {}  # the recorder's objects, by name
_linking: dict[str, rust.Linking] = {}  # how rustc links, by its path


def warm(config: dict[str, Any]) -> None:
    """Where programs are prepared: the recorder's runtime is compiled before the first of them is there."""
    if not config.get("preparing") or not config.get("toolchain"):
        return
    try:
        with tempfile.TemporaryDirectory(dir=_writable()) as folder:
            tools = config["toolchain"]["executables"]
            _runtime.update(toolbox.compile_runtime(tools["gcc"], folder))
            if "rustc" in tools:
                _linking[tools["rustc"]] = rust.learn(tools["rustc"], folder)
    except (OSError, toolbox.CompileError):
        _runtime.clear()  # each program's own preparation says why


def _writable() -> str | None:
    return next((path for path in ("/box", "/tmp") if os.access(path, os.W_OK)), None)


def prepare(spec: dict[str, Any]) -> dict[str, bytes]:
    """The program, its table and its control flow."""
    with tempfile.TemporaryDirectory() as folder:
        objects = _runtime or toolbox.compile_runtime(spec["toolchain"]["executables"]["gcc"], folder)
        for name, data in objects.items():
            Path(folder, name).write_bytes(data)
        paths = [os.path.join(folder, name) for name in objects]
        try:
            return _prepare(spec, folder, paths)
        except toolbox.CompileError as error:
            raise Refused("source", toolbox.first_error(str(error)), str(error)) from None


def _prepare(spec: dict[str, Any], folder: str, runtime: list[str]) -> dict[str, bytes]:
    if spec["language"] == "rust":
        rustc = spec["toolchain"]["executables"]["rustc"]
        linking = _linking.get(rustc) or rust.learn(rustc, folder)
        return rust.prepare(spec, folder, runtime, linking)
    if spec["language"] == "cpp":
        return cpp.prepare(spec, folder, runtime)
    return c.prepare(spec, folder, runtime)


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
