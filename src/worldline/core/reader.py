"""Reads one value with the tables of `core.grammar` and an explicit stack: no recursion, linear time.

It builds `Value`s, or nothing if only the end is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from worldline.core.grammar import EXPECTED, OPENINGS, Spelling, pairs, run
from worldline.core.malformed import Malformed
from worldline.core.node import Value, text
from worldline.core.spelling import BROKEN, WORDS, order, rank

# Deeper nesting is malformed: this bounds the memory that hostile text can take.
DEPTH = 10_000
# Nested sets that are sorted: each level is written out once more.
MAX_NESTED_SETS = 256

_SETS = ("brace", "set", "frozenset")
_RUNS = ("list", "tuple", "deque")
_CONCRETE = ("None", "bool", "int", "str", "bytes")


def read(text: str, at: int, spelling: Spelling, *, build: bool) -> ValueReader | Malformed:
    """Read the value that starts at `at`; without `build`, only find its end."""
    reader = ValueReader(text, at, spelling, build)
    try:
        reader.read()
    except _Fault as fault:
        return Malformed(*fault.args)
    return reader


class _Fault(Exception):
    """Leaves the reader; never this module."""


@dataclass(slots=True)
class _Open:
    """An open container."""

    kind: str
    start: int
    atom: str
    number: int
    label: int
    count: int = 0
    field: str | None = None
    items: list[Value] | None = None
    fields: list[tuple[str, Value]] | None = None
    # The previous element of a set: kind, start, end, whether it has numbers.
    last: tuple[str, int, int, bool] | None = None
    # How many numbers the text had when this element started.
    numbers: int = 0


class ValueReader:
    """Reads one value with an explicit stack. Without `build` it only finds the end."""

    def __init__(self, text: str, at: int, spelling: Spelling, build: bool) -> None:
        self.text, self.at, self.spelling, self.build = text, at, spelling, build
        self.value: Value | None = None
        self._stack: list[_Open] = []
        self._numbers = 0
        self._sets = 0

    def read(self) -> None:
        complete = self._begin()
        while not complete or self._stack:
            complete = self._follow() if complete else self._begin()

    def _fail(self, expected: str, at: int | None = None) -> NoReturn:
        raise _Fault(self.at if at is None else at, expected)

    def _begin(self) -> bool:
        """Read the start of a value. Returns True if the value is complete."""
        top = self._stack[-1] if self._stack else None
        if top is not None:
            if top.kind in ("object", "exception"):
                self._field(top)
            elif not self.build and self._run(top):
                return True
        match = self.spelling.lead.match(self.text, self.at)
        label = 0
        if match is not None and match.lastgroup == "label":
            label, self._numbers = int(match[0][1:]), self._numbers + 1
            self.at = match.end()
            match = self.spelling.lead.match(self.text, self.at)
        if match is None:
            self._fail_literal()
        start, self.at = self.at, match.end()
        return self._dispatch(str(match.lastgroup), match[0], start, label)

    def _dispatch(self, group: str, text: str, start: int, label: int) -> bool:
        if group in ("opening", "object", "exception"):
            return self._open(group, text, start, label)
        if group == "ref":
            self._numbers += 1
        if group == "empty":
            group = "frozenset" if text[0] == "f" else "set"
            text = group + "()"
        try:
            atom = self.spelling.atom(group, text)
        except ValueError:
            self._fail(f"a canonical {group}", start)
        kind = WORDS[atom] if group == "word" else group
        self._place(kind, start, Value(kind, atom, label=label) if self.build else None)
        return True

    def _run(self, top: _Open) -> bool:
        """Skip a run of plain atoms in one match."""
        if top.kind in _RUNS:
            match = run().match(self.text, self.at)
            if match is not None:
                top.count += 2 if match[1] else 1
        elif (top.kind == "dict" and top.count % 2 == 0) or (top.kind == "brace" and not top.count):
            match = pairs().match(self.text, self.at)
            if match is not None:
                top.kind, top.count = "dict", top.count + 2
        else:
            return False
        if match is not None:
            self.at = match.end()
        return match is not None

    def _open(self, group: str, head: str, start: int, label: int) -> bool:
        if len(self._stack) >= DEPTH:
            self._fail(f"at most {DEPTH} levels", start)
        name, number = "", 0
        if group == "opening":
            group = OPENINGS[head if self.spelling.blank is None else "".join(head.split())]
        else:
            name = head[:-1].rstrip()
            if group == "object":
                name, _, digits = name.rpartition("#")
                number, self._numbers = int(digits), self._numbers + 1
        if "set" in group:
            self._sets += 1
        top = _Open(group, start, name, number, label, numbers=self._numbers)
        if self.build:
            top.items, top.fields = [], []
        self._stack.append(top)
        return self._close_empty(top)

    def _close_empty(self, top: _Open) -> bool:
        """Whether a container that was just opened ends at once. Skips blanks where they are allowed."""
        empty = self.spelling.empties.get(top.kind)
        match = empty.match(self.text, self.at) if empty else None
        if match is None:
            if self.spelling.blank is not None:
                self.at = self.spelling.blank.match(self.text, self.at).end()  # type: ignore[union-attr]
            return False
        self.at = match.end()
        if top.kind == "brace":
            top.kind = "dict"
        elif top.kind == "deque":
            top.atom = match["maxlen"] or ""
        self._close(top)
        return True

    def _field(self, top: _Open) -> None:
        """Read the name of a field; an unnamed value may stand here as well."""
        match = self.spelling.field.match(self.text, self.at)
        if match is not None:
            top.field, self.at = match[1], match.end()
            if self.spelling.blank is not None:
                self.at = self.spelling.blank.match(self.text, self.at).end()  # type: ignore[union-attr]
        elif top.field is not None or (top.kind == "object" and top.count):
            self._fail("a field")

    def _follow(self) -> bool:
        """Read what follows an element. Returns True if it ends the container."""
        top = self._stack[-1]
        tail = "key" if top.kind == "dict" and top.count % 2 else top.kind
        match = self.spelling.tails[tail].match(self.text, self.at)
        part = match.lastgroup if match else None
        if match is None or not self._fits(top, str(part)):
            self._fail(EXPECTED["single" if tail == "tuple" and top.count == 1 else tail])
        self.at = match.end()
        if part == "more" or part == "colon":
            if top.kind == "brace":
                top.kind = "dict" if part == "colon" else "set"
                self._sets += part == "more"
            return False
        if top.kind == "deque":
            top.atom = match["maxlen"] or ""
        elif top.kind == "brace":
            top.kind, self._sets = "set", self._sets + 1
        elif top.kind == "tuple" and part == "close" and top.count == 1:
            top.kind = "group"
        self._close(top)
        return True

    def _fits(self, top: _Open, part: str) -> bool:
        """Check what the patterns cannot: how many elements a tuple or a slice needs."""
        if top.kind == "slice":
            return (top.count == 3) == (part == "close")
        if top.kind == "tuple" and self.spelling.blank is None and part != "more":
            return (top.count == 1) == (part == "single")
        return True

    def _close(self, top: _Open) -> None:
        self._stack.pop()
        kind = top.kind.partition("-")[0]
        if kind in ("set", "frozenset"):
            if self.spelling.blank is not None:
                self._sort(top)
            self._sets -= 1
        # Parentheses around one loosely written value.
        if kind == "group":
            assert top.items is not None
            self._place("group", top.start, top.items[0])
            return
        atom = kind + "()" if kind in ("set", "frozenset") and not top.count else top.atom
        value: Value | None = None
        if self.build:
            value = Value(kind, atom, tuple(top.items or ()), tuple(top.fields or ()), top.number, top.label)
        self._place(kind, top.start, value)

    def _sort(self, top: _Open) -> None:
        """Sort the elements of a loosely written set into canonical order, without duplicates."""
        if self._sets > MAX_NESTED_SETS:
            self._fail(f"at most {MAX_NESTED_SETS} nested sets")
        assert top.items is not None
        if len(top.items) > 1:
            unique = {text(item): item for item in top.items}
            top.items = [unique[key] for key in sorted(unique, key=lambda key: order(unique[key].kind, key))]

    def _place(self, kind: str, start: int, value: Value | None) -> None:
        """Add a complete value to the container around it."""
        if not self._stack:
            self.value = value
            return
        top = self._stack[-1]
        top.count += 1
        if top.kind in _SETS and self.spelling.blank is None:
            self._check_order(top, (kind, start, self.at, self._numbers != top.numbers))
            top.numbers = self._numbers
        if value is not None and top.items is not None and top.fields is not None:
            if top.field is None:
                top.items.append(value)
            else:
                top.fields.append((top.field, value))

    def _check_order(self, top: _Open, element: tuple[str, int, int, bool]) -> None:
        last, top.last = top.last, element
        if last is not None and not _in_order(self.text, last, element):
            self._fail("the elements of a set in canonical order", element[1])

    def _fail_literal(self) -> NoReturn:
        """Point into a broken str or bytes, or to the start of anything else."""
        match = BROKEN.match(self.text, self.at)
        if match is not None:
            self._fail("a canonical character, escape or quote", match.end())
        self._fail("a value")


def _in_order(text: str, last: tuple[str, int, int, bool], element: tuple[str, int, int, bool]) -> bool:
    """Whether two neighbours are in canonical order. Compares up to the length of the shorter: n log n in all."""
    kind, start, end, numbered = last
    other, at, stop, other_numbered = element
    if kind == other and kind in ("int", "float"):
        low, high = order(kind, text[start:end]), order(kind, text[at:stop])
        return low < high or (low == high and low[1] == 1)
    if rank(kind) != rank(other) or numbered or other_numbered:
        return rank(kind) <= rank(other)
    width = min(end - start, stop - at)
    left, right = text[start : start + width], text[at : at + width]
    if left == right:
        return end - start < stop - at or (end - start == stop - at and kind not in _CONCRETE)
    return left < right
