"""Step through a Go program with Delve: where it stops, and the plain values of the variables there."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import go_runs

# The kinds of reflect that are shown as one word: bool, integers, floats, str.
_BOOL, _INTEGERS, _FLOATS, _STRING = 1, range(2, 13), (13, 14), 24
_CONFIG = {"FollowPointers": True, "MaxVariableRecurse": 1, "MaxStringLen": 200, "MaxArrayValues": 64,
           "MaxStructFields": -1}  # fmt: skip


@dataclass(frozen=True)
class Stop:
    """A line that is about to execute, in a frame so deep, with these plain values."""

    depth: int
    line: int
    values: dict[str, str]


class _Debugger:
    def __init__(self, sock: socket.socket) -> None:
        self._file = sock.makefile("rw")
        self._number = 0

    def ask(self, method: str, **argument: Any) -> dict[str, Any]:
        self._number += 1
        request = {"method": f"RPCServer.{method}", "params": [argument], "id": self._number}
        self._file.write(json.dumps(request))
        self._file.flush()
        answer = json.loads(self._file.readline())
        if answer["error"]:
            raise RuntimeError(answer["error"])
        result: dict[str, Any] = answer["result"]
        return result


@contextlib.contextmanager
def _debugged(source: str) -> Iterator[_Debugger]:
    with tempfile.TemporaryDirectory(prefix="delve-") as folder:
        Path(folder, "program.go").write_text(source)
        environment = {
            **os.environ,
            **go_runs.ENVIRONMENT,
            "HOME": folder,
            "GOCACHE": go_runs.cache(),
            "GOMAXPROCS": "1",
        }
        build = ["go", "build", "-gcflags=-N -l", "program.go"]
        subprocess.run(build, cwd=folder, env=environment, check=True)
        command = ["dlv", "exec", "./program", "--headless", "--api-version=2", "--listen=127.0.0.1:0"]
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().decode().rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port), timeout=60) as sock:
                yield _Debugger(sock)
        finally:
            server.kill()
            server.wait()


def stops(source: str) -> list[Stop]:
    """Return the stops of the program, by single steps from the beginning of its main.

    Left out: the line on which a function begins, its last brace, and lines that are only a label.
    """
    lines = source.split("\n")
    stops: list[Stop] = []
    with _debugged(source) as debugger:
        debugger.ask("CreateBreakpoint", Breakpoint={"functionName": "main.main"})
        state = debugger.ask("Command", name="continue")["State"]
        before = 0
        while not state["exited"]:
            frames = debugger.ask("Stacktrace", Id=-1, Depth=80, Full=False)["Locations"]
            depth = sum(frame["file"].endswith("program.go") for frame in frames)
            line = frames[0]["line"]
            is_own = frames[0]["file"].endswith("program.go")
            text = lines[line - 1].strip() if is_own else ""
            begins = depth > before and "func" in text
            if is_own and not begins and text not in ("}", "})") and not re.fullmatch(r"\w+:", text):
                stops.append(Stop(depth, line, _values(debugger)))
            before = depth
            state = debugger.ask("Command", name="step")["State"]
    return stops


def _values(debugger: _Debugger) -> dict[str, str]:
    scope = {"GoroutineID": -1, "Frame": 0}
    shown = debugger.ask("ListFunctionArgs", Scope=scope, Cfg=_CONFIG)["Args"]
    shown += debugger.ask("ListLocalVars", Scope=scope, Cfg=_CONFIG)["Variables"]
    known = {variable["name"]: _text(variable) for variable in shown if not variable["name"].startswith(("~", "("))}
    return {name: text for name, text in known.items() if text is not None}


def _text(variable: dict[str, Any]) -> str | None:
    kind, value = variable["kind"], variable["value"]
    if kind == _BOOL:
        return str(value).capitalize()
    if kind in _INTEGERS:
        return str(value).split(" ")[0]
    if kind in _FLOATS:
        return repr(float(value))
    if kind == _STRING:
        return repr(value)
    if kind in (17, 23) and variable["len"] and all(item["kind"] in _INTEGERS for item in variable["children"]):
        return f"[{', '.join(item['value'].split(' ')[0] for item in variable['children'])}]"
    return None
