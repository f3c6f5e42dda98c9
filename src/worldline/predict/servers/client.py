"""The HTTP client of model servers: sends a JSON object and returns a JSON object, or the reason why there is none.

Everything is bounded: a deadline per attempt, the number of attempts, the size of the body. There are no redirects, no
decompression, and no proxies or passwords from the environment. The key is never shown: it is removed from everything a
server sends. If a stream exceeds its deadline, the part that has arrived counts.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import math
import re
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from worldline.core.errors import UsageError
from worldline.core.external_json import parse_external_json
from worldline.predict.servers.streamed import StreamedAnswer

if TYPE_CHECKING:
    import httpx2

MAX_BODY_BYTES = 64 << 20  # 64 KiB of text with log-probabilities take about 10 MB
MAX_MESSAGE_CHARS = 200  # of a server's own message
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 30.0
RETRIED_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
REFUSED_STATUSES = (400, 413, 422)
EVENT_STREAM = "text/event-stream"
LATE = "worldline_late"  # the key of the deadline in an answer that it cut
NO_CONNECTION, NO_TLS, TOO_LATE, OTHER_MODEL = "connection", "TLS", "timeout", "other model"  # kinds of failure
_CONTEXT = re.compile(r"context.{0,9}(length|size|window)|too (long|many tokens)|maximum.{0,30}tokens", re.I)
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Seconds per attempt, and the number of retries."""

    timeout: float = 600.0
    retries: int = 4


class Unanswered(Exception):
    """There is no answer. If `again`, another attempt may succeed, `after` some seconds.

    `context`: question and answer exceed the model's context, which is a budget and not a fault. `status` is that of
    the server's refusal, 0 without one; `kind` names what else went wrong, if a caller may want to know.
    """

    def __init__(
        self,
        why: str,
        *,
        again: bool = True,
        after: float = 0.0,
        context: bool = False,
        status: int = 0,
        kind: str = "",
    ) -> None:
        super().__init__(why)
        self.why, self.again, self.after, self.context = why, again, after, context
        self.status, self.kind = status, kind

    def after_attempts(self, attempts: int) -> Unanswered:
        """Return the same failure, with the number of attempts in its reason."""
        return Unanswered(
            _counted(self.why, attempts),
            again=self.again,
            after=self.after,
            context=self.context,
            status=self.status,
            kind=self.kind,
        )


