"""Changes inside values: from two canonical texts to a few short edits, and from a text and edits to the new text.

Edits work on the text alone, one level at a time; nothing is evaluated. The forms (docs/reference/format.md,
section 5): `xs[3]=5 xs+=[5] -xs[3] xs[1:2]=[7, 8] s+='a' d['k']=1 -d['k'] u+={3} u-={3} p.x=3 -p.x`, with paths
such as `d['k'][0].x`, at most DEPTH long. `change` is canonical: one text for one pair of values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from worldline.core.malformed import Malformed
from worldline.core.spelling import BYTES, FLOAT, IDENTIFIER, INT, STR, order
from worldline.core.text import first_difference
from worldline.core.value import scan
from worldline.core.value_parts import ValueParts, join, split

DEPTH = 16

_KINDS = [
    ("None", "None"),
    ("True|False", "bool"),
    (INT, "int"),
    (FLOAT, "float"),
    (STR, "str"),
    (BYTES, "bytes"),
    (r"\([\s\S]*", "tuple"),
]
_FIELD = re.compile(f"(?:{IDENTIFIER})?")
_INDEX = re.compile("0|[1-9][0-9]{0,8}")


@dataclass(frozen=True)
class ElementEdit:
    """One edit: the path (`[key]` as the text of the key, `.field` with its dot), = += -= or -, span, operand."""

    path: tuple[str, ...]
    act: str
    span: tuple[int, int] | None
    operand: str


def change(name: str, old: str | None, new: str) -> str:
    """Write the change of a name: the whole value, or edits separated by spaces if they are shorter."""
    whole = f"{name}={new}"
    if old is None or old == new:
        return whole
    edits = _edits(name, old, new, 0)
    text = " ".join(edits)
    if edits == [whole] or _size(text) >= _size(whole):
        return whole
    # Text that is not quite canonical may split differently: then the whole value is the safe form.
    return text if _replay(name, old, text) == new else whole


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _replay(name: str, old: str, text: str) -> str | None:
    at, value = 0, old
    while at <= len(text):
        minus = text[at] == "-"
        read = read_edit(text, at + minus + len(name), minus)
        result = None if isinstance(read, Malformed) else apply(value, read[0])
        if result is None or isinstance(read, Malformed):
            return None
        value, at = result, read[1] + 1
    return value


def _edits(path: str, old: str, new: str, depth: int) -> list[str]:
    """The edits inside a value or its replacement, whichever is shorter."""
    whole = [f"{path}={new}"]
    was, now = (split(old), split(new)) if depth < DEPTH else (None, None)
    if was is None or now is None or (was.kind, was.head, was.tail) != (now.kind, now.head, now.tail):
        return whole
    if was.keys is not None and now.keys is not None:
        edits = _keyed_edits(path, was, now, depth)
    elif was.kind in ("set", "frozenset"):
        edits = _set_edits(path, was, now)
    else:
        edits = _sequence_edits(path, was, now, depth)
    if edits is None or _size(" ".join(edits)) >= _size(whole[0]):
        return whole
    return edits


def _keyed_edits(path: str, was: ValueParts, now: ValueParts, depth: int) -> list[str] | None:
    step = "[%s]" if was.kind == "dict" else ".%s"
    before = dict(zip(was.keys or [], was.items, strict=True))
    after = dict(zip(now.keys or [], now.items, strict=True))
    common = [key for key in before if key in after]
    if list(after)[: len(common)] != common or len(before) != len(was.items) or len(after) != len(now.items):
        return None
    edits = [f"-{path}{step % key}" for key in before if key not in after]
    for key, value in after.items():
        if key not in before:
            edits.append(f"{path}{step % key}={value}")
        elif before[key] != value:
            edits += _edits(path + step % key, str(before[key]), str(value), depth + 1)
    return edits


def _set_edits(path: str, was: ValueParts, now: ValueParts) -> list[str]:
    before, after = set(was.items), set(now.items)
    gone = [str(item) for item in was.items if item not in after]
    new = [str(item) for item in now.items if item not in before]
    edits = [f"{path}-={{{', '.join(gone)}}}"] if gone else []
    return edits + ([f"{path}+={{{', '.join(new)}}}"] if new else [])


def _sequence_edits(path: str, was: ValueParts, now: ValueParts, depth: int) -> list[str]:
    before, after = was.items, now.items
    if isinstance(before, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        changed = [(i, str(old), str(new)) for i, (old, new) in pairs if old != new]
        return [edit for i, old, new in changed for edit in _edits(f"{path}[{i}]", old, new, depth + 1)]
    start = first_difference(before, after)
    end = first_difference(before[start:][::-1], after[start:][::-1])
    stop = len(before) - end
    operand = _literal(now, after[start : len(after) - end])
    if start == stop == len(before):
        return [f"{path}+={operand}"]
    if stop == start + 1 and start == len(after) - end:
        return [f"-{path}[{start}]"]
    return [f"{path}[{start}:{stop}]={operand}"]


def _literal(parts: ValueParts, items: Sequence[str] | str | bytes) -> str:
    kind = {"deque": "list", "bytearray": "bytes"}.get(parts.kind, parts.kind)
    return join(ValueParts(kind, "", "", items))


def read_edit(text: str, at: int, minus: bool = False) -> tuple[ElementEdit, int] | Malformed:
    """Read the edit whose path starts at `at`, after the name. `minus`: it is a deletion. Returns its end too."""
    path: list[str] = []
    span: tuple[int, int] | None = None
    while at < len(text) and text[at] in "[." and span is None and len(path) <= DEPTH:
        if text[at] == ".":
            match = _FIELD.match(text, at + 1)
            end = match.end() if match else at + 1
            path.append(text[at:end])
        else:
            key = scan(text, at + 1)
            if isinstance(key, Malformed):
                return key
            end, colon = key + 1, text[key : key + 1]
            if colon == ":" and (read := _read_span(text, at + 1, key)):
                span, end = read
            elif colon == "]":
                path.append(text[at + 1 : key])
            else:
                return Malformed(key, "]")
        at = end
    if len(path) > DEPTH:
        return Malformed(at, f"a path of at most {DEPTH}")
    if minus:
        if not path or span is not None:
            return Malformed(at, "what is deleted")
        return ElementEdit(tuple(path), "-", None, ""), at
    return _read_operand(text, at, tuple(path), span)


def _read_span(text: str, start: int, colon: int) -> tuple[tuple[int, int], int] | None:
    first, last = _INDEX.fullmatch(text, start, colon), _INDEX.match(text, colon + 1)
    if first is None or last is None or text[last.end() : last.end() + 1] != "]":
        return None
    return (int(first[0]), int(last[0])), last.end() + 1


def _read_operand(
    text: str, at: int, path: tuple[str, ...], span: tuple[int, int] | None
) -> tuple[ElementEdit, int] | Malformed:
    act = text[at : at + 2] if text[at : at + 2] in ("+=", "-=") and span is None else text[at : at + 1]
    if act not in ("=", "+=", "-="):
        return Malformed(at, "=")
    end = scan(text, at + len(act))
    if isinstance(end, Malformed):
        return end
    return ElementEdit(path, act, span, text[at + len(act) : end]), end


def apply(old: str, edit: ElementEdit) -> str | None:
    """Return the text after an edit, or None if the edit does not fit the value."""
    whole = edit.act == "=" and edit.span is None
    target = edit.path[:-1] if edit.act == "-" or whole else edit.path
    return _inside(old, target, lambda text: _edited(text, edit))


def _inside(text: str, path: tuple[str, ...], act: Callable[[str], str | None]) -> str | None:
    if not path:
        return act(text)
    parts = split(text)
    place = None if parts is None else _place(parts, path[0])
    if parts is None or place is None or not isinstance(parts.items, list):
        return None
    item = _inside(parts.items[place], path[1:], act)
    if item is None:
        return None
    return join(replace(parts, items=[*parts.items[:place], item, *parts.items[place + 1 :]]))


def _place(parts: ValueParts, step: str) -> int | None:
    """The index of the item that a step of a path leads to."""
    if parts.keys is not None:
        key = step[1:] if parts.kind == "object" else step
        if (parts.kind == "object") != step.startswith(".") or key not in parts.keys:
            return None
        return parts.keys.index(key)
    if not _INDEX.fullmatch(step) or int(step) >= len(parts.items):
        return None
    return int(step) if parts.kind in ("list", "tuple", "deque", "str", "bytes", "bytearray") else None


def _edited(text: str, edit: ElementEdit) -> str | None:
    if not edit.path and edit.act == "=" and edit.span is None:
        return edit.operand
    parts = split(text)
    if parts is None:
        return None
    if edit.act == "-":
        return _without(parts, edit.path[-1])
    if edit.act == "=" and edit.span is None:
        return _with(parts, edit.path[-1], edit.operand)
    operand = split(edit.operand)
    literal = {"deque": "list", "bytearray": "bytes", "frozenset": "set"}.get(parts.kind, parts.kind)
    if operand is None or operand.kind != literal:
        return None
    if parts.kind in ("set", "frozenset"):
        return _combined(parts, edit.act, operand.items) if edit.span is None else None
    if edit.act == "-=" or parts.keys is not None:
        return None
    start, stop = edit.span or (len(parts.items), len(parts.items))
    if not start <= stop <= len(parts.items):
        return None
    spliced = parts.items[:start] + operand.items + parts.items[stop:]  # type: ignore[operator]
    return join(replace(parts, items=spliced))


def _without(parts: ValueParts, step: str) -> str | None:
    place = _place(parts, step)
    if place is None:
        return None
    keys = None if parts.keys is None else parts.keys[:place] + parts.keys[place + 1 :]
    rest = parts.items[:place] + parts.items[place + 1 :]  # type: ignore[operator]
    return join(replace(parts, items=rest, keys=keys))


def _with(parts: ValueParts, step: str, value: str) -> str | None:
    place = _place(parts, step)
    if not isinstance(parts.items, list):
        return None
    if place is not None:
        return join(replace(parts, items=[*parts.items[:place], value, *parts.items[place + 1 :]]))
    if parts.keys is None or (parts.kind == "object") != step.startswith("."):
        return None
    key = step[1:] if parts.kind == "object" else step
    return join(replace(parts, items=[*parts.items, value], keys=[*parts.keys, key]))


def _combined(parts: ValueParts, act: str, others: Sequence[str] | str | bytes) -> str:
    """A set with or without some elements, in canonical order."""
    elements = {str(item) for item in parts.items}
    elements = elements | set(map(str, others)) if act == "+=" else elements - set(map(str, others))
    return join(replace(parts, items=sorted(elements, key=_order)))


@cache
def _kinds() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern), kind) for pattern, kind in _KINDS]


def _order(text: str) -> tuple[int, int, float, str]:
    kinds = (kind for pattern, kind in _kinds() if pattern.fullmatch(text))
    return order(next(kinds, "other"), text)
