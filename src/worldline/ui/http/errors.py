"""How the server says no: a status, a slug and a sentence, as one JSON shape. What is refused is not known here."""

from __future__ import annotations

import json
from typing import Any

from worldline.core.errors import BusyError, UsageError, WorldlineError

SLUGS = {
    400: "malformed", 401: "key", 403: "forbidden", 404: "unknown", 405: "method", 408: "late", 409: "busy",
    413: "large", 414: "large", 415: "type", 422: "usage", 429: "full", 431: "large", 500: "fault", 503: "full",
}  # fmt: skip


class Refusal(Exception):
    """A request that is not granted; `allow` are the methods that would be."""

    def __init__(
        self, status: int, message: str, *, slug: str | None = None, allow: str | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.allow = status, message, allow
        self.slug = slug or SLUGS[status]


def refusal_of(error: WorldlineError) -> Refusal:
    """What an error of the rooms below is to a client: asked wrongly, in the way, or a run that is damaged."""
    status = 422 if isinstance(error, UsageError) else 409
    return Refusal(status, str(error), slug="busy" if isinstance(error, BusyError) else error.slug)


def error_json(slug: str, message: str) -> dict[str, Any]:
    """The one shape of a refusal."""
    return {"error": {"slug": slug, "message": message[:2000]}}


def error_bytes(status: int, slug: str, message: str) -> bytes:
    """The same, ready to be sent; a policy may have another shape in its place."""
    return json.dumps(error_json(slug, message)).encode()
