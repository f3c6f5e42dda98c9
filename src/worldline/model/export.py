"""A model as it ships: the weights of a checkpoint as the engine holds them, in a folder of their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldline.model import checkpoint

DEFAULT = "default"


@dataclass(frozen=True, kw_only=True)
class ExportedModel:
    """A folder with weights: their size, and the sha256 of their file."""

    path: Path
    size: int
    sha256: str


def export_model(model: str | Path, out: str | Path, *, half: bool = False) -> ExportedModel:
    """Write a model as it ships, light and quick to open.

    Args:
        model: A run of `train`, a checkpoint, or `default` for the shipped model.
        out: The folder that is written.
        half: Write all weights in bfloat16, to train on: twice the size.

    Returns:
        Where it is, and its digest.
    """
    folder = None if model == DEFAULT else Path(model)
    (file,) = checkpoint.export(folder, Path(out), half=half)["files"].values()
    return ExportedModel(path=Path(out), size=file["bytes"], sha256=file["sha256"])
