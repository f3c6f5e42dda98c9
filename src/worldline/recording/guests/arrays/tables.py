"""Render the tables of pandas: shape, index and columns, each column as the array that holds it. So are indexes alone.

Reads the instance dicts and C attributes that pandas itself uses, and calls none of its methods. A value
that is not built as expected is written by the ordinary rules for objects.
"""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

from ..atoms import text_of_range, text_of_str, word
from ..kinds import TYPE_DICT, Kind, base_of, mro_of, name_of, static_name
from .arrow import first_texts, is_chunked, length_of
from .descriptors import attribute
from .dtypes import layout_of, text_of_item
from .memory import Arrays, arrays_of
from .text import HEAD_ITEMS, WHOLE_ITEMS, TextWriter

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

# Their arrays hold codes or counts, not the values.
_CODED = ("Categorical", "PeriodArray")
MAX_COLUMNS = 20


class ColumnTable(NamedTuple):
    """The parts of a Series or DataFrame: its axes, and for each column shown its values and its row in them.

    An index alone has neither axes nor columns.
    """

    index: Any
    labels: Any  # of the columns; None for a Series
    width: int | None  # how many columns there are
    columns: list[tuple[Any, int]]


_ALONE = ColumnTable(None, None, None, [])


def c_attribute(value: Any, name: str) -> Any:
    """Return an attribute that the C code of pandas defines; None if there is none."""
    for base in mro_of(type(value)):
        if name in TYPE_DICT(base):
            home, get = TYPE_DICT(base).get("__module__"), attribute(base, name)
            is_own = type(home) is str and home.startswith("pandas._libs.")
            return get(value) if is_own and get is not None else None
    return None


def _field(writer: TextWriter, value: Any, name: str) -> Any:
    return writer.kind(type(value)).field(value, name)


def table_of(writer: TextWriter, value: Any, kind: Kind) -> ColumnTable | None:
    """Return the parts of a table; None if it is not built as pandas builds it."""
    if kind.name == "Categorical":
        return None if c_attribute(value, "_ndarray") is None else _ALONE
    if kind.name not in ("Series", "DataFrame"):
        return None if _axis(writer, value) is None and _levels(writer, value) is None else _ALONE
    manager = kind.field(value, "_mgr")
    if kind.name == "Series":
        axes, blocks = _field(writer, manager, "axes"), _field(writer, manager, "blocks")
    else:
        axes, blocks = c_attribute(manager, "axes"), c_attribute(manager, "blocks")
    if type(axes) is not list or type(blocks) is not tuple or len(axes) != 1 + (kind.name == "DataFrame"):
        return None
    if kind.name == "Series":
        values = c_attribute(blocks[0], "values") if len(blocks) == 1 else None
        return None if values is None else ColumnTable(axes[0], None, 1, [(values, 0)])
    count = _length(writer, axes[0])
    columns: dict[int, tuple[Any, int]] = {}
    for block in blocks:
        values, placement = c_attribute(block, "values"), c_attribute(block, "_mgr_locs")
        places = None if placement is None else _places(writer, c_attribute(placement, "indexer"))
        if values is None or places is None:
            return None
        columns.update({place: (values, row) for row, place in enumerate(places)})
    shown = [columns.get(place) for place in range(MAX_COLUMNS if count is None else min(count, MAX_COLUMNS))]
    complete = [column for column in shown if column is not None]
    is_complete = complete == shown[: len(complete)] and (count is None or len(complete) == len(shown))
    return ColumnTable(axes[1], axes[0], count, complete) if is_complete else None


