"""Canonical values as plain Python values and back, so that built-in operations can be executed on them.

Strings, numbers, None, lists, tuples, dicts, sets, deques and objects with fields. Sharing is resolved by copying;
whatever else a value may be (a function, a cycle, an exception) is opaque: it equals itself, and no operation takes it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.malformed import Malformed
from worldline.core.value import Value, canonical, parse, quote, unquote, unquote_bytes

MAX_TEXT = 20_000  # characters of a value; a longer one is opaque


@dataclass(frozen=True)
class OpaqueValue:
    """A value that no operation takes."""

    text: str


@dataclass(frozen=True, eq=False)
class PlainObject:
    """An object of a class of the program, by its name and number, with its fields."""

    name: str
    fields: Mapping[str, Any]


def plain(text: str) -> Any:
    """Return the plain value of a canonical text, or of another spelling of it."""
    spelled = canonical(text) if len(text) <= MAX_TEXT else text
    node = parse(spelled) if isinstance(spelled, str) and len(spelled) <= MAX_TEXT else None
    if node is None or isinstance(node, Malformed):
        return OpaqueValue(text)
    try:
        return _built(node, {})
    except (RecursionError, TypeError, ValueError):
        return OpaqueValue(text)


def _built(node: Value, labelled: dict[str, Any]) -> Any:
    match node.kind:
        case "int":
            return int(node.atom, 0)
        case "float":
            return float(node.atom) if "(" not in node.atom else OpaqueValue(node.atom)
        case "bool" | "None":
            return {"True": True, "False": False, "None": None}[node.atom]
        case "str":
            return unquote(node.atom)
        case "bytes":
            return unquote_bytes(node.atom)
        case "object" if not node.items:
            return PlainObject(f"{node.atom}#{node.number}", {name: _built(f, labelled) for name, f in node.fields})
        case "list" | "tuple" | "dict" | "set" | "frozenset" | "deque":
            return _container(node, labelled)
    if node.atom in labelled:
        return labelled[node.atom]
    return OpaqueValue(node.atom or node.kind)


def _container(node: Value, labelled: dict[str, Any]) -> Any:
    items = [_built(item, labelled) for item in node.items]
    built: Any
    match node.kind:
        case "list":
            built = items
        case "tuple":
            built = tuple(items)
        case "dict":
            built = dict(zip(items[::2], items[1::2], strict=True))
        case "set":
            built = set(items)
        case "frozenset":
            built = frozenset(items)
        case _:
            built = deque(items, int(node.atom) if node.atom else None)
    if node.label:
        labelled[f"#{node.label}"] = built
    return built


def text_of(value: Any) -> str:
    """Return the text of a plain value, canonical but for the order of sets of several types."""
    match value:
        case str():
            return quote(value)
        case list():
            return f"[{', '.join(map(text_of, value))}]"
        case tuple():
            return f"({', '.join(map(text_of, value))}{',' * (len(value) == 1)})"
        case dict():
            return "{" + ", ".join(f"{text_of(key)}: {text_of(item)}" for key, item in value.items()) + "}"
        case set() | frozenset() if value:
            inner = "{" + ", ".join(sorted(map(text_of, value))) + "}"
            return inner if isinstance(value, set) else f"frozenset({inner})"
        case deque():
            limit = f", maxlen={value.maxlen}" if value.maxlen is not None else ""
            return f"deque({text_of(list(value))}{limit})"
        case PlainObject():
            fields = ", ".join(f"{name}={text_of(item)}" for name, item in value.fields.items())
            return f"{value.name}({fields})"
        case OpaqueValue():
            return value.text
    return repr(value)


def same(first: Any, second: Any) -> bool:
    """Return whether two plain values have the same type and content; the order of dicts is ignored."""
    if type(first) is not type(second):
        return False
    match first:
        case list() | tuple() | deque():
            return len(first) == len(second) and all(map(same, first, second))
        case dict():
            return first.keys() == second.keys() and all(same(item, second[key]) for key, item in first.items())
        case PlainObject():
            return first.name == second.name and same(dict(first.fields), dict(second.fields))
        case float():
            return repr(first) == repr(second)
    return bool(first == second)


def elements(value: Any) -> list[Any] | None:
    """Return what an iteration over a plain value yields; None if it cannot be iterated."""
    return list(value) if isinstance(value, (str, list, tuple, dict, set, frozenset, deque, range)) else None


def like(model: Any, items: list[Any]) -> Any:
    """Return items in a container of the same type as the model's; a string if it is one and all items are text."""
    if isinstance(model, str):
        return "".join(items) if all(isinstance(item, str) for item in items) else list(items)
    if isinstance(model, (tuple, set, frozenset)):
        try:
            return type(model)(items)
        except TypeError:
            return list(items)
    return deque(items, model.maxlen) if isinstance(model, deque) else list(items)
