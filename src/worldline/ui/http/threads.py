"""Runs functions on daemon threads beside the event loop, and refuses at once when the server stops.

anyio's threads keep a process alive until they end, and a computation here may take many seconds.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from worldline.ui.http.errors import Refusal

POLL_SECONDS = 0.2  # how often to check whether the server stops
T = TypeVar("T")


class ThreadGate:
    """Runs at most `max_threads` functions at once; others wait their turn."""

    def __init__(self, max_threads: int, is_leaving: Callable[[], bool]) -> None:
        self._slots, self._is_leaving = asyncio.Semaphore(max_threads), is_leaving

    async def __call__(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function on a thread and return its result, or raise its exception.

        Raises:
            Refusal: The server stops before the function ends.
        """
        async with self._slots:
            future = _start(function, arguments)
            while not future.done():
                await asyncio.wait([future], timeout=POLL_SECONDS)
                if self._is_leaving():
                    raise Refusal(503, "the server is shutting down")
            return future.result()


def _start(function: Callable[..., T], arguments: tuple[Any, ...]) -> asyncio.Future[T]:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def work() -> None:
        try:
            result = function(*arguments)
        except BaseException as error:
            failure = error  # Python deletes `error` at the end of its block
            _resolve(loop, future, lambda: future.set_exception(failure))
        else:
            _resolve(loop, future, lambda: future.set_result(result))

    threading.Thread(target=work, name="worldline-answer", daemon=True).start()
    return future


def _resolve(loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], set_: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop has ended
        loop.call_soon_threadsafe(lambda: None if future.cancelled() else set_())
