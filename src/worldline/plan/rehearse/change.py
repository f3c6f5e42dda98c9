"""The changes a run made to a folder: files created, deleted and changed, with a diff of text."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldline.plan.rehearse.effect import HostPaths
from worldline.recording.rehearsal.folder import Entry, FolderCopy
from worldline.recording.rehearsal.run import LeftFiles

MADE, GONE, CHANGED, MODE = "created", "deleted", "changed", "mode"
MAX_DIFF_BYTES, MAX_DIFF_LINES = 128 << 10, 2_000
_OWN = ("work", "home", "tmp", "shm", "script", "xtrace")  # folders of the sandbox itself


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """One changed path: how it changed, sizes before and after, and a unified diff of text.

    `why` says why there is no diff: the file is binary, too long, or was not read.
    """

    path: str
    how: str
    kind: str
    place: str
    before: int | None = None
    after: int | None = None
    diff: tuple[str, ...] = ()
    why: str = ""


def changes(copy: FolderCopy, left: LeftFiles, names: HostPaths) -> list[FileChange]:
    """List every path that differs, sorted by path."""
    before = {entry.path: entry for entry in copy.entries}
    after = {entry.path: entry for entry in left.entries}
    blobs = _blobs(copy)
    file_changes = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        how = _how(old, new)
        if how and path not in _OWN:
            file_changes.append(_change(path, how, old, new, blobs.get(path), left.contents, names))
    return file_changes


def _blobs(copy: FolderCopy) -> dict[str, bytes]:
    files = (entry.path for entry in copy.entries if entry.kind == "file")
    return dict(zip(files, copy.blobs, strict=True))


def _how(old: Entry | None, new: Entry | None) -> str:
    if old is None or new is None:
        return MADE if old is None else GONE
    if (old.kind, old.digest, old.link, old.size) != (new.kind, new.digest, new.link, new.size):
        return CHANGED
    return MODE if old.mode != new.mode and old.kind != "link" else ""


def _change(
    path: str,
    how: str,
    old: Entry | None,
    new: Entry | None,
    blob: bytes | None,
    contents: Mapping[str, bytes],
    names: HostPaths,
) -> FileChange:
    shown, place = names.of(f"/box/{path}")
    entry = new or old
    assert entry is not None  # one of the two has the path
    first = None if old is None or old.kind != "file" else old.size
    second = None if new is None or new.kind != "file" else new.size
    diff: tuple[str, ...] = ()
    why = ""
    if how == MODE and old and new:
        why = f"{old.mode:04o} -> {new.mode:04o}"
    elif entry.kind == "link":
        why = f"a link to {entry.link}"
    elif entry.kind == "file":
        was = b"" if old is None or old.kind != "file" else blob
        now = b"" if new is None else contents.get(path) if new.kept or new.size else b""
        diff, why = _diff(shown, was, now)
    return FileChange(path=shown, how=how, kind=entry.kind, place=place, before=first, after=second, diff=diff, why=why)


def _diff(path: str, was: bytes | None, now: bytes | None) -> tuple[tuple[str, ...], str]:
    if was is None or now is None or max(len(was), len(now)) > MAX_DIFF_BYTES:
        return (), "too long for a diff"
    first, second = _lines(was), _lines(now)
    if first is None or second is None:
        return (), "binary"
    if max(len(first), len(second)) > MAX_DIFF_LINES:
        return (), "too long for a diff"
    return tuple(_unified(path, first, second)), ""


def _lines(data: bytes) -> list[str] | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.split("\n")


def _unified(path: str, first: list[str], second: list[str]) -> Iterator[str]:
    old, new = _marked(first), _marked(second)
    yield from difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="")


def _marked(lines: list[str]) -> list[str]:
    """The lines of a text; one that does not end in a line's end says so."""
    return lines[:-1] if lines[-1] == "" else [*lines[:-1], lines[-1] + "  (no end of line)"]