def _places(writer: TextWriter, indexer: Any) -> list[int] | None:
    """Return the first columns that a block holds."""
    if type(indexer) is slice:
        parts = indexer.start, indexer.stop, indexer.step
        if any(type(part) is not int for part in parts[:2]) or (parts[2] is not None and type(parts[2]) is not int):
            return None
        step = 1 if parts[2] is None else parts[2]
        return [*range(parts[0], parts[1], step)[:MAX_COLUMNS]] if step else None
    array = _array_of(writer, indexer)
    if array is None or len(array[0].shape_of(array[1])) != 1:
        return None
    arrays, values = array
    layout = layout_of(arrays.dtype_of(values))
    if layout is None or layout.kind != "i" or layout.size != 8 or layout.is_swapped:
        return None
    size = arrays.shape_of(values)[0]
    if size and arrays.owner_of(values, layout) is None:
        return None
    data = arrays.bytes_of(arrays.part_of(values, slice(MAX_COLUMNS)))
    return [int.from_bytes(data[at : at + 8], "little", signed=True) for at in range(0, len(data), 8)]


def _array_of(writer: TextWriter, values: Any) -> tuple[Arrays, Any] | None:
    """Return the array of NumPy that values are or consist of."""
    if static_name(type(values)) != "numpy.ndarray":
        if name_of(type(values)) in _CODED:
            return None
        values = c_attribute(values, "_ndarray")
        if values is None or static_name(type(values)) != "numpy.ndarray":
            return None
    arrays = arrays_of(type(values))
    return (arrays, values) if arrays.is_readable and writer.kind(type(values)).is_array else None


def _axis(writer: TextWriter, axis: Any) -> Any:
    """Return what an index consists of: a range, or its values."""
    whole = _field(writer, axis, "_range")
    return whole if type(whole) is range else _field(writer, axis, "_data")


def _levels(writer: TextWriter, axis: Any) -> tuple[list[Any], list[Any]] | None:
    """Return the levels of an index of several, and the codes of its labels in each; None if it is none."""
    kind = writer.kind(type(axis))
    levels, codes = kind.field(axis, "_levels"), kind.field(axis, "_codes")
    if not kind.is_table or base_of(type(levels)) is not list or base_of(type(codes)) is not list:
        return None
    return list(list.__iter__(levels)), list(list.__iter__(codes))


def _length(writer: TextWriter, axis: Any) -> int | None:
    """Return how many labels an index has; None if it is not of a kind that is read."""
    parts = _levels(writer, axis)
    values = parts[1][0] if parts is not None and parts[1] else _axis(writer, axis)
    if type(values) is range:
        return len(values)
    array = _array_of(writer, values)
    if array is not None:
        shape = array[0].shape_of(array[1])
        return int(shape[0]) if len(shape) == 1 else None
    column = _field(writer, values, "_pa_array")
    return length_of(column) if is_chunked(column) else None


def put_table(writer: TextWriter, kind: Kind, value: Any, table: ColumnTable, depth: int) -> None:
    """Append the fields of a table."""
    if kind.name == "Categorical":
        _put_categories(writer, value, depth)
        return
    if table is _ALONE and (parts := _levels(writer, value)) is not None:
        writer.put("names=")
        writer.put_value(kind.field(value, "_names"), depth + 1)
        writer.put(", ")
        _put_levels(writer, *parts, depth)
        return
    if table.labels is None:
        name = kind.field(value, "_name")
        writer.put("name=")
        writer.put_value(name, depth + 1)
        if table is _ALONE:
            writer.put(", data=")
            _put_axis(writer, value, depth)
            return
        writer.put(", index=")
        _put_axis(writer, table.index, depth)
        writer.put(", data=")
        _put_values(writer, *table.columns[0], depth)
        return
    writer.put(f"shape=({_length(writer, table.index)}, {table.width}), index=")
    _put_axis(writer, table.index, depth)
    writer.put(", columns={")
    for place, column in enumerate(table.columns):
        writer.put(", " if place else "")
        _put_label(writer, table.labels, place, depth)
        writer.put(": ")
        _put_values(writer, *column, depth)
    writer.put("}")


def _put_axis(writer: TextWriter, axis: Any, depth: int) -> None:
    values, parts = _axis(writer, axis), _levels(writer, axis)
    if type(values) is range:
        writer.put(text_of_range(values))
    elif values is not None:
        _put_values(writer, values, 0, depth)
    elif parts is None or depth > writer.value_depth:
        writer.put(_cut(axis))
    else:
        writer.put("MultiIndex(")
        _put_levels(writer, *parts, depth)
        writer.put(")")


