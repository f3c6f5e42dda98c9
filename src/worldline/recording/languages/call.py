"""Parse a call with canonical arguments, `f([1, 2], 'a')`, for a guest of any language."""

from __future__ import annotations

import re
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.value import Value, canonical, parse, unquote, unquote_bytes

_CALL = re.compile(r"\s*([^\W\d$][\w$]*(?:(?:\.|::)[^\W\d$][\w$]*)*|\$[\w$]*)\s*\((.*)\)\s*", re.DOTALL)
_SEVERAL = ("list", "tuple", "set")


def tree_of(call: str) -> dict[str, Any]:
    """Parse a call.

    Returns:
        The name of the function, and its arguments as trees of kinds and texts.

    Raises:
        UsageError: The text is not a call, or an argument is not plain data.
    """
    match = _CALL.fullmatch(call)
    text = canonical(f"[{match[2].strip()}]") if match else None
    value = parse(text) if isinstance(text, str) else text
    if match is None or not isinstance(value, Value):
        where = f" (at character {value.offset} of its arguments)" if isinstance(value, Malformed) else ""
        raise UsageError(
            f"a call is a function's name and canonical values, such as f([1, 2], 'a'), not {call!r}{where}"
        )
    return {"function": match[1], "arguments": [_tree(item) for item in value.items]}


def _tree(value: Value) -> list[Any]:
    if value.label or value.kind not in _PLAIN:
        raise UsageError(f"an argument of a call is plain data, and {value.atom or value.kind!r} is not")
    if value.kind in _SEVERAL:
        return [value.kind, [_tree(item) for item in value.items]]
    if value.kind == "dict":
        keys, values = value.items[::2], value.items[1::2]
        return ["dict", [[_tree(key), _tree(item)] for key, item in zip(keys, values, strict=True)]]
    leaf: list[Any] = _PLAIN[value.kind](value.atom)
    return leaf


_PLAIN: dict[str, Any] = {
    "None": lambda atom: ["none"],
    "bool": lambda atom: ["bool", atom == "True"],
    "int": lambda atom: ["int", str(int(atom, 0))],
    "float": lambda atom: ["float", atom],
    "str": lambda atom: ["str", unquote(atom)],
    "bytes": lambda atom: ["bytes", unquote_bytes(atom).hex()],
    **dict.fromkeys((*_SEVERAL, "dict")),
}
