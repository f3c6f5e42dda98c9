"""The ASGI application of `worldline serve`: OpenAI's `/v1/completions` and `/v1/models`, for who has the key.

The gate checks clients. A client that leaves, or does not read, frees the places of its texts.
"""

from __future__ import annotations

import asyncio
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
from worldline.ui.serve.answer import ShownText, completed, error_object, model_entry, usage
from worldline.ui.serve.batch import EngineBatch
from worldline.ui.serve.completion import BROKEN, Completion
from worldline.ui.serve.request import CompletionRequest, request_of

MODELS, COMPLETIONS = b"/v1/models", b"/v1/completions"
_FAILED = "the model has no next byte: its weights are damaged, or the server's log says more"
_STREAM = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]


@dataclass(frozen=True, kw_only=True)
class ServedModel:
    """The model that is served: its name, the digest of its weights, whether its grammar guides it, since when."""

    name: str
    digest: str
    guide: bool = True
    at: int = 0

    @property
    def entry(self) -> dict[str, Any]:
        """Its entry in the list of models."""
        return model_entry(self.name, self.digest, self.at)


def application(
    model: ServedModel, batch: EngineBatch, policy: Policy, announce: Callable[[], None]
) -> ASGIApp:
    """All that is served; `announce` is called when that begins."""

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
        found = _listed(path, model)
        _allow(scope, "GET")
        await Response(json_bytes(found), media_type="application/json")(scope, receive, send)

    return app


def _listed(path: bytes, model: ServedModel) -> dict[str, Any]:
    if path == MODELS:
        return {"object": "list", "data": [model.entry]}
    if path == MODELS + b"/" + model.name.encode():
        return model.entry
    if path.startswith(MODELS + b"/"):
        raise Refusal(404, f"there is no such model here: it is {model.name!r}", slug="model_not_found")
    raise Refusal(404, "there is no such thing here: this model is asked at /v1/completions")


def _allow(scope: Scope, method: str) -> None:
    if scope["method"] != method:
        raise Refusal(405, f"this is a {method}", allow=method)


def _authorise(scope: Scope, policy: Policy) -> None:
    if policy.key and not shows_key(scope["headers"], policy):
        raise Refusal(401, "this server asks for a key: `Authorization: Bearer KEY`", slug="invalid_api_key")


async def _body(receive: Receive, most: int) -> Any:
    """What was sent, as JSON."""
    data = await received(receive, most)
    try:
        return parse_external_json(data)
    except ValueError as error:
        raise Refusal(400, f"the body is not JSON: {error}") from None


async def _answer(
    question: CompletionRequest, model: ServedModel, batch: EngineBatch, receive: Receive, send: Send
) -> None:
    """Writes what is asked for, together with what others ask for, and sends it."""
    if question.model != model.name:
        told = f"the model {question.model[:100]!r} does not exist here: it is {model.name!r}"
        raise Refusal(404, told, slug="model_not_found")
    loop, more = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> None:
        loop.call_soon_threadsafe(more.set)

    wanted = [(prompt, number) for prompt in question.prompts for number in range(question.count)]
    texts: list[Completion] = []
    gone = asyncio.ensure_future(_left(receive))
    try:
        for prompt, number in wanted:  # a long program takes a second or two to be read
            if gone.done():
                return
            begin = partial(Completion, question, prompt, number, guide=model.guide, tell=tell)
            texts.append(await asyncio.to_thread(begin))
        for text in texts:
            batch.join(text)
        sending = asyncio.ensure_future(_sent(question, texts, model, more, send))
        await asyncio.wait([sending, gone], return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            sending.result()
        else:
            sending.cancel()
    finally:
        gone.cancel()
        for text in texts:
            batch.leave(text)


async def _left(receive: Receive) -> None:
    """Until the client leaves."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _sent(
    question: CompletionRequest,
    texts: Sequence[Completion],
    model: ServedModel,
    more: asyncio.Event,
    send: Send,
) -> None:
    facts: dict[str, Any] = {
        "number": f"cmpl-{uuid.uuid4().hex}",
        "at": int(time.time()),
        "model": model.name,
    }
    shown = [ShownText(text, index) for index, text in enumerate(texts)]
    if question.is_stream:
        await _streamed(question, texts, shown, facts, more, send)
        return
    while not all(text.finish for text in texts):
        await more.wait()
        more.clear()
    if any(text.finish == BROKEN for text in texts):
        raise Refusal(500, _FAILED)
    used = usage(question.prompts, texts)
    data = json_bytes(completed([each.choice() for each in shown], used=used, **facts))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": data})


async def _streamed(
    question: CompletionRequest,
    texts: Sequence[Completion],
    shown: Sequence[ShownText],
    facts: dict[str, Any],
    more: asyncio.Event,
    send: Send,
) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _STREAM})
    async for choice in _choices(texts, shown, more):
        if choice["finish_reason"] == BROKEN:
            await _event(send, error_object(500, "fault", _FAILED))
            break
        await _event(send, completed([choice], used=None, **facts))
    else:
        if question.tells_usage:
            await _event(send, completed([], used=usage(question.prompts, texts), **facts))
    await send({"type": "http.response.body", "body": b"data: [DONE]\n\n", "more_body": False})


async def _choices(
    texts: Sequence[Completion], shown: Sequence[ShownText], more: asyncio.Event
) -> AsyncIterator[dict[str, Any]]:
    """The pieces of all texts as they come, until the last has ended."""
    running = list(zip(texts, shown, strict=True))
    while running:
        await more.wait()
        more.clear()
        for text, each in list(running):
            before, choice = each.size, each.choice()
            if each.size > before or choice["finish_reason"]:  # bytes may be less than a character
                yield choice
            if choice["finish_reason"]:
                running.remove((text, each))


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