def _put_levels(writer: TextWriter, levels: list[Any], codes: list[Any], depth: int) -> None:
    writer.check_size()
    writer.put("levels=[")
    for place, level in enumerate(levels):
        writer.put(", " if place else "")
        _put_axis(writer, level, depth + 1)
    writer.put("], codes=[")
    for place, code in enumerate(codes):
        writer.put(", " if place else "")
        _put_values(writer, code, 0, depth + 1)
    writer.put("]")


def _put_values(writer: TextWriter, values: Any, row: int, depth: int) -> None:
    """Append the values of one column, which is a row of a block of several."""
    writer.check_size()
    array = _array_of(writer, values)
    if depth > writer.value_depth:
        writer.put(_cut(values))
    elif array is not None:
        arrays, whole = array
        shape = arrays.shape_of(whole)
        if len(shape) == 2 and row < shape[0]:
            whole = arrays.part_of(whole, row)
        writer.put_value(whole, depth + 1)
    elif (
        _array_of(writer, mask := _field(writer, values, "_mask")) is not None
        and _array_of(writer, _field(writer, values, "_data")) is not None
    ):
        writer.put("MaskedArray(data=")
        _put_values(writer, _field(writer, values, "_data"), 0, depth)
        writer.put(", mask=")
        _put_values(writer, mask, 0, depth)
        writer.put(")")
    elif name_of(type(values)) == "Categorical" and c_attribute(values, "_ndarray") is not None:
        writer.put("Categorical(")
        _put_categories(writer, values, depth)
        writer.put(")")
    else:
        _put_texts(writer, values, depth)


def _put_categories(writer: TextWriter, values: Any, depth: int) -> None:
    writer.put("codes=")
    _put_values(writer, c_attribute(values, "_ndarray"), 0, depth + 1)
    writer.put(", categories=")
    _put_axis(writer, _field(writer, c_attribute(values, "_dtype"), "_categories"), depth + 1)


def _put_texts(writer: TextWriter, values: Any, depth: int) -> None:
    """Append a column of Arrow; what is none is cut."""
    column = _field(writer, values, "_pa_array")
    length = length_of(column) if is_chunked(column) else 0
    shown = length if length <= WHOLE_ITEMS else HEAD_ITEMS
    texts = first_texts(column, shown) if is_chunked(column) else None
    if texts is None:
        writer.put(_cut(values))
        return
    writer.put(f"ArrowStringArray(shape=({length},), {'data' if shown == length else 'head'}=[")
    for place, text in enumerate(texts):
        writer.put(", " if place else "")
        writer.put_value(text, depth + 1)
    writer.put("])" if shown == length else f"], data=...<str {length}>)")


def _put_label(writer: TextWriter, axis: Any, place: int, depth: int) -> None:
    """Append the label of a column; its number where labels cannot be read."""
    values = _axis(writer, axis)
    if type(values) is range:
        writer.put(str(values[place]))
        return
    array = _array_of(writer, values)
    if array is not None:
        arrays, labels = array
        layout = layout_of(arrays.dtype_of(labels))
        is_row = len(arrays.shape_of(labels)) == 1
        if is_row and layout is not None and layout.kind != "?" and arrays.owner_of(labels, layout) is not None:
            if layout.kind == "O":
                writer.put_value(arrays.part_of(labels, place), depth + 1)
            else:
                data = arrays.bytes_of(arrays.part_of(labels, slice(place, place + 1)))
                writer.put(text_of_item(layout, data))
            return
    column = _field(writer, values, "_pa_array")
    texts = first_texts(column, place + 1) if is_chunked(column) else None
    label = texts[place] if texts is not None else None
    writer.put(str(place) if label is None else text_of_str(label))


def _cut(value: Any) -> str:
    return f"...<{word(name_of(type(value)), '.')} 0>"
