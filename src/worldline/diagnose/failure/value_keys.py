"""Parts of canonical values by path: `['a'].size` is the keys `['a']` and `.size`. Nothing is evaluated."""

from __future__ import annotations

import re

from worldline.core.value import canonical, kind
from worldline.core.value_parts import split

_KEY = re.compile(r"\.[^\W\d]\w*|\[(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\[\]'\"]+)\]")


def keys_of(path: str) -> tuple[str, ...]:
    """Split a path into its keys, as far as they are simple."""
    keys, at = list[str](), 0
    while (match := _KEY.match(path, at)) is not None:
        keys.append(match[0])
        at = match.end()
    return tuple(keys)


def part_of(text: str | None, keys: tuple[str, ...]) -> str | None:
    """Return the part of a value under some keys; None if it has none."""
    for key in keys:
        text = None if text is None else _one(text, key)
    return text


def _one(text: str, key: str) -> str | None:
    parts = split(text)
    if parts is None:
        return None
    name = key[1:] if key.startswith(".") else key[1:-1]
    if parts.keys is not None:
        is_field = parts.kind != "dict"
        if is_field != key.startswith(".") or name not in parts.keys:
            return None
        return str(parts.items[parts.keys.index(name)])
    if parts.kind not in ("list", "tuple", "deque", "str") or not re.fullmatch(r"-?\d{1,9}", name):
        return None
    number = int(name)
    if not -len(parts.items) <= number < len(parts.items):
        return None
    item = str(parts.items[number])
    return repr(item) if parts.kind == "str" else item


def is_known_key(text: str | None, key: str) -> bool:
    """Tell whether a value has a part under a key."""
    return text is not None and _one(text, key) is not None


def literal(source: str) -> str | None:
    """Return the canonical text of a literal; None for any other source."""
    text = canonical(source)
    return text if isinstance(text, str) else None


def is_mutable(text: str | None) -> bool:
    """Tell whether a value can change in place."""
    return text is not None and kind(text) in ("list", "dict", "set", "deque", "bytearray", "object")


def size_of(text: str | None) -> str | None:
    """Return the `len` of a value with parts; None if it has no known length."""
    parts = None if text is None else split(text)
    return None if parts is None or parts.kind == "object" else str(len(parts.items))
