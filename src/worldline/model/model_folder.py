"""Files of a model folder, and how a folder is written, replaced and removed.

A folder replaces another with one atomic exchange. Where the kernel has none, a killed writer can leave
the previous folder as `.<name>.old.tmp`, where it is still found. A folder without our manifest, or with
other files in it, is never replaced, and only files with these names are ever removed.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
from pathlib import Path
from typing import Any

from worldline.core.errors import DiskError, FormatError, UsageError
from worldline.storage import files, listing

# The quantized version is that of a model with int8 weights, the packed version that of entropy-coded ones.
FORMAT, VERSION, QUANTIZED_VERSION, PACKED_VERSION = "worldline-model", 1, 2, 3
MANIFEST, MODEL, EMA, OPTIMIZER, CHANGES = (
    "manifest.json",
    "model.safetensors",
    "ema.safetensors",
    "optimizer.safetensors",
    "changes.safetensors",
)
_STREAM_NAME = re.compile(r"stream-\d+\.bin")
# Constants of renameat2(2).
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2

ModelManifest = dict[str, Any]


def create_draft(out: Path) -> Path:
    """Create an empty folder to fill, under the temporary name of `out`.

    Args:
        out: Folder that the draft will become.

    Returns:
        The draft's path.

    Raises:
        UsageError: The folder to be replaced holds files that are not a model's.
    """
    files.make_directory(out.parent)
    draft = draft_path(out)
    require_replaceable(out)
    for path in (draft, _backup_path(out)):
        require_replaceable(path, is_partial=True)
    remove_model(draft)
    files.make_directory(draft)
    return draft


def draft_path(out: Path) -> Path:
    """Return the temporary path where a folder is filled before it gets its name."""
    return out.with_name(f".{out.name}.new.tmp")


def resolve_link(out: Path) -> Path:
    """Return the folder to write for a path the user named: the target, if it is a link."""
    return Path(os.path.realpath(out))


def commit_draft(draft: Path, out: Path, facts: ModelManifest, *, version: int = VERSION) -> None:
    """Write the manifest of a draft and give the folder its name. A folder with that name is replaced.

    Args:
        draft: Folder that `create_draft` returned.
        out: Name to give it.
        facts: Entries of the manifest.
        version: Version of the format.
    """
    listed = {name: _describe_file(draft / name) for name in files.names(draft)}
    manifest = {"format": FORMAT, "version": version, **facts, "files": listed}
    files.write(draft / MANIFEST, json.dumps(manifest, indent=1).encode())
    with files.disk(out):
        if not os.path.lexists(out):
            os.rename(draft, out)
        elif not _exchange_folders(draft, out):
            remove_model(_backup_path(out))
            os.rename(out, _backup_path(out))
            os.rename(draft, out)
    files.sync_directory(out.parent)
    remove_model(draft)
    remove_model(_backup_path(out))


def _exchange_folders(draft: Path, out: Path) -> bool:
    """Exchange two folders' names atomically; False where the system cannot."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    return rename is not None and not rename(
        _AT_FDCWD, os.fsencode(draft), _AT_FDCWD, os.fsencode(out), _RENAME_EXCHANGE
    )


def surviving(path: Path) -> Path:
    """Return where a folder is: at its path, or where a writer that was killed while replacing it put it."""
    is_aside = not path.exists() and (_backup_path(path) / MANIFEST).is_file()
    return _backup_path(path) if is_aside else path


def _backup_path(out: Path) -> Path:
    return out.with_name(f".{out.name}.old.tmp")


def require_replaceable(path: Path, *, is_partial: bool = False) -> None:
    """Raise UsageError if a path holds anything besides a model: it is about to be removed."""
    if others := list_other_files(path, is_partial=is_partial):
        raise UsageError(
            f"{path} would be overwritten but holds other files: {', '.join(others[:3])}; choose another folder"
        )


def list_other_files(path: Path, *, is_partial: bool) -> list[str]:
    """List what does not belong to a model; only a partial folder may have files without a manifest."""
    if path.is_symlink() or not path.exists():
        return []
    if not path.is_dir():
        return [path.name]
    if others := files.strangers(path, _is_model_file):
        return others
    if os.path.lexists(path / MANIFEST):
        return [] if has_model_manifest(path) else [MANIFEST]
    return [] if is_partial else files.contents(path, _is_model_file)


def has_model_manifest(folder: Path) -> bool:
    """Return whether a folder has a manifest of this format, in any version."""
    try:
        return listing.read_object(folder / MANIFEST, limit=1 << 24).get("format") == FORMAT
    except (DiskError, FormatError):
        return False


def remove_model(path: Path) -> None:
    """Remove a model, its manifest last: if killed, the rest is still recognised as a model."""
    files.remove_folder(path, lambda name: name != MANIFEST and _is_model_file(name))
    files.remove_folder(path, _is_model_file)


def _is_model_file(name: str) -> bool:
    return name in (MANIFEST, MODEL, EMA, OPTIMIZER, CHANGES) or _STREAM_NAME.fullmatch(name) is not None


def _describe_file(path: Path) -> dict[str, Any]:
    file = files.open_regular(path)
    if file is None:
        raise FormatError(f"{path} is not a file")
    with file:
        size = os.fstat(file.fileno()).st_size
        return {"sha256": files.digest(file, size), "bytes": size}
