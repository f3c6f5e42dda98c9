"""What an endpoint is, and how a request finds one: by a table that mounts the endpoints and describes them.

A path matches by its own undecoded characters, and its variables are whole numbers (or `live`): nothing that a client
writes is ever a name of a file. What a request carries is checked against the table's schemas before an act sees it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

from worldline.ui.http.errors import Refusal
from worldline.ui.http.schema_check import fault, number
from worldline.ui.web.schemas import PLACE, Schema
from worldline.ui.web.service import Service

NUMBER = "0|[1-9][0-9]{0,8}"
VARIABLES: dict[str, Schema] = {
    "run": {"type": "string", "pattern": f"^(live|{NUMBER})$"}, "at": PLACE, "k": PLACE, "b": PLACE,
}  # fmt: skip
_VARIABLE = re.compile(r"\\{(\w+)\\}")
_BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_FIELDS = 32


@dataclass(frozen=True)
class CheckedRequest:
    """One request, checked: the numbers of its path, its query, its body."""

    path: Mapping[str, Any]
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None


Act = Callable[[Service, CheckedRequest], Any]


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A method on a path. `refuses`: the statuses it may answer with beside those that every endpoint has.

    A `stream` act gives an asynchronous iterator of bytes, any other one a JSON value.
    """

    method: str
    path: str
    summary: str
    answer: str
    act: Act
    status: int = 200
    query: Mapping[str, Schema] = field(default_factory=dict)
    body: Schema | None = None
    refuses: tuple[int, ...] = ()
    is_stream: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """What a path of it looks like, as sent."""

        def variable(found: re.Match[str]) -> str:
            return f"(?P<{found[1]}>{'live|' if found[1] == 'run' else ''}{NUMBER})"

        return re.compile(_VARIABLE.sub(variable, re.escape(self.path)).encode())

    @property
    def statuses(self) -> tuple[int, ...]:
        """Every status it refuses with."""
        usual = {400, 403, 414, 422, 431, 503}
        usual |= {404} if "{" in self.path else set()
        usual |= {413, 415} if self.body is not None else set()
        return tuple(sorted({*usual, *self.refuses}))


def found(table: Iterable[Endpoint], method: str, path: bytes) -> tuple[Endpoint, dict[str, Any]]:
    """The endpoint that a request means, with the numbers of its path; a Refusal where there is none."""
    here = [(one, match) for one in table if (match := one.pattern.fullmatch(path))]
    for one, match in here:
        if one.method == method:
            return one, {key: _variable(key, text) for key, text in match.groupdict().items()}
    if here:
        allow = ", ".join(sorted(one.method for one, _ in here))
        raise Refusal(405, f"there is no {method} here", allow=allow)
    raise Refusal(404, "there is no such thing here")


def asked(endpoint: Endpoint, text: bytes) -> dict[str, Any]:
    """A query, checked; a parameter that is unknown or given twice is refused."""
    if _BAD_ESCAPE.search(text):
        raise Refusal(400, "the query has a % that is no escape")
    try:
        pairs = parse_qsl(
            text.decode("ascii"), keep_blank_values=True, strict_parsing=bool(text), errors="strict",
            max_num_fields=_FIELDS,
        )  # fmt: skip
    except ValueError as error:
        raise Refusal(400, f"the query cannot be read: {error}") from None
    query: dict[str, Any] = {}
    for name, value in pairs:
        if name not in endpoint.query:
            raise Refusal(
                422, f"no parameter {name[:100]!r}; there are {', '.join(endpoint.query) or 'none'}"
            )
        if name in query:
            raise Refusal(422, f"{name} is given twice")
        query[name] = number(value) if endpoint.query[name].get("type") == "integer" else value
        if (wrong := fault(query[name], endpoint.query[name], name)) is not None:
            raise Refusal(422, wrong)
    return query


def _variable(name: str, text: bytes) -> Any:
    return text.decode() if name == "run" else int(text)
