"""The ASGI application of the page: static files from one table, endpoints from another. The gate checks clients.

Actions of endpoints may compute for a while. They run on a few threads, so that streams continue meanwhile.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import anyio
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from worldline.ui.http.errors import Refusal
from worldline.ui.http.json_body import ClientLeft, json_bytes, parse, received
from worldline.ui.http.policy import Policy
from worldline.ui.http.schema_check import fault
from worldline.ui.web.endpoint import CheckedRequest, Endpoint, find_endpoint, parse_query
from worldline.ui.web.endpoints import ENDPOINTS
from worldline.ui.web.service import Service
from worldline.ui.web.static_files import StaticFile

_JSON = (b"application/json", b"application/json;charset=utf-8")
_STREAM = {"cache-control": "no-store", "x-accel-buffering": "no"}


def application(
    service: Service, files: Mapping[str, StaticFile], policy: Policy, announce: Callable[[], None]
) -> ASGIApp:
    """Return the ASGI application. It calls `announce` when it has started."""
    streams = anyio.CapacityLimiter(policy.streams)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(service, announce, receive, send)
            return
        path: bytes = scope["raw_path"]
        if not path.startswith(b"/api/"):  # /api.js is a file
            await _file(files, path, scope["method"])(scope, receive, send)
            return
        endpoint, numbers = find_endpoint(ENDPOINTS, scope["method"], path)
        query = parse_query(endpoint, scope["query_string"])
        try:
            call = CheckedRequest(numbers, query, await _body(endpoint, scope, receive, policy))
        except ClientLeft:
            return
        if endpoint.is_stream:
            with _slot(streams):
                stream: AsyncIterator[bytes] = await endpoint.action(service, call)
                streamed = StreamingResponse(stream, headers=_STREAM, media_type="text/event-stream")
                await streamed(scope, receive, send)
            return
        body = await service.in_thread(lambda: json_bytes(endpoint.action(service, call)))
        answer = Response(body, endpoint.status, {"cache-control": "no-store"}, "application/json")
        await answer(scope, receive, send)

    return app


@contextmanager
def _slot(streams: anyio.CapacityLimiter) -> Iterator[None]:
    try:
        streams.acquire_nowait()
    except anyio.WouldBlock:
        raise Refusal(429, f"{streams.total_tokens} streams are already open: close one") from None
    try:
        yield
    finally:
        streams.release()


def _file(files: Mapping[str, StaticFile], path: bytes, method: str) -> Response:
    file = files.get(path.decode("ascii"))
    if file is None:
        raise Refusal(404, "no such file")
    if method not in ("GET", "HEAD"):
        raise Refusal(405, "a file can only be read: use GET", allow="GET, HEAD")
    return Response(file.data, headers={"cache-control": "no-cache", "content-type": file.type})


async def _body(endpoint: Endpoint, scope: Scope, receive: Receive, policy: Policy) -> Any:
    """Return the body, checked against the endpoint's schema; None if the endpoint takes no body."""
    headers = [(name, value) for name, value in scope["headers"]]
    length = b"".join(value for name, value in headers if name == b"content-length")
    has_body = length.strip(b"0") != b"" or any(name == b"transfer-encoding" for name, _ in headers)
    if endpoint.body is None:
        if has_body:
            raise Refusal(400, f"{endpoint.method} {endpoint.path} takes no body")
        return None
    types = [value.lower().replace(b" ", b"") for name, value in headers if name == b"content-type"]
    if len(types) != 1 or types[0] not in _JSON or any(name == b"content-encoding" for name, _ in headers):
        raise Refusal(415, "the body must be application/json without an encoding")
    if length and int(length) > policy.body_bytes:
        raise Refusal(413, f"a body has at most {policy.body_bytes} bytes")
    value = parse(await received(receive, policy.body_bytes), depth=policy.body_depth)
    if (wrong := fault(value, endpoint.body)) is not None:
        raise Refusal(422, wrong)
    return value


async def _lifespan(service: Service, announce: Callable[[], None], receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            announce()  # signals are handled now, and a client that connects gets an answer
            await send({"type": "lifespan.startup.complete"})
        else:
            service.close()
            await send({"type": "lifespan.shutdown.complete"})
            return
