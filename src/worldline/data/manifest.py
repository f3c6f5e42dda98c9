"""Manifest of a directory of shards: its content byte for byte, and what determined it.

The manifest lists every shard with size, counts and sha256, the fingerprint of the run that made them,
and its own sha256. Its JSON has one spelling, so no byte can change unnoticed. A digest is not a
signature: it detects damage, not a forger who rewrites the manifest too.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Any

import msgspec

from worldline.core.errors import DigestError, DiskError, FormatError, UsageError, WorldlineError
from worldline.core.limits import Limits
from worldline.core.trace import InterpreterInfo
from worldline.storage import files, listing, remote
from worldline.storage.remote import Folder, Readable

# Hidden in new directories: `listing.beside`.
MANIFEST_NAME = listing.PLAIN
# Paths of the traces, written by `plan.paths.store`.
SIDECAR = "paths.parquet"
# Report on a directory of recorded calls.
REPORT = "report.json"
FORMAT, DOCUMENTS, CALLS = "worldline-shards", "worldline-documents", "worldline-calls"
VERSION = 1
# What the shards of a format are called. Each of these names is numbered on its own, from 0.
STEMS = {FORMAT: ("traces",), DOCUMENTS: ("documents",), CALLS: ("calls", "tests", "instances")}
MAX_MANIFEST_BYTES = 64 << 20
# Newest shards that a writer hashes before it appends: a crash can have torn them.
REHASHED_SHARDS = 4


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


_MISSING = _Missing()
_ERRORS: dict[str, type[WorldlineError]] = {"digest": DigestError, "disk": DiskError, "format": FormatError}


class ShardEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One shard. `raw` is its decompressed size according to the parquet footer."""

    name: str
    size: int
    rows: int
    steps: int
    raw: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All committed shards in order. `sha256` covers the same JSON with an empty `sha256`."""

    format: str
    version: int
    fingerprint: dict[str, Any]
    shards: tuple[ShardEntry, ...]
    sha256: str = ""


@dataclass(frozen=True)
class StorageProblem:
    """Damage of a stored file. `error` is the slug of the exception that reading it raises."""

    path: str
    kind: str
    error: str
    detail: str

    def __str__(self) -> str:
        return f"{self.path}: {self.kind}: {self.detail}"

    def exception(self) -> WorldlineError:
        """Return the exception that reading the file raises."""
        return _ERRORS[self.error](str(self))


def shard_name(number: int, format: str = FORMAT, stem: str = "") -> str:
    """Return the name of a shard by its number; by default of the first stem of its format."""
    return f"{stem or STEMS[format][0]}-{number:05d}.parquet"


def stem_of(name: str) -> str:
    """Return the part of a shard's name before its number."""
    return name.rpartition("-")[0]


def next_names(manifest: Manifest) -> dict[str, str]:
    """Return the name that the next shard of each stem gets."""
    counts = Counter(stem_of(entry.name) for entry in manifest.shards)
    return {stem: shard_name(counts[stem], manifest.format, stem) for stem in STEMS[manifest.format]}


def is_own(name: str, format: str = FORMAT) -> bool:
    """Return whether a writer of such a directory uses this name."""
    return (
        name.removeprefix(".") == MANIFEST_NAME
        or (format == CALLS and name == REPORT)
        or re.fullmatch(rf"({'|'.join(STEMS[format])})-[0-9]{{5,}}\.parquet", name) is not None
    )


def new_manifest(fingerprint: dict[str, Any], format: str = FORMAT) -> Manifest:
    """Create a manifest without shards."""
    # Convert as a reader would, so that it compares equal later.
    try:
        fingerprint = msgspec.json.decode(msgspec.json.encode(fingerprint), type=dict[str, Any])
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise UsageError(f"a fingerprint must be a JSON object: {error}") from None
    return Manifest(format, VERSION, fingerprint, ())


