"""Raw HTTP over a real socket: bytes go out as they are, and what comes back is read as far as it goes."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from serving import Served

POLICY = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "object-src 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass(frozen=True)
class Reply:
    """A status, the headers by lower-case name, the body; status 0 where the server only closed."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def request(
    served: Served,
    target: str | bytes = "/api/runs",
    *,
    method: str = "GET",
    host: str | None = None,
    token: str | None = None,
    headers: Sequence[str] = (),
    body: bytes = b"",
    length: bool = True,
) -> bytes:
    """A request as bytes. `host` and `token` are the right ones unless said; an empty one is left out."""
    host = f"{served.host}:{served.port}" if host is None else host
    token = served.token if token is None else token
    target = target.encode() if isinstance(target, str) else target
    lines = [f"Host: {host}"] if host else []
    lines += [f"X-Worldline-Token: {token}"] if token else []
    lines += [f"Content-Length: {len(body)}"] if body and length else []
    lines += [*headers, "Connection: close", "", ""]
    return method.encode() + b" " + target + b" HTTP/1.1\r\n" + "\r\n".join(lines).encode("latin-1") + body


def talk(served: Served, sent: bytes, *, seconds: float = 120.0) -> Reply:
    """Send bytes, read one answer. A server that closes while we still send may be right to."""
    with socket.create_connection((served.host, served.port), timeout=seconds) as line:
        with contextlib.suppress(OSError):
            line.sendall(sent)
        return read_reply(line)


def read_reply(line: socket.socket) -> Reply:
    """One answer from an open connection, as far as it comes."""
    return next(replies(line), Reply(0, {}, b""))


def replies(line: socket.socket) -> Iterator[Reply]:
    """Every answer from an open connection, until it is closed."""
    data = b""
    with contextlib.suppress(ConnectionError):
        while True:
            while b"\r\n\r\n" not in data:
                if not (piece := line.recv(65536)):
                    return
                data += piece
            head, _, data = data.partition(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in lines)}
            length = int(headers.get("content-length", 0))
            while len(data) < length and (piece := line.recv(65536)):
                data += piece
            yield Reply(int(first.split()[1]), headers, data[:length])
            data = data[length:]


def get(served: Served, target: str) -> Reply:
    """A polite question."""
    return talk(served, request(served, target))


def post(served: Served, target: str, value: Any) -> Reply:
    """A polite demand."""
    body = json.dumps(value).encode()
    sent = request(served, target, method="POST", headers=["Content-Type: application/json"], body=body)
    return talk(served, sent)
