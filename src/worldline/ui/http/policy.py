"""What a server accepts, and how much of it: one frozen object that `connection` and `gate` enforce."""

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
    """Allowed clients, headers of every answer, and limits of size, time and number.

    `hosts` are whole Host headers with their port. With `any_address`, for a server on every interface, any numeric
    address is accepted: it cannot be a rebound DNS name. The token is required under /api and the key everywhere; an
    empty one is not required.
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
    refusal: Callable[[int, str, str], bytes] = error_bytes  # status, slug, message -> body

    def is_host(self, text: str) -> bool:
        """Return whether a Host header names this server."""
        text = text.lower()
        return text in self.hosts or (self.any_address and _is_address(text, self.port))

    def is_origin(self, text: str) -> bool:
        """Return whether an Origin is this server."""
        return text in self.origins or (
            self.any_address and text.startswith("http://") and _is_address(text[7:], self.port)
        )


def policy(host: str, port: int, token: str) -> Policy:
    """Return the policy of a server at an address."""
    names = [f"[{host}]" if ":" in host else host.lower()]
    wide = is_wildcard(host)
    if wide or is_loopback(host):
        names += _LOCAL_NAMES
    if wide:
        names.append(socket.gethostname().lower())
    hosts = {f"{name}:{port}" for name in names} | ({*names} if port == 80 else set())
    origins = frozenset(f"http://{name}" for name in hosts)
    return Policy(hosts=frozenset(hosts), origins=origins, token=token, port=port, any_address=wide)


def settle_token(host: str, token: str | None) -> str:
    """Return the token that clients must send: a random one by default.

    Raises:
        UsageError: The host is not the loopback and no token is set, or the token is not valid.
    """
    if token is None:
        if not is_loopback(host):
            raise UsageError(f"--host {host} is not the loopback: set --token too")
        return secrets.token_urlsafe(24)
    if not _TOKEN.fullmatch(token):
        raise UsageError("a token consists of 16 to 128 letters, digits, - and _")
    return token


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches the address. Of names, only `localhost` counts."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_wildcard(host: str) -> bool:
    """Return whether the address stands for every interface."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return host == ""


def _is_address(text: str, port: int) -> bool:
    """Return whether a text is like `192.0.2.7:8765` or `[2001:db8::1]:8765`."""
    name, _, number = text.rpartition(":")
    inner = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    try:
        address = ipaddress.ip_address(inner)
    except ValueError:
        return False
    return number == str(port) and (address.version == 6) == name.startswith("[")
