"""The framing of the Debug Adapter Protocol: bytes to messages and back. Any bytes are accepted.

A frame is a header (`Content-Length: N`, then an empty line) and N bytes of JSON. Anything else is a `BadMessage` with
a reason, and reading resumes at the next header. A port must stop at `BadMessage.is_framing`: a web page may have sent
an HTTP request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_BODY_BYTES = 1 << 24
MAX_HEADER_BYTES = 1 << 10
_LENGTH = re.compile(rb"Content-Length: *([0-9]{1,18})", re.IGNORECASE)
_TYPE = re.compile(rb"Content-Type: *[\x20-\x7e]*", re.IGNORECASE)
_NEXT = re.compile(rb"Content-Length:", re.IGNORECASE)


@dataclass(frozen=True)
class BadMessage:
    """Bytes that are not a message: why, and whether the framing is at fault."""

    why: str
    is_framing: bool = False


class MessageDecoder:
    """Decodes a stream of bytes into messages, which are JSON objects."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._body: int | None = None  # length of the body that is expected

    def feed(self, data: bytes) -> Iterator[dict[str, Any] | BadMessage]:
        """Yield every message that these bytes complete."""
        self._buffer += data
        while True:
            item = self._header() if self._body is None else self._message()
            if item is None:
                return
            if not isinstance(item, int):
                yield item

    def _header(self) -> int | BadMessage | None:
        """Read a header: 0 on success, a BadMessage if it is invalid, None if bytes are missing."""
        end = self._buffer.find(b"\r\n\r\n", 0, MAX_HEADER_BYTES)
        if end < 0:
            return self._skip("a header without an end") if len(self._buffer) >= MAX_HEADER_BYTES else None
        lines = bytes(self._buffer[:end]).split(b"\r\n")
        lengths = [match for match in map(_LENGTH.fullmatch, lines) if match]
        others = [line for line in lines if not _LENGTH.fullmatch(line) and not _TYPE.fullmatch(line)]
        if len(lengths) != 1 or others:
            return self._skip("a header that is not `Content-Length: N`")
        length = int(lengths[0][1])
        if length > MAX_BODY_BYTES:
            return self._skip(f"a message of {length} bytes; at most {MAX_BODY_BYTES} are allowed")
        del self._buffer[: end + 4]
        self._body = length
        return 0

    def _skip(self, why: str) -> BadMessage:
        """Skip to what may be the next header."""
        match = _NEXT.search(self._buffer, 1)
        keep = len(b"Content-Length:") - 1  # the start of the next header may be here
        at = match.start() if match else max(len(self._buffer) - keep, 1)
        del self._buffer[:at]
        return BadMessage(why, is_framing=True)

    def _message(self) -> dict[str, Any] | BadMessage | None:
        assert self._body is not None
        if len(self._buffer) < self._body:
            return None
        data = bytes(self._buffer[: self._body])
        del self._buffer[: self._body]
        self._body = None
        return message(data)


def message(data: bytes) -> dict[str, Any] | BadMessage:
    """Parse the body of a frame."""
    try:
        body = json.loads(data.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        return BadMessage(f"a message that is not JSON: {str(error)[:200]}")
    return body if isinstance(body, dict) else BadMessage("a message that is not an object")


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


def frame(body: dict[str, Any]) -> bytes:
    """Return a message as a frame, in ASCII: a model may have written half a character."""
    data = json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii")
    return b"Content-Length: %d\r\n\r\n" % len(data) + data
