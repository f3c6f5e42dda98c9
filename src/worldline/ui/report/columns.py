"""A table as typed columns of Arrow: a share, a difference and a test become numbers of their own.

A head becomes a name that code can say: `answer right` is `answer_right_some`, `_n`, `_rate`, `_low` and `_high`. What
is not known is null. Title and note go along as metadata.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa  # type: ignore[import-untyped]

from worldline.core.stats import RateDifference, Share
from worldline.evaluation.table import Between, Cell, Chance, Table, text_of

KINDS: dict[str, type] = {
    "own answer": str, "cause": str, "step": int, "line": int, "what": str, "variable": str, "wanted": str, "got": str,
    "path": str, "character": int, "operation": str, "failed type": str, "true tokens": int, "predicted tokens": int,
    "logprob": float, "difference": RateDifference, "at equal length": RateDifference, "p": Chance, "p, Holm": Chance,
}  # fmt: skip
"""What a column is of where none of its cells is known, so that runs have the same columns whatever failed."""
_ARROW = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def columns(table: Table) -> pa.Table:
    """The same rows, by typed columns."""
    names, arrays = list[str](), list[pa.Array]()
    for i, head in enumerate(table.heads):
        cells = [row[i] for row in table.rows]
        for name, array in _columns(_name(head), cells, _kind(head, cells)):
            again = sum(name == each or re.fullmatch(rf"{name}_\d+", each) is not None for each in names)
            names.append(f"{name}_{again + 1}" if again else name)
            arrays.append(array)
    metadata = {"title": _clean(table.title), "note": _clean(table.note)}
    schema = pa.schema([pa.field(n, a.type) for n, a in zip(names, arrays, strict=True)], metadata=metadata)
    return pa.Table.from_arrays(arrays, schema=schema)


def _name(head: str) -> str:
    """A head as a name of small letters, digits and underscores."""
    return re.sub(r"[^a-z0-9]+", "_", head.lower()).strip("_") or "name"


def _kind(head: str, cells: Sequence[Cell]) -> type:
    found = {type(cell) for cell in cells if cell is not None}
    if not found:
        return KINDS.get(head, str)
    if found <= {int, float}:
        return float if float in found else int
    return found.pop() if len(found) == 1 else str


def _columns(name: str, cells: Sequence[Cell], kind: type) -> Iterator[tuple[str, pa.Array]]:
    if kind is Share:
        shares = [cell if isinstance(cell, Share) else None for cell in cells]
        for field in ("some", "n"):
            yield f"{name}_{field}", _array([share and getattr(share, field) for share in shares], int)
        yield f"{name}_rate", _array([share and share.rate for share in shares], float)
        for place, field in enumerate(("low", "high")):
            bounds = [None if not share or not share.n else share.interval[place] for share in shares]
            yield f"{name}_{field}", _array(bounds, float)
    elif kind in (RateDifference, Between):
        for field in ("rate", "low", "high"):
            yield f"{name}_{field}", _array([cell and getattr(cell, field) for cell in cells], float)
    elif kind is Chance:
        yield name, _array([cell.p if isinstance(cell, Chance) else None for cell in cells], float)
    elif kind is str:
        texts = [cell if cell is None or isinstance(cell, str) else text_of(cell) for cell in cells]
        yield name, _array([text if text is None else _clean(text) for text in texts], str)
    else:
        yield name, _array(list(cells), kind)


def _array(cells: Sequence[object], kind: type) -> pa.Array:
    return pa.array(cells, _ARROW[kind])


def _clean(text: str) -> str:
    """The text with lone surrogates spelled out, which UTF-8 has no place for."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
