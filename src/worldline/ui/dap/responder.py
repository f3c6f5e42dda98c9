"""What a handler of a request can do besides answering at once: answer later, and act after the response."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from worldline.ui.dap.messages import Arguments, ClientCapabilities
from worldline.ui.dap.session import DapSession

Request = Mapping[str, Any]
LATER = object()
"""Returned by a handler that answers later."""


class Responder(Protocol):
    """Answers the requests of a client."""

    client: ClientCapabilities

    @property
    def live(self) -> DapSession:
        """The session of the launched program."""
        ...

    def emit(self, name: str, body: Mapping[str, Any]) -> None:
        """Send an event."""
        ...

    def then(self, job: Callable[[], None]) -> None:
        """Do something after the response to the current request."""
        ...

    def answer_later(self, message: Request, body: Mapping[str, Any] | None = None) -> None:
        """Answer a request whose handler returned LATER."""
        ...

    def refuse_later(self, message: Request, why: str) -> None:
        """Refuse a request whose handler returned LATER."""
        ...


Handler = Callable[[Responder, Request, Arguments], object]
