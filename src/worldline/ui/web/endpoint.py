"""Endpoints of the API: how a request finds its endpoint, and the OpenAPI 3.1 description of a table of endpoints.

A path is matched undecoded, and its variables are integers (or `live`), so a client never names a file. Query and body
are checked against the schemas of the table before an action sees them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from worldline.ui.http.errors import Refusal
from worldline.ui.http.policy import TOKEN_HEADER
from worldline.ui.http.schema_check import fault, number
from worldline.ui.web.schemas import PLACE, SCHEMAS, Schema, named
from worldline.ui.web.service import Service

VERSION = "1"  # of the API
NUMBER = "0|[1-9][0-9]{0,8}"
VARIABLES: dict[str, Schema] = {
    "run": {"type": "string", "pattern": f"^(live|{NUMBER})$"},
    **dict.fromkeys(("at", "k", "b", "quiz", "question"), PLACE),
}
_VARIABLE = re.compile(r"\\{(\w+)\\}")
_BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_MAX_QUERY_FIELDS = 32


@dataclass(frozen=True)
class CheckedRequest:
    """A checked request: the variables of its path, its query and its body."""

    path: Mapping[str, Any]
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None


EndpointAction = Callable[[Service, CheckedRequest], Any]


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A method on a path. `refuses` are its error statuses besides those of every endpoint.

    The action of a stream returns an asynchronous iterator of bytes; any other action returns a JSON value.
    """

    method: str
    path: str
    summary: str
    answer: str
    action: EndpointAction
    status: int = 200
    query: Mapping[str, Schema] = field(default_factory=dict)
    body: Schema | None = None
    refuses: tuple[int, ...] = ()
    is_stream: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """The pattern of its undecoded path."""

        def variable(match: re.Match[str]) -> str:
            return f"(?P<{match[1]}>{'live|' if match[1] == 'run' else ''}{NUMBER})"

        return re.compile(_VARIABLE.sub(variable, re.escape(self.path)).encode())

    @property
    def statuses(self) -> tuple[int, ...]:
        """All its error statuses."""
        usual = {400, 403, 414, 422, 431, 503}
        usual |= {404} if "{" in self.path else set()
        usual |= {413, 415} if self.body is not None else set()
        return tuple(sorted({*usual, *self.refuses}))


def find_endpoint(table: Iterable[Endpoint], method: str, path: bytes) -> tuple[Endpoint, dict[str, Any]]:
    """Return the endpoint of a request, and the variables of its path.

    Raises:
        Refusal: The path or the method is unknown.
    """
    matches = [(endpoint, match) for endpoint in table if (match := endpoint.pattern.fullmatch(path))]
    for endpoint, match in matches:
        if endpoint.method == method:
            return endpoint, {key: _variable(key, text) for key, text in match.groupdict().items()}
    if matches:
        allow = ", ".join(sorted(endpoint.method for endpoint, _ in matches))
        raise Refusal(405, f"{method} is not allowed: use {allow}", allow=allow)
    raise Refusal(404, "unknown path: see /api/openapi.json")


def parse_query(endpoint: Endpoint, text: bytes) -> dict[str, Any]:
    """Parse and check a query string.

    Raises:
        Refusal: A parameter is unknown, occurs twice, or does not match its schema.
    """
    if _BAD_ESCAPE.search(text):
        raise Refusal(400, "the query has a % that starts no escape")
    try:
        pairs = parse_qsl(
            text.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(text),
            errors="strict",
            max_num_fields=_MAX_QUERY_FIELDS,
        )
    except ValueError as error:
        raise Refusal(400, f"the query cannot be parsed: {error}") from None
    query: dict[str, Any] = {}
    for name, value in pairs:
        if name not in endpoint.query:
            known = ", ".join(endpoint.query) or "none"
            raise Refusal(422, f"unknown parameter {name[:100]!r}; known are {known}")
        if name in query:
            raise Refusal(422, f"{name} occurs twice")
        query[name] = number(value) if endpoint.query[name].get("type") == "integer" else value
        if (wrong := fault(query[name], endpoint.query[name], name)) is not None:
            raise Refusal(422, wrong)
    return query


def _variable(name: str, text: bytes) -> Any:
    return text.decode() if name == "run" else int(text)


def description(table: Iterable[Endpoint]) -> dict[str, Any]:
    """Return the OpenAPI description of a table of endpoints."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in table:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    token = {"type": "apiKey", "in": "header", "name": TOKEN_HEADER}
    return {
        "openapi": "3.1.0",
        "info": {"title": "worldline view", "version": VERSION},
        "security": [{"token": []}],
        "paths": paths,
        "components": {"schemas": SCHEMAS, "securitySchemes": {"token": token}},
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    variables = re.findall(r"\{(\w+)\}", endpoint.path)
    parameters = [{"name": name, "in": "path", "required": True, "schema": VARIABLES[name]} for name in variables] + [
        {"name": name, "in": "query", "schema": schema} for name, schema in endpoint.query.items()
    ]
    errors = {
        str(status): {"description": HTTPStatus(status).phrase, "content": _json_content("Error")}
        for status in endpoint.statuses
    }
    stream = {"text/event-stream": {"schema": named("Event")}}
    content = stream if endpoint.is_stream else _json_content(endpoint.answer)
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": _operation_id(endpoint),
        "parameters": parameters,
        "responses": {str(endpoint.status): {"description": endpoint.summary, "content": content}} | errors,
    }
    if endpoint.body is not None:
        content = {"application/json": {"schema": endpoint.body}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _json_content(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": named(name)}}


def _operation_id(endpoint: Endpoint) -> str:
    words = re.sub(r"[{}]", "", endpoint.path.removeprefix("/api/")).replace(".json", "").split("/")
    return "_".join([endpoint.method.lower(), *words])
