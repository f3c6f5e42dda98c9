"""Balances questions over several servers of one model: each goes to the server with the fewest in flight.

A server that fails is paused, longer each time, and then tried with one question. A question fails when every server
has failed it as often as a single server would be retried. Servers that report a digest of their weights must report
the same one.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from worldline.predict.servers.client import Patience, ServerClient, Unanswered

if TYPE_CHECKING:
    import httpx2

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 300.0  # seconds
_T = TypeVar("_T")


@dataclass
class _Slot:
    """One server: its questions in flight, its failures in a row, and the end of its pause."""

    client: ServerClient
    in_flight: int = 0
    failures: int = 0
    paused_until: float = 0.0
    is_checked: bool = False  # its weights are known to be the same

    def is_ready(self, now: float) -> bool:
        """Whether it can be asked. After a failure: one question at a time, once its pause is over."""
        return not self.failures or (now >= self.paused_until and not self.in_flight)

    def fail(self, now: float, least: float) -> None:
        """Pause it, for at least `least` seconds."""
        self.failures += 1
        self.paused_until = now + max(least, min(FIRST_PAUSE * 2.0 ** min(self.failures - 1, 30), LONGEST_PAUSE))


class BalancedServers:
    """A client of several servers, with the interface of `ServerClient`."""

    def __init__(
        self, clients: Sequence[ServerClient], model: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._slots = [_Slot(client) for client in clients]
        self._model, self._clock, self._digest = model, clock, ""

    @property
    def url(self) -> str:
        """All addresses, separated by commas."""
        return ",".join(slot.client.url for slot in self._slots)

    @property
    def patience(self) -> Patience:
        return self._slots[0].client.patience

    def open(self) -> httpx2.AsyncClient:
        """Open the connections, for the event loop that uses them."""
        for slot in self._slots:
            slot.in_flight = 0
        return self._slots[0].client.open()

    async def ask(
        self,
        http: httpx2.AsyncClient,
        path: str,
        question: Mapping[str, Any],
        read: Callable[[dict[str, Any]], _T],
        *,
        retries: int | None = None,
    ) -> _T:
        """Ask any server and return what `read` makes of its answer.

        Raises:
            Unanswered: Every server failed, in every round of retries.
        """
        rounds, tried = 1 + (self.patience.retries if retries is None else retries), 0
        end = self._clock() + rounds * self.patience.timeout
        for number in range(1, rounds + 1):
            left, after = list(self._slots), math.inf
            while left:
                slot = self._next(left)
                left.remove(slot)
                tried += 1
                try:
                    return await self._ask_one(slot, http, path, question, read)
                except Unanswered as failed:
                    problem = failed
                    if not problem.again:
                        raise
                    after = min(after, problem.after)
            pause = max(after, self._slots[0].client.pause(number))
            if number == rounds or self._clock() + pause >= end:
                break
            await asyncio.sleep(pause)
        raise Unanswered(f"{problem.why}; {tried} attempts, {len(self._slots)} servers", context=problem.context)

    async def look(self, http: httpx2.AsyncClient, path: str) -> dict[str, Any]:
        """Get the JSON object at a path of the first server."""
        return await self._slots[0].client.look(http, path)

    def _next(self, left: Sequence[_Slot]) -> _Slot:
        """Choose the least busy server that is ready, or else the one whose pause ends first."""
        now = self._clock()
        ready = [slot for slot in left if slot.is_ready(now)]
        if ready:
            return min(ready, key=lambda slot: slot.in_flight)
        return min(left, key=lambda slot: slot.paused_until)

    async def _ask_one(
        self,
        slot: _Slot,
        http: httpx2.AsyncClient,
        path: str,
        question: Mapping[str, Any],
        read: Callable[[dict[str, Any]], _T],
    ) -> _T:
        slot.in_flight += 1
        try:
            await self._check_weights(slot, http)
            result = await slot.client.ask(http, path, question, read, retries=0)
        except Unanswered as problem:
            if problem.again:
                slot.fail(self._clock(), problem.after)
            raise
        finally:
            slot.in_flight -= 1
        slot.failures = 0
        return result

    async def _check_weights(self, slot: _Slot, http: httpx2.AsyncClient) -> None:
        """Check that a server reports the same weights as the others."""
        if slot.is_checked:
            return
        try:
            listing = await slot.client.look(http, "/models")
        except Unanswered:
            return  # it does not list models, or it is down and the question will fail too
        entries = listing.get("data")
        for entry in entries if isinstance(entries, list) else ():
            digest = entry.get("digest") if isinstance(entry, dict) and entry.get("id") == self._model else None
            if isinstance(digest, str) and digest:
                self._digest = self._digest or digest
                if digest != self._digest:
                    reason = f"{slot.client.url} serves other weights of {self._model} than the servers beside it"
                    raise Unanswered(reason, again=False)
        slot.is_checked = True
