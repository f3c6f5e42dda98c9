"""ASGI middleware before every request: checks Host, Origin, headers and token, and adds headers to every answer.

It knows the policy, not the endpoints. Errors of the application become one JSON shape. An unexpected exception is
logged and becomes a 500.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Sequence
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from worldline.core.errors import WorldlineError
from worldline.ui.http.errors import Refusal, refusal_of
from worldline.ui.http.policy import TOKEN_HEADER, Policy

# After these statuses the connection closes: where the next request starts is unknown, or not worth waiting for.
_CLOSING_STATUSES = (400, 413, 431)
_VERSIONS = ("1.0", "1.1")
_OWN_SITES = (b"same-origin", b"none")
_NO_TOKEN = "the token is missing or old: open the address that `worldline view` printed"
_log = logging.getLogger(__name__)


def gate(app: ASGIApp, policy: Policy) -> ASGIApp:
    """Wrap an application in the checks of a policy."""
    extra = [(name.encode(), value.encode()) for name, value in policy.headers]

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            with suppress(asyncio.CancelledError):  # a second Ctrl-C
                await app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise ValueError(f"{scope['type']} is not supported")
        has_started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                message = {**message, "headers": [*message.get("headers", ()), *extra]}
            await send(message)

        try:
            admit(scope, policy)
            await app(scope, receive, send_with_headers)
        except Exception as error:
            refusal = _refusal(error, scope)
            if has_started:
                raise
            await refuse(refusal, policy, send_with_headers)

    return guarded


def admit(scope: Scope, policy: Policy) -> None:
    """Check a request against the policy.

    Raises:
        Refusal: The policy does not allow the request.
    """
    headers: Sequence[tuple[bytes, bytes]] = scope["headers"]
    if scope["http_version"] not in _VERSIONS:
        raise Refusal(400, "this server speaks HTTP/1.1")
    if len(headers) > policy.header_lines or sum(len(k) + len(v) for k, v in headers) > policy.header_bytes:
        raise Refusal(431, "the headers are too large")
    host = _single(headers, b"host")
    if host is None or not policy.is_host(host.decode("latin-1")):
        raise Refusal(403, "the Host is not this server's")
    path: bytes = scope["raw_path"]
    if len(path) > policy.path_bytes or len(scope["query_string"]) > policy.query_bytes:
        raise Refusal(414, "the address is too long")
    if not path.startswith(b"/"):
        raise Refusal(400, "the address is not a path")
    if _all(headers, b"upgrade"):
        raise Refusal(403, "this server does not upgrade connections")
    if _all(headers, b"content-length") and _all(headers, b"transfer-encoding"):
        raise Refusal(400, "the body has two lengths")
    is_api = policy.token != "" and (path == b"/api" or path.startswith(b"/api/"))
    _origin(headers, policy, is_api=is_api)
    if is_api and not shows_token(headers, policy):
        raise Refusal(403, _NO_TOKEN, slug="token")


def shows_token(headers: Sequence[tuple[bytes, bytes]], policy: Policy) -> bool:
    """Return whether a request carries the token."""
    token = _single(headers, TOKEN_HEADER.encode())
    return bool(policy.token and token) and hmac.compare_digest(token or b"", policy.token.encode())


def shows_key(headers: Sequence[tuple[bytes, bytes]], policy: Policy) -> bool:
    """Return whether a request carries the key."""
    value = _single(headers, b"authorization")
    return bool(policy.key and value) and hmac.compare_digest(value or b"", f"Bearer {policy.key}".encode())


def _origin(headers: Sequence[tuple[bytes, bytes]], policy: Policy, *, is_api: bool) -> None:
    """Refuse requests from other sites. A link may lead to the page itself, which holds no data."""
    for origin in _all(headers, b"origin"):
        if not policy.is_origin(origin.decode("latin-1")):
            raise Refusal(403, "the Origin is not this server's")
    is_navigation = _all(headers, b"sec-fetch-mode") == [b"navigate"]
    if is_navigation and _all(headers, b"sec-fetch-dest") == [b"document"] and not is_api:
        return
    if any(site not in _OWN_SITES for site in _all(headers, b"sec-fetch-site")):
        raise Refusal(403, "the request comes from another site")


async def refuse(refusal: Refusal, policy: Policy, send: Send) -> None:
    """Answer with a refusal."""
    body = policy.refusal(refusal.status, refusal.slug, refusal.message)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(b"cache-control", b"no-store")]
    headers += [(b"allow", refusal.allow.encode())] if refusal.allow else []
    headers += [(b"retry-after", str(refusal.retry_after).encode())] if refusal.retry_after is not None else []
    headers += [(b"connection", b"close")] if refusal.status in _CLOSING_STATUSES else []
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _refusal(error: Exception, scope: Scope) -> Refusal:
    if isinstance(error, Refusal):
        return error
    if isinstance(error, WorldlineError):
        return refusal_of(error)
    _log.error("%s %r failed", scope["method"], scope["raw_path"][:200], exc_info=error)
    return Refusal(500, "the server failed; see its log")


def _all(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value.strip() for key, value in headers if key == name]


def _single(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> bytes | None:
    """Return the value of a header that occurs exactly once."""
    values = _all(headers, name)
    return values[0] if len(values) == 1 else None
