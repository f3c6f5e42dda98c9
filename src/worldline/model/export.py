"""A model as it ships: the weights of a checkpoint as the engine holds them, in a folder of their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.data.frames import DocumentPair
from worldline.model import checkpoint, model_folder
from worldline.storage import files

DEFAULT = "default"
# Bytes of documents that packed weights are rounded for.
CALIBRATION_BYTES = 100_000


@dataclass(frozen=True, kw_only=True)
class ExportedModel:
    """A folder with weights: their size, and the sha256 of their file."""

    path: Path
    size: int
    sha256: str


def export_model(
    model: str | Path,
    out: str | Path,
    *,
    half: bool = False,
    bits: float | None = None,
    width: int | None = None,
    calibrate: str | None = None,
) -> ExportedModel:
    """Write a model as it ships, light and quick to open.

    Args:
        model: A run of `train`, a checkpoint, or `default` for the shipped model.
        out: The folder that is written.
        half: Write all weights in bfloat16, to train on: twice the size.
        bits: Pack the weights into at most this many bits each, 3 to 8, the whole file counted.
        width: Grow the model to this many channels first, a multiple of 64; it computes the same, and training can
            use the new weights.
        calibrate: Recipe whose documents packed weights are rounded for; needs torch. By default each weight
            is rounded by itself.

    Returns:
        Where it is, and its digest.

    Raises:
        UsageError: The options do not go together, or the model does not fit into `bits`.
        BusyError: Another process exports into this folder.
    """
    folder, target = None if model == DEFAULT else Path(model), model_folder.resolve_link(Path(out))
    files.make_directory(target.parent)
    with files.Lock(target.parent, only=target):
        documents = draw_documents(half=half, bits=bits, calibrate=calibrate)
        exported = checkpoint.export(folder, target, half=half, bits=bits, width=width, calibration=documents)
    (file,) = exported["files"].values()
    return ExportedModel(path=Path(out), size=file["bytes"], sha256=file["sha256"])


def draw_documents(*, half: bool, bits: float | None, calibrate: str | None) -> list[DocumentPair]:
    """Draw the documents that packed weights are rounded for; raise UsageError if options do not go together."""
    if half and bits is not None:
        raise UsageError("a model is exported in bfloat16 or packed, not both")
    if calibrate is not None and bits is None:
        raise UsageError("only packed weights are rounded for documents: say how many bits they may have")
    if calibrate is None:
        return []
    from worldline.model.calibration import draw_calibration

    return draw_calibration(calibrate, size=CALIBRATION_BYTES)
