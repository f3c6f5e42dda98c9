"""Messages of the protocol: checked arguments, responses, events and errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import UsageError

MAX_ARGUMENT_CHARS = 1 << 20
REFUSED, FAULT = 1, 2  # numbers of error messages


@dataclass(frozen=True)
class Arguments:
    """The arguments of a request. Each method returns one value, or raises a UsageError if it has the wrong type."""

    values: Mapping[str, Any]
    of: str = "the request"

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string, or the default."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise UsageError(f"{self.of} needs a string `{name}`")
        if len(value) > MAX_ARGUMENT_CHARS:
            raise UsageError(f"`{name}` has more than {MAX_ARGUMENT_CHARS:,} characters")
        return value

    def maybe(self, name: str) -> str | None:
        """Return an optional string."""
        return self.text(name, "") if self.values.get(name) is not None else None

    def number(self, name: str, default: int | None = None) -> int:
        """Return an integer, or the default."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not -(1 << 53) < value < 1 << 53:
            raise UsageError(f"{self.of} needs an integer `{name}`")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a boolean, or the default."""
        value = self.values.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise UsageError(f"`{name}` must be true or false")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings; empty by default."""
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise UsageError(f"`{name}` must be a list of strings")
        return tuple(value)

    def many(self, name: str) -> tuple[Arguments, ...]:
        """Return a list of objects; empty by default."""
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise UsageError(f"`{name}` must be a list of objects")
        return tuple(Arguments(item, f"each of `{name}`") for item in value)

    def inner(self, name: str) -> Arguments:
        """Return an object; empty by default."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, dict):
            raise UsageError(f"`{name}` must be an object")
        return Arguments(value or {}, f"`{name}`")


@dataclass(frozen=True)
class ClientCapabilities:
    """What a client supports, and where its line and column numbers start."""

    line_shift: int = 0  # what to add to its line numbers
    column_shift: int = 0
    progress: bool = False
    invalidated: bool = False

    @classmethod
    def of(cls, arguments: Arguments) -> ClientCapabilities:
        """Read the arguments of `initialize`."""
        return cls(
            line_shift=int(not arguments.flag("linesStartAt1", default=True)),
            column_shift=int(not arguments.flag("columnsStartAt1", default=True)),
            progress=arguments.flag("supportsProgressReporting"),
            invalidated=arguments.flag("supportsInvalidatedEvent"),
        )


def response(request: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the response to a successful request."""
    plain = {"type": "response", "request_seq": _seq(request), "success": True, "command": _command(request)}
    return plain if body is None else {**plain, "body": dict(body)}


def failure(request: Mapping[str, Any], why: str, *, number: int = REFUSED, show: bool = False) -> dict[str, Any]:
    """Return the response to a failed request. `show`: the client should show the error to the user."""
    error = {"id": number, "format": "{why}", "variables": {"why": why}, "showUser": show}
    return {**response(request, {"error": error}), "success": False, "message": why}


def event(name: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return an event."""
    return {"type": "event", "event": name, **({} if body is None else {"body": dict(body)})}


def _seq(request: Mapping[str, Any]) -> int:
    seq = request.get("seq")
    return seq if isinstance(seq, int) and not isinstance(seq, bool) else 0


def _command(request: Mapping[str, Any]) -> str:
    command = request.get("command")
    return command[:100] if isinstance(command, str) else ""
