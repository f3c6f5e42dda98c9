"""A client of the debug adapter for tests: it checks every message, both ways, against the protocol's own schema."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pytest
from jsonschema import Draft4Validator  # type: ignore[import-untyped]

from worldline.ui.dap.adapter import SharedResources
from worldline.ui.dap.launching import ModelCache
from worldline.ui.dap.server import serve
from worldline.ui.dap.wire import MessageDecoder
from worldline.ui.session.rollout_worker import RolloutWorker

PLACE = "_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json"
SECONDS = 120.0  # to wait for a message that must come


def schema_path() -> Path | None:
    """The protocol's schema: debugpy ships it; WORLDLINE_DAP_SCHEMA may name another copy."""
    named = os.environ.get("WORLDLINE_DAP_SCHEMA")
    if named:
        return Path(named)
    found = importlib.util.find_spec("debugpy")
    for folder in (found.submodule_search_locations or []) if found else []:
        if (Path(folder) / PLACE).is_file():
            return Path(folder) / PLACE
    return None


@cache
def definitions() -> dict[str, Any]:
    """What the schema defines; without one there is nothing to check against."""
    path = schema_path()
    if path is None:
        pytest.fail("no debugProtocol.json: install debugpy, or say WORLDLINE_DAP_SCHEMA=PATH")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))["definitions"]
    # Whatever fits a launch fits an attach as well, so the schema's `oneOf` refuses both.
    again = found["RestartArguments"]["properties"]["arguments"]
    again["anyOf"] = again.pop("oneOf")
    return found


@cache
def validator(name: str) -> Draft4Validator:
    """The check for one definition."""
    return Draft4Validator({"$ref": f"#/definitions/{name}", "definitions": definitions()})


def kind(message: dict[str, Any]) -> str:
    """The definition that a message must fit."""
    if message["type"] == "event":
        return f"{message['event'][:1].upper()}{message['event'][1:]}Event"
    if message["type"] == "response" and not message["success"]:
        return "ErrorResponse"
    command = message["command"]
    return f"{command[:1].upper()}{command[1:]}{message['type'].capitalize()}"


_CHECKED: set[str] = set()  # what was found to fit, but for its numbers: much is said again and again


def check(message: dict[str, Any]) -> None:
    """Fails where a message is not what the schema wants; every body's keys must be known to it."""
    said = json.dumps({**message, "seq": 0, "request_seq": 0})
    if said in _CHECKED:
        return
    name = kind(message)
    assert name in definitions(), f"the protocol has no {name}"
    errors = [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(message)]
    assert errors == [], (name, message, errors)
    unknown = list(strangers(message.get("body"), body_of(name), name))
    assert unknown == [], unknown
    _CHECKED.add(said)


def body_of(name: str) -> dict[str, Any]:
    """The schema of a definition's body, without `$ref` and `allOf` at its top."""
    for part in definitions()[name].get("allOf", []):
        body = part.get("properties", {}).get("body")
        if body is not None:
            return body  # type: ignore[no-any-return]
    return {}


def strangers(value: Any, schema: dict[str, Any], path: str) -> Any:
    """Keys that a schema does not know: the schema itself lets any key pass."""
    properties: dict[str, Any] = {}
    todo = [schema]
    while todo:
        one = todo.pop()
        if "$ref" in one:
            todo.append(definitions()[one["$ref"].rpartition("/")[2]])
        todo += one.get("allOf", [])
        properties |= one.get("properties", {})
        if "additionalProperties" in one:
            return
        if isinstance(value, list) and isinstance(one.get("items"), dict):
            for each in value:
                yield from strangers(each, one["items"], path + "[]")
    if isinstance(value, dict) and properties:
        for key, inner in value.items():
            if key not in properties:
                yield f"{path}.{key}"
            else:
                yield from strangers(inner, properties[key], f"{path}.{key}")


class Wire(Protocol):
    """How bytes come and go."""

    def write(self, data: bytes) -> None: ...

    def read(self, size: int) -> bytes: ...

    def end(self) -> str: ...


class Process:
    """The adapter as editors start it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "worldline", "dap"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._words: list[bytes] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self._words += iter(lambda: self.process.stderr.read(4096), b"")  # type: ignore[union-attr]

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, size: int) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.read1(size)  # type: ignore[attr-defined,no-any-return]

    def end(self) -> str:
        """Waits for its end, which must be a good one; what it wrote to standard error."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        assert self.process.wait(SECONDS) == 0
        return b"".join(self._words).decode("utf-8", "replace")


class Thread:
    """The adapter in a thread of this process: the same bytes, without the start."""

    shared: SharedResources | None = None

    def __init__(self) -> None:
        Thread.shared = Thread.shared or SharedResources(RolloutWorker(), ModelCache())
        self._ours, theirs = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, args=(theirs, Thread.shared), daemon=True)
        self._thread.start()

    def _serve(self, end: socket.socket, shared: SharedResources) -> None:
        with end:
            serve(lambda: end.recv(1 << 16), end.sendall, shared, is_strict=False)
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def write(self, data: bytes) -> None:
        self._ours.sendall(data)

    def read(self, size: int) -> bytes:
        return self._ours.recv(size)

    def end(self) -> str:
        """Waits for its end."""
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()
        self._ours.close()
        return ""


