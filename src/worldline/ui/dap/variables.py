"""Values as an editor's tree shows them: one level at a time, large containers in pages, from canonical text.

An `EditorVariable` is one row of the tree; what is under it is made when it is asked for. Numbers for rows that can be
opened are given by `VariableReferences`, and hold until the next stop. Nothing is evaluated. A reference to an object
opens as the object that it names, so that a circle can be walked for as long as somebody likes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.malformed import Malformed
from worldline.core.node import Value, text
from worldline.core.value import parse
from worldline.diagnose.value_diff import difference
from worldline.ui.dap.expressions import memory
from worldline.ui.session.clip import cut
from worldline.ui.session.marks.natives import native_names

LONGEST = 1000  # characters of a value in the tree; the clipboard gets the whole
PAGE = 1000  # rows at once, where nobody says how many
NONE = "(no value)"
_INDEXED = ("list", "tuple", "deque", "set", "frozenset")

Page = Callable[[int, int], Sequence["EditorVariable"]]  # the rows from one number up to another


@dataclass(frozen=True)
class EditorVariable:
    """A row: its name, its value's text, its kind, and how many rows are under it, of which `page` makes some."""

    name: str
    value: str
    kind: str = ""
    named: int = 0
    indexed: int = 0
    page: Page | None = None
    expression: str | None = None
    is_object: bool = False


def page_of(rows: Sequence[EditorVariable]) -> Page:
    """Rows that are there already, by pages."""
    return lambda start, stop: rows[start:stop]


@dataclass(frozen=True)
class ValueContext:
    """What a value stands among: its program's language, and the values of the frames, where an object may be written
    out that it only names."""

    language: str = "python"
    texts: tuple[str, ...] = ()

    def kind(self, value: Value) -> str:
        """What a value is called in the language."""
        if value.kind in ("object", "exception"):
            return "pointer" if memory(value) else value.atom
        return native_names(self.language).kinds.get(value.kind, value.kind)

    def target(self, reference: str, root: Value) -> Value | None:
        """The object that a reference names: in its own value, or where another one writes it out."""
        found = _written(root, reference)
        if found is None and not reference.startswith("#"):
            number = reference.rpartition("#")[2]
            others = (parse(one) for one in self.texts if f"#{number}(" in one)
            known = (_written(one, reference) for one in others if isinstance(one, Value))
            found = next((one for one in known if one is not None), None)
        return found


def _written(root: Value, reference: str) -> Value | None:
    """The part of a value that a reference in it names: an object by its number, a container by its label."""
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
    """A value as a row. What is no value, as a model may write it, is shown as the text it is."""
    found = parse(canonical)
    if isinstance(found, Malformed):
        return EditorVariable(name, canonical, "no value", expression=expression)
    return _Tree(found, context or ValueContext()).row(name, found, expression)


@dataclass(frozen=True)
class _Tree:
    """A whole value, of which rows are parts."""

    root: Value
    context: ValueContext

    def row(self, name: str, value: Value, expression: str | None) -> EditorVariable:
        """One part as a row."""
        target = self.context.target(value.atom, self.root) if value.kind == "ref" else None
        if target is not None:
            return replace(self.row(name, target, None), value=text(value), is_object=True)
        made = self._plain(name, value, expression)
        return replace(made, kind=self.context.kind(value), is_object=value.number > 0)

    def _plain(self, name: str, value: Value, expression: str | None) -> EditorVariable:
        block = memory(value)
        if block is not None and block[0].kind == "list":
            return EditorVariable(
                name, text(value), indexed=len(block[0].items), expression=expression,
                page=(lambda start, stop: self._block(*block, expression, start, stop)) if block[0].items else None,
            )  # fmt: skip
        return self._structure(name, value, expression)

    def _block(
        self, block: Value, at: int, expression: str | None, start: int, stop: int
    ) -> list[EditorVariable]:
        """The elements of a block of memory, that which is pointed to marked."""
        return [
            self.row(
                f"[{i}]{' ←' if i == at else ''}", item, f"{expression}[{i - at}]" if expression else None
            )
            for i, item in islice(enumerate(block.items), start, stop)
        ]

    def _structure(self, name: str, value: Value, expression: str | None) -> EditorVariable:
        if value.kind in _INDEXED:
            return EditorVariable(
                name, text(value), indexed=len(value.items), expression=expression,
                page=(lambda start, stop: self._elements(value, expression, start, stop)) if value.items else None,
            )  # fmt: skip
        if value.kind == "dict":
            return EditorVariable(
                name, text(value), named=len(value.items) // 2, expression=expression,
                page=(lambda start, stop: self._pairs(value, expression, start, stop)) if value.items else None,
            )  # fmt: skip
        if value.items or value.fields:
            return EditorVariable(
                name, text(value), named=len(value.items) + len(value.fields), expression=expression,
                page=lambda start, stop: self._fields(value, expression)[start:stop],
            )  # fmt: skip
        return EditorVariable(name, text(value), expression=expression)

    def _elements(self, value: Value, expression: str | None, start: int, stop: int) -> list[EditorVariable]:
        if value.kind in ("set", "frozenset"):
            return [self.row(f"{i}", item, None) for i, item in islice(enumerate(value.items), start, stop)]
        return [
            self.row(f"[{i}]", item, f"{expression}[{i}]" if expression else None)
            for i, item in islice(enumerate(value.items), start, stop)
        ]

    def _pairs(self, value: Value, expression: str | None, start: int, stop: int) -> list[EditorVariable]:
        rows = []
        pairs = zip(value.items[::2], value.items[1::2], strict=True)
        for key, item in islice(pairs, start, stop):
            name = text(key)
            rows.append(self.row(f"[{cut(name, 80)}]", item, f"{expression}[{name}]" if expression else None))
        return rows

    def _fields(self, value: Value, expression: str | None) -> list[EditorVariable]:
        rows = [self.row(f"({i})", item, None) for i, item in enumerate(value.items)]
        for name, item in value.fields:
            inner = f"{expression}.{name}" if expression and name.isidentifier() else None
            rows.append(self.row(name, item, inner))
        return rows


