"""JSON of requests and answers. A request's body is parsed strictly and to a limited depth.

Also refused: duplicate names, NaN, integers of more than 18 digits, floats out of range, lone surrogates, and a byte
order mark. `schema_check` checks the value.
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

# A string that is not closed takes the rest, so that its escaped quotes are not tried as starts, in quadratic time.
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_DIGITS = 18


class ClientLeft(Exception):
    """The client disconnected before it had sent its whole body."""


async def received(receive: Receive, max_bytes: int) -> bytes:
    """Read the body of a request.

    Raises:
        ClientLeft: The client disconnected.
        Refusal: The body is larger than `max_bytes`.
    """
    data, is_more = bytearray(), True
    while is_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientLeft
        data += message.get("body", b"")
        is_more = message.get("more_body", False)
        if len(data) > max_bytes:
            raise Refusal(413, f"a body has at most {max_bytes} bytes")
    return bytes(data)


def parse(data: bytes, *, depth: int) -> Any:
    """Parse a body.

    Raises:
        Refusal: It is not JSON as described above, or it is nested deeper than `depth`.
    """
    if _depth(data) > depth:
        raise Refusal(400, f"the JSON is nested deeper than {depth}")
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_int=_integer,
            parse_float=_finite_number,
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # raises on a lone surrogate
    except (ValueError, RecursionError) as error:
        raise Refusal(400, f"the body is not JSON: {error}") from None
    return value


def _depth(data: bytes) -> int:
    """Return how deep the brackets outside strings nest, without parsing."""
    level = deepest = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", data)):
        level += 1 if bracket.group() in b"[{" else -1
        deepest = max(deepest, level)
    return deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a name occurs twice")
    return value


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > _DIGITS:
        raise ValueError(f"an integer has at most {_DIGITS} digits")
    return int(text)


def _finite_number(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError("a number is out of range")
    return value


def json_bytes(value: Any) -> bytes:
    """Serialise a value as ASCII JSON, so that lone surrogates are escaped. NaN and infinities become null."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except ValueError:
        return json.dumps(_finite_value(value), allow_nan=False, separators=(",", ":")).encode()


def _finite_value(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite_value(item) for key, item in value.items()}
    return [_finite_value(item) for item in value] if isinstance(value, list | tuple) else value
