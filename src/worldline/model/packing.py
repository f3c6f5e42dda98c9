"""Entropy coding of integer weights: a matrix of int8 levels as a block of bytes, and back.

Trained weights are far from uniform, so a level of 4 to 6 bits takes fewer. Every row and every column has a
class, by its root mean square; the sum of both chooses the table of frequencies for a level. One range coder
(rANS, 32-bit states, 16-bit words) runs down each column, and all of them share one stream of words. A step
thus codes one row, in NumPy at once; native/engine_unpack.h does the same in C. format.md, section 8, has the
layout.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_native: Any = None
try:
    from worldline import _engine

    _native = _engine
except ImportError:
    # Built without a compiler: NumPy decodes, some ten times slower.
    pass

Levels = NDArray[np.int8]
LEVELS_PER_TABLE = 256
MAX_COLUMNS = 8192
CLASSES = 8
# Every row's and every column's class is below CLASSES.
MAX_TABLES = 2 * CLASSES - 1
PROBABILITY_BITS = 12
# States lie between this and 2**32.
_LOWEST_STATE = 1 << 16
_TOTAL = 1 << PROBABILITY_BITS
_HEADER = struct.Struct("<IB")
_TABLE_HEADER = struct.Struct("<BB")


@dataclass(frozen=True)
class _Model:
    """Classes of rows and columns, and a table of frequencies for each sum of two classes."""

    row_classes: NDArray[np.uint8]
    column_classes: NDArray[np.uint8]
    frequencies: NDArray[np.uint16]

    def starts(self) -> NDArray[np.uint32]:
        """Return, per table and level, the sum of the frequencies before it."""
        summed = np.cumsum(self.frequencies, axis=1, dtype=np.uint32)
        starts: NDArray[np.uint32] = summed - self.frequencies
        return starts

    def slots(self) -> NDArray[np.uint32]:
        """Return, per table and slot: level + 128, frequency - 1 (12 bits), offset in the level (12 bits)."""
        slots = np.zeros((len(self.frequencies), _TOTAL), np.uint32)
        symbols = np.arange(LEVELS_PER_TABLE, dtype=np.uint32)
        for row, frequency in zip(slots, self.frequencies.astype(np.uint32), strict=True):
            if not frequency.any():
                continue
            symbol = np.repeat(symbols, frequency)
            offset = np.arange(_TOTAL, dtype=np.uint32) - np.repeat(np.cumsum(frequency) - frequency, frequency)
            row[:] = symbol | (frequency[symbol] - 1) << 8 | offset.astype(np.uint32) << 20
        return slots


def pack_levels(levels: Levels) -> bytes:
    """Encode a matrix of levels.

    Args:
        levels: Integers, [rows, columns]; at most `MAX_COLUMNS` columns.

    Returns:
        The bytes, which `unpack_levels` reads.
    """
    model = _fit_model(levels)
    states, words = _encode(model, levels)
    parts = [_HEADER.pack(levels.shape[1], len(model.frequencies))]
    for frequency in model.frequencies:
        used = np.flatnonzero(frequency)
        first, count = (int(used[0]), int(used[-1] - used[0])) if len(used) else (0, 0)
        parts += [_TABLE_HEADER.pack(first, count), frequency[first : first + count + 1].astype("<u2").tobytes()]
    parts += [model.row_classes.tobytes(), model.column_classes.tobytes()]
    return b"".join([*parts, states.astype("<u4").tobytes(), words.astype("<u2").tobytes()])


def unpack_levels(data: bytes | memoryview, rows: int) -> Levels:
    """Decode a matrix of levels. Every count is checked before anything is allocated by it.

    Args:
        data: What `pack_levels` returned.
        rows: Number of rows.

    Returns:
        The levels, [rows, columns].

    Raises:
        ValueError: The bytes are damaged.
    """
    model, states, words = _parse(memoryview(data), rows)
    decode = _decode if _native is None else _decode_native
    return decode(model, states, words)


def count_columns(data: bytes | memoryview) -> int:
    """Read the number of columns of a packed matrix; raise ValueError if there cannot be as many."""
    columns = _HEADER.unpack_from(data)[0] if len(data) >= _HEADER.size else 0
    if not 0 < columns <= MAX_COLUMNS:
        raise ValueError(f"packed levels have 1 to {MAX_COLUMNS} columns, not {columns}")
    return int(columns)


def measure_levels(levels: Levels) -> float:
    """Estimate how many bits `pack_levels` needs per level, headers aside."""
    counts = _count_levels(levels, *_classify(levels))
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    return float(-(counts * np.log2(np.where(shares > 0, shares, 1))).sum() / max(1, levels.size))


# Fitting


def _fit_model(levels: Levels) -> _Model:
    row_classes, column_classes = _classify(levels)
    counts = _count_levels(levels, row_classes, column_classes)
    frequencies = np.stack([_to_frequencies(row) for row in counts])
    return _Model(row_classes, column_classes, frequencies)


def _classify(levels: Levels) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Classify rows and columns by their root mean square, two classes for a factor of two."""
    squares = levels.astype(np.float32) ** 2
    classes = []
    for axis in (1, 0):
        size = np.log2(np.sqrt(squares.sum(axis) / max(1, levels.shape[axis]) + 1e-9))
        middle = np.median(size) if len(size) else 0.0
        nearest = np.rint(2 * (size - middle)) + CLASSES // 2
        classes.append(np.clip(nearest, 0, CLASSES - 1).astype(np.uint8))
    return classes[0], classes[1]


