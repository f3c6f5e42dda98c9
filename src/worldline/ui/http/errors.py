"""Refusals of a server: a status, a slug and a message, in one JSON shape."""

from __future__ import annotations

import json
from typing import Any

from worldline.core.errors import BusyError, UsageError, WorldlineError

SLUGS = {
    400: "malformed", 401: "key", 403: "forbidden", 404: "unknown", 405: "method", 408: "late", 409: "busy",
    413: "large", 414: "large", 415: "type", 422: "usage", 429: "full", 431: "large", 500: "fault", 503: "full",
}  # fmt: skip


class Refusal(Exception):
    """A request that is refused. `allow` lists the methods that the path accepts; `retry_after` is in seconds."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        slug: str | None = None,
        allow: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.allow, self.retry_after = status, message, allow, retry_after
        self.slug = slug or SLUGS[status]


def refusal_of(error: WorldlineError) -> Refusal:
    """Convert an error of the package: 422 for a bad request, 409 for a conflict or a damaged run."""
    status = 422 if isinstance(error, UsageError) else 409
    return Refusal(status, str(error), slug="busy" if isinstance(error, BusyError) else error.slug)


def error_json(slug: str, message: str) -> dict[str, Any]:
    """Return the JSON of a refusal."""
    return {"error": {"slug": slug, "message": message[:2000]}}


def error_bytes(status: int, slug: str, message: str) -> bytes:
    """Return the body of a refusal. A policy may replace this function."""
    return json.dumps(error_json(slug, message)).encode()
