"""A model grown in width computes the same, and training reaches its new weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from nets import random_trunk, trunk_logits, weights_of

from worldline.core.errors import UsageError
from worldline.model import checkpoint
from worldline.model.export import export_model
from worldline.model.hybrid import Trunk
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray
from worldline.model.widen import widen, widened_shape

SHAPES = {
    "hybrid": Shape(depth=4, stack=4),
    "attention": Shape(depth=4, mix="attention", stack=2),
    "two steps a byte": Shape(depth=3, mix="recurrence", householders=2),
    "an odd number of heads": Shape(depth=8, stack=3, window=16),
}
TEXT = b"def f(x):\n    return x + 1\nf(41) -> 42\n" * 3


def logits(shape: Shape, weights: dict[str, FloatArray]) -> FloatArray:
    """What a trunk with these weights says after every byte."""
    trunk = Trunk(shape).eval()
    trunk.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    return trunk_logits(trunk, TEXT, 20)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("more", [1, 2, 5])
def test_a_wider_model_computes_the_same(name: str, more: int) -> None:
    shape = SHAPES[name]
    weights, width = weights_of(random_trunk(shape)), shape.width + 64 * more
    grown = widen(shape, weights, width)
    new = widened_shape(shape, width)
    assert (new.width, len(new.layers)) == (width, len(shape.layers))
    assert {key: value.shape for key, value in grown.items()} == {
        key: tuple(value.shape) for key, value in Trunk(new).state_dict().items()
    }
    before, after = logits(shape, weights), logits(new, grown)
    assert np.abs(before).max() > 0.1
    np.testing.assert_allclose(after, before, atol=1e-3)
    assert (after.argmax(-1) == before.argmax(-1)).all()


def test_training_reaches_the_new_weights() -> None:
    shape = SHAPES["hybrid"]
    new = widened_shape(shape, shape.width + 64)
    trunk = Trunk(new)
    grown = widen(shape, weights_of(random_trunk(shape)), new.width)
    trunk.load_state_dict({name: torch.from_numpy(array) for name, array in grown.items()})
    data = torch.tensor([list(TEXT)])
    position = torch.arange(data.shape[1])[None]
    output = trunk(data[:, :-1], position[:, :-1], torch.full_like(position[:, :-1], 20))
    torch.nn.functional.cross_entropy(output[0], data[0, 1:]).backward()
    outer = trunk.get_parameter("layers.0.mlp.outer.weight").grad
    assert outer is not None
    old = shape.width, shape.hidden
    assert outer[old[0] :, : old[1]].abs().max() > 0  # the first to write to new channels
    assert outer[: old[0], old[1] :].abs().max() > 0  # new channels of the MLP get an output


@pytest.mark.parametrize("width", [0, 64, 448, 500])
def test_a_width_must_be_larger_and_whole_heads(width: int) -> None:
    with pytest.raises(UsageError, match=f"width {width}: pass a multiple of 64 above 448"):
        widened_shape(Shape(depth=8), width)


@pytest.mark.long(reason="grows the shipped model")
def test_the_shipped_model_grows(tmp_path: Path) -> None:
    export_model("default", tmp_path / "wide", width=768, half=True)
    manifest = checkpoint.read_manifest(tmp_path / "wide")
    assert manifest["shape"]["depth"] == 13
    texts = []
    for path in (None, tmp_path / "wide"):
        engine = checkpoint.open_model(path)
        state = engine.start()
        texts.append(engine.feed_all(state, np.frombuffer(TEXT, np.uint8), pin=True).argmax(-1).tolist())
    same = sum(first == second for first, second in zip(*texts, strict=True))
    assert same >= 0.97 * len(TEXT)  # bfloat16 and int8 round differently