def _count_levels(
    levels: Levels, row_classes: NDArray[np.uint8], column_classes: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """Count every level in every table: [tables, LEVELS_PER_TABLE]."""
    counts = np.zeros((MAX_TABLES, LEVELS_PER_TABLE), np.int64)
    for row_class in np.unique(row_classes):
        rows = levels[row_classes == row_class]
        for column_class in np.unique(column_classes):
            part = rows[:, column_classes == column_class].view(np.uint8) ^ np.uint8(128)
            counts[row_class + column_class] += np.bincount(part.ravel(), minlength=LEVELS_PER_TABLE)
    return counts


def _to_frequencies(counts: NDArray[np.int64]) -> NDArray[np.uint16]:
    """Scale counts to a sum of 2**PROBABILITY_BITS; what occurs stays above zero."""
    total = int(counts.sum())
    if not total:
        return np.zeros(LEVELS_PER_TABLE, np.uint16)
    frequencies = np.where(counts > 0, np.maximum(1, counts * _TOTAL // total), 0)
    # What rounding left over or took too much is the commonest levels', where it costs least.
    for level in np.argsort(-counts):
        change = max(_TOTAL - int(frequencies.sum()), 1 - int(frequencies[level]))
        frequencies[level] += change
        if frequencies.sum() == _TOTAL:
            break
    return frequencies.astype(np.uint16)


# Coding


def _encode(model: _Model, levels: Levels) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
    """Encode from the last row to the first; return the states that decoding starts from, and the words."""
    starts, frequencies = model.starts().astype(np.uint64), model.frequencies.astype(np.uint64)
    states = np.full(levels.shape[1], _LOWEST_STATE, np.uint64)
    words: list[NDArray[np.uint16]] = []
    symbols = levels.view(np.uint8) ^ np.uint8(128)
    for row in range(len(levels) - 1, -1, -1):
        table = model.row_classes[row] + model.column_classes
        frequency, start = frequencies[table, symbols[row]], starts[table, symbols[row]]
        is_full = states >= frequency << np.uint64(32 - PROBABILITY_BITS)
        words.append(states[is_full].astype(np.uint16))
        states[is_full] >>= np.uint64(16)
        states = (states // frequency << np.uint64(PROBABILITY_BITS)) + states % frequency + start
    return states, np.concatenate(words[::-1]) if words else np.zeros(0, np.uint16)


def _decode(model: _Model, states: NDArray[np.uint32], words: NDArray[np.uint16]) -> Levels:
    slots = model.slots().ravel()
    levels = np.empty((len(model.row_classes), len(states)), np.uint8)
    columns = model.column_classes.astype(np.uint32) << np.uint32(PROBABILITY_BITS)
    mask, next_word = np.uint32(_TOTAL - 1), 0
    for out, row_class in zip(levels, model.row_classes.astype(np.uint32) << np.uint32(PROBABILITY_BITS), strict=True):
        entry = slots[(columns + row_class) | (states & mask)]
        out[:] = entry & 0xFF
        states = ((entry >> 8 & mask) + 1) * (states >> np.uint32(PROBABILITY_BITS)) + (entry >> 20)
        low = np.flatnonzero(states < _LOWEST_STATE)
        read = words[next_word : next_word + len(low)]
        if len(read) < len(low):
            raise ValueError("packed levels end too early")
        states[low] = states[low] << np.uint32(16) | read
        next_word += len(low)
    if next_word != len(words) or (states != _LOWEST_STATE).any():
        raise ValueError("packed levels do not end where they should")
    return (levels ^ np.uint8(128)).view(np.int8)


def _decode_native(model: _Model, states: NDArray[np.uint32], words: NDArray[np.uint16]) -> Levels:
    levels = np.empty((len(model.row_classes), len(states)), np.int8)
    _native.unpack(model.slots(), model.row_classes, model.column_classes, states.copy(), words, levels)
    return levels


# Parsing


def _parse(data: memoryview, rows: int) -> tuple[_Model, NDArray[np.uint32], NDArray[np.uint16]]:
    """Split packed bytes; raise ValueError unless they describe tables that every level can be read from."""
    columns, (_, tables) = count_columns(data), _HEADER.unpack_from(data)
    if tables > MAX_TABLES:
        raise ValueError(f"packed levels have at most {MAX_TABLES} tables, not {tables}")
    frequencies = np.zeros((tables, LEVELS_PER_TABLE), np.uint16)
    at = _HEADER.size
    for row in frequencies:
        if len(data) < at + _TABLE_HEADER.size:
            raise ValueError("packed levels end in their tables")
        first, count = _TABLE_HEADER.unpack_from(data, at)
        numbers, at = _take(data, at + _TABLE_HEADER.size, count + 1, "<u2")
        if first + count >= LEVELS_PER_TABLE or int(numbers.sum(dtype=np.int64)) not in (0, _TOTAL):
            raise ValueError("a table of packed levels is damaged")
        row[first : first + count + 1] = numbers
    row_classes, at = _take(data, at, rows, "u1")
    column_classes, at = _take(data, at, columns, "u1")
    used = np.unique(row_classes)[:, None].astype(int) + np.unique(column_classes)
    if used.size and (used.max() >= tables or not frequencies[used.ravel()].any(1).all()):
        raise ValueError("a class of packed levels has no table")
    states, at = _take(data, at, columns, "<u4")
    if (len(data) - at) % 2 or (states < _LOWEST_STATE).any():
        raise ValueError("the states or words of packed levels are damaged")
    words, _ = _take(data, at, (len(data) - at) // 2, "<u2")
    return _Model(row_classes, column_classes, frequencies), states.astype(np.uint32), words.astype(np.uint16)


def _take(data: memoryview, at: int, count: int, kind: str) -> tuple[NDArray[Any], int]:
    """Read `count` numbers at a place; return them and the place after them."""
    end = at + count * np.dtype(kind).itemsize
    if end > len(data):
        raise ValueError("packed levels end too early")
    return np.frombuffer(data[at:end], kind), end
