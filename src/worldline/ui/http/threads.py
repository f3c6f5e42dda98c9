"""Work beside the event loop, on threads that nobody waits for: when the server ends, who asked is told so at once.

anyio's threads keep a process alive until they are done, and what is computed here may take many seconds.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from worldline.ui.http.errors import Refusal

BEAT = 0.2  # seconds between two looks at whether the server ends
T = TypeVar("T")


class ThreadGate:
    """So many threads at once; the others wait their turn."""

    def __init__(self, most: int, is_leaving: Callable[[], bool]) -> None:
        self._slots, self._is_leaving = asyncio.Semaphore(most), is_leaving

    async def __call__(self, function: Callable[..., T], *given: Any) -> T:
        """What a function gives, or raises; a Refusal when the server ends first."""
        async with self._slots:
            future = _begun(function, given)
            while not future.done():
                await asyncio.wait([future], timeout=BEAT)
                if self._is_leaving():
                    raise Refusal(503, "the server ends")
            return future.result()


def _begun(function: Callable[..., T], given: tuple[Any, ...]) -> asyncio.Future[T]:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def work() -> None:
        try:
            found = function(*given)
        except BaseException as error:
            failure = error  # Python forgets `error` where its block ends
            _tell(loop, future, lambda: future.set_exception(failure))
        else:
            _tell(loop, future, lambda: future.set_result(found))

    threading.Thread(target=work, name="worldline-answer", daemon=True).start()
    return future


def _tell(loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], say: Callable[[], None]) -> None:
    """Hand over what came; a loop that has ended wants it no more."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(lambda: None if future.cancelled() else say())
