"""Values as an editor's tree shows them: one level at a time, large containers in pages, from canonical text.

An `EditorVariable` is one row of the tree; the rows under it are created on request. `VariableReferences` numbers the
rows that can be opened; the numbers are valid until the next stop. A reference to an object opens as that object, so a
cycle can be followed without end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.node import Value, text
from worldline.core.texts.excerpts import excerpt
from worldline.core.value import parse
from worldline.diagnose.value_diff import difference
from worldline.ui.dap.expressions import memory
from worldline.ui.session.clip import cut
from worldline.ui.session.marks.natives import native_names

MAX_VALUE_CHARS = 1000  # of a value without rows under it; the clipboard gets all of them
MAX_TREE_CHARS = 120  # of a value with rows under it
DEFAULT_PAGE_ROWS = 1000
NO_VALUE = "(no value)"
_INDEXED = ("list", "tuple", "deque", "set", "frozenset")

Page = Callable[[int, int], Sequence["EditorVariable"]]  # the rows from one number up to another


@dataclass(frozen=True)
class EditorVariable:
    """A row: its name, the text and kind of its value, and the number of rows under it, which `page` creates.

    `shown` is what stands in place of a long value.
    """

    name: str
    value: str
    kind: str = ""
    named: int = 0
    indexed: int = 0
    page: Page | None = None
    expression: str | None = None
    is_object: bool = False
    shown: str = ""


def max_chars(row: EditorVariable) -> int:
    """Return how many characters of a value a row shows: the rows under it have the rest."""
    return MAX_VALUE_CHARS if row.page is None else MAX_TREE_CHARS


def shown_value(row: EditorVariable) -> str:
    """Return the value of a row as people see it."""
    return row.shown or excerpt(row.value, max_chars(row))


def page_of(rows: Sequence[EditorVariable]) -> Page:
    """Return a page function for existing rows."""
    return lambda start, stop: rows[start:stop]


@dataclass(frozen=True)
class ValueContext:
    """The context of a value: the language, and the values of the frames, which may contain objects it refers to."""

    language: str = "python"
    texts: tuple[str, ...] = ()

    def kind(self, value: Value) -> str:
        """Return the kind of a value in the language's own words."""
        if value.kind in ("object", "exception"):
            return "pointer" if memory(value) else value.atom
        return native_names(self.language).kinds.get(value.kind, value.kind)

    def target(self, reference: str, root: Value) -> Value | None:
        """Find the object of a reference: in the same value, or in another one."""
        target = _written(root, reference)
        if target is None and not reference.startswith("#"):
            number = reference.rpartition("#")[2]
            others = (parse(text) for text in self.texts if f"#{number}(" in text)
            targets = (_written(value, reference) for value in others if isinstance(value, Value))
            target = next((written for written in targets if written is not None), None)
        return target


def _written(root: Value, reference: str) -> Value | None:
    """The part of a value that a reference means: an object by its number, a container by its label."""
    name, _, digits = reference.rpartition("#")
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if digits == str(node.number if name else node.label):
            return node
        waiting += [*node.items, *(part for _, part in node.fields)]
    return None


def variable_of(
    name: str, canonical: str, *, expression: str | None = None, context: ValueContext | None = None
) -> EditorVariable:
    """Return a value as a row. A malformed value, which a model may write, is shown as text."""
    value = parse(canonical)
    if isinstance(value, Malformed):
        return EditorVariable(name, canonical, "malformed", expression=expression)
    return _Tree(value, context or ValueContext()).row(name, value, expression)


