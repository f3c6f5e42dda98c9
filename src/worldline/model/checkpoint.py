"""A model on disk: a folder of safetensors and a manifest that names every byte of it. It appears whole or not at all.

    model.safetensors  ema.safetensors  optimizer.safetensors  stream-<lane>.bin    a run that can go on
    model.safetensors                                                               the weights that ship (`export`):
                                                                                    as the engine holds them, in int8
    changes.safetensors                                          an adaptation: what it adds to its base, elsewhere
    manifest.json      format version, shape, step, configuration, sha256 of every other file

A folder that takes another's place does so in one act of the kernel; where that has none, a killed writer can leave
the one before under `.<name>.old.tmp`, where it is still found. A folder that has no manifest of this format, or other
files in it, is not replaced, and only files of these names are ever removed. Nothing is unpickled. Torch is imported
only where tensors are read or written, so that the engine can open a model without it.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldline.core.errors import DigestError, DiskError, FormatError, UsageError
from worldline.model.shape import Shape
from worldline.storage import files, listing

if TYPE_CHECKING:
    from torch import Tensor

    from worldline.model.engine.native import NativeEngine
    from worldline.model.engine.reference import ReferenceEngine as Reference
    from worldline.model.weights import Stored

FORMAT, VERSION, ROUNDED = "worldline-model", 1, 2  # the version of a model whose weights are in part int8
MANIFEST, MODEL, EMA, OPTIMIZER, CHANGES = (
    "manifest.json",
    "model.safetensors",
    "ema.safetensors",
    "optimizer.safetensors",
    "changes.safetensors",
)
SHIPPED = Path(__file__).parent / "shipped"
LIMIT = 8 << 30
# Of a shape: what the engine can hold. More is damage.
MOST = {"depth": 57, "stack": 57, "householders": 64, "window": 1 << 16, "vocabulary": 1 << 20}
_STEP = re.compile(r"step-(\d{8,})")
_OLD = re.compile(r"\.(step-\d{8,})\.old\.tmp")
_LEFT = re.compile(r"\.step-\d{8,}(?:\.new|\.old)?\.tmp")  # without a word: by releases up to 0.1
_STREAM = re.compile(r"stream-\d+\.bin")
_BASE = {"sha256": str, "place": str}
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of renameat2(2)

Manifest = dict[str, Any]


# ---- folders


def begin(out: Path) -> Path:
    """An empty folder to be filled, under the temporary name of `out`; UsageError if other files are in the way."""
    files.make_directory(out.parent)
    draft = draft_of(out)
    _require_own(out)
    for path in (draft, _old(out)):
        _require_own(path, half=True)
    _remove(draft)
    files.make_directory(draft)
    return draft


def draft_of(out: Path) -> Path:
    """Where a folder is filled before it gets its name."""
    return out.with_name(f".{out.name}.new.tmp")


def place_of(out: Path) -> Path:
    """Where a folder that a user names is written: where it points to, if it is a link."""
    return Path(os.path.realpath(out))


def _require_own(path: Path, *, half: bool = False) -> None:
    """UsageError if what has this name is not a model's alone: it is about to go."""
    if strange := _strange(path, half=half):
        raise UsageError(
            f"{path} would be lost, and is or holds what is no model's: {', '.join(strange[:3])}"
        )


def _strange(path: Path, *, half: bool) -> list[str]:
    """What of a folder is no model's; only one that a killed writer left `half` may have files and no manifest."""
    if path.is_symlink() or not path.exists():
        return []
    if not path.is_dir():
        return [path.name]
    if found := files.strangers(path, _is_own):
        return found
    if os.path.lexists(path / MANIFEST):
        return [] if _says_model(path) else [MANIFEST]
    return [] if half else files.contents(path, _is_own)


def _says_model(folder: Path) -> bool:
    """Whether a folder's manifest is of this format, in any version."""
    try:
        return listing.read_object(folder / MANIFEST, limit=1 << 24).get("format") == FORMAT
    except (DiskError, FormatError):
        return False


