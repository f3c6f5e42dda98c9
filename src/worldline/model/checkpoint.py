"""Model folders: safetensors files and a manifest with the sha256 of each. A folder appears whole or not at all.

    model.safetensors  ema.safetensors  optimizer.safetensors  stream-<lane>.bin    a checkpoint to resume from
    model.safetensors                                                               exported, quantized or packed
    changes.safetensors                                                             an adaptation of a base model
    manifest.json      format version, shape, step, configuration, sha256 of every other file

Nothing is unpickled. Torch is imported only to read or write tensors, so the engine opens a model
without it. model_folder.py writes and replaces folders.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldline.core.errors import DigestError, FormatError, UsageError
from worldline.model import model_folder
from worldline.model.missing_model import missing_model
from worldline.model.model_folder import (
    CHANGES,
    EMA,
    FORMAT,
    MANIFEST,
    MODEL,
    PACKED_VERSION,
    QUANTIZED_VERSION,
    VERSION,
    ModelManifest,
    commit_draft,
    create_draft,
    resolve_link,
    surviving,
)
from worldline.model.shape import Shape
from worldline.storage import files, listing

if TYPE_CHECKING:
    from torch import Tensor

    from worldline.data.frames import DocumentPair
    from worldline.model.engine.native import NativeEngine
    from worldline.model.engine.reference import ReferenceEngine as Reference
    from worldline.model.export_content import ExportContent
    from worldline.model.weights import StoredArray

SHIPPED = Path(__file__).parent / "shipped"
MAX_FILE_BYTES = 8 << 30
# Largest shape the engine can hold. A manifest that exceeds it is damaged.
MAX_SHAPE = {"depth": 57, "stack": 57, "householders": 64, "window": 1 << 16, "vocabulary": 1 << 20}
_STEP_NAME = re.compile(r"step-(\d{8,})")
_BACKUP_NAME = re.compile(r"\.(step-\d{8,})\.old\.tmp")
# Releases up to 0.1 left names without `.new` or `.old`.
_LEFTOVER_NAME = re.compile(r"\.step-\d{8,}(?:\.new|\.old)?\.tmp")
_BASE_FIELDS = {"sha256": str, "place": str}


def read_manifest(folder: Path) -> ModelManifest:
    """Read a folder's manifest.

    Args:
        folder: A model folder.

    Returns:
        The manifest.

    Raises:
        UsageError: The folder has no manifest.
        FormatError: The manifest is damaged or of another format.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise UsageError(f"{folder} does not contain a model")
    manifest: ModelManifest = listing.read_object(path, limit=1 << 24)
    listing.check_format(path, manifest, format=(FORMAT,), version=(VERSION, QUANTIZED_VERSION, PACKED_VERSION))
    try:
        _check_manifest(path, manifest)
    except KeyError as error:
        raise FormatError(f"{path} is damaged: {error} is missing") from error
    except (ValueError, TypeError, UsageError) as error:
        raise FormatError(f"{path} is damaged: {error}") from error
    return manifest


