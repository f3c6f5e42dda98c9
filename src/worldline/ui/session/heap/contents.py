"""One value as boxes and slots: what stands inline, what is an object of its own, and which object that is.

An object with a number (`Point#2`) is the box `o2` wherever it occurs. A container without a number is named by where
it is: the root of its value and the keys to it (`f0.xs@3[1].log`). A pointer (`Ptr#3([..], at=1)`) is an arrow to an
element of the block `o3`. Values come from programs and models: any text gives a slot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from worldline.core.node import text as text_of
from worldline.core.texts.excerpts import excerpt
from worldline.core.value import Malformed, Value, parse
from worldline.ui.session.clip import clip, cut

MAX_PARTS = 100
"""Parts of one box that are drawn, besides those that changed; the rest is counted."""
LAST_PARTS = 20
"""How many of them are the last ones."""
MAX_CHANGED_PARTS = 100
"""Changed parts of one box that are drawn wherever they stand."""
MAX_SLOT_CHARS = 200
"""Characters of a value that stands inline."""
MAX_PARSED_CHARS = 6_000
"""A longer value stands inline, shortened."""
MAX_INLINE_CHARS = 48
"""Characters of a tuple that stands inline if it holds only plain values."""
_BOXED = ("list", "dict", "set", "deque", "object")
_FROZEN = ("tuple", "frozenset", "exception")
_NUMBERED = ("list", "tuple", "dict", "set", "frozenset", "deque")
_ARRAY = "ndarray"


@dataclass(frozen=True, slots=True)
class BoxSlot:
    """A place that holds a value: a text, or an arrow to a box (`ref`), or into one (`at`: the element)."""

    text: str = ""
    ref: str = ""
    at: int | None = None


@dataclass(frozen=True, slots=True)
class BoxPart:
    """One part of a box. `key` is a field (`.x`), an index (`[0]`) or a key (`['a']`), as a path spells it."""

    key: str
    slot: BoxSlot


@dataclass(frozen=True, slots=True)
class BoxContents:
    """What an object holds: its kind, the name of its class, and its parts."""

    kind: str
    title: str = ""
    parts: tuple[BoxPart, ...] = ()

    def drawn(self, changed: Sequence[str] = ()) -> tuple[BoxPart, ...]:
        """Return the parts that are drawn: the first and the last ones, and some that changed."""
        if len(self.parts) <= MAX_PARTS:
            return self.parts
        first, last = MAX_PARTS - LAST_PARTS, len(self.parts) - LAST_PARTS
        keys = frozenset(changed[:MAX_CHANGED_PARTS])
        return tuple(part for i, part in enumerate(self.parts) if i < first or i >= last or part.key in keys)

    def changed_keys(self, before: BoxContents) -> tuple[str, ...]:
        """Return the keys of the parts that are new or differ from those of another state of the object."""
        old = {part.key: part.slot for part in before.parts}
        return tuple(part.key for part in self.parts if old.get(part.key) != part.slot)


@dataclass
class BoxReader:
    """Reads values as they are at `row` into slots and boxes.

    `links` are places that hold an object with another id: by place, the rows from which on, and the ids.
    """

    has_pointers: bool = False
    row: int = 0
    links: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    plain_names: set[str] = field(default_factory=set)
    """Roots of names with a plain value that a pointer leads to: the arrow ends at the name."""

    def link(self, place: str, box: str) -> None:
        """Let a place hold the object of another id from this row on; its own id ends a link."""
        history = self.links.setdefault(place, [])
        if history and history[-1][0] == self.row:
            history.pop()
        history.append((self.row, box))

    def resolve(self, box: str) -> str:
        """Return the id of the object that a place holds."""
        seen = set[str]()
        while box in self.links and box not in seen:
            seen.add(box)
            box = next((other for row, other in reversed(self.links[box]) if row <= self.row), box)
        return box

    def read(self, text: str, root: str) -> tuple[BoxSlot, dict[str, BoxContents]]:
        """Return the slot of a value, and the contents of every object that is written out in it."""
        value = parsed(text)
        if value is None:
            return _text_slot(text), {}
        reading = _Reading(self)
        return reading.slot(value, root, has_labels="#" in text), reading.boxes

    def places(self, text: str, root: str) -> Iterator[tuple[str, str, BoxContents]]:
        """Yield every place of a value that holds an object: the place, the object's id, what it holds there."""
        value = parsed(text)
        if value is not None:
            yield from _Reading(self).places(value, root)

    def slot(self, text: str, root: str) -> BoxSlot:
        """Return the slot of a value alone."""
        value = parsed(text)
        return _text_slot(text) if value is None else _Reading(self).outer_slot(value, root)

    def part(self, text: str, root: str, keys: Sequence[str]) -> tuple[Value, str] | None:
        """Return the part of a value under some keys, and its id; None if it has none."""
        value = parsed(text)
        if value is None:
            return None
        box = self.resolve(f"o{value.number}" if value.number else root)
        for key in keys:
            key = self.spelled(value, key)
            parts = dict(_parts(value))
            if key not in parts:
                return None
            value = parts[key]
            box = self.resolve(f"o{value.number}" if value.number else box + key)
        return value, box

    def spelled(self, value: Value, key: str) -> str:
        """Return a key as the parts of a value spell it: an index from the end, or a property of a plain object."""
        if value.kind == "dict":
            return f"['{key[1:]}']" if key.startswith(".") else key
        return f"[{len(value.items) + int(key[1:-1])}]" if re.fullmatch(r"\[-\d{1,9}\]", key) else key

    def number(self, text: str, root: str, numbers: Sequence[int]) -> None:
        """Let the containers of a value be the objects with these numbers from this row on, in the order of the text.

        Numbers that do not fit the value change nothing.
        """
        value = parsed(text)
        links = [] if value is None else list(_numbered_places(value, root, numbers))
        if len(links) == len(numbers):
            for place, box in links:
                if place is not None and self.resolve(place) != box:
                    self.link(place, box)

    def is_pointer(self, value: Value) -> bool:
        """Whether a value is a pointer into a block of memory."""
        shape = value.kind == "object" and value.atom == "Ptr" and len(value.items) == 1
        return self.has_pointers and shape and [name for name, _ in value.fields] == ["at"]