class Adapter:
    """An adapter, and the messages that have come from it."""

    def __init__(self, wire: Wire | None = None, *, checked: bool = True) -> None:
        self.wire: Wire = wire or Thread()
        self.seq, self.checked = 0, checked
        self.seen: list[dict[str, Any]] = []
        self.wanted: set[int] = set()  # requests that somebody waits for
        self._next = 0
        self._came: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        frames = MessageDecoder()
        with contextlib.suppress(OSError):
            while data := self.wire.read(1 << 16):
                for message in frames.feed(data):
                    assert isinstance(message, dict), message
                    self._came.put(message)
        self._came.put(None)

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.wire.write(data)

    def send(self, command: str, **arguments: Any) -> int:
        """Send a request; its number."""
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command, "arguments": arguments}
        if self.checked:
            check(message)
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return self.seq

    def take(self) -> dict[str, Any]:
        """The next message."""
        if self._next == len(self.seen):
            message = self._came.get(timeout=SECONDS)
            assert message is not None, "the adapter has ended"
            if self.checked:
                check(message)
            assert message["seq"] == len(self.seen) + 1
            self.seen.append(message)
        self._next += 1
        return self.seen[self._next - 1]

    def answer(self, number: int) -> dict[str, Any]:
        """The answer to a request; what comes before it is kept for `event`."""
        for message in self.seen:
            if message["type"] == "response" and message["request_seq"] == number:
                return message
        mark = self._next
        self._next = len(self.seen)
        while True:
            message = self.take()
            if message["type"] == "response" and message["request_seq"] == number:
                self._next = mark
                return message

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """The body of the answer to a request that must be done."""
        found = self.answer(self.send(command, **arguments))
        assert found["success"], found
        return found.get("body", {})  # type: ignore[no-any-return]

    def refused(self, command: str, **arguments: Any) -> str:
        """Why a request is not done."""
        found = self.answer(self.send(command, **arguments))
        assert not found["success"], found
        assert found["body"]["error"]["variables"]["why"] == found["message"]
        return str(found["message"])

    def event(self, name: str) -> dict[str, Any]:
        """The body of the next event of a name; others are passed over."""
        while True:
            message = self.take()
            if message["type"] == "event" and message["event"] == name:
                return message.get("body", {})  # type: ignore[no-any-return]

    def output(self, category: str = "stdout") -> str:
        """All that was sent to the console so far, in one category."""
        bodies = [message["body"] for message in self.seen if message.get("event") == "output"]
        return "".join(body["output"] for body in bodies if body.get("category") == category)

    def launch(
        self,
        *,
        lines: Sequence[int | dict[str, Any]] = (),
        filters: Sequence[str] = (),
        path: str | None = None,
        **launch: Any,
    ) -> list[dict[str, Any]]:
        """Initialize, launch, configure; the breakpoints as they were set."""
        self.ask("initialize", adapterID="worldline", supportsProgressReporting=True, supportsInvalidatedEvent=True)
        number = self.send("launch", **launch)
        assert self.answer(number)["success"], self.answer(number)
        self.event("initialized")
        wanted = [{"line": one} if isinstance(one, int) else one for one in lines]
        source = {"path": path or launch.get("program", "")}
        made = self.ask("setBreakpoints", source=source, breakpoints=wanted)["breakpoints"] if wanted else []
        self.ask("setExceptionBreakpoints", filters=list(filters))
        self.ask("configurationDone")
        return list(made)

    def stopped(self) -> tuple[str, str, int]:
        """The next stop: its reason, the function and the line."""
        reason = self.event("stopped")["reason"]
        top = self.ask("stackTrace", threadId=1)["stackFrames"]
        return (reason, top[0]["name"], top[0]["line"]) if top else (reason, "", 0)

    def step(self, command: str, **arguments: Any) -> tuple[str, str, int]:
        """A move, and where it leads."""
        self.ask(command, threadId=1, **arguments)
        return self.stopped()

    def scope(self, name: str, depth: int = 0) -> dict[str, str]:
        """The names and values of a scope of the stopped program."""
        frames = self.ask("stackTrace", threadId=1)["stackFrames"]
        scopes = self.ask("scopes", frameId=frames[depth]["id"])["scopes"]
        reference = next(one["variablesReference"] for one in scopes if one["name"] == name)
        found = self.ask("variables", variablesReference=reference)["variables"]
        return {one["name"]: one["value"] for one in found}

    def gone(self) -> bool:
        """Whether nothing more comes: what still came is seen."""
        while (message := self._came.get(timeout=SECONDS)) is not None:
            self.seen.append(message)
        return True

    def close(self) -> None:
        """Ends it by the protocol, if that was not done; it must have nothing to complain about."""
        with contextlib.suppress(OSError):
            self.send("disconnect")
        assert self.wire.end() == ""

    def __enter__(self) -> Adapter:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is None:
            self.close()
        elif isinstance(self.wire, Process) and self.wire.process.poll() is None:
            self.wire.process.kill()
            self.wire.process.wait()
