"""A model behind an OpenAI-compatible server: `server:URL#MODEL`, or behind several: `server:URL,URL#MODEL`.

Several questions run at once, predictions come in the order asked, and one that fails does not stop the others: it
becomes a `fault` with its reason, which is never a wrong prediction. How one question is asked is `client`'s,
what it says `ways`'s.
"""

from __future__ import annotations

import asyncio
import re
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from worldline.core.errors import UsageError
from worldline.core.fault import RowFault, call_or_fault
from worldline.predict.prediction import CONTEXT, Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo
from worldline.predict.servers.balance import BalancedServers
from worldline.predict.servers.client import ServerClient, Unanswered
from worldline.predict.servers.ways import CHAT, Reply, Sampling, Way, prediction, read_reply

if TYPE_CHECKING:
    import httpx2

    Question = Callable[[httpx2.AsyncClient, asyncio.Semaphore], Coroutine[Any, Any, Prediction]]

AHEAD = 8  # how many answers a slow one may be overtaken by, times the questions that run at once
DOWN = 8  # so many failures in a row, and questions are asked once each until one is answered


class Server:
    """Asks a server. `key_env` is the name under which the key was found, which is all that is kept of it."""

    def __init__(
        self,
        client: ServerClient | BalancedServers,
        model: str,
        *,
        way: Way,
        sampling: Sampling,
        concurrency: int = 8,
        key_env: str = "",
    ) -> None:
        if not model:
            raise UsageError("a server's model is named behind its address: server:URL#MODEL")
        if concurrency < 1:
            raise UsageError(f"{concurrency} questions at once")
        self._client, self._model, self._way, self._sampling = client, model, way, sampling
        self._concurrency, self._failed = concurrency, 0
        name = f"server:{client.url}#{model}"
        self.info = ModelInfo(name=name, notation=way.codec, config=self._config(key_env))

    @property
    def capabilities(self) -> Capabilities:
        """It answers questions in plain words; one that is not asked by chat says so when it is asked."""
        return Capabilities(answers_questions=self)

    def _config(self, key_env: str) -> dict[str, Any]:
        """Everything that decides what is asked, for a run to keep: the template too, the key never."""
        return {
            "url": self._client.url, "model": self._model, "way": type(self._way).__name__.lower(),
            "codec": self._way.codec, "template": self._way.template, **asdict(self._sampling),
            **asdict(self._client.patience), "concurrency": self._concurrency, "key_env": key_env,
        }  # fmt: skip

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """One prediction for each request, in their order, each as soon as it is there."""
        return self._in_order(partial(self._one, request) for request in requests)

    def answer(self, questions: Sequence[str], /, *, limit: int) -> Iterator[Prediction]:
        """One answer to each question, put to a chat model as it stands, of at most `limit` tokens."""
        if self._way.path != CHAT:
            raise UsageError(
                f"{self.info.name} is not asked by chat: questions in plain words need -M way=chat"
            )
        return self._in_order(partial(self._plain, text, limit) for text in questions)

    def _in_order(self, questions: Iterable[Question]) -> Iterator[Prediction]:
        with _running() as loop:
            http, slots = self._client.open(), asyncio.Semaphore(self._concurrency)
            pending: deque[Future[Prediction]] = deque()
            try:
                for question in questions:
                    pending.append(asyncio.run_coroutine_threadsafe(question(http, slots), loop))
                    if len(pending) >= AHEAD * self._concurrency:
                        yield _waited(pending.popleft())
                while pending:
                    yield _waited(pending.popleft())
            finally:
                if not sys.is_finalizing():  # then the loop's thread is gone, and nobody would answer
                    asyncio.run_coroutine_threadsafe(_close(http), loop).result()

    async def _one(
        self, request: PredictionRequest, http: httpx2.AsyncClient, slots: asyncio.Semaphore
    ) -> Prediction:
        if not request.room:  # a token is a byte at least
            return Prediction(text=request.given, status="budget", codec=self._way.codec)
        question = call_or_fault(self._way.question, request, self._sampling)
        if isinstance(question, RowFault):
            return self._fault(question, request.given)
        async with slots:
            try:
                reply = await self._reply(http, request.room, question)
            except Unanswered as problem:
                note = CONTEXT if problem.context else f"unreachable({problem.why})"
                status = "budget" if problem.context else "fault"
                return Prediction(text=request.given, status=status, codec=self._way.codec, note=note)
        found = call_or_fault(prediction, self._way, request, reply)
        return self._fault(found, request.given) if isinstance(found, RowFault) else found

    def _fault(self, fault: RowFault, given: bytes) -> Prediction:
        return Prediction(text=given, status="fault", codec=self._way.codec, note=fault.note)

    async def _plain(
        self, text: str, limit: int, http: httpx2.AsyncClient, slots: asyncio.Semaphore
    ) -> Prediction:
        async with slots:
            try:
                reply = await self._reply(http, limit, {"messages": [{"role": "user", "content": text}]})
            except Unanswered as problem:
                return Prediction(text=b"", status="fault", note=f"unreachable({problem.why})")
        status = "budget" if reply.cut else "ended" if reply.text else "empty"
        answered = reply.text.encode("utf-8", "replace")
        return Prediction(text=answered, status=status, note=f"answer {reply.number}")

    async def _reply(self, http: httpx2.AsyncClient, most: int, wanted: dict[str, Any]) -> Reply:
        question = self._sampling.question(self._model, most) | wanted
        retries = 0 if self._failed >= DOWN else None
        try:
            reply = await self._client.ask(
                http,
                self._way.path,
                question,
                lambda answer: read_reply(answer, self._model),
                retries=retries,
            )
        except Unanswered:
            self._failed += 1  # those in flight have not failed yet
            raise
        self._failed = 0
        return reply


def addresses(scheme: str) -> tuple[list[str], str]:
    """The URLs and the model of `server:URL,URL#MODEL`, each URL once."""
    urls, _, model = scheme.removeprefix("server:").partition("#")
    return list(dict.fromkeys(map(address, re.split(r",(?=https?://)", urls)))), model


def address(url: str) -> str:
    """A server's URL as it is asked. `/v1` is added to a bare host; a URL with secrets is refused."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise UsageError("a server's address is http://HOST[:PORT][/PATH] or https://...")
    if parts.username is not None or parts.password is not None or parts.query:
        raise UsageError("a server's address holds no user, password or query; name a key by -M key_env=NAME")
    return url.rstrip("/") + ("" if parts.path.rstrip("/") else "/v1")


def _waited(future: Future[Prediction]) -> Prediction:
    """A prediction with the time it was waited for, so that the times add up."""
    began = time.perf_counter()
    found = future.result()
    return replace(found, seconds=time.perf_counter() - began)


async def _close(http: httpx2.AsyncClient) -> None:
    """Gives up what still runs, and the connections."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await http.aclose()


@contextmanager
def _running() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop in a thread: questions go on while the caller judges what it has."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="worldline-server", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        if not sys.is_finalizing():
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()