@dataclass(frozen=True)
class ServerClient:
    """Sends questions to one server. `random` varies the pauses between attempts."""

    url: str
    patience: Patience
    random: Random
    key: str = field(default="", repr=False)

    def open(self) -> httpx2.AsyncClient:
        """Open the connections, for the event loop that uses them."""
        http = _httpx()
        headers = {"Accept-Encoding": "identity", "User-Agent": "worldline"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        limits = http.Limits(max_connections=None, max_keepalive_connections=64)
        opened: httpx2.AsyncClient = http.AsyncClient(
            headers=headers,
            timeout=None,
            limits=limits,
            trust_env=False,
            follow_redirects=False,
            # Loading certificates takes 0.1 s, and http:// does not need them.
            verify=self.url.startswith("https:"),
        )
        return opened

    async def ask(
        self,
        http: httpx2.AsyncClient,
        path: str,
        question: Mapping[str, Any],
        read: Callable[[dict[str, Any]], _T],
        *,
        retries: int | None = None,
    ) -> _T:
        """Ask a question, with retries, and return what `read` makes of the answer.

        Raises:
            Unanswered: All attempts failed, or `read` raised it each time.
        """
        body = json.dumps(question).encode()
        attempts = 1 + (self.patience.retries if retries is None else retries)
        end = time.monotonic() + attempts * self.patience.timeout
        for attempt in range(1, attempts + 1):
            try:
                return await self._attempt(http, path, body, read, is_streamed=question.get("stream") is True)
            except Unanswered as problem:
                pause = max(problem.after, self.pause(attempt))
                if not problem.again or attempt == attempts:
                    raise problem.after_attempts(attempt) from None
                if time.monotonic() + pause >= end:
                    late = f"{problem.why}, and no time for another attempt"
                    raise Unanswered(_counted(late, attempt)) from None
            await asyncio.sleep(pause)
        raise AssertionError("an attempt returns or raises")

    async def _attempt(
        self,
        http: httpx2.AsyncClient,
        path: str,
        body: bytes,
        read: Callable[[dict[str, Any]], _T],
        *,
        is_streamed: bool,
    ) -> _T:
        """Make one attempt. If a stream is late, the part that has arrived is read and marked as late."""
        streamed = StreamedAnswer() if is_streamed else None
        try:
            async with asyncio.timeout(self.patience.timeout):
                return read(await self._once(http, self.url + path, body, streamed))
        except TimeoutError:
            if streamed is None or not streamed.has_text:
                raise self._late() from None
        return read({**streamed.answer(is_late=True), LATE: f"{self.patience.timeout:g} s"})

    async def look(self, http: httpx2.AsyncClient, path: str) -> dict[str, Any]:
        """Get the JSON object at a path."""
        try:
            async with asyncio.timeout(self.patience.timeout):
                return await self._once(http, self.url + path, None, None)
        except TimeoutError:
            raise self._late() from None

    def _late(self) -> Unanswered:
        return Unanswered(f"no answer within {self.patience.timeout:g} s", kind=TOO_LATE)

    def pause(self, attempt: int) -> float:
        """Return the seconds before another attempt: exponential backoff with jitter."""
        longest: float = min(FIRST_PAUSE * 2.0 ** (attempt - 1), LONGEST_PAUSE)
        return longest * (0.5 + self.random.random() / 2)

    async def _once(
        self, http: httpx2.AsyncClient, url: str, body: bytes | None, streamed: StreamedAnswer | None
    ) -> dict[str, Any]:
        errors = _httpx()
        method = "GET" if body is None else "POST"
        headers = {} if body is None else {"Content-Type": "application/json"}
        try:
            async with http.stream(method, url, content=body, headers=headers) as answer:
                is_stream = streamed is not None and answer.status_code == 200 and _kind(answer) == EVENT_STREAM
                data = await self._body(answer, streamed if is_stream else None)
                _check_status(answer, data)
                if streamed is not None and is_stream:
                    return streamed.answer()
                _check_kind(answer)
        except errors.ConnectError as error:
            raise _unconnected(self.url, error) from None
        except errors.TransportError as error:
            raise Unanswered(f"{_error_text(error)} while it answered") from None
        except errors.InvalidURL:  # httpx parses redirects even if it does not follow them
            raise Unanswered("redirected to an invalid address", again=False) from None
        return _object(data)

    async def _body(self, answer: httpx2.Response, streamed: StreamedAnswer | None) -> bytes:
        """Return the body without the key, or feed it to a stream."""
        if answer.headers.get("Content-Encoding", "identity") != "identity":
            raise Unanswered("a compressed answer, which was not requested", again=False)
        data, size = bytearray(), 0
        async for chunk in answer.aiter_raw():
            size += len(chunk)
            if size > MAX_BODY_BYTES:
                raise Unanswered(f"an answer of more than {MAX_BODY_BYTES >> 20} MiB", again=False)
            if streamed is None:
                data += chunk
                continue
            try:
                streamed.feed(self._without_key(chunk))
            except ValueError as error:
                raise Unanswered(one_line(str(error))) from None
        return self._without_key(bytes(data))

    def _without_key(self, data: bytes) -> bytes:
        return data.replace(self.key.encode(), b"[key]") if self.key else data


def _check_status(answer: httpx2.Response, data: bytes) -> None:
    status = answer.status_code
    if 300 <= status < 400:
        origin = _origin(answer.headers.get("Location", ""))
        raise Unanswered(f"redirected{origin}: use that address if it is the right one", again=False)
    if status != 200:
        message = _server_message(data)
        after = _retry_after(answer.headers.get("Retry-After", ""))
        raise Unanswered(
            f"status {status}" + (f" ({message})" if message else ""),
            again=status in RETRIED_STATUSES,
            after=after,
            context=status in REFUSED_STATUSES and _CONTEXT.search(message) is not None,
            status=status,
        )


def _origin(location: str) -> str:
    """Return the scheme and host of a redirect, which hold no secrets; empty if it is not an address."""
    try:
        where = urlsplit(location)
        named = f"{where.scheme}://{where.hostname}" if where.hostname else ""
    except ValueError:
        return ""
    return f" to {one_line(named)}" if named else ""


def _kind(answer: httpx2.Response) -> str:
    header: str = answer.headers.get("Content-Type", "application/json")
    return header.partition(";")[0].strip().lower()


def _check_kind(answer: httpx2.Response) -> None:
    kind = _kind(answer)
    if kind == EVENT_STREAM:
        raise Unanswered("a stream, which was not requested", again=False)
    if kind.startswith("text/html"):
        raise Unanswered("a web page instead of an answer")


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = parse_external_json(data)
    except ValueError:
        raise Unanswered("an answer that is not JSON") from None
    if not isinstance(value, dict):
        raise Unanswered("an answer that is not a JSON object")
    return value


def _server_message(data: bytes) -> str:
    """Return a server's error message, shortened, on one line."""
    try:
        text = _message(parse_external_json(data[: 1 << 16]))
    except ValueError:
        text = "" if data.lstrip()[:1] == b"<" else data[: MAX_MESSAGE_CHARS * 4].decode("utf-8", "replace")
    return one_line(text)


def one_line(text: str, max_chars: int = MAX_MESSAGE_CHARS) -> str:
    """Put a server's text on one line and shorten it."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[: max_chars * 4]).split())[:max_chars]


def _message(value: Any) -> str:
    """Find the message in the usual places of an error object."""
    for key in ("error", "message", "detail"):
        if isinstance(value, dict) and key in value:
            value = value[key]
    return value if isinstance(value, str) else ""


def _retry_after(text: str) -> float:
    """Parse a number of seconds or a date; 0 for anything else."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, OverflowError):
            return 0.0
    return max(seconds, 0.0) if math.isfinite(seconds) else 0.0


def _unconnected(url: str, error: Exception) -> Unanswered:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            why = (cause.reason or "error").lower().replace("_", " ")
            return Unanswered(f"TLS: {why}", again=False, kind=NO_TLS)
        cause = cause.__cause__ or cause.__context__
    return Unanswered(f"no connection to {url}: {_error_text(error)}", kind=NO_CONNECTION)


def _error_text(error: Exception) -> str:
    return one_line(str(error)) or type(error).__name__


def _counted(why: str, attempts: int) -> str:
    return why if attempts == 1 else f"{why}; {attempts} attempts"


def _httpx() -> Any:
    try:
        import httpx2
    except ImportError as error:
        raise UsageError("a server needs the package httpx2: pip install 'worldline[server]'") from error
    return httpx2