def differing(
    name: str, wanted: str | None, got: str | None, context: ValueContext | None = None
) -> EditorVariable:
    """A name whose value is not the true one: both, and the place where they part."""
    rows = [
        EditorVariable(side, NONE) if value is None else variable_of(side, value, context=context)
        for side, value in (("interpreter", wanted), ("predicted", got))
    ]
    where = difference(wanted, got) if wanted is not None and got is not None else None
    if where is not None and (where.path or where.at is not None):
        place = where.path + ("" if where.at is None else f" character {where.at}")
        rows.append(
            EditorVariable("place", f"{place.strip()}: {where.wanted or NONE}, not {where.got or NONE}")
        )
    told = f"{cut(wanted or NONE, 200)}, not {cut(got or NONE, 200)}"
    return EditorVariable(name, told, "difference", named=len(rows), page=page_of(rows))


class VariableReferences:
    """Numbers for what can be opened, from 1 on; all are forgotten at the next stop."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Page, bool, Any]] = {}
        self._next = 1

    def put(self, page: Page, *, indexed: bool = False, owner: Any = None) -> int:
        """A number for some rows; `owner` is whatever must be known to set one of them."""
        number = self._next
        self._next += 1
        self._made[number] = page, indexed, owner
        return number

    def clear(self) -> None:
        """Forget all. No number is given twice, so that a late question is refused and not answered wrongly."""
        self._made.clear()

    def owner(self, number: int) -> Any:
        """What was put down beside a number."""
        return self._at(number)[2]

    def _at(self, number: int) -> tuple[Page, bool, Any]:
        if number not in self._made:
            raise UsageError(f"there is nothing under the reference {number} any more")
        return self._made[number]

    def variables(self, number: int, *, start: int, count: int, only: str | None) -> list[dict[str, Any]]:
        """A page of what is under a number, as the protocol wants it."""
        page, indexed, owner = self._at(number)
        if only in ("indexed", "named") and (only == "indexed") is not indexed:
            return []
        start = max(start, 0)
        rows = page(start, start + (count if count > 0 else PAGE))
        return [self.variable(row, editable=owner is not None) for row in rows]

    def variable(self, row: EditorVariable, *, editable: bool = False) -> dict[str, Any]:
        """One row as the protocol wants it."""
        found = {"name": row.name, "value": cut(row.value, LONGEST), "type": row.kind, **self.opened(row)}
        marks = ([] if editable else ["readOnly"]) + (["hasObjectId"] if row.is_object else [])
        if marks:
            found["presentationHint"] = {"attributes": marks}
        if row.expression is not None:
            found["evaluateName"] = row.expression
        return found

    def opened(self, row: EditorVariable) -> dict[str, Any]:
        """What is said of whatever is under a row: its number, and how much it is."""
        found = {"variablesReference": 0}
        if row.page is not None:
            found["variablesReference"] = self.put(row.page, indexed=row.indexed > 0)
        if row.named:
            found["namedVariables"] = row.named
        if row.indexed:
            found["indexedVariables"] = row.indexed
        return found
