"""One level of a canonical value as text: split into parts, and joined again.

`codec.compact.element` edits values with it. Nothing is checked: text that is not canonical may split anyhow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from worldline.core.spelling import BYTES, IDENTIFIER, QUOTED, STR, quote, unquote, unquote_bytes
from worldline.core.texts.value_levels import SEPARATOR, is_flat

_TOKEN = re.compile(QUOTED + r"|[\[({]|[\])}]|, |: |=")
_LARGE = 1024  # characters of a value that may be split again soon: a change splits it before and after
_DEQUE_END = re.compile(r"\](, maxlen=[0-9]+)?\)")


@cache
def _opening() -> re.Pattern[str]:
    """The pattern of what a value with parts starts with."""
    return re.compile(
        rf"(?P<label>#[1-9][0-9]*)?(?:(?P<list>\[)|(?P<deque>deque\(\[)|(?P<empty>set\(\))|(?P<dict>\{{)"
        rf"|(?P<bytearray>bytearray\((?={BYTES}\)\Z)))"
        rf"|(?P<tuple>\()|(?P<frozenset>frozenset\()|(?P<str>(?={STR}\Z)['\"])|(?P<bytes>(?={BYTES}\Z)b)"
        rf"|(?P<object>{IDENTIFIER}(?:\.{IDENTIFIER})*#[1-9][0-9]*)\("
    )


@dataclass(frozen=True)
class ValueParts:
    """One level of a value: its kind, the text before and after, and its items (with keys or field names)."""

    kind: str
    head: str
    tail: str
    items: Sequence[str] | str | bytes
    keys: list[str] | None = None


def split(text: str) -> ValueParts | None:
    """Split one level of a canonical value, or return None for a value without parts."""
    return _split(text) if len(text) < _LARGE else _split_large(text)


@lru_cache(maxsize=16)
def _split_large(text: str) -> ValueParts | None:
    return _split(text)


def _split(text: str) -> ValueParts | None:
    opening = _opening().match(text)
    if opening is None:
        return None
    kind, head = opening.lastgroup or "", opening["label"] or ""
    if kind == "str":
        return ValueParts(kind, "", "", unquote(text))
    if kind == "bytes":
        return ValueParts(kind, "", "", unquote_bytes(text))
    if kind == "bytearray":
        return ValueParts(kind, head, "", unquote_bytes(text[opening.end() : -1]))
    if kind == "empty":
        return ValueParts("set", head, "", []) if opening.end() == len(text) else None
    if kind == "frozenset":
        inner = text[opening.end() : -1]
        return ValueParts(kind, "", "", []) if not inner else _split_items(kind, "", inner, 1)
    return _split_items(kind, opening["object"] or head, text, opening.end())


def _split_items(kind: str, head: str, text: str, at: int) -> ValueParts | None:
    """Split the items of a bracketed value that start at `at`, in one pass over its tokens."""
    if kind in ("list", "tuple") and text[-1:] == ("]" if kind == "list" else ")"):
        inner = text[at:-1]
        if inner and not inner.endswith(SEPARATOR) and is_flat(inner, 0, len(inner)):
            return _shaped(kind, head, inner.split(SEPARATOR), [], text[-1])
    items: list[str] = []
    keys: list[str] = []
    depth, start = 1, at
    key_mark = {"dict": ": ", "object": "="}.get(kind)
    for token in _TOKEN.finditer(text, at):
        mark = token[0]
        if mark in "[({":
            depth += 1
        elif mark in "])}":
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and mark == ", ":
            items.append(text[start : token.start()])
            start = token.end()
        elif depth == 1 and mark == key_mark and len(keys) == len(items):
            keys.append(text[start : token.start()])
            start = token.end()
        if kind == "object" and depth == 1 and mark == ", " and len(keys) < len(items):
            # The base value of a subclass has no name.
            keys.append("")
    if depth:
        return None
    if start < token.start():
        items.append(text[start : token.start()])
    return _shaped(kind, head, items, keys, text[token.start() :])


def _shaped(kind: str, head: str, items: list[str], keys: list[str], end: str) -> ValueParts | None:
    if kind == "deque":
        match = _DEQUE_END.fullmatch(end)
        return ValueParts(kind, head, match[1] or "", items) if match else None
    if len(end) != 1:
        return None
    if kind == "tuple" and len(items) == 1:
        return ValueParts(kind, head, "", [items[0][:-1]]) if items[0].endswith(",") else None
    if kind == "dict" and items and not keys:
        return ValueParts("set", head, "", items)
    if kind == "object" and len(keys) + 1 == len(items):
        keys.append("")
    if kind in ("dict", "object"):
        return ValueParts(kind, head, "", items, keys) if len(keys) == len(items) else None
    return ValueParts(kind, head, "", items)


def join(parts: ValueParts) -> str:
    """Return the canonical text of one level: the inverse of `split`."""
    if isinstance(parts.items, str):
        return quote(parts.items)
    if isinstance(parts.items, bytes):
        return repr(parts.items) if parts.kind == "bytes" else f"{parts.head}bytearray({parts.items!r})"
    items = parts.items
    if parts.keys is not None:
        mark = ": " if parts.kind == "dict" else "="
        items = [f"{key}{mark}{item}" if key else item for key, item in zip(parts.keys, items, strict=True)]
    inner = ", ".join(items)
    if parts.kind in ("set", "frozenset"):
        full = f"{{{inner}}}" if parts.kind == "set" else f"frozenset({{{inner}}})"
        return parts.head + (full if items else f"{parts.kind}()")
    if parts.kind == "deque":
        return f"{parts.head}deque([{inner}]{parts.tail})"
    opening, closing = {"list": ("[", "]"), "dict": ("{", "}")}.get(parts.kind, ("(", ")"))
    comma = "," if parts.kind == "tuple" and len(items) == 1 else ""
    return f"{parts.head}{opening}{inner}{comma}{closing}"
