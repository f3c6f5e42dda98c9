"""One node of a value's structure, its text, and a number that equal values share. Nothing here parses."""

from __future__ import annotations

from dataclasses import dataclass

_BRACKETS = {
    "list": ("[", "]"),
    "tuple": ("(", ")"),
    "dict": ("{", "}"),
    "set": ("{", "}"),
    "slice": ("slice(", ")"),
    "frozenset": ("frozenset({", "})"),
    "deque": ("deque([", "])"),
}
_WITH_PARTS = frozenset(("object", "exception", *_BRACKETS))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Value:
    """One node of a value. Two nodes are equal if their texts are equal.

    `atom` is the text of a value without parts, the class name of an object or exception, or the maxlen of a deque.
    `items` are the elements (of a dict: key, value, key, value; of an exception: the arguments; of an object: its
    base value, if any). `label` numbers a labelled container, `number` an object.
    """

    kind: str
    atom: str = ""
    items: tuple[Value, ...] = ()
    fields: tuple[tuple[str, Value], ...] = ()
    number: int = 0
    label: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and text(self) == text(other)

    def __hash__(self) -> int:
        return hash(text(self))

    def __repr__(self) -> str:
        return f"<Value {self.kind} {text(self)[:80]}>"


def text(value: Value) -> str:
    """Return the canonical text of a value."""
    if value.kind not in _WITH_PARTS and not value.label:
        return value.atom
    pieces: list[str] = []
    stack: list[Value | str] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
        else:
            stack.extend(reversed(_pieces(item)))
    return "".join(pieces)


def _pieces(value: Value) -> list[Value | str]:
    """The text of one node, with its parts still as nodes."""
    label = f"#{value.label}" if value.label else ""
    if value.kind in ("object", "exception"):
        opening, closing = f"{value.atom}#{value.number}(" if value.number else f"{value.atom}(", ")"
    elif value.kind not in _BRACKETS or (value.kind in ("set", "frozenset") and not value.items):
        return [label + value.atom]
    else:
        opening, closing = _BRACKETS[value.kind]
    if value.kind == "tuple" and len(value.items) == 1:
        closing = ",)"
    if value.kind == "deque" and value.atom:
        closing = f"], maxlen={value.atom})"
    out: list[Value | str] = [label + opening]
    for i, item in enumerate(value.items):
        out += (": " if value.kind == "dict" and i % 2 else ", " if i else "", item)
    for i, (name, item) in enumerate(value.fields):
        out += (f", {name}=" if i or value.items else f"{name}=", item)
    return [*out, closing]


def identity(value: Value, table: dict[tuple[object, ...], int]) -> int:
    """Return a number that equal values share. Nodes are interned from the leaves up."""
    done: list[int] = []
    stack: list[tuple[Value, bool]] = [(value, False)]
    while stack:
        node, has_parts = stack.pop()
        count = len(node.items) + len(node.fields)
        if not has_parts and count:
            stack.append((node, True))
            stack += [(item, False) for item in (*node.items, *(item for _, item in node.fields))]
            continue
        parts = [done.pop() for _ in range(count)]  # popped in text order
        done.append(table.setdefault(_key(node, parts), len(table)))
    return done[0]


def _key(node: Value, parts: list[int]) -> tuple[object, ...]:
    items: object = tuple(parts[: len(node.items)])
    if node.kind in ("set", "frozenset"):
        items = frozenset(parts)
    elif node.kind == "dict":
        items = frozenset(zip(parts[::2], parts[1::2], strict=True))
    names = (name for name, _ in node.fields)
    fields = frozenset(zip(names, parts[len(node.items) :], strict=True))
    return (node.kind, node.atom, items, fields, node.number, node.label)
