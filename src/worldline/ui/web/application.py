"""The ASGI application behind the gate: files out of one table, endpoints out of another. The gate checks clients.

Acts are plain functions that may compute for a while: they run on a few threads, so that a stream goes on meanwhile.
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
from worldline.ui.web.endpoint import CheckedRequest, Endpoint, asked, found
from worldline.ui.web.endpoints import ENDPOINTS
from worldline.ui.web.service import Service
from worldline.ui.web.static_files import StaticFile

_JSON = (b"application/json", b"application/json;charset=utf-8")
_STREAM = {"cache-control": "no-store", "x-accel-buffering": "no"}


def application(
    service: Service, files: Mapping[str, StaticFile], policy: Policy, announce: Callable[[], None]
) -> ASGIApp:
    """All that is served; `announce` is called when that begins."""
    streams = anyio.CapacityLimiter(policy.streams)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(service, announce, receive, send)
            return
        path: bytes = scope["raw_path"]
        if not path.startswith(b"/api/"):  # /api.js is a file
            await _file(files, path, scope["method"])(scope, receive, send)
            return
        endpoint, numbers = found(ENDPOINTS, scope["method"], path)
        query = asked(endpoint, scope["query_string"])
        try:
            call = CheckedRequest(numbers, query, await _body(endpoint, scope, receive, policy))
        except ClientLeft:
            return
        if endpoint.is_stream:
            with _place(streams):
                stream: AsyncIterator[bytes] = await endpoint.act(service, call)
                streamed = StreamingResponse(stream, headers=_STREAM, media_type="text/event-stream")
                await streamed(scope, receive, send)
            return
        body = await service.in_thread(lambda: json_bytes(endpoint.act(service, call)))
        answer = Response(body, endpoint.status, {"cache-control": "no-store"}, "application/json")
        await answer(scope, receive, send)

    return app


@contextmanager
def _place(streams: anyio.CapacityLimiter) -> Iterator[None]:
    """One of the streams that may be open."""
    try:
        streams.acquire_nowait()
    except anyio.WouldBlock:
        raise Refusal(429, f"{streams.total_tokens} streams are open already") from None
    try:
        yield
    finally:
        streams.release()


def _file(files: Mapping[str, StaticFile], path: bytes, method: str) -> Response:
    file = files.get(path.decode("ascii"))
    if file is None:
        raise Refusal(404, "there is no such file")
    if method not in ("GET", "HEAD"):
        raise Refusal(405, "a file is only read", allow="GET, HEAD")
    return Response(file.data, headers={"cache-control": "no-cache", "content-type": file.type})


async def _body(endpoint: Endpoint, scope: Scope, receive: Receive, policy: Policy) -> Any:
    """The body as a value that its schema takes; None of an endpoint that takes none."""
    headers = [(name, value) for name, value in scope["headers"]]
    length = b"".join(value for name, value in headers if name == b"content-length")
    has_body = length.strip(b"0") != b"" or any(name == b"transfer-encoding" for name, _ in headers)
    if endpoint.body is None:
        if has_body:
            raise Refusal(400, f"a {endpoint.method} has no body here")
        return None
    types = [value.lower().replace(b" ", b"") for name, value in headers if name == b"content-type"]
    if len(types) != 1 or types[0] not in _JSON or any(name == b"content-encoding" for name, _ in headers):
        raise Refusal(415, "the body is to be application/json, as it is")
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
            announce()  # signals are caught by now, and who connects waits for an answer, not in vain
            await send({"type": "lifespan.startup.complete"})
        else:
            service.close()
            await send({"type": "lifespan.shutdown.complete"})
            return
