"""A manifest's frame: the format that it says it is of, and the files beside it that it lists, checked before a use.

Every kind of manifest is read through here: of shards, of documents, of runs, of models. A name that leads out of the
folder, a link or a missing field is refused in words. What else a manifest holds is its room's; the standard library
alone.
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
PLAIN = "manifest.json"  # as the manifest of shards was called up to 0.1
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Listed:
    """What a manifest says of a file beside it."""

    size: int
    sha256: str


def beside(folder: Folder, name: str) -> Folder:
    """A file beside shards: hidden, so that nobody takes it for one, unless an older release began the folder."""
    is_old = remote.is_there(folder / PLAIN) and not remote.is_there(folder / f".{PLAIN}")
    return folder / (name if is_old else f".{name}")


def read_object(path: Folder, *, limit: int) -> dict[str, Any]:
    """The JSON object in a file; FormatError where there is none, DiskError where there is no file."""
    return _object(str(path), remote.read_plain(path, limit=limit))


def read_lines(path: Folder, *, limit: int) -> list[dict[str, Any]]:
    """The JSON objects of a file, one a line; FormatError where a line is none."""
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
    """FormatError unless each of these fields is one of those that this release reads; the message names both."""
    for key, values in known.items():
        value = manifest.get(key)
        if not any(value == known_value and type(value) is type(known_value) for known_value in values):
            reads = " or ".join(map(repr, values))
            raise FormatError(f"{path}: {key} {value!r:.80}; this release reads {key} {reads}")


def entry_of(path: Folder, name: Any, entry: Any, *, size: str = "size") -> Listed:
    """What a manifest says of one of its files; FormatError unless it names one beside it, its size and its sha256."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise FormatError(f"{path} is damaged: {name!r:.80} is no name of a file beside it")
    fields = entry if isinstance(entry, dict) else {}
    count, sha256 = fields.get(size), fields.get("sha256")
    if type(count) is not int or count < 0 or not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise FormatError(f"{path} is damaged: it has no {size} and sha256 of {name}")
    return Listed(count, sha256)


def open_file(folder: Folder, name: str, wanted: Listed) -> Readable:
    """A file beside a manifest, opened after every byte of it was checked; DigestError where it is another."""
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
            # The size first: nothing is read of a file that is not as long as the manifest says.
            size = file.seek(0, io.SEEK_END)
            if size == wanted.size and files.digest(file, size) == wanted.sha256:
                return file
        raise DigestError(f"{path} is not the file that was written: its manifest says another")
    except BaseException:
        file.close()
        raise
