"""A packed model has the size that was asked for, and is the same model when it is unpacked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from nets import random_bytes, random_trunk, weights_of
from test_checkpoint import write

from worldline.core.errors import FormatError, UsageError
from worldline.model import checkpoint, model_folder
from worldline.model.calibration import collect_moments
from worldline.model.compress import choose_scales, compress, is_packed, round_levels
from worldline.model.engine.reference import parameter_shapes
from worldline.model.export import export_model
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray, to_safetensors

SHAPE = Shape(depth=3, window=16)
DOCUMENTS = [(random_bytes(40, seed), random_bytes(60, seed + 1)) for seed in range(4)]


def correlated_inputs(count: int, columns: int) -> FloatArray:
    """Inputs that a few directions explain for the most part."""
    rng = np.random.default_rng(1)
    mixed = rng.standard_normal((count, 8)) @ rng.standard_normal((8, columns))
    return (mixed + 0.3 * rng.standard_normal((count, columns))).astype(np.float32)


def test_feedback_makes_up_for_most_of_the_error_of_rounding() -> None:
    inputs = correlated_inputs(4096, 96)
    weight = np.random.default_rng(2).standard_normal((32, 96), np.float32)
    scale = np.full(32, 0.5, np.float32)
    errors = []
    for moment in (None, inputs.T @ inputs):
        rounded = round_levels(weight, scale, moment) * scale[:, None]
        errors.append(float(np.square(inputs @ (weight - rounded).T).mean()))
    assert errors[1] < 0.3 * errors[0]


def test_feedback_of_inputs_that_do_not_correlate_is_rounding() -> None:
    weight = np.random.default_rng(2).standard_normal((8, 20), np.float32)
    scale = np.full(8, 0.25, np.float32)
    nearest = round_levels(weight, scale)
    assert np.array_equal(round_levels(weight, scale, np.diag(np.arange(20, 0, -1, np.float32))), nearest)
    assert np.array_equal(round_levels(weight, scale, np.zeros((20, 20), np.float32)), nearest)
    assert np.abs(nearest * scale[:, None] - weight).max() <= 0.126


def test_no_level_is_clipped() -> None:
    weight = np.random.default_rng(3).standard_normal((64, 16), np.float32) ** 5
    weight[5] = 0
    scale = choose_scales(SHAPE, "layers.0.mlp.inner.weight", weight, 1e-9)
    assert np.all(np.abs(weight) / scale[:, None] <= 127)
    assert np.all(np.abs(round_levels(weight, scale) * scale[:, None] - weight) <= 0.5001 * scale[:, None])
    assert np.all(scale > 0)


def test_moments_are_sums_over_what_each_matrix_reads() -> None:
    trunk = random_trunk(SHAPE)
    weights = weights_of(trunk)
    moments = collect_moments(SHAPE, weights, DOCUMENTS)
    packed = {name: shape for name, shape in parameter_shapes(SHAPE).items() if is_packed(SHAPE, name)}
    assert {name: moment.shape for name, moment in moments.items()} == {
        name: (columns, columns) for name, (_, columns) in packed.items()
    }
    for name, moment in moments.items():
        assert np.allclose(moment, moment.T, rtol=1e-3, atol=1e-3), name
        assert np.linalg.eigvalsh(moment.astype(np.float64)).min() > -1e-2, name
    first = collect_moments(SHAPE, weights, DOCUMENTS[:1])
    rest = collect_moments(SHAPE, weights, DOCUMENTS[1:])
    for name, moment in moments.items():
        assert np.allclose(moment, first[name] + rest[name], rtol=1e-3, atol=1e-3), name


@pytest.mark.parametrize("calibration", [(), DOCUMENTS])
@pytest.mark.parametrize("bits", [7.0, 8.0])
def test_a_packed_model_writes_what_its_int8_folder_does(
    tmp_path: Path, bits: float, calibration: list[tuple[bytes, bytes]]
) -> None:
    trunk = random_trunk(SHAPE)
    write(tmp_path / "a", trunk)
    manifest = checkpoint.export(tmp_path / "a", tmp_path / "b", bits=bits, calibration=calibration)
    assert manifest["version"] == model_folder.PACKED_VERSION
    assert checkpoint.findings(tmp_path / "b") == []
    count = sum(array.size for array in weights_of(trunk).values())
    assert manifest["files"][model_folder.MODEL]["bytes"] <= count * bits / 8
    assert checkpoint.export(tmp_path / "b", tmp_path / "c")["version"] == model_folder.QUANTIZED_VERSION
    packed, unpacked = (checkpoint.open_model(tmp_path / name) for name in "bc")
    logits = []
    for engine in (packed, unpacked):
        state = engine.start()
        engine.feed(state, random_bytes(30), pin=True)
        logits.append(engine.feed_all(state, random_bytes(50, 1), pin=False))
    assert np.array_equal(*logits)


def test_a_damaged_packed_model_is_refused(tmp_path: Path) -> None:
    trunk = random_trunk(SHAPE)
    write(tmp_path / "a", trunk)
    manifest = checkpoint.export(tmp_path / "a", tmp_path / "b", bits=8)
    tensors = compress(SHAPE, weights_of(trunk), bits=8)
    name = next(name for name in tensors if name.endswith(".packed"))
    tensors[name] = tensors[name][:-40]
    draft = model_folder.create_draft(tmp_path / "c")
    (draft / model_folder.MODEL).write_bytes(to_safetensors(tensors))
    model_folder.commit_draft(draft, tmp_path / "c", {"shape": manifest["shape"]}, version=model_folder.PACKED_VERSION)
    with pytest.raises(FormatError, match="packed levels"):
        checkpoint.open_model(tmp_path / "c")


def test_what_cannot_be_packed_is_refused(tmp_path: Path) -> None:
    weights = weights_of(random_trunk(SHAPE))
    with pytest.raises(UsageError, match="3 to 8 bits per weight"):
        compress(SHAPE, weights, bits=2)
    with pytest.raises(UsageError, match="allow more"):
        compress(SHAPE, weights, bits=3)
    weights["embed"] = np.full_like(weights["embed"], np.nan)
    with pytest.raises(FormatError, match="'embed' are not all finite"):
        compress(SHAPE, weights, bits=8)
    with pytest.raises(UsageError, match="not both"):
        export_model("default", tmp_path / "x", half=True, bits=5)
    with pytest.raises(UsageError, match="how many bits"):
        export_model("default", tmp_path / "x", calibrate="shipped")
