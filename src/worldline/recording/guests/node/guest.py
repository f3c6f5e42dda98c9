"""JavaScript and TypeScript in the sandbox: Node.js executes the instrumented program and its recorder.

`run` executes Node.js with main.js; `prepare` uses prepare.js to instrument the program and to compute
its control flow. Runs in the Python of the sandbox and imports nothing of worldline.
"""

from __future__ import annotations

import glob
import json
import os
import secrets
import subprocess
from typing import Any, NoReturn

from ..hidden.nameless import nameless_file
from ..refused import Refused

_FOLDER = os.path.dirname(os.path.abspath(__file__))
# The recorder's frames need stack of their own; the sandbox gives 8 MiB. Modules of our own are linked by `vm`.
_FLAGS = ("--stack-size=3900", "--experimental-vm-modules", "--no-experimental-global-navigator")
_HOLDER = "$worldline000000"  # stands for the hook's name in what is cached; each run has one of its own


def _node(spec: dict[str, Any]) -> str:
    return str(spec["toolchain"]["executables"]["node"])


def _addon() -> str | None:
    """Return the addon that maps the wire; None if there was no compiler to build it."""
    return next(iter(glob.glob(os.path.join(_FOLDER, "node_wire*.so"))), None)


def _hook() -> str:
    return "$" + secrets.token_hex(8)[: len(_HOLDER) - 1]


def _flags(spec: dict[str, Any]) -> list[str]:
    major = int(str(spec["toolchain"].get("version", "20")).lstrip("v").split(".")[0])
    known = _FLAGS[:2] if major < 21 else _FLAGS
    return [*known, f"--max-old-space-size={max(64, int(spec['limits']['memory']) >> 20)}"]


_cache: list[bytes] = []  # what Node.js made of our own files, with the flags of this sandbox


def warm(config: dict[str, Any]) -> None:
    """Compile our own files once, before the first program."""
    if config.get("toolchain"):
        command = [_node(config), *_flags(config), os.path.join(_FOLDER, "cache.js")]
        done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        _cache[:] = [done.stdout] if done.returncode == 0 else []


def prepare(spec: dict[str, Any]) -> dict[str, bytes]:
    """Instrument the program and compute its control flow. Raise `Refused` for a syntax error."""
    request = json.dumps({**spec, "hook": _HOLDER}).encode()
    command = [_node(spec), os.path.join(_FOLDER, "prepare.js")]
    done = subprocess.run(command, input=request, capture_output=True, check=False)
    if done.returncode:
        raise Refused("source", f"Node.js could not read it: {done.stderr.decode(errors='replace')[-2000:]}")
    answer = json.loads(done.stdout)
    if "refused" in answer:
        raise Refused("source", answer["refused"])
    return {name: json.dumps(part).encode() for name, part in answer.items()}


def run(spec: dict[str, Any], parts: dict[str, str], wire_fd: int, report_fd: int) -> NoReturn:
    """Become Node.js, and record the program into the file `wire_fd`."""
    hook = _hook()
    request: dict[str, Any] = {**spec, "hook": hook, "wire": wire_fd, "report": report_fd}
    request["addon"] = _addon()
    if not request["addon"]:
        request["wire"] = os.dup2(wire_fd, 64 + secrets.randbelow(900), inheritable=True)
        os.close(wire_fd)
    text = json.dumps(request)
    if "program" in parts:
        with open(parts["program"]) as file:
            prepared = file.read().replace(_HOLDER, hook)
        text = f'{text[:-1]}, "made": {prepared}}}'
    reading = nameless_file(b"\0".join([text.encode(), *_cache]))
    for fd in (reading, request["wire"], report_fd):
        os.set_inheritable(fd, True)
    node = _node(spec)
    command = [node, *_flags(spec), *spec["vm_flags"], os.path.join(_FOLDER, "main.js"), str(reading)]
    packages = {"NODE_PATH": ":".join(spec["libraries"])} if spec["libraries"] else {}
    os.execve(node, command, {**os.environ, **packages})
