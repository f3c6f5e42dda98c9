"""One connection, with deadlines: who does not send headers or body, or read the answer, in time is cut off.

uvicorn's own protocol does the talking; this one adds to it what uvicorn has no setting for, at the places asyncio
calls. Deadlines run from the first byte to the last, so a byte a second does not extend them. Places are few: who has
not shown the token or the key makes room for whoever comes next, the oldest first. Requests that parse are `gate`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from worldline.ui.http.errors import SLUGS
from worldline.ui.http.gate import shows_key, shows_token
from worldline.ui.http.policy import Policy

_numbers = count()


def connections(policy: Policy) -> Callable[..., asyncio.Protocol]:
    """What uvicorn makes each connection of."""
    return partial(Connection, policy)


class Connection(H11Protocol):
    """A connection of uvicorn's that is bounded in number and in time."""

    def __init__(self, policy: Policy, **given: Any) -> None:
        super().__init__(**given)
        self.policy = policy
        self.is_owner = False  # whether a request on it has carried the token or the key
        self.number = 0  # it was the so manieth
        self._awaited: str | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """One too many is closed: the oldest stranger or, where all are owners, this one. It has to send headers."""
        super().connection_made(transport)
        self.number = next(_numbers)
        held = [cast("Connection", one) for one in self.connections if not one.transport.is_closing()]
        if len(held) > self.policy.connections:
            strangers = (one for one in held if not one.is_owner)
            min(strangers, key=lambda one: one.number)._make_room()
        if not transport.is_closing():
            self._await("headers", self.policy.header_seconds)

    def data_received(self, data: bytes) -> None:
        """What has come may begin, go on with or end a request."""
        if self.transport.is_closing():
            return
        try:
            super().data_received(data)
        except h11.LocalProtocolError:  # broken off in the middle of an answer
            self.transport.abort()
        self.is_owner = self.is_owner or self._shows_who()
        state = self.conn.their_state
        if state is h11.IDLE:
            self._await("headers", self.policy.header_seconds)
        elif state is h11.SEND_BODY:
            self._await("body", self.policy.body_seconds)
        else:
            self._await(None, 0.0)

    def _shows_who(self) -> bool:
        headers = self.headers
        return headers is not None and (shows_token(headers, self.policy) or shows_key(headers, self.policy))

    def connection_lost(self, exc: Exception | None) -> None:
        """No deadline outlives its connection."""
        self._await(None, 0.0)
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read as fast as is written; it has its time to go on."""
        super().pause_writing()
        if self._writing is None:
            self._writing = self.loop.call_later(self.policy.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It has read."""
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    def shutdown(self) -> None:
        """The server ends: what is under way has its time, and is cut off in an orderly way."""
        super().shutdown()
        if not self.transport.is_closing():
            self.loop.call_later(self.policy.leave_seconds, self._refuse, 503, "the server ends")

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP."""
        self._refuse(400, msg)

    def _make_room(self) -> None:
        """Close, at once: whoever does not read would hold the place for as long as there is something to send."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self._refuse(503, "too many connections")

    def _await(self, what: str | None, seconds: float) -> None:
        """What is due next; the deadline of what is due already stands."""
        if what == self._awaited and what is not None:
            return
        if self._deadline is not None:
            self._deadline.cancel()
        closing = self.transport.is_closing()
        self._awaited = None if closing else what
        late = partial(self._refuse, 408, f"the {what} took too long")
        self._deadline = None if self._awaited is None else self.loop.call_later(seconds, late)

    def _refuse(self, status: int, message: str) -> None:
        """Say so, unless an answer is on its way already, and close."""
        if self.transport.is_closing():
            return
        cycle = self.cycle
        if cycle is None or not cycle.response_started or self._is_next():
            self.transport.write(_answer(self.policy, status, message))
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True  # what the application still says is for nobody
            cycle.message_event.set()
        self.transport.close()

    def _is_next(self) -> bool:
        """Whether the last answer is out, and what came since belongs to another request."""
        return self.cycle.response_complete and self.conn.our_state is h11.IDLE


def _answer(policy: Policy, status: int, message: str) -> bytes:
    body = policy.refusal(status, SLUGS[status], message)
    headers = [*policy.headers, ("cache-control", "no-store"), ("content-type", "application/json")]
    headers += [("content-length", str(len(body))), ("connection", "close")]
    head = [f"HTTP/1.1 {status} {STATUS_PHRASES[status].decode()}", *(f"{k}: {v}" for k, v in headers)]
    return "\r\n".join([*head, "", ""]).encode() + body
