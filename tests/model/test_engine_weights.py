"""Weights are read as they were written, and a file that is none of ours is named, never trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from worldline.core.errors import DiskError, FormatError
from worldline.model import weights


def test_both_types_come_back(tmp_path: Path) -> None:
    torch.manual_seed(0)
    wide, narrow = torch.randn(5, 7), torch.randn(3, 4).bfloat16()
    save_file({"wide": wide, "narrow": narrow, "none": torch.zeros(0, 3)}, tmp_path / "w", {"shape": "{}"})
    arrays = weights.read_float32(tmp_path / "w")
    assert {name: array.dtype for name, array in arrays.items()} == dict.fromkeys(arrays, np.dtype(np.float32))
    assert np.array_equal(arrays["wide"], wide.numpy())
    assert np.array_equal(arrays["narrow"], narrow.float().numpy())
    assert arrays["none"].shape == (0, 3)
    stored = weights.read_stored(tmp_path / "w")
    assert stored["narrow"].dtype == np.uint16
    assert not stored["narrow"].flags.writeable
    assert np.array_equal(weights.to_float32(stored["narrow"]), arrays["narrow"])


def test_what_is_written_without_torch_is_a_safetensors_file(tmp_path: Path) -> None:
    """Its own library reads it: int8 in rows, a scale each, below the rows that are not."""
    rng = np.random.default_rng(0)
    above, rows = rng.standard_normal((2, 8), np.float32), rng.integers(-127, 128, (3, 8), np.int8)
    scale = np.float32([0.5, 0.25, 2])
    stored = {"m.int8": rows, "m": weights.to_bfloat16(above), "m.scale": scale, "v": np.float32([1, 2])}
    (tmp_path / "w").write_bytes(weights.to_safetensors(stored))
    theirs = load_file(tmp_path / "w")
    assert torch.equal(theirs["m"], torch.from_numpy(above).bfloat16())
    assert torch.equal(theirs["m.int8"], torch.from_numpy(rows))
    arrays = weights.read_float32(tmp_path / "w")
    assert weights.stored_shapes(weights.read_stored(tmp_path / "w")) == {"m": (5, 8), "v": (2,)}
    assert np.array_equal(arrays["m"][2:], rows * scale[:, None])
    assert np.array_equal(arrays["m"][:2], theirs["m"].float().numpy())
    assert arrays["m"].dtype == arrays["v"].dtype == np.float32


def file(tmp_path: Path, header: Any, body: bytes = bytes(8)) -> Path:
    """A file with any header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path = tmp_path / "w"
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return path


def entry(**changes: Any) -> dict[str, Any]:
    """A header of one tensor of two floats, changed."""
    return {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} | changes}


def test_a_small_file_by_hand(tmp_path: Path) -> None:
    assert weights.read_float32(file(tmp_path, entry()))["a"].tolist() == [0, 0]


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"{",
        b"[]",
        b"1",
        b"\xff\xfe",
        {"a": 1},
        {"a": {}},
        entry(dtype="F16"),
        entry(dtype=[]),
        entry(shape=[3]),
        entry(shape=[-1, -2]),
        entry(shape=["2"]),
        entry(shape=2),
        entry(shape=[2.0]),
        entry(shape=[True, 2]),
        entry(data_offsets=[0, 16], shape=[4]),
        entry(data_offsets=[-8, 0]),
        entry(data_offsets=[8, 0]),
        entry(data_offsets=[0]),
        entry(data_offsets=None),
        entry(data_offsets=[4, 12]),
    ],
)
def test_a_false_header_is_refused(tmp_path: Path, header: Any) -> None:
    with pytest.raises(FormatError):
        weights.read_float32(file(tmp_path, header))


@pytest.mark.parametrize(
    "content", [b"", b"1234567", bytes(8), b"\xff" * 8, (1 << 40).to_bytes(8, "little") + bytes(90)]
)
def test_no_header_at_all(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "w").write_bytes(content)
    with pytest.raises(FormatError):
        weights.read_float32(tmp_path / "w")


def test_a_missing_file_is_a_disk_error(tmp_path: Path) -> None:
    with pytest.raises(DiskError):
        weights.read_float32(tmp_path / "none")
