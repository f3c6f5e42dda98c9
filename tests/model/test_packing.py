"""Packed weights come back as they were, in NumPy and in C, and damaged ones are refused, never trusted."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.errors import FormatError
from worldline.model import packing, weights
from worldline.model.packing import Levels, pack_levels, unpack_levels

Decoder = Callable[[bytes, int], Levels]


def _decode_in_numpy(data: bytes, rows: int) -> Levels:
    return packing._decode(*packing._parse(memoryview(data), rows))


DECODERS = [unpack_levels, _decode_in_numpy]


def random_levels(rows: int, columns: int, spread: float, seed: int = 0) -> Levels:
    """Levels whose rows and columns differ in size."""
    rng = np.random.default_rng(seed)
    sizes = spread * np.exp(rng.normal(0, 0.5, (rows, 1)) + rng.normal(0, 0.5, columns))
    levels: Levels = np.clip(np.rint(rng.standard_normal((rows, columns)) * sizes), -128, 127).astype(np.int8)
    return levels


@given(
    rows=st.integers(0, 20), columns=st.integers(1, 20), spread=st.sampled_from([0, 0.1, 1, 6, 400]), seed=st.integers()
)
def test_every_matrix_comes_back(rows: int, columns: int, spread: float, seed: int) -> None:
    levels = random_levels(rows, columns, spread, abs(seed))
    data = pack_levels(levels)
    for decode in DECODERS:
        assert np.array_equal(decode(data, rows), levels)


def test_few_bits_more_than_the_entropy() -> None:
    levels = random_levels(512, 256, 4.0)
    shares = np.unique(levels, return_counts=True)[1] / levels.size
    size = 8 * len(pack_levels(levels)) / levels.size
    assert size < 0.98 * -(shares * np.log2(shares)).sum()  # rows and columns of one size are coded together
    assert packing.measure_levels(levels) < size < packing.measure_levels(levels) + 0.3


@pytest.mark.parametrize("decode", DECODERS)
def test_damaged_bytes_are_refused(decode: Decoder) -> None:
    levels = random_levels(24, 16, 3.0)
    data = pack_levels(levels)
    for size in range(len(data)):
        with pytest.raises(ValueError, match=r"."):
            decode(data[:size], 24)
    with pytest.raises(ValueError, match="where they should"):
        decode(data + bytes(2), 24)
    for rows in (0, 23, 25, 1 << 40):
        with pytest.raises(ValueError, match=r"."):
            decode(data, rows)


@pytest.mark.parametrize("decode", DECODERS)
def test_a_changed_byte_is_refused_or_changes_levels_only(decode: Decoder) -> None:
    data = pack_levels(random_levels(24, 16, 3.0))
    refused = 0
    for at in range(len(data)):
        changed = data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]
        try:
            assert decode(changed, 24).shape == (24, 16)
        except ValueError:
            refused += 1
    assert refused > 0.9 * len(data)


def _file(tmp_path: Path, tensors: dict[str, weights.StoredArray]) -> Path:
    path = tmp_path / "w"
    path.write_bytes(weights.to_safetensors(tensors))
    return path


def packed_tensors(rows: int = 6, columns: int = 8) -> dict[str, weights.StoredArray]:
    """One packed matrix, as a weights file has it."""
    data = np.frombuffer(pack_levels(random_levels(rows, columns, 3.0)), np.uint8)
    return {"m.packed": data, "m.scale": weights.to_bfloat16(np.full(rows, 0.5, np.float32))}


def test_a_packed_file_is_read_as_int8(tmp_path: Path) -> None:
    tensors = weights.read_stored(_file(tmp_path, packed_tensors() | {"v": np.float32([1, 2])}))
    assert {name: array.dtype for name, array in tensors.items()} == {
        "m.int8": np.int8,
        "m.scale": np.float32,
        "v": np.float32,
    }
    assert np.array_equal(tensors["m.int8"], random_levels(6, 8, 3.0))
    assert np.array_equal(weights.dequantize(tensors)["m"], 0.5 * tensors["m.int8"])


@pytest.mark.parametrize(
    "change",
    [
        {"m.scale": np.ones(5, np.float32)},
        {"m.scale": np.zeros(6, np.float32)},
        {"m.scale": np.ones((6, 1), np.float32)},
        {"m.packed": np.zeros(0, np.uint8)},
        {"m.packed": np.ones((4, 4), np.uint8)},
        {"m.packed": np.ones(16, np.float32)},
        {"m.int8": np.ones((6, 8), np.int8)},
        {"n": np.zeros(4, np.uint8)},
        {"n.packed": np.frombuffer(pack_levels(random_levels(2, 2, 1.0)), np.uint8)},
    ],
)
def test_packed_tensors_that_do_not_fit_are_refused(tmp_path: Path, change: dict[str, weights.StoredArray]) -> None:
    with pytest.raises(FormatError):
        weights.read_stored(_file(tmp_path, packed_tensors() | change))


def test_a_small_file_cannot_ask_for_much_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _file(tmp_path, packed_tensors())
    monkeypatch.setattr(weights, "MAX_UNPACKED_WEIGHTS", 6 * 8)
    weights.read_stored(path)
    monkeypatch.setattr(weights, "MAX_UNPACKED_WEIGHTS", 6 * 8 - 1)
    with pytest.raises(FormatError, match="packed weights are more than"):
        weights.read_stored(path)
    with pytest.raises(ValueError, match="columns"):
        packing.count_columns(struct.pack("<IB", packing.MAX_COLUMNS + 1, 1))
