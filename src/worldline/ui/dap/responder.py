"""What a request's handler may do besides answering at once: answer later, and act once it is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from worldline.ui.dap.messages import Arguments, ClientCapabilities
from worldline.ui.dap.session import DapSession

Request = Mapping[str, Any]
LATER = object()  # the answer of a request that is answered when something has been done


class Responder(Protocol):
    """Whoever answers a client's requests."""

    client: ClientCapabilities

    @property
    def live(self) -> DapSession:
        """The session; there is one where this is asked."""
        ...

    def emit(self, name: str, body: Mapping[str, Any]) -> None:
        """Send an event."""
        ...

    def then(self, act: Callable[[], None]) -> None:
        """Do something once the request that is being answered has been."""
        ...

    def answered(self, message: Request, body: Mapping[str, Any] | None = None) -> None:
        """The answer to a request that was left for later."""
        ...

    def refused(self, message: Request, why: str) -> None:
        """The refusal of a request that was left for later."""
        ...


Handler = Callable[[Responder, Request, Arguments], object]