def _check_manifest(path: Path, manifest: ModelManifest) -> None:
    """Raise ValueError, TypeError, KeyError, UsageError or FormatError unless every entry has its type."""
    shape, listed = Shape(**manifest["shape"]), manifest["files"]
    for name, limit in MAX_SHAPE.items():
        if type(value := getattr(shape, name)) is not int or value > limit:
            raise ValueError(f"{name} must be an integer of at most {limit}, not {value!r}")
    if not isinstance(listed, dict):
        raise ValueError("`files` is not an object")
    for name, entry in listed.items():
        listing.entry_of(path, name, entry, size="bytes")
    if type(manifest.get("step", 0)) is not int or not isinstance(manifest.get("config", {}), dict):
        raise ValueError("`step` is not an integer, or `config` is not an object")
    if not isinstance(elapsed := manifest.get("elapsed", 0), int | float) or not 0 <= elapsed < math.inf:
        raise ValueError("`elapsed` is not a number of seconds")
    for table, name in ((manifest, "trained_on"), (manifest.get("config", {}), "sources")):
        rows = table.get(name, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError(f"`{name}` is not a list of objects")
    if not isinstance(names := manifest.get("modes", []), list) or not all(isinstance(name, str) for name in names):
        raise ValueError("`modes` is not a list of names")
    base = manifest.get("base", {"sha256": "", "place": ""})
    if not isinstance(base, dict) or {key: type(value) for key, value in base.items()} != _BASE_FIELDS:
        raise ValueError("`base` must have the sha256 and the place of a model")


def weights_file(manifest: ModelManifest) -> str:
    """Return the file with the weights to use: changes, the average, or else the weights themselves."""
    if "base" in manifest:
        return CHANGES
    return EMA if EMA in manifest["files"] else MODEL


def digest(path: Path | None) -> str:
    """Return the sha256 of the weights to use; None means the shipped model. An adaptation includes its base."""
    manifest = read_manifest(resolve(path))
    listed = manifest["files"].get(weights_file(manifest))
    if listed is None:
        raise FormatError(f"{path} has no {weights_file(manifest)}")
    sha256 = str(listed["sha256"])
    if "base" in manifest:
        return hashlib.sha256(f"{manifest['base']['sha256']} {sha256}".encode()).hexdigest()
    return sha256


def modes(path: Path | None) -> tuple[str, ...]:
    """Return the modes of the compact notation in which a model predicts best; None means the shipped model."""
    return tuple(read_manifest(resolve(path)).get("modes", ()))


def verify_file(folder: Path, name: str, manifest: ModelManifest) -> None:
    """Check that a file is, byte for byte, the one in the manifest.

    Args:
        folder: A model folder.
        name: Name of the file.
        manifest: Manifest of the folder.

    Raises:
        DigestError: The file differs.
        FormatError: The manifest does not list the file.
    """
    if name not in manifest["files"]:
        raise FormatError(f"{folder} has no {name}")
    entry = listing.entry_of(folder / MANIFEST, name, manifest["files"][name], size="bytes")
    listing.open_file(folder, name, entry).close()


def is_model(path: str | Path) -> bool:
    """Return whether a folder contains a model or checkpoints of a run."""
    return model_folder.has_model_manifest(Path(path)) or bool(_list_checkpoints(Path(path)))


def findings(path: Path) -> list[str]:
    """List what is wrong with a model or with the checkpoints of a run: every file is verified."""
    problems = []
    for folder in [path] if (path / MANIFEST).is_file() else _list_checkpoints(path):
        manifest = read_manifest(folder)
        if weights_file(manifest) not in manifest["files"]:
            raise FormatError(f"{folder} has no {weights_file(manifest)}")
        for name in manifest["files"]:
            try:
                verify_file(folder, name, manifest)
            except DigestError as error:
                problems.append(str(error))
    return problems


def read_file(folder: Path, name: str, manifest: ModelManifest) -> bytes:
    """Read a file and verify it against the manifest."""
    verify_file(folder, name, manifest)
    return files.read_plain(folder / name, limit=MAX_FILE_BYTES)


# Checkpoints of a run


def checkpoint_path(run: Path, step: int) -> Path:
    """Return the folder of a run's checkpoint at a step."""
    return run / f"step-{step:08d}"


def parse_step(name: str) -> int:
    """Parse the step from a checkpoint's name; -1 for any other name."""
    match = _STEP_NAME.fullmatch(name)
    return int(match[1]) if match else -1


def latest_checkpoint(run: Path) -> Path | None:
    """Return a run's newest checkpoint, or None."""
    checkpoints = _list_checkpoints(run)
    return checkpoints[-1] if checkpoints else None


def prune_checkpoints(run: Path, keep: int) -> None:
    """Remove all but the newest checkpoints, and folders that killed writers left.

    A folder that is the only copy of a checkpoint is restored to its name. Links are removed without their
    targets. Anything that is not a checkpoint stays.

    Args:
        run: Folder of the run.
        keep: Number of checkpoints to keep.
    """
    for name in files.names(run):
        if (match := _BACKUP_NAME.fullmatch(name)) and surviving(run / match[1]) == run / name:
            with files.disk(run / name):
                os.rename(run / name, run / match[1])
    checkpoints = _list_checkpoints(run)
    leftovers = [run / name for name in files.names(run) if _LEFTOVER_NAME.fullmatch(name)]
    for path in (*checkpoints[: max(0, len(checkpoints) - keep)], *leftovers):
        if not model_folder.list_other_files(path, is_partial=path in leftovers):
            model_folder.remove_model(path)


def clear_checkpoints(run: Path) -> None:
    """Remove every checkpoint. Raise UsageError, and remove nothing, if one holds other files."""
    for path in _list_checkpoints(run):
        model_folder.require_replaceable(path)
    prune_checkpoints(run, 0)


def _list_checkpoints(run: Path) -> list[Path]:
    """List a run's checkpoints, the newest last."""
    listed = files.names(run) if run.is_dir() else []
    names = {match[1] if (match := _BACKUP_NAME.fullmatch(name)) else name for name in listed}
    steps = sorted((name for name in names if parse_step(name) >= 0), key=parse_step)
    return [path for name in steps if ((path := surviving(run / name)) / MANIFEST).is_file()]


def to_bytes(tensors: dict[str, Tensor]) -> bytes:
    """Encode tensors as safetensors in float32."""
    import torch
    from safetensors.torch import save

    return save({name: tensor.detach().to("cpu", torch.float32).contiguous() for name, tensor in tensors.items()})


def read_tensors(folder: Path, name: str, manifest: ModelManifest) -> dict[str, Tensor]:
    """Read and verify the tensors of one file, on the CPU."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        return load(read_file(folder, name, manifest))
    except SafetensorError as error:
        raise FormatError(f"{folder / name}: {error}") from error


def resolve(path: Path | None) -> Path:
    """Find the folder of a model.

    Args:
        path: A model, a run (its newest checkpoint is used), or None for the shipped model.

    Returns:
        The folder.

    Raises:
        NoModelError: There is no model.
    """
    if path is None:
        return SHIPPED
    path = surviving(path)
    if (path / MANIFEST).is_file():
        return path
    newest = latest_checkpoint(path)
    if newest is None:
        raise missing_model(str(path))
    return newest


def export(
    folder: Path | None,
    out: Path,
    *,
    half: bool = False,
    bits: float | None = None,
    width: int | None = None,
    calibration: Sequence[DocumentPair] = (),
    facts: ModelManifest | None = None,
) -> ModelManifest:
    """Export the weights of a checkpoint, quantized as the engine holds them.

    The manifest says what they were trained on, as the run recorded it; for an older run, as far as its
    configuration tells. The averaged weights are exported if there are any.

    Args:
        folder: A model or run; None for the shipped model.
        out: Folder to write.
        half: Export bfloat16 instead: about twice the size, closer to the trained weights, to train on.
        bits: Pack the weights instead, into at most this many bits each, the whole file counted.
        width: Grow the model to this many channels first; it computes the same.
        calibration: Documents to round packed weights for; without any, each is rounded by itself.
        facts: Further entries of the manifest.

    Returns:
        The manifest of the exported model.

    Raises:
        UsageError: The model is an adaptation, or does not fit into `bits`.
    """
    from worldline.model.weights import to_safetensors

    content = export_content(folder, half=half, bits=bits, width=width, calibration=calibration)
    out = resolve_link(out)
    draft = create_draft(out)
    files.write(draft / MODEL, to_safetensors(content.weights))
    commit_draft(draft, out, {"kind": "weights", **content.entries, **(facts or {})}, version=content.version)
    return read_manifest(out)


def export_content(
    folder: Path | None,
    *,
    half: bool = False,
    bits: float | None = None,
    width: int | None = None,
    calibration: Sequence[DocumentPair] = (),
) -> ExportContent:
    """Return what `export` writes, with the same arguments."""
    from worldline.model.export_content import prepare_export

    source = resolve(folder)
    manifest = read_manifest(source)
    if "base" in manifest:
        raise UsageError(
            f"{source} is an adaptation and cannot be exported: it remembers values of the code it was trained on"
        )
    shape, weights = read_weights(source)
    return prepare_export(manifest, shape, weights, half=half, bits=bits, width=width, calibration=calibration)


def open_model(path: Path | None = None, **options: Any) -> NativeEngine | Reference:
    """Open the engine of a model. Every byte of the weights is verified first.

    Args:
        path: A model or run; None for the shipped model.
        **options: Options of `open_engine`.

    Returns:
        The engine.
    """
    from worldline.model.engine.native import open_engine

    shape, weights = read_weights(resolve(path))
    return open_engine(shape, weights, **options)


def read_weights(folder: Path) -> tuple[Shape, dict[str, StoredArray]]:
    """Read the weights of a model as they are stored.

    Args:
        folder: A model folder.

    Returns:
        The shape, and the weights by name.

    Raises:
        DigestError: A file differs from the manifest.
        FormatError: The weights do not have the manifest's shape.
    """
    from worldline.model.engine.reference import check_weights, parameter_shapes
    from worldline.model.weights import read_stored, stored_shapes

    manifest = read_manifest(folder)
    shape, name = Shape(**manifest["shape"]), weights_file(manifest)
    verify_file(folder, name, manifest)
    if "base" in manifest:
        return shape, _read_adapted(folder, manifest)
    weights = read_stored(folder / name)
    try:
        check_weights(shape, weights)
    except ValueError as error:
        raise FormatError(f"{folder / name} does not match the manifest's shape: {error}") from error
    if unknown := stored_shapes(weights).keys() - parameter_shapes(shape).keys():
        raise FormatError(f"{folder / name} does not match the manifest's shape: unexpected {min(unknown)!r}")
    return shape, weights


def _read_adapted(folder: Path, manifest: ModelManifest) -> dict[str, StoredArray]:
    """Read the weights of an adaptation: its base's, changed."""
    from worldline.model.low_rank import merge_changes
    from worldline.model.weights import read_float32

    shape, weights = read_weights(_find_base(folder, manifest))
    if shape != Shape(**manifest["shape"]):
        raise FormatError(f"{folder} has another shape than its base")
    try:
        return merge_changes(weights, read_float32(folder / CHANGES))
    except ValueError as error:
        raise FormatError(f"{folder / CHANGES} does not fit its base: {error}") from error


def _find_base(folder: Path, manifest: ModelManifest) -> Path:
    """Find the base of an adaptation: at its recorded place, or the shipped model if the digest matches."""
    place, expected = manifest["base"]["place"], manifest["base"]["sha256"]
    candidates = [path for path in ([Path(place)] if place else []) + [SHIPPED] if (path / MANIFEST).is_file()]
    for path in candidates:
        if digest(path) == expected:
            return path
    where = place or "the shipped model"
    raise DigestError(f"{folder} adapts model {expected[:12]}, which was at {where}: it is missing or has changed")