@dataclass(frozen=True)
class _Tree:
    """A value whose parts are rows."""

    root: Value
    context: ValueContext

    def row(self, name: str, value: Value, expression: str | None) -> EditorVariable:
        """Return one part as a row."""
        target = self.context.target(value.atom, self.root) if value.kind == "ref" else None
        if target is not None:
            return replace(self.row(name, target, None), value=text(value), is_object=True)
        plain = EditorVariable(name, text(value), self.context.kind(value), expression=expression)
        return replace(self._with_parts(plain, value), is_object=value.number > 0)

    def _with_parts(self, row: EditorVariable, value: Value) -> EditorVariable:
        """A row with the rows under it."""
        expression, block = row.expression, memory(value)
        if block is not None and block[0].kind == "list":
            page = partial(self._block, *block, expression) if block[0].items else None
            return replace(row, indexed=len(block[0].items), page=page)
        if value.kind in _INDEXED:
            page = partial(self._elements, value, expression) if value.items else None
            return replace(row, indexed=len(value.items), page=page)
        if value.kind == "dict":
            page = partial(self._entries, value, expression) if value.items else None
            return replace(row, named=len(value.items) // 2, page=page)
        if value.items or value.fields:
            page = partial(self._fields, value, expression)
            return replace(row, named=len(value.items) + len(value.fields), page=page)
        return row

    def _block(self, block: Value, at: int, expression: str | None, start: int, stop: int) -> list[EditorVariable]:
        """The elements of a block of memory; the one that is pointed to is marked."""
        return [
            self.row(f"[{i}]{' ←' if i == at else ''}", item, f"{expression}[{i - at}]" if expression else None)
            for i, item in islice(enumerate(block.items), start, stop)
        ]

    def _elements(self, value: Value, expression: str | None, start: int, stop: int) -> list[EditorVariable]:
        if value.kind in ("set", "frozenset"):
            return [self.row(f"{i}", item, None) for i, item in islice(enumerate(value.items), start, stop)]
        return [
            self.row(f"[{i}]", item, f"{expression}[{i}]" if expression else None)
            for i, item in islice(enumerate(value.items), start, stop)
        ]

    def _entries(self, value: Value, expression: str | None, start: int, stop: int) -> list[EditorVariable]:
        rows = []
        entries = zip(value.items[::2], value.items[1::2], strict=True)
        for key, item in islice(entries, start, stop):
            name = text(key)
            rows.append(self.row(f"[{cut(name, 80)}]", item, f"{expression}[{name}]" if expression else None))
        return rows

    def _fields(self, value: Value, expression: str | None, start: int, stop: int) -> list[EditorVariable]:
        rows = [self.row(f"({i})", item, None) for i, item in enumerate(value.items)]
        for name, item in value.fields:
            inner = f"{expression}.{name}" if expression and name.isidentifier() else None
            rows.append(self.row(name, item, inner))
        return rows[start:stop]


def differing(
    name: str,
    actual: str | None,
    predicted: str | None,
    context: ValueContext | None = None,
    explained: EditorVariable | None = None,
) -> EditorVariable:
    """Return a row for a name with a wrong value: both values, the place where they differ, and `explained`."""
    rows = [
        EditorVariable(label, NO_VALUE) if value is None else variable_of(label, value, context=context)
        for label, value in (("actual", actual), ("predicted", predicted))
    ]
    part = difference(actual, predicted) if actual is not None and predicted is not None else None
    if part is not None and (part.path or part.at is not None):
        place = part.path + ("" if part.at is None else f" character {part.at}")
        rows.append(EditorVariable("place", f"{place.strip()}: {_both(part.wanted, part.got)}"))
    rows += [explained] if explained is not None else []
    text = _both(actual and excerpt(actual, 200), predicted and excerpt(predicted, 200))
    return EditorVariable(name, text, "difference", named=len(rows), page=page_of(rows))


def _both(actual: str | None, predicted: str | None) -> str:
    return f"{actual or NO_VALUE}, predicted {predicted or NO_VALUE}"


class VariableReferences:
    """Numbers for rows that can be opened, from 1; they are valid until the next stop."""

    def __init__(self) -> None:
        self._pages: dict[int, tuple[Page, bool, Any]] = {}
        self._next = 1

    def put(self, page: Page, *, indexed: bool = False, owner: Any = None) -> int:
        """Return a number for some rows. `owner` is what a request needs to set one of them."""
        number = self._next
        self._next += 1
        self._pages[number] = page, indexed, owner
        return number

    def clear(self) -> None:
        """Invalidate all numbers. They are not reused, so that a late request is refused."""
        self._pages.clear()

    def owner(self, number: int) -> Any:
        """Return the owner of a number."""
        return self._at(number)[2]

    def _at(self, number: int) -> tuple[Page, bool, Any]:
        if number not in self._pages:
            raise UsageError(f"the reference {number} is not valid any more")
        return self._pages[number]

    def variables(self, number: int, *, start: int, count: int, only: str | None) -> list[dict[str, Any]]:
        """Return a page of the rows under a number, in the form of the protocol."""
        page, indexed, owner = self._at(number)
        if only in ("indexed", "named") and (only == "indexed") is not indexed:
            return []
        start = max(start, 0)
        rows = page(start, start + (count if count > 0 else DEFAULT_PAGE_ROWS))
        return [self.variable(row, editable=owner is not None) for row in rows]

    def variable(self, row: EditorVariable, *, editable: bool = False) -> dict[str, Any]:
        """Return one row in the form of the protocol."""
        body = {"name": row.name, "value": shown_value(row), "type": row.kind, **self.opened(row)}
        marks = ([] if editable else ["readOnly"]) + (["hasObjectId"] if row.is_object else [])
        if marks:
            body["presentationHint"] = {"attributes": marks}
        if row.expression is not None:
            body["evaluateName"] = row.expression
        return body

    def opened(self, row: EditorVariable) -> dict[str, Any]:
        """Return the reference of the rows under a row, and their number."""
        body = {"variablesReference": 0}
        if row.page is not None:
            body["variablesReference"] = self.put(row.page, indexed=row.indexed > 0)
        if row.named:
            body["namedVariables"] = row.named
        if row.indexed:
            body["indexedVariables"] = row.indexed
        return body
