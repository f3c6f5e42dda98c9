"""Read manifests: check the format field, and check the listed files before they are used.

All manifests are read here: of shards, documents, runs and models. A name that leads out of the
folder, a link or a missing field is refused with a message. The other fields of a manifest belong
to the package that wrote it. Uses the standard library only.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import DigestError, DiskError, FormatError
from worldline.storage import files, remote
from worldline.storage.remote import Folder, Readable

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}")
PLAIN = "manifest.json"  # the name of a manifest of shards up to release 0.1
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Listed:
    """The size and digest that a manifest states for a file beside it."""

    size: int
    sha256: str


def beside(folder: Folder, name: str) -> Folder:
    """Return the path of a metadata file of a folder of shards.

    It is a hidden file, so that nobody takes it for a shard, unless an older release started the folder.
    """
    is_old = remote.is_there(folder / PLAIN) and not remote.is_there(folder / f".{PLAIN}")
    return folder / (name if is_old else f".{name}")


def read_object(path: Folder, *, limit: int) -> dict[str, Any]:
    """Read a file that holds one JSON object of at most `limit` bytes.

    Raises:
        FormatError: The file is not one JSON object.
        DiskError: The file is missing or cannot be read.
    """
    return _object(str(path), remote.read_plain(path, limit=limit))


def read_lines(path: Folder, *, limit: int) -> list[dict[str, Any]]:
    """Read a file with one JSON object per line, at most `limit` bytes.

    Raises:
        FormatError: A line is not a JSON object.
        DiskError: The file is missing or cannot be read.
    """
    lines = remote.read_plain(path, limit=limit).splitlines()
    return [_object(f"{path}, line {number},", text) for number, text in enumerate(lines, 1)]


def _object(where: str, text: bytes) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where} is damaged: not JSON: {error}") from None
    if not isinstance(content, dict):
        raise FormatError(f"{where} is damaged: not a JSON object")
    return content


def check_format(path: Folder, manifest: Mapping[str, Any], **known: Collection[Any]) -> None:
    """Check that this release can read a manifest.

    Args:
        path: The manifest, for the message.
        manifest: Its content.
        **known: The values that this release reads, by field.

    Raises:
        FormatError: A field has another value. The message names both.
    """
    for key, values in known.items():
        value = manifest.get(key)
        if not any(value == known_value and type(value) is type(known_value) for known_value in values):
            reads = " or ".join(map(repr, values))
            raise FormatError(f"{path}: {key} {value!r:.80}; this release reads {key} {reads}")


def entry_of(path: Folder, name: Any, entry: Any, *, size: str = "size") -> Listed:
    """Check the entry of one file in a manifest.

    Args:
        path: The manifest, for the message.
        name: The file name in the manifest.
        entry: Its entry.
        size: The field that holds the size.

    Returns:
        The size and the digest of the file.

    Raises:
        FormatError: The name leads elsewhere, or the size or the sha256 is missing.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise FormatError(f"{path} is damaged: {name!r:.80} is not the name of a file beside it")
    fields = entry if isinstance(entry, dict) else {}
    count, sha256 = fields.get(size), fields.get("sha256")
    if type(count) is not int or count < 0 or not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise FormatError(f"{path} is damaged: the {size} or the sha256 of {name} is missing")
    return Listed(count, sha256)


def open_file(folder: Folder, name: str, wanted: Listed) -> Readable:
    """Open a file beside a manifest, after checking all of its bytes.

    Args:
        folder: The folder of the manifest.
        name: The file name.
        wanted: The size and digest in the manifest.

    Raises:
        DigestError: The file is missing or has other bytes.
        DiskError: The file cannot be read.
    """
    path = folder / name
    try:
        file = remote.open_regular(path, size=wanted.size)
    except FileNotFoundError:
        raise DigestError(f"{path} is gone") from None
    except OSError as error:
        raise DiskError(f"{path}: {error.strerror}") from error
    if file is None:
        raise DigestError(f"{path} is not a plain file")
    try:
        with remote.disk(path):
            # Check the size first: a file of another length is not read at all.
            size = file.seek(0, io.SEEK_END)
            if size == wanted.size and files.digest(file, size) == wanted.sha256:
                return file
        raise DigestError(f"{path} is not the file that was written: its digest differs from the manifest")
    except BaseException:
        file.close()
        raise
