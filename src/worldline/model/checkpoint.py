"""A model on disk: a folder of safetensors and a manifest that names every byte of it. It appears whole or not at all.

    model.safetensors  ema.safetensors  optimizer.safetensors  stream-<rank>.bin    a run that can go on
    model.safetensors                                                               the weights that ship (`export`)
    manifest.json      format version, shape, step, configuration, sha256 of every other file

Nothing is unpickled. Torch is imported only where tensors are read or written, so that the engine can open a model
without it.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldline import files
from worldline.errors import DigestError, FormatError, UsageError
from worldline.model.shape import Shape

if TYPE_CHECKING:
    from torch import Tensor

    from worldline.model.engine import Engine as Reference
    from worldline.model.engine_native import Engine

FORMAT, VERSION = "worldline-model", 1
MANIFEST, MODEL, EMA, OPTIMIZER = (
    "manifest.json",
    "model.safetensors",
    "ema.safetensors",
    "optimizer.safetensors",
)
SHIPPED = Path(__file__).parent / "shipped"
LIMIT = 8 << 30
_STEP = re.compile(r"step-(\d{8,})")

Manifest = dict[str, Any]


# ---- folders


def begin(out: Path) -> Path:
    """An empty folder to be filled, under the temporary name that belongs to `out`."""
    files.make_directory(out.parent)
    draft = out.with_name(f".{out.name}.tmp")
    remove_folder(draft)
    files.make_directory(draft)
    return draft


def finish(draft: Path, out: Path, facts: Manifest) -> None:
    """Write the manifest of what is in the folder, and give it its name; what had that name before is removed."""
    listed = {name: _entry(draft / name) for name in files.names(draft)}
    manifest = {"format": FORMAT, "version": VERSION, **facts, "files": listed}
    files.write(draft / MANIFEST, json.dumps(manifest, indent=1).encode())
    old = out.with_name(f".{out.name}.old.tmp")
    remove_folder(old)
    with files.disk(out):
        if out.exists():
            os.rename(out, old)
        os.rename(draft, out)
    files.sync_directory(out.parent)
    remove_folder(old)


def remove_folder(path: Path) -> None:
    """Remove a folder of files, if it is there."""
    if path.is_dir():
        for name in files.names(path):
            files.remove(path / name)
        with files.disk(path):
            path.rmdir()


def _entry(path: Path) -> dict[str, Any]:
    file = files.open_regular(path)
    if file is None:
        raise FormatError(f"{path} is not a file")
    with file:
        size = os.fstat(file.fileno()).st_size
        return {"sha256": files.digest(file, size), "bytes": size}


def read_manifest(folder: Path) -> Manifest:
    """A folder's manifest; UsageError if there is none, FormatError if it is not of this format."""
    if not (folder / MANIFEST).is_file():
        raise UsageError(f"{folder} holds no model")
    try:
        manifest = json.loads(files.read(folder / MANIFEST, limit=1 << 24) or b"")
        known = manifest["format"] == FORMAT and manifest["version"] == VERSION
        Shape(**manifest["shape"])
    except (ValueError, KeyError, TypeError, RecursionError, UsageError) as error:
        raise FormatError(f"{folder / MANIFEST} is damaged: {error}") from error
    if not known:
        raise FormatError(
            f"{folder} is of format {manifest['format']} {manifest['version']}, not {FORMAT} {VERSION}"
        )
    return dict(manifest)


def verify(folder: Path, name: str, manifest: Manifest) -> None:
    """DigestError unless a file is, byte for byte, the one that the manifest names."""
    if name not in manifest["files"]:
        raise FormatError(f"{folder} has no {name}")
    if not (folder / name).exists() or _entry(folder / name) != manifest["files"][name]:
        raise DigestError(f"{folder / name} is not the file that was written")


def read_file(folder: Path, name: str, manifest: Manifest) -> bytes:
    """A file's bytes, which are those that the manifest names."""
    verify(folder, name, manifest)
    return files.read(folder / name, limit=LIMIT) or b""


# ---- checkpoints of a run


def folder_of(run: Path, step: int) -> Path:
    """Where a run's checkpoint of a step is."""
    return run / f"step-{step:08d}"


def latest(run: Path) -> Path | None:
    """A run's newest checkpoint."""
    found = sorted((int(match[1]), run / name) for name, match in _steps(run))
    return found[-1][1] if found else None


def prune(run: Path, keep: int) -> None:
    """Remove all but the newest checkpoints, and what killed writers left."""
    found = sorted((int(match[1]), run / name) for name, match in _steps(run))
    for _, path in found[: max(0, len(found) - keep)]:
        remove_folder(path)
    for name in files.names(run):
        if files.is_temporary(name) and (run / name).is_dir():
            remove_folder(run / name)


def _steps(run: Path) -> list[tuple[str, re.Match[str]]]:
    listed = files.names(run) if run.is_dir() else []
    return [(name, match) for name in listed if (match := _STEP.fullmatch(name))]


def to_bytes(tensors: dict[str, Tensor], *, half: bool = False) -> bytes:
    """Tensors as safetensors, in float32 or bfloat16."""
    import torch
    from safetensors.torch import save

    kind = torch.bfloat16 if half else torch.float32
    return save({name: tensor.detach().to("cpu", kind).contiguous() for name, tensor in tensors.items()})


def read_tensors(folder: Path, name: str, manifest: Manifest) -> dict[str, Tensor]:
    """The tensors of one file of a folder, on the CPU."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        return load(read_file(folder, name, manifest))
    except SafetensorError as error:
        raise FormatError(f"{folder / name}: {error}") from error


def resolve(path: Path | None) -> Path:
    """The folder that holds a model: one itself, a run's newest checkpoint, or (None) the shipped one."""
    if path is None:
        return SHIPPED
    if (path / MANIFEST).is_file():
        return path
    found = latest(path)
    if found is None:
        raise UsageError(f"{path} holds no model")
    return found


def export(folder: Path, out: Path, *, facts: Manifest | None = None) -> Manifest:
    """The weights that ship: a checkpoint's average (or its weights, if it has none) in bfloat16, with a manifest."""
    source = resolve(folder)
    manifest = read_manifest(source)
    name = EMA if EMA in manifest["files"] else MODEL
    weights = to_bytes(read_tensors(source, name, manifest), half=True)
    kept: Manifest = {key: manifest[key] for key in ("shape", "step") if key in manifest}
    places = ("sources", "held_out", "init_from")  # of the machine that trained: they mean nothing elsewhere
    kept["config"] = {key: value for key, value in manifest.get("config", {}).items() if key not in places}
    draft = begin(out)
    files.write(draft / MODEL, weights)
    finish(draft, out, {"kind": "weights", **kept, **(facts or {})})
    return read_manifest(out)


def open_model(path: Path | None = None, **options: Any) -> Engine | Reference:
    """The engine of a model: the shipped one, or that of a folder. Every byte of the weights is verified first."""
    from worldline.model.engine_native import open_engine
    from worldline.model.weights import read_stored

    folder = resolve(path)
    manifest = read_manifest(folder)
    name = EMA if EMA in manifest["files"] else MODEL
    verify(folder, name, manifest)
    return open_engine(Shape(**manifest["shape"]), read_stored(folder / name), **options)
