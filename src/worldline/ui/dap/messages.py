"""What goes over the wire: arguments read with care, responses, events, refusals. No state, no program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import UsageError

MOST_TEXT = 1 << 20  # characters of one argument
REFUSED, FAULT = 1, 2  # the numbers of an error message


@dataclass(frozen=True)
class Arguments:
    """The arguments of a request; whatever is not of the kind that is asked for is refused in words."""

    values: Mapping[str, Any]
    of: str = "the request"

    def text(self, name: str, default: str | None = None) -> str:
        """A text, or the default where there is none."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise UsageError(f"{self.of} needs a text `{name}`")
        if len(value) > MOST_TEXT:
            raise UsageError(f"`{name}` has more than {MOST_TEXT:,} characters")
        return value

    def maybe(self, name: str) -> str | None:
        """A text that need not be there."""
        return self.text(name, "") if self.values.get(name) is not None else None

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number, or the default where there is none."""
        value = self.values.get(name)
        if value is None and default is not None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not -(1 << 53) < value < 1 << 53:
            raise UsageError(f"{self.of} needs a whole number `{name}`")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false."""
        value = self.values.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise UsageError(f"`{name}` is true or false")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Several texts; none where there are none."""
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise UsageError(f"`{name}` is a list of texts")
        return tuple(value)

    def many(self, name: str) -> tuple[Arguments, ...]:
        """Several objects; none where there are none."""
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise UsageError(f"`{name}` is a list of objects")
        return tuple(Arguments(each, f"each of `{name}`") for each in value)

    def inner(self, name: str) -> Arguments:
        """An object; an empty one where there is none."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, dict):
            raise UsageError(f"`{name}` is an object")
        return Arguments(value or {}, f"`{name}`")


@dataclass(frozen=True)
class ClientCapabilities:
    """What a client said of itself: from where it counts, and which events it knows."""

    line_shift: int = 0  # what is to be added to its lines
    column_shift: int = 0
    progress: bool = False
    invalidated: bool = False

    @classmethod
    def of(cls, asked: Arguments) -> ClientCapabilities:
        """From the arguments of `initialize`."""
        return cls(
            line_shift=int(not asked.flag("linesStartAt1", default=True)),
            column_shift=int(not asked.flag("columnsStartAt1", default=True)),
            progress=asked.flag("supportsProgressReporting"),
            invalidated=asked.flag("supportsInvalidatedEvent"),
        )


def response(request: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The answer to a request that was done."""
    plain = {"type": "response", "request_seq": _seq(request), "success": True, "command": _command(request)}
    return plain if body is None else {**plain, "body": dict(body)}


def failure(
    request: Mapping[str, Any], why: str, *, number: int = REFUSED, show: bool = False
) -> dict[str, Any]:
    """The answer to a request that was not. `show`: the user should see it, not only whoever asked."""
    error = {"id": number, "format": "{why}", "variables": {"why": why}, "showUser": show}
    return {
        "type": "response", "request_seq": _seq(request), "success": False, "command": _command(request),
        "message": why, "body": {"error": error},
    }  # fmt: skip


def event(name: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Something that happened."""
    return {"type": "event", "event": name, **({} if body is None else {"body": dict(body)})}


def _seq(request: Mapping[str, Any]) -> int:
    seq = request.get("seq")
    return seq if isinstance(seq, int) and not isinstance(seq, bool) else 0


def _command(request: Mapping[str, Any]) -> str:
    command = request.get("command")
    return command[:100] if isinstance(command, str) else ""