@lru_cache(maxsize=4096)
def parsed(text: str) -> Value | None:
    """Parse a canonical value; None if it is not one, or too long to be drawn."""
    if len(text) > MAX_PARSED_CHARS:
        return None
    value = parse(text)
    return None if isinstance(value, Malformed) else value


def part_text(text: str, key: str) -> str:
    """Return the text of one part of a value; empty if it has none."""
    value = parsed(text)
    part = None if value is None else dict(_parts(value)).get(key)
    return "" if part is None else text_of(part)


class _Reading:
    """One value that is being read. It walks with a stack: a hostile value may be nested very deep."""

    def __init__(self, reader: BoxReader) -> None:
        self._reader = reader
        self._labels: dict[str, str] = {}
        self.boxes: dict[str, BoxContents] = {}
        self._pending: list[tuple[Value, str]] = []

    def slot(self, value: Value, root: str, *, has_labels: bool) -> BoxSlot:
        """Return the slot of the whole value, after all its boxes have been read."""
        if has_labels:
            self._label_boxes(value, root)
        slot = self._slot(value, root)
        while self._pending:
            node, box = self._pending.pop()
            if box not in self.boxes:
                self.boxes[box] = self._contents(node, box)
        return slot

    def places(self, value: Value, root: str) -> Iterator[tuple[str, str, BoxContents]]:
        """Yield every place that holds an object without a number."""
        self._label_boxes(value, root)
        for node, place, box in self._nodes(value, root):
            if _is_boxed(node) and not node.number:
                yield place, box, self._contents(node, box)

    def outer_slot(self, value: Value, root: str) -> BoxSlot:
        """Return the slot of the whole value, and read no boxes."""
        return self._slot(value, root)

    def _label_boxes(self, value: Value, root: str) -> None:
        """Find what the references inside the value stand for: a set may hold one before what it refers to."""
        for node, _, box in self._nodes(value, root):
            if node.label:
                self._labels.setdefault(f"#{node.label}", box)
            if node.number:
                self._labels.setdefault(f"{node.atom}#{node.number}", box)

    def _nodes(self, value: Value, root: str) -> Iterator[tuple[Value, str, str]]:
        """Every part of the value in text order, with its place and its id."""
        stack = [(value, root)]
        while stack:
            node, place = stack.pop()
            box = self._box_id(node, place)
            yield node, place, box
            stack += [(part, box + key) for key, part in reversed(list(_parts(node)))]

    def _box_id(self, node: Value, path: str) -> str:
        return self._reader.resolve(f"o{node.number}" if node.number else path)

    def _slot(self, node: Value, path: str) -> BoxSlot:
        if node.kind == "ref":
            box = self._labels.get(node.atom)
            number = node.atom.rpartition("#")[2]
            if box is None and not node.atom.startswith("#"):  # written out elsewhere
                box = self._reader.resolve(f"o{number}")
            return BoxSlot(ref=box) if box is not None else BoxSlot(node.atom)
        if not _is_boxed(node):
            return _text_slot(text_of(node))
        box = self._box_id(node, path)
        if self._reader.is_pointer(node):
            block, at = node.items[0], node.fields[0][1].atom
            if box in self._reader.plain_names:
                return BoxSlot(ref=box)
            self._pending.append((block, box))
            is_inside = at.isdecimal() and len(at) < 10 and int(at) < len(block.items)
            return BoxSlot(ref=box, at=int(at) if is_inside else None)
        self._pending.append((node, box))
        return BoxSlot(ref=box)

    def _contents(self, node: Value, box: str) -> BoxContents:
        parts = tuple(BoxPart(clip(key), self._slot(part, box + key)) for key, part in _parts(node))
        kind = node.items[0].kind if node.kind == "object" and node.items else node.kind
        return BoxContents(kind, clip(node.atom) if node.kind in ("object", "exception") else "", parts)