def encode(manifest: Manifest) -> bytes:
    """Encode a manifest in its one spelling, with its digest."""
    bare = _to_json(msgspec.structs.replace(manifest, sha256=""))
    return _to_json(msgspec.structs.replace(manifest, sha256=hashlib.sha256(bare).hexdigest()))


def _to_json(manifest: Manifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest, order="sorted"), indent=1) + b"\n"


def store(directory: Folder, manifest: Manifest, *, fsync: bool = True) -> None:
    """Replace the directory's manifest atomically."""
    data = encode(manifest)
    if len(data) > MAX_MANIFEST_BYTES:
        raise UsageError(f"{directory}: too many shards for one manifest: start a new directory")
    remote.write(listing.beside(directory, MANIFEST_NAME), data, fsync=fsync)


def load(directory: Folder, *formats: str) -> Manifest:
    """Load and verify a directory's manifest.

    Args:
        directory: Directory of shards.
        formats: Formats that it may have; by default traces.

    Returns:
        The manifest.

    Raises:
        UsageError: The directory does not exist.
        DigestError: The manifest is missing or does not match its digest.
        FormatError: The manifest is damaged or of another format.
    """
    if not directory.is_dir():
        raise UsageError(f"{directory}: no such directory")
    path = listing.beside(directory, MANIFEST_NAME)
    try:
        data = remote.read(path, limit=MAX_MANIFEST_BYTES)
    except FileNotFoundError:
        raise DigestError(f"{path}: missing") from None
    except OSError as error:
        raise DiskError(f"{path}: {error.strerror}") from None
    if data is None:
        raise DigestError(f"{path}: not a file")
    if len(data) > MAX_MANIFEST_BYTES:
        raise FormatError(f"{path}: larger than {MAX_MANIFEST_BYTES} bytes")
    return _decode(path, data, *formats)


def format_of(directory: Folder) -> str:
    """Return the format that a directory's manifest names, unverified; empty if there is none."""
    try:
        data = remote.read(listing.beside(directory, MANIFEST_NAME), limit=MAX_MANIFEST_BYTES)
        head = msgspec.json.decode(data or b"", type=dict[str, Any])
    except (OSError, DiskError, msgspec.MsgspecError, ValueError, RecursionError):
        return ""
    return str(head.get("format", ""))


def _decode(path: Folder, data: bytes, *formats: str) -> Manifest:
    try:
        head = msgspec.json.decode(data, type=dict[str, Any])
        listing.check_format(path, head, format=formats or (FORMAT,), version=(VERSION,))
        manifest = msgspec.json.decode(data, type=Manifest)
        spelled = encode(manifest)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FormatError(f"{path}: damaged, or not a manifest: {error}") from None
    if spelled != data:
        raise DigestError(f"{path}: does not match its own sha256")
    numbers = Counter[str]()
    for number, entry in enumerate(manifest.shards):
        listing.entry_of(path, entry.name, msgspec.structs.asdict(entry))
        is_counted = min(entry.size, entry.rows, entry.raw) > 0 <= entry.steps
        stem = stem_of(entry.name)
        if stem not in STEMS[manifest.format] or not is_counted or entry.name != shard_name(numbers[stem], stem=stem):
            raise FormatError(f"{path}: shard {number} has an invalid name or count")
        numbers[stem] += 1
    return manifest


def fingerprint(*, limits: Limits, interpreter: InterpreterInfo, recipe: Any = None) -> dict[str, Any]:
    """Describe what determines a directory's traces besides the programs.

    Args:
        limits: Limits of the recordings.
        interpreter: Interpreter that ran them.
        recipe: Anything else that matters, as JSON.

    Returns:
        The fingerprint.
    """
    interpreter_info = {"name": interpreter.name, "version": interpreter.version}
    return {"code": code_version(), "interpreter": interpreter_info, "limits": asdict(limits), "recipe": recipe}


@cache
def code_version() -> str:
    """Return the version of worldline."""
    from importlib import metadata

    try:
        return metadata.version("worldline")
    except metadata.PackageNotFoundError:
        return "unknown"


