"""The gate before every request: checks client, origin and headers, and adds headers to every answer. Pure ASGI.

It knows the policy and nothing of the endpoints. A request that comes through has a Host of ours, no foreign Origin,
headers of bounded size and, under /api, the token. What goes wrong behind it leaves as one JSON shape; only a fault of
our own is a 500, and it is logged.
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

_LAST = (400, 413, 431)  # where the next request would begin is not to be trusted, or not worth the wait
_VERSIONS = ("1.0", "1.1")
_OWN_SITES = (b"same-origin", b"none")
_NO_TOKEN = "this needs the address that `worldline view` printed: the token is missing or old"
_log = logging.getLogger(__name__)


def gate(app: ASGIApp, policy: Policy) -> ASGIApp:
    """The application behind its policy."""
    extra = [(name.encode(), value.encode()) for name, value in policy.headers]

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            with suppress(asyncio.CancelledError):  # a second Ctrl-C: nobody waits for an orderly end
                await app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise ValueError(f"no {scope['type']} here")
        has_begun = False

        async def sent(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                message = {**message, "headers": _with(message.get("headers", ()), extra)}
            await send(message)

        try:
            admit(scope, policy)
            await app(scope, receive, sent)
        except Exception as error:
            refusal = _refusal(error, scope)
            if has_begun:
                raise
            await refuse(refusal, policy, sent)

    return guarded


def admit(scope: Scope, policy: Policy) -> None:
    """Refuse what the policy does not let in."""
    headers: Sequence[tuple[bytes, bytes]] = scope["headers"]
    if scope["http_version"] not in _VERSIONS:
        raise Refusal(400, "this is HTTP/1.1")
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
        raise Refusal(403, "there is nothing to upgrade to")
    if _all(headers, b"content-length") and _all(headers, b"transfer-encoding"):
        raise Refusal(400, "the body has two lengths")
    is_api = policy.token != "" and (path == b"/api" or path.startswith(b"/api/"))
    _origin(headers, policy, is_api=is_api)
    if is_api and not shows_token(headers, policy):
        raise Refusal(403, _NO_TOKEN, slug="token")


def shows_token(headers: Sequence[tuple[bytes, bytes]], policy: Policy) -> bool:
    """Whether a request carries the token."""
    token = _single(headers, TOKEN_HEADER.encode())
    return bool(policy.token and token) and hmac.compare_digest(token or b"", policy.token.encode())


def shows_key(headers: Sequence[tuple[bytes, bytes]], policy: Policy) -> bool:
    """Whether a request carries the key."""
    shown = _single(headers, b"authorization")
    return bool(policy.key and shown) and hmac.compare_digest(shown or b"", f"Bearer {policy.key}".encode())


def _origin(headers: Sequence[tuple[bytes, bytes]], policy: Policy, *, is_api: bool) -> None:
    """Only pages of ours ask; a link from elsewhere may lead to the page, which holds no data, as a whole."""
    for origin in _all(headers, b"origin"):
        if not policy.is_origin(origin.decode("latin-1")):
            raise Refusal(403, "the Origin is not this server's")
    is_link = _all(headers, b"sec-fetch-mode") == [b"navigate"] and _all(headers, b"sec-fetch-dest") == [
        b"document"
    ]
    if is_link and not is_api:
        return
    if any(site not in _OWN_SITES for site in _all(headers, b"sec-fetch-site")):
        raise Refusal(403, "the request comes from another site")


async def refuse(refusal: Refusal, policy: Policy, send: Send) -> None:
    """Answer with a refusal."""
    body = policy.refusal(refusal.status, refusal.slug, refusal.message)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(b"cache-control", b"no-store")]
    headers += [(b"allow", refusal.allow.encode())] if refusal.allow else []
    headers += [(b"connection", b"close")] if refusal.status in _LAST else []
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _refusal(error: Exception, scope: Scope) -> Refusal:
    if isinstance(error, Refusal):
        return error
    if isinstance(error, WorldlineError):
        return refusal_of(error)
    _log.error("%s %r failed", scope["method"], scope["raw_path"][:200], exc_info=error)
    return Refusal(500, "the server failed; its log says more")


def _with(
    headers: Sequence[tuple[bytes, bytes]], extra: list[tuple[bytes, bytes]]
) -> list[tuple[bytes, bytes]]:
    return [*headers, *extra]


def _all(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value.strip() for key, value in headers if key == name]


def _single(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> bytes | None:
    """A header that is there exactly once."""
    found = _all(headers, name)
    return found[0] if len(found) == 1 else None
