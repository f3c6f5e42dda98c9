"""Encode a change for the guest: each value as flat acts that build it, so that no text is evaluated.

Plain values can be built: numbers, text, bytes, ranges, slices, and containers of them, including
containers that contain themselves. Objects, enums, exceptions, opaque values and cuts cannot be
built from their text; the answer then says why. Nothing here executes code.
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
    """Encode a change in the types of JSON. Return a message instead if no interpreter can make it."""
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
    """Return the acts that build a value, each `[kind, payload, label]`, or why it cannot be built.

    The acts of a container are its opening, the acts of its items in their order, and `close`.
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
    """Return an atom as text for JSON. Bytes and text are hexadecimal digits, to keep surrogates."""
    if node.kind == "str":
        return unquote(node.atom).encode("utf-8", "surrogatepass").hex()
    if node.kind in ("bytes", "bytearray"):
        return unquote_bytes(node.atom.removeprefix("bytearray(").removesuffix(")")).hex()
    if node.kind == "ref":
        return node.atom[1:] if node.atom.startswith("#") else None
    return node.atom if node.kind in _ATOMS else None


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "..."
