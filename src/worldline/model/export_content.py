"""What an exported model holds: its weights as they are stored, and what its manifest says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from worldline.data.frames import DocumentPair
from worldline.model.engine.quantization import quantize
from worldline.model.model_folder import PACKED_VERSION, QUANTIZED_VERSION, VERSION, ModelManifest
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray, StoredArray, dequantize, to_bfloat16

# Paths of the machine that trained; they mean nothing elsewhere.
_LOCAL_PATHS = ("sources", "held_out", "init_from")


class ExportContent(NamedTuple):
    """Tensors under the names of a weights file, entries of the manifest, and the version of the format."""

    shape: Shape
    weights: dict[str, StoredArray]
    entries: ModelManifest
    version: int


def prepare_export(
    manifest: ModelManifest,
    shape: Shape,
    stored: Mapping[str, StoredArray],
    *,
    half: bool = False,
    bits: float | None = None,
    width: int | None = None,
    calibration: Sequence[DocumentPair] = (),
) -> ExportContent:
    """Convert weights as they are stored to weights as they ship.

    Args:
        manifest: Manifest of the model.
        shape: Its shape.
        stored: Its weights.
        half: Convert to bfloat16.
        bits: Pack the weights into at most this many bits each.
        width: Grow the model to this many channels first.
        calibration: Documents to round packed weights for.

    Returns:
        The content of the exported model; by default its weights are quantized as the engine holds them.
    """
    is_exact = manifest["version"] == VERSION
    weights = dict(stored)
    if width is not None:
        shape, weights, is_exact = *_widen(shape, weights, width), True
    version = QUANTIZED_VERSION
    if half:
        version, weights = VERSION, {name: to_bfloat16(array) for name, array in dequantize(weights).items()}
    elif bits is not None:
        version, weights = PACKED_VERSION, _compress(shape, dequantize(weights), bits, calibration)
    elif is_exact:
        weights = quantize(shape, dequantize(weights))
    entries: ModelManifest = {key: manifest[key] for key in ("shape", "step", "modes") if key in manifest}
    if width is not None:
        entries["shape"] = shape.to_json()
    config = manifest.get("config", {})
    entries["trained_on"] = manifest.get("trained_on") or _describe_sources(config)
    entries["config"] = {key: value for key, value in config.items() if key not in _LOCAL_PATHS}
    return ExportContent(shape, weights, entries, version)


def _widen(shape: Shape, stored: dict[str, StoredArray], width: int) -> tuple[Shape, dict[str, StoredArray]]:
    from worldline.model.widen import widen, widened_shape

    weights: dict[str, StoredArray] = {**widen(shape, dequantize(stored), width)}
    return widened_shape(shape, width), weights


def _compress(
    shape: Shape, weights: dict[str, FloatArray], bits: float, calibration: Sequence[DocumentPair]
) -> dict[str, StoredArray]:
    from worldline.model.compress import compress

    if not calibration:
        return compress(shape, weights, bits=bits)
    # Imported here because it needs torch.
    from worldline.model.calibration import collect_moments

    return compress(shape, weights, bits=bits, moments=collect_moments(shape, weights, calibration))


def _describe_sources(config: ModelManifest) -> list[ModelManifest]:
    # Imported here because it needs torch.
    from worldline.model.train.config import describe_sources

    return describe_sources(config)
