"""A model behind one or several OpenAI-compatible servers: `server:URL[,URL]#MODEL`.

Several questions run at once, and predictions are yielded in the order of their requests. A question that fails is a
`fault` with its reason, never a wrong prediction, and does not stop the others.
"""

from __future__ import annotations

import asyncio
import re
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from worldline.core.errors import NoModelError, UsageError
from worldline.core.fault import RowFault, call_or_fault
from worldline.predict.prediction import CONTEXT, Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo
from worldline.predict.servers.balance import BalancedServers
from worldline.predict.servers.client import ServerClient, Unanswered
from worldline.predict.servers.listing import check_is_served
from worldline.predict.servers.prompt_styles import CHAT, PromptStyle, Reply, Sampling, prediction, read_reply

if TYPE_CHECKING:
    import httpx2

    Question = Callable[[httpx2.AsyncClient, asyncio.Semaphore], Coroutine[Any, Any, Prediction]]

REORDER_WINDOW = 8  # answers that may overtake a slow one, times the concurrency
MAX_FAILURES_IN_A_ROW = 8  # after these, questions are not retried until one is answered


class Server:
    """Predicts by asking a server. Only the name of the key's environment variable, `key_env`, is stored."""

    def __init__(
        self,
        client: ServerClient | BalancedServers,
        model: str,
        *,
        style: PromptStyle,
        sampling: Sampling,
        modes: tuple[str, ...] = (),
        concurrency: int = 8,
        key_env: str = "",
    ) -> None:
        if not model:
            raise NoModelError("name the model after the server's address: server:URL#MODEL")
        if concurrency < 1:
            raise UsageError(f"concurrency must be at least 1, not {concurrency}")
        self._client, self._model, self._style, self._sampling = client, model, style, sampling
        self._concurrency, self._failed = concurrency, 0
        name = f"server:{client.url}#{model}"
        self.info = ModelInfo(name=name, notation=style.codec, modes=modes, config=self._config(key_env))

    @property
    def capabilities(self) -> Capabilities:
        """Answers and samples; `answer` refuses unless the model is asked by chat."""
        return Capabilities(answers_questions=self, samples=True)

    def _config(self, key_env: str) -> dict[str, Any]:
        """Return everything that decides how the model is asked, except the key."""
        return {
            "url": self._client.url,
            "model": self._model,
            "way": type(self._style).__name__.lower(),
            "codec": self._style.codec,
            "template": self._style.template,
            **asdict(self._sampling),
            **asdict(self._client.patience),
            "concurrency": self._concurrency,
            "key_env": key_env,
        }

    def predict(self, requests: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        """Yield one prediction per request, in order, each as soon as it is ready."""
        return self._in_order(partial(self._predict, request) for request in requests)

    def answer(self, questions: Sequence[str], /, *, limit: int) -> Iterator[Prediction]:
        """Answer each question in at most `limit` tokens. The model must be asked by chat."""
        if self._style.path != CHAT:
            raise UsageError(f"{self.info.name} is not asked by chat: questions in plain words need -M way=chat")
        return self._in_order(partial(self._answer, text, limit) for text in questions)

    def _in_order(self, questions: Iterable[Question]) -> Iterator[Prediction]:
        with running_loop() as loop:
            http, slots = self._client.open(), asyncio.Semaphore(self._concurrency)
            pending: deque[Future[Prediction]] = deque()
            try:
                for question in questions:
                    pending.append(asyncio.run_coroutine_threadsafe(question(http, slots), loop))
                    if len(pending) >= REORDER_WINDOW * self._concurrency:
                        yield _waited(pending.popleft())
                while pending:
                    yield _waited(pending.popleft())
            finally:
                if not sys.is_finalizing():  # the loop's thread still runs
                    asyncio.run_coroutine_threadsafe(_close(http), loop).result()

    async def _predict(
        self, request: PredictionRequest, http: httpx2.AsyncClient, slots: asyncio.Semaphore
    ) -> Prediction:
        if not request.max_new_bytes:  # a token is at least a byte
            return Prediction(text=request.given, status="budget", codec=self._style.codec)
        sampling = self._sampling.decoded(request.decoding)
        question = call_or_fault(self._style.question, request, sampling)
        if isinstance(question, RowFault):
            return self._fault(question, request.given)
        async with slots:
            try:
                reply = await self._reply(http, request.max_new_bytes, question, sampling)
            except Unanswered as problem:
                note = CONTEXT if problem.context else f"unreachable({problem.why})"
                status = "budget" if problem.context else "fault"
                return Prediction(text=request.given, status=status, codec=self._style.codec, note=note)
        result = call_or_fault(prediction, self._style, request, reply)
        return self._fault(result, request.given) if isinstance(result, RowFault) else result

    def _fault(self, fault: RowFault, prefix: bytes) -> Prediction:
        return Prediction(text=prefix, status="fault", codec=self._style.codec, note=fault.note)

    async def _answer(self, text: str, limit: int, http: httpx2.AsyncClient, slots: asyncio.Semaphore) -> Prediction:
        async with slots:
            try:
                wanted = {"messages": [{"role": "user", "content": text}]}
                reply = await self._reply(http, limit, wanted, self._sampling)
            except Unanswered as problem:
                return Prediction(text=b"", status="fault", note=f"unreachable({problem.why})")
        status = "budget" if reply.cut else "ended" if reply.text else "empty"
        answered = reply.text.encode("utf-8", "replace")
        return Prediction(text=answered, status=status, note=f"answer {reply.number}")

    async def _reply(
        self, http: httpx2.AsyncClient, max_tokens: int, wanted: dict[str, Any], sampling: Sampling
    ) -> Reply:
        question = sampling.question(self._model, max_tokens) | wanted
        retries = 0 if self._failed >= MAX_FAILURES_IN_A_ROW else None
        try:
            reply = await self._client.ask(
                http, self._style.path, question, lambda answer: read_reply(answer, self._model), retries=retries
            )
        except Unanswered as problem:
            self._failed += 1
            await check_is_served(self._client, http, self._model, problem)
            raise
        self._failed = 0
        return reply


def addresses(scheme: str) -> tuple[list[str], str]:
    """Return the distinct URLs and the model of `server:URL,URL#MODEL`."""
    urls, _, model = scheme.removeprefix("server:").partition("#")
    return list(dict.fromkeys(map(address, re.split(r",(?=https?://)", urls)))), model


def address(url: str) -> str:
    """Normalize the URL of a server: `/v1` is added to a bare host. A URL with secrets is refused."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise UsageError("the address of a server must be http://HOST[:PORT][/PATH] or https://...")
    if parts.username is not None or parts.password is not None or parts.query:
        raise UsageError(
            "the address of a server must not have a user, password or query; name a key with -M key_env=NAME"
        )
    return url.rstrip("/") + ("" if parts.path.rstrip("/") else "/v1")


def _waited(future: Future[Prediction]) -> Prediction:
    """Wait for a prediction. Its seconds are the time waited, so that they add up."""
    began = time.perf_counter()
    prediction = future.result()
    return replace(prediction, seconds=time.perf_counter() - began)


async def _close(http: httpx2.AsyncClient) -> None:
    """Cancel everything in flight and close the connections."""
    # The HTTP client never starts the coroutine of a connection that is cancelled at once, and Python warns about it.
    warnings.filterwarnings("ignore", r"coroutine 'connect_tcp\.", RuntimeWarning)
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await http.aclose()


@contextmanager
def running_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Run an event loop in a thread, so that questions continue while the caller works."""
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
