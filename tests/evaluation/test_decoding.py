"""What the decoding benchmark measures is the model it was given: its shape, and the same function in every peer."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from worldline.model.checkpoint import SHIPPED
from worldline.model.engine.reference import check_weights
from worldline.model.shape import Shape
from worldline.model.weights import read_stored

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import decoding
import decoding_peers


def test_the_shape_is_that_of_the_manifest_beside_the_weights() -> None:
    path = SHIPPED / "model.safetensors"
    shape = decoding.shape_of(path, depth=3)
    assert shape == Shape(**json.loads((SHIPPED / "manifest.json").read_bytes())["shape"])
    check_weights(shape, read_stored(path))


def test_without_a_manifest_the_depth_decides(tmp_path: Path) -> None:
    assert decoding.shape_of(None, depth=3) == decoding.shape_of(tmp_path / "w", depth=3) == Shape(depth=3)


def test_the_peer_in_torch_is_the_same_function(tmp_path: Path) -> None:
    shape = Shape(depth=3, window=32)
    decoding.write_weights(tmp_path / "w", shape)
    data = decoding.text(decoding.PROMPT) + b"1 x=1\n2 y=2"
    data += b" " * (decoding.PROMPT + shape.window - len(data))
    peer = decoding_peers.peer("torch", shape, tmp_path / "w", 1, data, decoding.PROMPT)(1)
    machine = decoding.engine.ReferenceEngine(shape, decoding.read_float32(tmp_path / "w"))
    state = machine.start()
    machine.feed(state, data[: decoding.PROMPT], pin=True)
    machine.feed(state, data[decoding.PROMPT :], pin=False)
    for byte in b"a\n2 long line of more bytes":
        one, other = peer(bytes([byte]))[0], machine.step([state], bytes([byte]))[0]
        assert np.abs(one - other).max() < 1e-3 * np.abs(other).max()
