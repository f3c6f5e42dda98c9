"""One question to an HTTP server that may misbehave: a JSON object out, a JSON object back, or why there is none.

Bounded in every way: a deadline for each attempt, a number of attempts, a cap on the body, no redirects, no
decompression, no proxies or passwords out of the environment. The key is sent and never shown: what a server says is
searched for it first. An answer that was asked for as a stream is kept as far as it has come when its deadline strikes.
What the objects mean is `ways`'s; how many questions run at once is `server`'s.
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

BODY = 64 << 20  # bytes of an answer: 64 KiB of text with the log-probability of each byte are some 10 MB
SHOWN = 200  # characters of a server's own words in a reason
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 30.0
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
REFUSED = (400, 413, 422)
STREAM = "text/event-stream"
LATE = "worldline_late"  # in an answer that its deadline cut: after how long
_CONTEXT = re.compile(r"context.{0,9}(length|size|window)|too (long|many tokens)|maximum.{0,30}tokens", re.I)
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long an attempt may take, and how many attempts may follow the first."""

    timeout: float = 600.0
    retries: int = 4


class Unanswered(Exception):
    """No answer, and why. `again` says that another attempt may fare better, `after` the seconds to wait.

    `context`: the question and its answer do not fit into the model's context, which is a budget and no fault.
    """

    def __init__(self, why: str, *, again: bool = True, after: float = 0.0, context: bool = False) -> None:
        super().__init__(why)
        self.why, self.again, self.after, self.context = why, again, after, context


@dataclass(frozen=True)
class ServerClient:
    """Where questions go, and how. `random` spreads the pauses between attempts."""

    url: str
    patience: Patience
    random: Random
    key: str = field(default="", repr=False)

    def open(self) -> httpx2.AsyncClient:
        """The connections, for the event loop that uses them."""
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
            # Loading the certificates takes a tenth of a second, and a plain http:// address has none to verify.
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
        """What `read` makes of the answer, after as many attempts as the deadline and the retries allow."""
        body = json.dumps(question).encode()
        attempts = 1 + (self.patience.retries if retries is None else retries)
        end = time.monotonic() + attempts * self.patience.timeout
        for attempt in range(1, attempts + 1):
            try:
                return await self._attempt(http, path, body, read, is_streamed=question.get("stream") is True)
            except Unanswered as problem:
                pause = max(problem.after, self.pause(attempt))
                if not problem.again or attempt == attempts:
                    why, told = _counted(problem.why, attempt), problem
                    raise Unanswered(why, again=told.again, after=told.after, context=told.context) from None
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
        """What `read` makes of one attempt; of a stream that is late, of what has come, marked as late."""
        coming = StreamedAnswer() if is_streamed else None
        try:
            async with asyncio.timeout(self.patience.timeout):
                return read(await self._once(http, self.url + path, body, coming))
        except TimeoutError:
            if coming is None or not coming.has_text:
                raise Unanswered(f"no answer within {self.patience.timeout:g} s") from None
        return read({**coming.answer(is_late=True), LATE: f"{self.patience.timeout:g} s"})

    async def look(self, http: httpx2.AsyncClient, path: str) -> dict[str, Any]:
        """What stands at a path; Unanswered where nothing does in time."""
        try:
            async with asyncio.timeout(self.patience.timeout):
                return await self._once(http, self.url + path, None, None)
        except TimeoutError:
            raise Unanswered(f"no answer within {self.patience.timeout:g} s") from None

    def pause(self, attempt: int) -> float:
        """Seconds before another attempt, longer each time, spread by chance."""
        longest: float = min(FIRST_PAUSE * 2.0 ** (attempt - 1), LONGEST_PAUSE)
        return longest * (0.5 + self.random.random() / 2)

    async def _once(
        self, http: httpx2.AsyncClient, url: str, body: bytes | None, coming: StreamedAnswer | None
    ) -> dict[str, Any]:
        errors = _httpx()
        method = "GET" if body is None else "POST"
        headers = {} if body is None else {"Content-Type": "application/json"}
        try:
            async with http.stream(method, url, content=body, headers=headers) as answer:
                is_stream = coming is not None and answer.status_code == 200 and _kind(answer) == STREAM
                data = await self._body(answer, coming if is_stream else None)
                _check_status(answer, data)
                if coming is not None and is_stream:
                    return coming.answer()
                _check_kind(answer)
        except errors.ConnectError as error:
            raise _unconnected(self.url, error) from None
        except errors.TransportError as error:
            raise Unanswered(f"{_words(error)} while it answered") from None
        except errors.InvalidURL:  # httpx reads a redirect that it does not follow
            raise Unanswered("redirected to what is no address", again=False) from None
        return _object(data)

    async def _body(self, answer: httpx2.Response, coming: StreamedAnswer | None) -> bytes:
        """The bytes as they were sent, up to the cap, with the key taken out of them; a stream is fed with them."""
        if answer.headers.get("Content-Encoding", "identity") != "identity":
            raise Unanswered("a compressed answer, which was not asked for", again=False)
        data, size = bytearray(), 0
        async for chunk in answer.aiter_raw():
            size += len(chunk)
            if size > BODY:
                raise Unanswered(f"an answer of more than {BODY >> 20} MiB", again=False)
            if coming is None:
                data += chunk
                continue
            try:
                coming.feed(self._without_key(chunk))
            except ValueError as error:
                raise Unanswered(one_line(str(error))) from None
        return self._without_key(bytes(data))

    def _without_key(self, data: bytes) -> bytes:
        return data.replace(self.key.encode(), b"[key]") if self.key else data


