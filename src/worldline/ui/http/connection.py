"""A connection with deadlines for the headers, the body and the reading of the answer.

uvicorn's protocol parses and answers. This subclass adds what uvicorn has no setting for, in the callbacks of
asyncio. A deadline runs from the first byte to the last, so sending one byte per second does not extend it.
The number of connections is limited: if there are too many, the oldest client without a token or key is closed.
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
    """Return the factory with which uvicorn creates its connections."""
    return partial(Connection, policy)


class Connection(H11Protocol):
    """A uvicorn connection, limited in number and in time."""

    def __init__(self, policy: Policy, **settings: Any) -> None:
        super().__init__(**settings)
        self.policy = policy
        self.is_owner = False  # a request on it has carried the token or the key
        self.number = 0
        self._awaited: str | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Close one connection if there are too many: the oldest without a token or key, else this one."""
        super().connection_made(transport)
        self.number = next(_numbers)
        peers = [cast("Connection", peer) for peer in self.connections if not peer.transport.is_closing()]
        if len(peers) > self.policy.connections:
            strangers = (peer for peer in peers if not peer.is_owner)
            min(strangers, key=lambda peer: peer.number)._close_now()
        if not transport.is_closing():
            self._await("headers", self.policy.header_seconds)

    def data_received(self, data: bytes) -> None:
        """Start, continue or end a request with this data, and set the next deadline."""
        if self.transport.is_closing():
            return
        try:
            super().data_received(data)
        except h11.LocalProtocolError:  # closed in the middle of an answer
            self.transport.abort()
        self.is_owner = self.is_owner or self._is_authenticated()
        state = self.conn.their_state
        if state is h11.IDLE:
            self._await("headers", self.policy.header_seconds)
        elif state is h11.SEND_BODY:
            self._await("body", self.policy.body_seconds)
        else:
            self._await(None, 0.0)

    def _is_authenticated(self) -> bool:
        headers = self.headers
        return headers is not None and (shows_token(headers, self.policy) or shows_key(headers, self.policy))

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all deadlines."""
        self._await(None, 0.0)
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the deadline of a client that does not read its answer."""
        super().pause_writing()
        if self._writing is None:
            self._writing = self.loop.call_later(self.policy.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Cancel that deadline: the client has read."""
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    def shutdown(self) -> None:
        """Give a running request a few seconds when the server stops."""
        super().shutdown()
        if not self.transport.is_closing():
            self.loop.call_later(self.policy.leave_seconds, self._refuse, 503, "the server is shutting down")

    def send_400_response(self, msg: str) -> None:
        """Refuse data that is not HTTP."""
        self._refuse(400, msg)

    def _close_now(self) -> None:
        # A client that does not read would keep its place as long as there is something to send.
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self._refuse(503, "too many connections")

    def _await(self, part: str | None, seconds: float) -> None:
        """Set the deadline of the next part of a request; a part that is awaited already keeps its deadline."""
        if part == self._awaited and part is not None:
            return
        if self._deadline is not None:
            self._deadline.cancel()
        closing = self.transport.is_closing()
        self._awaited = None if closing else part
        late = partial(self._refuse, 408, f"the {part} took too long")
        self._deadline = None if self._awaited is None else self.loop.call_later(seconds, late)

    def _refuse(self, status: int, message: str) -> None:
        """Send the error, unless an answer has started, and close."""
        if self.transport.is_closing():
            return
        cycle = self.cycle
        if cycle is None or not cycle.response_started or self._is_next():
            self.transport.write(_answer(self.policy, status, message))
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True  # drop the rest of the application's answer
            cycle.message_event.set()
        self.transport.close()

    def _is_next(self) -> bool:
        """Whether the last answer is complete and the new data belongs to the next request."""
        return self.cycle.response_complete and self.conn.our_state is h11.IDLE


def _answer(policy: Policy, status: int, message: str) -> bytes:
    body = policy.refusal(status, SLUGS[status], message)
    headers = [*policy.headers, ("cache-control", "no-store"), ("content-type", "application/json")]
    headers += [("content-length", str(len(body))), ("connection", "close")]
    head = [f"HTTP/1.1 {status} {STATUS_PHRASES[status].decode()}", *(f"{k}: {v}" for k, v in headers)]
    return "\r\n".join([*head, "", ""]).encode() + body
