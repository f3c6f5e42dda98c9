"""What the server lets in and how much of it: one frozen object, made once, that every guard reads.

Nothing here opens a socket or looks at a request: `connection` guards the wire, `gate` the requests.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from worldline.core.errors import UsageError
from worldline.ui.http.errors import error_bytes

LOOPBACK = "127.0.0.1"
PORT = 8765
TOKEN_HEADER = "x-worldline-token"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,128}")
_LOCAL_NAMES = (LOOPBACK, "localhost", "[::1]")
_HEADERS = (
    (
        "content-security-policy",
        "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Who may ask, what every answer carries, and the bounds of size, time and number.

    `hosts` are whole Host headers, with their port. `any_address` is for a server on every interface: an address that
    is spelled out cannot be a rebound name. The token is asked for under /api, the key everywhere; neither where it is
    empty.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    token: str = field(repr=False)
    port: int
    key: str = field(default="", repr=False)
    any_address: bool = False
    headers: tuple[tuple[str, str], ...] = _HEADERS
    path_bytes: int = 1024
    query_bytes: int = 8192
    header_bytes: int = 16 << 10
    header_lines: int = 64
    body_bytes: int = 256 << 10
    body_depth: int = 16
    header_seconds: float = 10.0
    body_seconds: float = 20.0
    write_seconds: float = 30.0
    idle_seconds: int = 5
    leave_seconds: int = 3
    connections: int = 256
    streams: int = 16
    refusal: Callable[[int, str, str], bytes] = error_bytes  # of a status, a slug and a message

    def is_host(self, text: str) -> bool:
        """Whether a Host header names this server."""
        text = text.lower()
        return text in self.hosts or (self.any_address and _is_address(text, self.port))

    def is_origin(self, text: str) -> bool:
        """Whether a page of this origin is this server's own."""
        return text in self.origins or (
            self.any_address and text.startswith("http://") and _is_address(text[7:], self.port)
        )


def policy(host: str, port: int, token: str) -> Policy:
    """The policy of a server that listens there."""
    names = [f"[{host}]" if ":" in host else host.lower()]
    wide = is_wildcard(host)
    if wide or is_loopback(host):
        names += _LOCAL_NAMES
    if wide:
        names.append(socket.gethostname().lower())
    hosts = {f"{name}:{port}" for name in names} | ({*names} if port == 80 else set())
    return Policy(
        hosts=frozenset(hosts), origins=frozenset(f"http://{name}" for name in hosts), token=token, port=port,
        any_address=wide,
    )  # fmt: skip


def settle_token(host: str, token: str | None) -> str:
    """The token to ask for: a random one on the loopback, elsewhere only one that was said."""
    if token is None:
        if not is_loopback(host):
            raise UsageError(f"--host {host} is not the loopback: say --token too, for whoever may look")
        return secrets.token_urlsafe(24)
    if not _TOKEN.fullmatch(token):
        raise UsageError("a token is 16 to 128 letters, digits, - and _")
    return token


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address; a name but `localhost` may be anything."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_wildcard(host: str) -> bool:
    """Whether the address stands for every interface."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return host == ""


def _is_address(text: str, port: int) -> bool:
    """`192.0.2.7:8765` or `[2001:db8::1]:8765`."""
    name, _, number = text.rpartition(":")
    inner = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    try:
        address = ipaddress.ip_address(inner)
    except ValueError:
        return False
    return number == str(port) and (address.version == 6) == name.startswith("[")
