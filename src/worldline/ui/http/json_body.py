"""JSON as it comes and goes: a request's body, read strictly and to a bounded depth, and an answer's bytes.

Any bytes go in, a value or a Refusal comes out.

Refused beside what is no JSON: a name given twice, NaN, whole numbers of more than 18 digits, floats beyond the
range, halves of surrogate pairs, a byte order mark. What the value should be is `schema_check`'s. In
answers every text has bytes and every number is one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from worldline.ui.http.errors import Refusal

if TYPE_CHECKING:
    from starlette.types import Receive

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_DIGITS = 18


class ClientLeft(Exception):
    """The client left before its body was whole."""


async def received(receive: Receive, most: int) -> bytes:
    """The bytes of a body, as far as it may go; ClientLeft where the client did."""
    data, is_more = bytearray(), True
    while is_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientLeft
        data += message.get("body", b"")
        is_more = message.get("more_body", False)
        if len(data) > most:
            raise Refusal(413, f"a body has at most {most} bytes")
    return bytes(data)


def parse(data: bytes, *, depth: int) -> Any:
    """The value of a body."""
    if _depth(data) > depth:
        raise Refusal(400, f"the JSON is nested deeper than {depth}")
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object, parse_constant=_constant, parse_int=_whole, parse_float=_finite_number,
        )  # fmt: skip
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # half a surrogate pair has no bytes
    except (ValueError, RecursionError) as error:
        raise Refusal(400, f"the body is not JSON: {error}") from None
    return value


def _depth(data: bytes) -> int:
    """How deep the brackets outside of strings go, before a parser has to."""
    level = deepest = 0
    for found in _BRACKET.finditer(_STRING.sub(b"", data)):
        level += 1 if found.group() in b"[{" else -1
        deepest = max(deepest, level)
    return deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given twice")
    return found


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _whole(text: str) -> int:
    if len(text.lstrip("-")) > _DIGITS:
        raise ValueError(f"a whole number has at most {_DIGITS} digits")
    return int(text)


def _finite_number(text: str) -> float:
    if not math.isfinite(found := float(text)):
        raise ValueError("a number is out of range")
    return found


def json_bytes(value: Any) -> bytes:
    """A value as JSON, in ASCII, so that every text has bytes; a number that is none becomes null."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except ValueError:
        return json.dumps(_finite_value(value), allow_nan=False, separators=(",", ":")).encode()


def _finite_value(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite_value(each) for key, each in value.items()}
    return [_finite_value(each) for each in value] if isinstance(value, list | tuple) else value
