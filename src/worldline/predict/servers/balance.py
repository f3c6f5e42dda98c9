"""Several servers of one model as one: a question goes where the fewest are under way.

A server that fails is left out for a while, longer each time, and then asked again by a question of its own; meanwhile
the others are asked. A question fails once every server has failed it, as often as one server would be asked. What
comes back does not depend on which server it was. Servers that tell a digest of their weights must tell the same.
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

FIRST_REST, LONGEST_REST = 1.0, 300.0  # seconds that a server is left out
_T = TypeVar("_T")


@dataclass
class _Place:
    """One server: the questions under way, its failures in a row, and until when it is left out."""

    client: ServerClient
    under_way: int = 0
    failures: int = 0
    until: float = 0.0
    is_known: bool = False  # whether its weights were looked at

    def is_ready(self, now: float) -> bool:
        """Whether it is asked: after a failure by one question at a time, once its rest is over."""
        return not self.failures or (now >= self.until and not self.under_way)

    def fail(self, now: float, least: float) -> None:
        """It is left out from now on."""
        self.failures += 1
        self.until = now + max(least, min(FIRST_REST * 2.0 ** min(self.failures - 1, 30), LONGEST_REST))


class BalancedServers:
    """A client of several servers. `clock` says how late it is, for who is left out."""

    def __init__(
        self, clients: Sequence[ServerClient], model: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._places = [_Place(client) for client in clients]
        self._model, self._clock, self._digest = model, clock, ""

    @property
    def url(self) -> str:
        """All addresses."""
        return ",".join(place.client.url for place in self._places)

    @property
    def patience(self) -> Patience:
        """How long each is waited for."""
        return self._places[0].client.patience

    def open(self) -> httpx2.AsyncClient:
        """The connections, for the event loop that uses them: nothing is under way."""
        for place in self._places:
            place.under_way = 0
        return self._places[0].client.open()

    async def ask(
        self,
        http: httpx2.AsyncClient,
        path: str,
        question: Mapping[str, Any],
        read: Callable[[dict[str, Any]], _T],
        *,
        retries: int | None = None,
    ) -> _T:
        """What `read` makes of an answer, of whichever server; Unanswered when all have failed, each so many times."""
        rounds, tried = 1 + (self.patience.retries if retries is None else retries), 0
        end = self._clock() + rounds * self.patience.timeout
        for number in range(1, rounds + 1):
            left, after = list(self._places), math.inf
            while left:
                place = self._next(left)
                left.remove(place)
                tried += 1
                try:
                    return await self._one(place, http, path, question, read)
                except Unanswered as failed:
                    problem = failed
                    if not problem.again:
                        raise
                    after = min(after, problem.after)
            pause = max(after, self._places[0].client.pause(number))
            if number == rounds or self._clock() + pause >= end:
                break
            await asyncio.sleep(pause)
        raise Unanswered(
            f"{problem.why}; {tried} attempts, {len(self._places)} servers", context=problem.context
        )

    def _next(self, left: Sequence[_Place]) -> _Place:
        """Who is asked: of those that are ready the least busy; where none is, the one whose rest is over first."""
        now = self._clock()
        ready = [place for place in left if place.is_ready(now)]
        if ready:
            return min(ready, key=lambda place: place.under_way)
        return min(left, key=lambda place: place.until)

    async def _one(
        self,
        place: _Place,
        http: httpx2.AsyncClient,
        path: str,
        question: Mapping[str, Any],
        read: Callable[[dict[str, Any]], _T],
    ) -> _T:
        place.under_way += 1
        try:
            await self._look(place, http)
            found = await place.client.ask(http, path, question, read, retries=0)
        except Unanswered as problem:
            if problem.again:
                place.fail(self._clock(), problem.after)
            raise
        finally:
            place.under_way -= 1
        place.failures = 0
        return found

    async def _look(self, place: _Place, http: httpx2.AsyncClient) -> None:
        """The weights behind a server are those behind the others, as far as it tells."""
        if place.is_known:
            return
        try:
            found = await place.client.look(http, "/models")
        except Unanswered:
            return  # who does not list models tells nothing; who is down fails the question too
        entries = found.get("data")
        for entry in entries if isinstance(entries, list) else ():
            digest = (
                entry.get("digest") if isinstance(entry, dict) and entry.get("id") == self._model else None
            )
            if isinstance(digest, str) and digest:
                self._digest = self._digest or digest
                if digest != self._digest:
                    told = (
                        f"{place.client.url} serves other weights of {self._model} than the servers beside it"
                    )
                    raise Unanswered(told, again=False)
        place.is_known = True
