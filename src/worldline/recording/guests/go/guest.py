"""The guest of Go: a pass instruments and compiles a program, which then records itself.

Runs in the sandbox and imports nothing of worldline. Its Go code is compiled by the Go of the user:
`pass/` (the instrumentation; it executes no program) and `recorder/` (called by instrumented code).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from ..hidden import nameless
from ..refused import Refused
from . import build, runtime


def warm(config: dict[str, Any]) -> None:
    """Do nothing: the tools are built for all sandboxes."""


def tools(spec: dict[str, Any]) -> dict[str, bytes]:
    """Build the pass and the recorder, once per toolchain."""
    build.check_version(spec["toolchain"])
    return build.build(spec["toolchain"])


def prepare(spec: dict[str, Any]) -> dict[str, bytes]:
    """Return the instrumented program and its control flow."""
    if spec["controlled"] and not os.path.exists(os.path.join(spec["tools"], runtime.ARCHIVE)):
        raise Refused("control", "clocks follow an edited runtime, which only Go 1.19 has, with its source")
    with tempfile.TemporaryDirectory() as folder:
        request = {name: spec[name] for name in ("name", "source", "files", "call", "flags", "tools", "controlled")}
        toolchain = spec["toolchain"]
        request |= {"root": build.root(toolchain["executables"]["go"]), "folder": folder}
        request["link_flags"] = build.link_flags(toolchain)
        executable = os.path.join(folder, build.PASS)
        shutil.copyfile(os.path.join(spec["tools"], build.PASS), executable)  # no file of the tools is executable
        os.chmod(executable, 0o755)
        done = subprocess.run(
            [executable],
            input=json.dumps(request).encode("utf-8", "surrogatepass"),
            capture_output=True,
            env={**os.environ, "GOMAXPROCS": "2", "GOGC": "400"},
        )
        if done.returncode:
            raise RuntimeError(f"the pass ended with {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
        if done.stdout:
            refused = json.loads(done.stdout)
            raise Refused(refused["part"], refused["why"], refused["message"])
        return {name: Path(folder, name).read_bytes() for name in ("program", "flow")}


def run(spec: dict[str, Any], parts: dict[str, str], wire_fd: int, report_fd: int) -> NoReturn:
    """Replace this process by the program. The recorder in it starts first."""
    control = [] if spec["control"] is None else [nameless.nameless_file(nameless.control_text(spec["control"]))]
    for fd in (wire_fd, report_fd, *control):
        os.set_inheritable(fd, True)
    limits = spec["limits"]
    settings = (
        wire_fd,
        report_fd,
        limits["steps"],
        limits["value_bytes"],
        limits["value_depth"],
        int(spec["call"] is not None),
        int(limits["memory"]) // 16,
        *control,
    )
    environment = {**os.environ, "WORLDLINE_GUEST": ",".join(map(str, settings)), **_runtime(int(limits["memory"]))}
    name = "./" + os.path.splitext(os.path.basename(spec["name"]))[0]
    os.execve(parts["program"], [name, *spec["argv"]], environment)


def _runtime(memory: int) -> dict[str, str]:
    """Return the settings of Go's runtime: one thread at a time executes Go code, so that a step sees whole values.

    Memory is collected only where much of it is used: until then no address, by which objects are numbered, is
    used again.
    """
    return {"GOMAXPROCS": "1", "GOGC": "off", "GOMEMLIMIT": str(memory * 5 // 8)}