@lru_cache(maxsize=1 << 12)
def _text_slot(text: str) -> BoxSlot:
    return BoxSlot(clip(excerpt(text, MAX_SLOT_CHARS)))


def _is_boxed(node: Value) -> bool:
    """Whether a value is drawn as a box. Small values that cannot change stand inline."""
    if node.kind in _BOXED:
        return True
    if node.kind not in _FROZEN:
        return False
    is_flat = not any(part.kind in (*_BOXED, *_FROZEN, "ref") for _, part in _parts(node))
    return not is_flat or len(text_of(node)) > MAX_INLINE_CHARS


def _parts(node: Value) -> Iterator[tuple[str, Value]]:
    """The parts of a value with their keys. The base value of an object (`Counter#1({..})`) counts as its own parts."""
    return ((key, part) for key, part in _children(node) if key is not None)


def _children(node: Value) -> Iterator[tuple[str | None, Value]]:
    """The parts of a value in the order of its text, and the keys of a dict as parts without a key."""
    if node.kind == "dict":
        for key, part in zip(node.items[::2], node.items[1::2], strict=True):
            yield None, key
            yield f"[{cut(text_of(key), MAX_SLOT_CHARS)}]", part
    elif node.kind == "object":
        for base in node.items:
            yield from _children(base) if _has_parts(base) else ((".", base),)
    else:
        yield from ((f"[{i}]", part) for i, part in enumerate(node.items))
    yield from ((f".{name}", part) for name, part in node.fields)


def _numbered_places(value: Value, root: str, numbers: Sequence[int]) -> Iterator[tuple[str | None, str]]:
    """Every container of a value, in the order of the text: its place (None: in the key of a dict), and its id.

    These are the containers that the recorder numbers (`guests/containers.py`): those in an array have no number.
    """
    count = 0
    waiting: list[tuple[Value, str | None]] = [(value, root)]
    while waiting:
        node, place = waiting.pop()
        box = f"o{node.number}" if node.number else place
        if node.kind in _NUMBERED:
            box = f"i{numbers[count]}" if count < len(numbers) else ""
            count += 1
            yield place, box
        if node.atom != _ARRAY:
            parts = [(part, None if key is None or box is None else box + key) for key, part in _children(node)]
            waiting += reversed(parts)


def _has_parts(node: Value) -> bool:
    return node.kind in (*_BOXED, *_FROZEN) and not node.number


def slot_json(slot: BoxSlot) -> list[object]:
    """Return a slot as JSON: [text], [null, box] or [null, box, element]."""
    if not slot.ref:
        return [slot.text]
    return [None, slot.ref] if slot.at is None else [None, slot.ref, slot.at]


def contents_json(box: str, contents: BoxContents, changed: Sequence[str] = ()) -> Mapping[str, object]:
    """Return a box as JSON, with the parts that are drawn."""
    drawn = contents.drawn(changed)
    parts = [[part.key, slot_json(part.slot)] for part in drawn]
    more = len(contents.parts) - len(drawn)
    return {"id": box, "kind": contents.kind, "title": contents.title, "parts": parts, "more": more}