def diff(stored: Any, current: Any, at: str = "") -> list[str]:
    """List the differences of two fingerprints, one per line."""
    if isinstance(stored, dict) and isinstance(current, dict):
        lines: list[str] = []
        for key in sorted(stored.keys() | current.keys()):
            lines += diff(stored.get(key, _MISSING), current.get(key, _MISSING), f"{at}.{key}" if at else key)
        return lines
    return [] if _is_same(stored, current) else [f"{at}: stored {stored!r}, now {current!r}"]


def _is_same(first: Any, second: Any) -> bool:
    return bool(first == second) and isinstance(first, bool) == isinstance(second, bool)


def open_shard(
    directory: Folder, entry: ShardEntry, others: Sequence[ShardEntry] = (), *, hashed: bool = True
) -> Readable | StorageProblem:
    """Open a shard after checking it.

    Args:
        directory: Directory of shards.
        entry: Entry of the shard in the manifest.
        others: Entries to recognise a swapped file by.
        hashed: Whether to check every byte; otherwise only the size.

    Returns:
        The open file, or what is wrong with it.
    """
    path = directory / entry.name
    try:
        with remote.disk(path):
            file = remote.open_regular(path, size=entry.size) if hashed else remote.open_parts(path)
            kind, detail = _find_damage(file, entry, others, hashed)
    except DiskError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return StorageProblem(entry.name, "missing", "digest", "listed in the manifest")
        return StorageProblem(entry.name, "unreadable", "disk", str(error.__cause__))
    if file is not None and not kind:
        return file
    if file is not None:
        file.close()
    return StorageProblem(entry.name, kind, "digest", detail)


def _find_damage(
    file: Readable | None, entry: ShardEntry, others: Sequence[ShardEntry], hashed: bool
) -> tuple[str, str]:
    """Kind and detail of what is wrong with a file, or two empty strings."""
    if file is None:
        return "not-a-file", "a directory, link or device stands in its place"
    size = file.seek(0, io.SEEK_END)
    # Check the size first: do not read a file of another length.
    if size == entry.size and (not hashed or (actual := files.digest(file, size)) == entry.sha256):
        return "", ""
    if swapped := _find_swapped(file, size, others):
        return "swapped", f"holds the bytes of {swapped.name}"
    if size == entry.size:
        return "damaged", f"sha256 {actual[:16]}... instead of {entry.sha256[:16]}..."
    kind = "empty" if size == 0 else "truncated" if size < entry.size else "grown"
    return kind, f"{size} bytes instead of {entry.size}"


def _find_swapped(file: Readable, size: int, others: Sequence[ShardEntry]) -> ShardEntry | None:
    same_size = [entry for entry in others if entry.size == size]
    actual = files.digest(file, size) if same_size else ""
    return next((entry for entry in same_size if entry.sha256 == actual), None)


def shards_to_recall(manifest: Manifest) -> list[tuple[ShardEntry, bool]]:
    """List every shard and whether a writer must hash it; older shards were hashed before."""
    first = len(manifest.shards) - REHASHED_SHARDS
    return [(entry, number >= first) for number, entry in enumerate(manifest.shards)]


def find_unlisted(directory: Folder, manifest: Manifest) -> list[StorageProblem]:
    """Find files that the manifest does not list; those of a running writer are fine."""
    sidecar = REPORT if manifest.format == CALLS else SIDECAR
    expected = {listing.beside(directory, MANIFEST_NAME).name, sidecar} | {entry.name for entry in manifest.shards}
    is_locked, unlisted = remote.locked(directory), next_names(manifest).values()
    own = partial(is_own, format=manifest.format)
    problems = []
    for name in remote.names(directory):
        is_leftover = name == files.LOCK_NAME or files.is_leftover(name, own) or name in unlisted
        if is_leftover and not is_locked:
            problems.append(StorageProblem(name, "leftover", "digest", "of a killed writer; the next one removes it"))
        elif not is_leftover and name not in expected:
            problems.append(StorageProblem(name, "extra", "digest", "not listed in the manifest"))
    return problems