def _check_status(answer: httpx2.Response, data: bytes) -> None:
    status = answer.status_code
    if 300 <= status < 400:
        where = _origin(answer.headers.get("Location", ""))
        raise Unanswered(f"redirected{where}: give that address if it is the right one", again=False)
    if status != 200:
        said = _said(data)
        after = _retry_after(answer.headers.get("Retry-After", ""))
        raise Unanswered(
            f"status {status}" + (f" ({said})" if said else ""), again=status in RETRIED, after=after,
            context=status in REFUSED and _CONTEXT.search(said) is not None,
        )  # fmt: skip


def _origin(location: str) -> str:
    """Where a redirect leads, without the secrets that may stand in it; nothing where that is no address."""
    try:
        where = urlsplit(location)
        named = f"{where.scheme}://{where.hostname}" if where.hostname else ""
    except ValueError:
        return ""
    return f" to {one_line(named)}" if named else ""


def _kind(answer: httpx2.Response) -> str:
    told: str = answer.headers.get("Content-Type", "application/json")
    return told.partition(";")[0].strip().lower()


def _check_kind(answer: httpx2.Response) -> None:
    kind = _kind(answer)
    if kind == STREAM:  # its chunks may be repeated or lost, and nothing in them would tell
        raise Unanswered("a stream, which was not asked for", again=False)
    if kind.startswith("text/html"):
        raise Unanswered("a web page instead of an answer")


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = parse_external_json(data)
    except ValueError:
        raise Unanswered("an answer that is not JSON") from None
    if not isinstance(found, dict):
        raise Unanswered("an answer that is no JSON object")
    return found


def _said(data: bytes) -> str:
    """What a server says about its refusal, shortened, on one line."""
    try:
        text = _message(parse_external_json(data[: 1 << 16]))
    except ValueError:
        text = "" if data.lstrip()[:1] == b"<" else data[: SHOWN * 4].decode("utf-8", "replace")
    return one_line(text)


def one_line(text: str, most: int = SHOWN) -> str:
    """A server's words on one line, shortened."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[: most * 4]).split())[:most]


def _message(found: Any) -> str:
    """The message in the usual places of an error object."""
    for key in ("error", "message", "detail"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    return found if isinstance(found, str) else ""


def _retry_after(text: str) -> float:
    """Seconds, of a number of them or a date; nothing for anything else."""
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
            return Unanswered(f"TLS: {why}", again=False)
        cause = cause.__cause__ or cause.__context__
    return Unanswered(f"no connection to {url}: {_words(error)}")


def _words(error: Exception) -> str:
    return one_line(str(error)) or type(error).__name__


def _counted(why: str, attempts: int) -> str:
    return why if attempts == 1 else f"{why}; {attempts} attempts"


def _httpx() -> Any:
    try:
        import httpx2
    except ImportError as error:
        raise UsageError("a server needs the package httpx2: pip install 'worldline[server]'") from error
    return httpx2
