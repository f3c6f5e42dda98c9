"""The ASGI application of `worldline serve`: OpenAI's `/v1/completions` and `/v1/models`, and `/metrics`.

The gate checks clients; this module checks the key. A client that disconnects frees the places of its texts.
"""

from __future__ import annotations

import asyncio
import math
import time
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from worldline.core.external_json import parse_external_json
from worldline.ui.http.errors import Refusal
from worldline.ui.http.gate import shows_key
from worldline.ui.http.json_body import ClientLeft, json_bytes, received
from worldline.ui.http.policy import Policy
from worldline.ui.serve.answer import ShownText, completion_json, error_object, usage_json
from worldline.ui.serve.batch import EngineBatch
from worldline.ui.serve.completion import BROKEN, LATE, Completion
from worldline.ui.serve.metrics import METRICS_TYPE, metrics_text
from worldline.ui.serve.request import CompletionRequest, request_of

MODELS, COMPLETIONS, METRICS = b"/v1/models", b"/v1/completions", b"/metrics"
MAX_RETRY_SECONDS = 30
_FAILED = "the model produced no next byte: check its weights and the server's log"
_FAILURES = {BROKEN: (500, "fault", _FAILED), LATE: (503, "full", "no place was free for one of the texts")}
_STREAM = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]


@dataclass(frozen=True, kw_only=True)
class ServedModel:
    """The model that is served: name, digest of the weights, its modes, whether the guide is on, the start time."""

    name: str
    digest: str
    modes: tuple[str, ...] = ()
    guide: bool = True
    at: int = 0

    @property
    def entry(self) -> dict[str, Any]:
        """Its entry in the list of models."""
        described = {"id": self.name, "object": "model", "created": self.at, "owned_by": "worldline"}
        return {**described, "digest": self.digest, "modes": list(self.modes)}


