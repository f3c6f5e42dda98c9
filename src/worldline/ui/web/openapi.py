"""The server's own description, OpenAPI 3.1, made from the table that mounts the endpoints: they cannot disagree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from worldline.ui.http.policy import TOKEN_HEADER
from worldline.ui.web.endpoint import VARIABLES, Endpoint
from worldline.ui.web.schemas import SCHEMAS, named

VERSION = "1"  # of what is described; the package has its own


def description(table: Iterable[Endpoint]) -> dict[str, Any]:
    """The whole description."""
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
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": VARIABLES[name]} for name in variables
    ] + [{"name": name, "in": "query", "schema": schema} for name, schema in endpoint.query.items()]
    told: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": _name(endpoint),
        "parameters": parameters,
        "responses": {str(endpoint.status): _success(endpoint)}
        | {str(status): _refusal(status) for status in endpoint.statuses},
    }
    if endpoint.body is not None:
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": endpoint.body}}}
    return told


def _success(endpoint: Endpoint) -> dict[str, Any]:
    if endpoint.is_stream:
        return {"description": endpoint.summary, "content": {"text/event-stream": {"schema": named("Event")}}}
    return {"description": endpoint.summary, "content": _json(endpoint.answer)}


def _refusal(status: int) -> dict[str, Any]:
    return {"description": HTTPStatus(status).phrase, "content": _json("Error")}


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": named(name)}}


def _name(endpoint: Endpoint) -> str:
    words = re.sub(r"[{}]", "", endpoint.path.removeprefix("/api/")).replace(".json", "").split("/")
    return "_".join([endpoint.method.lower(), *words])