def _remove(path: Path) -> None:
    """Remove a model, its manifest last: what is left of it if this is killed is still known as a model's."""
    files.remove_folder(path, lambda name: name != MANIFEST and _is_own(name))
    files.remove_folder(path, _is_own)


def _is_own(name: str) -> bool:
    return name in (MANIFEST, MODEL, EMA, OPTIMIZER, CHANGES) or _STREAM.fullmatch(name) is not None


def finish(draft: Path, out: Path, facts: Manifest, *, version: int = VERSION) -> None:
    """Write the manifest of what is in the folder, and give it its name; what had that name before is then removed."""
    listed = {name: _entry(draft / name) for name in files.names(draft)}
    manifest = {"format": FORMAT, "version": version, **facts, "files": listed}
    files.write(draft / MANIFEST, json.dumps(manifest, indent=1).encode())
    with files.disk(out):
        if not os.path.lexists(out):
            os.rename(draft, out)
        elif not _exchange(draft, out):
            _remove(_old(out))
            os.rename(out, _old(out))
            os.rename(draft, out)
    files.sync_directory(out.parent)
    _remove(draft)
    _remove(_old(out))


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change names in one act; False where the system cannot."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    return rename is not None and not rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE)


def _old(out: Path) -> Path:
    return out.with_name(f".{out.name}.old.tmp")


def _entry(path: Path) -> dict[str, Any]:
    file = files.open_regular(path)
    if file is None:
        raise FormatError(f"{path} is not a file")
    with file:
        size = os.fstat(file.fileno()).st_size
        return {"sha256": files.digest(file, size), "bytes": size}


def read_manifest(folder: Path) -> Manifest:
    """A folder's manifest; UsageError if there is none, FormatError if it is not of this format."""
    path = folder / MANIFEST
    if not path.is_file():
        raise UsageError(f"{folder} holds no model")
    manifest: Manifest = listing.read_object(path, limit=1 << 24)
    listing.check_format(path, manifest, format=(FORMAT,), version=(VERSION, ROUNDED))
    try:
        _check(path, manifest)
    except KeyError as error:
        raise FormatError(f"{path} is damaged: it has no {error}") from error
    except (ValueError, TypeError, UsageError) as error:
        raise FormatError(f"{path} is damaged: {error}") from error
    return manifest


