"""The frames of the Debug Adapter Protocol: bytes into messages and back. Total on any bytes.

A frame is a header (`Content-Length: N`, then an empty line) and N bytes of JSON. What is no frame is a `BadMessage`,
in words, and reading goes on at the next header; whoever must not go on (a port: a web page may have sent an HTTP
request there) stops at `BadMessage.is_framing`. What a message means is not known here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MOST_BODY = 1 << 24  # bytes of one message
MOST_HEADER = 1 << 10
_LENGTH = re.compile(rb"Content-Length: *([0-9]{1,18})", re.IGNORECASE)
_TYPE = re.compile(rb"Content-Type: *[\x20-\x7e]*", re.IGNORECASE)
_NEXT = re.compile(rb"Content-Length:", re.IGNORECASE)


@dataclass(frozen=True)
class BadMessage:
    """Bytes that are no message: why, and whether the frame itself is at fault."""

    why: str
    is_framing: bool = False


class MessageDecoder:
    """Bytes as they come in; messages, objects of JSON, as they are complete."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._body: int | None = None  # bytes of the body that is awaited

    def feed(self, data: bytes) -> Iterator[dict[str, Any] | BadMessage]:
        """Every message that these bytes complete."""
        self._held += data
        while True:
            found = self._header() if self._body is None else self._message()
            if found is None:
                return
            if not isinstance(found, int):
                yield found

    def _header(self) -> int | BadMessage | None:
        """The header at the front: 0 when it was read, a BadMessage for what is none, None for not enough bytes."""
        end = self._held.find(b"\r\n\r\n", 0, MOST_HEADER)
        if end < 0:
            return self._skip("a header without an end") if len(self._held) >= MOST_HEADER else None
        lines = bytes(self._held[:end]).split(b"\r\n")
        lengths = [match for match in map(_LENGTH.fullmatch, lines) if match]
        others = [line for line in lines if not _LENGTH.fullmatch(line) and not _TYPE.fullmatch(line)]
        if len(lengths) != 1 or others:
            return self._skip("a header that is not `Content-Length: N`")
        length = int(lengths[0][1])
        if length > MOST_BODY:
            return self._skip(f"a message of {length} bytes; the most are {MOST_BODY}")
        del self._held[: end + 4]
        self._body = length
        return 0

    def _skip(self, why: str) -> BadMessage:
        """Goes on to what may be the next header, behind the first byte of this one."""
        match = _NEXT.search(self._held, 1)
        keep = len(b"Content-Length:") - 1  # the next header may be half there
        at = match.start() if match else max(len(self._held) - keep, 1)
        del self._held[:at]
        return BadMessage(why, is_framing=True)

    def _message(self) -> dict[str, Any] | BadMessage | None:
        assert self._body is not None
        if len(self._held) < self._body:
            return None
        data = bytes(self._held[: self._body])
        del self._held[: self._body]
        self._body = None
        return message(data)


def message(data: bytes) -> dict[str, Any] | BadMessage:
    """The object of a frame's body."""
    try:
        found = json.loads(data.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        return BadMessage(f"a message that is not JSON: {str(error)[:200]}")
    return found if isinstance(found, dict) else BadMessage("a message that is not an object")


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def frame(body: dict[str, Any]) -> bytes:
    """A message as a frame. ASCII: what a model wrote may hold half a character."""
    data = json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii")
    return b"Content-Length: %d\r\n\r\n" % len(data) + data