def application(model: ServedModel, batch: EngineBatch, policy: Policy, announce: Callable[[], None]) -> ASGIApp:
    """Return the ASGI application. It calls `announce` when it has started."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(batch, announce, receive, send)
            return
        path: bytes = scope["raw_path"]
        _authorise(scope, policy)
        if path == COMPLETIONS:
            _allow(scope, "POST")
            try:
                body = await _body(receive, policy.body_bytes)
            except ClientLeft:
                return
            await _answer(request_of(body), model, batch, receive, send)
            return
        if path == METRICS:
            _allow(scope, "GET")
            await Response(metrics_text(batch), media_type=METRICS_TYPE)(scope, receive, send)
            return
        answer = _models(path, model)
        _allow(scope, "GET")
        await Response(json_bytes(answer), media_type="application/json")(scope, receive, send)

    return app


def _models(path: bytes, model: ServedModel) -> dict[str, Any]:
    if path == MODELS:
        return {"object": "list", "data": [model.entry]}
    if path == MODELS + b"/" + model.name.encode():
        return model.entry
    if path.startswith(MODELS + b"/"):
        raise Refusal(404, f"unknown model: this server has {model.name!r}", slug="model_not_found")
    raise Refusal(404, "unknown path: send completions to /v1/completions")


def _allow(scope: Scope, method: str) -> None:
    if scope["method"] != method:
        raise Refusal(405, f"use {method}", allow=method)


def _authorise(scope: Scope, policy: Policy) -> None:
    if policy.key and not shows_key(scope["headers"], policy):
        raise Refusal(401, "this server needs a key: `Authorization: Bearer KEY`", slug="invalid_api_key")


async def _body(receive: Receive, max_bytes: int) -> Any:
    data = await received(receive, max_bytes)
    try:
        return parse_external_json(data)
    except ValueError as error:
        raise Refusal(400, f"the body is not JSON: {error}") from None


async def _answer(
    request: CompletionRequest, model: ServedModel, batch: EngineBatch, receive: Receive, send: Send
) -> None:
    """Write the requested texts in the shared batch and send them."""
    if request.model != model.name:
        reason = f"the model {request.model[:100]!r} does not exist: this server has {model.name!r}"
        raise Refusal(404, reason, slug="model_not_found")
    loop, more = asyncio.get_running_loop(), asyncio.Event()

    def notify() -> None:
        loop.call_soon_threadsafe(more.set)

    wanted = [(prompt, number) for prompt in request.prompts for number in range(request.count)]
    texts: list[Completion] = []
    gone = asyncio.ensure_future(_disconnected(receive))
    try:
        for prompt, number in wanted:
            if gone.done():
                return
            start = partial(Completion, request, prompt, number, guide=model.guide, notify=notify)
            texts.append(await asyncio.to_thread(start))  # parsing a long prompt takes up to a second
        batch.join(texts)
        sending = asyncio.ensure_future(_send(request, texts, model, batch.queue_seconds, more, send))
        await asyncio.wait([sending, gone], return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            sending.result()
        else:
            sending.cancel()
    finally:
        gone.cancel()
        for text in texts:
            batch.leave(text)


async def _disconnected(receive: Receive) -> None:
    """Wait until the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send(
    request: CompletionRequest,
    texts: Sequence[Completion],
    model: ServedModel,
    queue_seconds: float,
    more: asyncio.Event,
    send: Send,
) -> None:
    facts: dict[str, Any] = {"number": f"cmpl-{uuid.uuid4().hex}", "at": int(time.time()), "model": model.name}
    shown = [ShownText(text, index) for index, text in enumerate(texts)]
    await more.wait()  # until there is something to send: a refusal has another status
    if request.is_stream and not any(text.finish == LATE for text in texts):
        await _stream(request, texts, shown, facts, more, send)
        return
    while not all(text.finish for text in texts):
        await more.wait()
        more.clear()
    if any(text.finish == LATE for text in texts):
        reason = f"no place was free within {queue_seconds:g} s: try again later, or raise --batch or --queue-seconds"
        raise Refusal(503, reason, retry_after=max(1, math.ceil(min(queue_seconds, MAX_RETRY_SECONDS))))
    if any(text.finish == BROKEN for text in texts):
        raise Refusal(500, _FAILED)
    choices, usage = [text.choice() for text in shown], usage_json(request.prompts, texts)
    data = json_bytes(completion_json(choices, usage=usage, **facts))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": data})


async def _stream(
    request: CompletionRequest,
    texts: Sequence[Completion],
    shown: Sequence[ShownText],
    facts: dict[str, Any],
    more: asyncio.Event,
    send: Send,
) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _STREAM})
    async for choice in _choices(texts, shown, more):
        if choice["finish_reason"] in _FAILURES:
            await _event(send, error_object(*_FAILURES[choice["finish_reason"]]))
            break
        await _event(send, completion_json([choice], usage=None, **facts))
    else:
        if request.includes_usage:
            await _event(send, completion_json([], usage=usage_json(request.prompts, texts), **facts))
    await send({"type": "http.response.body", "body": b"data: [DONE]\n\n", "more_body": False})


async def _choices(
    texts: Sequence[Completion], shown: Sequence[ShownText], more: asyncio.Event
) -> AsyncIterator[dict[str, Any]]:
    """Yield the pieces of all texts as they are written, until the last text ends."""
    running = list(zip(texts, shown, strict=True))
    while running:
        await more.wait()
        more.clear()
        for text, output in list(running):
            before, choice = output.size, output.choice()
            if output.size > before or choice["finish_reason"]:  # new bytes may be less than a character
                yield choice
            if choice["finish_reason"]:
                running.remove((text, output))


async def _event(send: Send, value: dict[str, Any]) -> None:
    body = b"data: " + json_bytes(value) + b"\n\n"
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _lifespan(batch: EngineBatch, announce: Callable[[], None], receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            batch.start()
            announce()
            await send({"type": "lifespan.startup.complete"})
        else:
            batch.close()
            await send({"type": "lifespan.shutdown.complete"})
            return