def _check(path: Path, manifest: Manifest) -> None:
    """ValueError, TypeError, KeyError, UsageError or FormatError unless what is read of a manifest is of its kind."""
    shape, listed = Shape(**manifest["shape"]), manifest["files"]
    for name, most in MOST.items():
        if type(value := getattr(shape, name)) is not int or value > most:
            raise ValueError(f"a model's {name} is a whole number of at most {most}, not {value!r}")
    if not isinstance(listed, dict):
        raise ValueError("`files` is not a table of files, each with its sha256 and bytes")
    for name, entry in listed.items():
        listing.entry_of(path, name, entry, size="bytes")
    if type(manifest.get("step", 0)) is not int or not isinstance(manifest.get("config", {}), dict):
        raise ValueError("`step` is not a whole number, or `config` not a table")
    if not isinstance(elapsed := manifest.get("elapsed", 0), int | float) or not 0 <= elapsed < math.inf:
        raise ValueError("`elapsed` is not a number of seconds")
    for where, name in ((manifest, "trained_on"), (manifest.get("config", {}), "sources")):
        rows = where.get(name, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError(f"`{name}` is not a list of tables")
    base = manifest.get("base", {"sha256": "", "place": ""})
    if not isinstance(base, dict) or {key: type(value) for key, value in base.items()} != _BASE:
        raise ValueError("`base` is not the sha256 and the place of a model")


def weights_name(manifest: Manifest) -> str:
    """The file of the weights that a model is used with: their average, themselves where there is none, or changes."""
    if "base" in manifest:
        return CHANGES
    return EMA if EMA in manifest["files"] else MODEL


def digest(path: Path | None) -> str:
    """The sha256 of the weights that a model is used with; None is the shipped one. Of changes, with their base's."""
    manifest = read_manifest(resolve(path))
    listed = manifest["files"].get(weights_name(manifest))
    if listed is None:
        raise FormatError(f"{path} has no {weights_name(manifest)}")
    found = str(listed["sha256"])
    if "base" in manifest:
        return hashlib.sha256(f"{manifest['base']['sha256']} {found}".encode()).hexdigest()
    return found


def verify(folder: Path, name: str, manifest: Manifest) -> None:
    """DigestError unless a file is, byte for byte, the one that the manifest names."""
    if name not in manifest["files"]:
        raise FormatError(f"{folder} has no {name}")
    wanted = listing.entry_of(folder / MANIFEST, name, manifest["files"][name], size="bytes")
    listing.open_file(folder, name, wanted).close()


def is_model(path: str | Path) -> bool:
    """Whether a folder says that it holds a model, or holds checkpoints of a run."""
    return _says_model(Path(path)) or bool(_steps(Path(path)))


def findings(path: Path) -> list[str]:
    """What is wrong with a model, or with each checkpoint of a run: every file is compared with its manifest."""
    found = []
    for folder in [path] if (path / MANIFEST).is_file() else _steps(path):
        manifest = read_manifest(folder)
        if weights_name(manifest) not in manifest["files"]:
            raise FormatError(f"{folder} has no {weights_name(manifest)}")
        for name in manifest["files"]:
            try:
                verify(folder, name, manifest)
            except DigestError as error:
                found.append(str(error))
    return found


def read_file(folder: Path, name: str, manifest: Manifest) -> bytes:
    """A file's bytes, which are those that the manifest names."""
    verify(folder, name, manifest)
    return files.read_plain(folder / name, limit=LIMIT)


# ---- checkpoints of a run


def folder_of(run: Path, step: int) -> Path:
    """Where a run's checkpoint of a step is."""
    return run / f"step-{step:08d}"


def step_of(name: str) -> int:
    """The step of a checkpoint's name; -1 of any other name."""
    match = _STEP.fullmatch(name)
    return int(match[1]) if match else -1


def latest(run: Path) -> Path | None:
    """A run's newest checkpoint."""
    found = _steps(run)
    return found[-1] if found else None


def prune(run: Path, keep: int) -> None:
    """Remove all but the newest checkpoints, and folders that killed writers left, but for what is the only copy.

    A link in the place of one goes, and what it points to stays; so does what is no checkpoint's, as a plain file is.
    """
    for name in files.names(run):
        if (match := _OLD.fullmatch(name)) and surviving(run / match[1]) == run / name:
            with files.disk(run / name):
                os.rename(run / name, run / match[1])
    found = _steps(run)
    left = [run / name for name in files.names(run) if _LEFT.fullmatch(name)]
    for path in (*found[: max(0, len(found) - keep)], *left):
        if not _strange(path, half=path in left):
            _remove(path)


def clear(run: Path) -> None:
    """Remove every checkpoint; UsageError, and nothing is removed, if one holds what is no model's."""
    for path in _steps(run):
        _require_own(path)
    prune(run, 0)


def surviving(path: Path) -> Path:
    """Where what has this name is: there, or, if a writer was killed as it was replaced, where that writer put it."""
    is_aside = not path.exists() and (_old(path) / MANIFEST).is_file()
    return _old(path) if is_aside else path


def _steps(run: Path) -> list[Path]:
    """A run's checkpoints, the newest last."""
    listed = files.names(run) if run.is_dir() else []
    names = {match[1] if (match := _OLD.fullmatch(name)) else name for name in listed}
    steps = sorted((name for name in names if step_of(name) >= 0), key=step_of)
    return [path for name in steps if ((path := surviving(run / name)) / MANIFEST).is_file()]


def to_bytes(tensors: dict[str, Tensor]) -> bytes:
    """Tensors as safetensors, in float32."""
    import torch
    from safetensors.torch import save

    return save(
        {name: tensor.detach().to("cpu", torch.float32).contiguous() for name, tensor in tensors.items()}
    )


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
    path = surviving(path)
    if (path / MANIFEST).is_file():
        return path
    found = latest(path)
    if found is None:
        raise UsageError(f"{path} holds no model")
    return found


def export(folder: Path | None, out: Path, *, half: bool = False, facts: Manifest | None = None) -> Manifest:
    """The weights that ship: a checkpoint's average (or its weights, if it has none) as the engine holds them.

    `half` writes all in bfloat16 instead: about twice the size, nearer to what was trained, to train on. The manifest
    says what they were `trained_on`, as the run wrote it down; of an older run, as far as its configuration tells.
    """
    from worldline.model.engine.rounding import engine_form
    from worldline.model.weights import narrow, to_safetensors, widened

    source = resolve(folder)
    manifest = read_manifest(source)
    if "base" in manifest:
        raise UsageError(
            f"{source} is an adaptation: it remembers the values it was trained on, and stays here"
        )
    shape, stored = read_weights(source)
    if half:
        stored = {name: narrow(array) for name, array in widened(stored).items()}
    elif manifest["version"] != ROUNDED:
        stored = engine_form(shape, widened(stored))
    config = manifest.get("config", {})
    kept: Manifest = {key: manifest[key] for key in ("shape", "step") if key in manifest}
    kept["trained_on"] = manifest.get("trained_on") or _described(config)
    places = ("sources", "held_out", "init_from")  # of the machine that trained: they mean nothing elsewhere
    kept["config"] = {key: value for key, value in config.items() if key not in places}
    out = place_of(out)
    draft = begin(out)
    files.write(draft / MODEL, to_safetensors(stored))
    finish(draft, out, {"kind": "weights", **kept, **(facts or {})}, version=VERSION if half else ROUNDED)
    return read_manifest(out)


def _described(config: Manifest) -> list[Manifest]:
    from worldline.model.train.config import described  # the one thing here that needs torch

    return described(config)


def open_model(path: Path | None = None, **options: Any) -> NativeEngine | Reference:
    """The engine of a model: the shipped one, or that of a folder. Every byte of the weights is verified first."""
    from worldline.model.engine.native import open_engine

    shape, weights = read_weights(resolve(path))
    return open_engine(shape, weights, **options)


def read_weights(folder: Path) -> tuple[Shape, dict[str, Stored]]:
    """The weights that a model is used with, as they are stored, and its shape, which is theirs."""
    from worldline.model.engine.reference import check_weights, dimensions
    from worldline.model.weights import dimensions_of, read_stored

    manifest = read_manifest(folder)
    shape, name = Shape(**manifest["shape"]), weights_name(manifest)
    verify(folder, name, manifest)
    if "base" in manifest:
        return shape, _changed(folder, manifest)
    weights = read_stored(folder / name)
    try:
        check_weights(shape, weights)
    except ValueError as error:
        raise FormatError(f"{folder / name} is not of the manifest's shape: {error}") from error
    if odd := dimensions_of(weights).keys() - dimensions(shape).keys():
        raise FormatError(f"{folder / name} is not of the manifest's shape: it has no place for {min(odd)!r}")
    return shape, weights


def _changed(folder: Path, manifest: Manifest) -> dict[str, Stored]:
    """The weights of an adaptation: its base's, changed."""
    from worldline.model.low_rank import merged
    from worldline.model.weights import read

    shape, weights = read_weights(_base(folder, manifest))
    if shape != Shape(**manifest["shape"]):
        raise FormatError(f"{folder} is of another shape than its base")
    try:
        return merged(weights, read(folder / CHANGES))
    except ValueError as error:
        raise FormatError(f"{folder / CHANGES} does not fit its base: {error}") from error


def _base(folder: Path, manifest: Manifest) -> Path:
    """Where the model is that an adaptation changes: where it was then, or the shipped one; no other one will do."""
    place, wanted = manifest["base"]["place"], manifest["base"]["sha256"]
    there = [path for path in ([Path(place)] if place else []) + [SHIPPED] if (path / MANIFEST).is_file()]
    for path in there:
        if digest(path) == wanted:
            return path
    where = place or "the shipped one"
    raise DigestError(
        f"{folder} adapts the model {wanted[:12]}, which was {where}: that is gone, or another one now"
    )
