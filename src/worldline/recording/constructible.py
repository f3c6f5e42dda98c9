"""A change as the guest takes it: each value as flat acts that build it, so that no text is evaluated in the box.

Plain values can be built: numbers, text, bytes, ranges, slices and containers of such, also those that hold themselves.
Objects, enums, exceptions, opaque values and cuts are not in their text; of those it is said why. Nothing here runs.
"""

from __future__ import annotations

from typing import Any

from worldline.core.change import Change
from worldline.core.malformed import Malformed
from worldline.core.value import Value, parse, unquote, unquote_bytes

_CONTAINERS = ("list", "tuple", "dict", "set", "frozenset", "deque", "slice")
_ATOMS = ("None", "bool", "Ellipsis", "NotImplemented", "int", "float", "complex", "range")
_NAMES = {
    "object": "an object",
    "enum": "a member of an enum",
    "exception": "an exception",
    "opaque": "opaque",
    "cut": "a cut",
    "ref": "an object seen before",
}
CLOSE = "close"


def encode_change(change: Change) -> dict[str, Any] | str:
    """The change in JSON's types; or, in words, why no interpreter can make it."""
    rows: list[tuple[int, str, str, list[list[Any]] | None]] = []
    for serial, names in change.values.items():
        for name, text in names.items():
            if name.startswith("__") and name.endswith("__"):
                return f"{name} is a name that the language gives; no trace shows it"
            built = None if text is None else acts(text)
            if isinstance(built, str):
                return f"{name}={_short(text or '')}: {built}"
            rows.append((serial, name, text or "", built))
    return {"step": change.step, "line": change.line, "values": rows}


def acts(text: str) -> list[list[Any]] | str:
    """What builds a value, in order, each `[kind, payload, label]`; or why it cannot be built.

    A container's acts are its opening, those of its items, and `close`; items stand in the order of the text.
    """
    value = parse(text)
    if isinstance(value, Malformed):
        return f"not a canonical value: no {value.expected} at character {value.offset}"
    rows: list[list[Any]] = []
    waiting: list[Value | None] = [value]
    while waiting:
        node = waiting.pop()
        if node is None:
            rows.append([CLOSE, "", 0])
        elif node.kind in _CONTAINERS:
            rows.append([node.kind, node.atom if node.kind == "deque" else "", node.label])
            waiting += [None, *reversed(node.items)]
        elif (payload := _payload(node)) is not None:
            rows.append([node.kind, payload, node.label])
        else:
            return f"{_NAMES.get(node.kind, node.kind)} ({_short(node.atom)}) cannot be built from its text"
    return rows


def _payload(node: Value) -> str | None:
    """An atom as text that JSON keeps: bytes, and text with any surrogates, as hexadecimal digits."""
    if node.kind == "str":
        return unquote(node.atom).encode("utf-8", "surrogatepass").hex()
    if node.kind in ("bytes", "bytearray"):
        return unquote_bytes(node.atom.removeprefix("bytearray(").removesuffix(")")).hex()
    if node.kind == "ref":
        return node.atom[1:] if node.atom.startswith("#") else None
    return node.atom if node.kind in _ATOMS else None


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "..."
