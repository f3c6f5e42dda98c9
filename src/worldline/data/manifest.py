"""The manifest of a directory of shards: what is in it, byte for byte, and what decided it.

The manifest names every shard with its size, counts and sha256, carries the fingerprint of the run that
made them, and a sha256 of itself. It is JSON of one spelling, so no byte of it can change unseen. A digest
is no signature: it finds damage, not a forger who rewrites the manifest too. What is inside a shard is not
known here.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import msgspec

from worldline.core.errors import DigestError, DiskError, FormatError, UsageError, WorldlineError
from worldline.core.limits import Limits
from worldline.core.trace import InterpreterInfo
from worldline.storage import files, listing, remote
from worldline.storage.remote import Folder, Readable

NAME = listing.PLAIN  # hidden in new directories: `listing.beside`
SIDECAR = "paths.parquet"  # beside traces: the paths that they take; `paths.store` knows it
FORMAT, DOCUMENTS = "worldline-shards", "worldline-documents"
VERSION = 1
_STEMS = {FORMAT: "traces", DOCUMENTS: "documents"}  # what shards are called
MAX_BYTES = 64 << 20
NEWEST = 4  # shards that a writer hashes before it adds to them: what a machine's end can have torn


class _Nothing:
    def __repr__(self) -> str:
        return "nothing"


_NOTHING = _Nothing()
_ERRORS: dict[str, type[WorldlineError]] = {"digest": DigestError, "disk": DiskError, "format": FormatError}


class ShardEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One shard: `raw` is its size decompressed, as its parquet footer says."""

    name: str
    size: int
    rows: int
    steps: int
    raw: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every committed shard, in order; `sha256` is over the same JSON with an empty `sha256`."""

    format: str
    version: int
    fingerprint: dict[str, Any]
    shards: tuple[ShardEntry, ...]
    sha256: str = ""


@dataclass(frozen=True)
class StorageProblem:
    """Something wrong with a stored file: `error` is the slug of the exception that reading it raises."""

    path: str
    kind: str
    error: str
    detail: str

    def __str__(self) -> str:
        return f"{self.path}: {self.kind}: {self.detail}"

    def exception(self) -> WorldlineError:
        """The exception that reading the file raises."""
        return _ERRORS[self.error](str(self))


def shard_name(number: int, format: str = FORMAT) -> str:
    """The name of the shard of this number."""
    return f"{_STEMS[format]}-{number:05d}.parquet"


def is_own(name: str, format: str = FORMAT) -> bool:
    """Whether a writer of such a directory gives files this name."""
    return (
        name.removeprefix(".") == NAME
        or re.fullmatch(rf"{_STEMS[format]}-[0-9]{{5,}}\.parquet", name) is not None
    )


def empty(fingerprint: dict[str, Any], format: str = FORMAT) -> Manifest:
    """A manifest of no shards yet."""
    try:  # as it will read back, so that it compares equal then
        fingerprint = msgspec.json.decode(msgspec.json.encode(fingerprint), type=dict[str, Any])
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise UsageError(f"a fingerprint must be a JSON object: {error}") from None
    return Manifest(format, VERSION, fingerprint, ())


def encode(manifest: Manifest) -> bytes:
    """The one spelling of a manifest, its own digest included."""
    bare = _spell(msgspec.structs.replace(manifest, sha256=""))
    return _spell(msgspec.structs.replace(manifest, sha256=hashlib.sha256(bare).hexdigest()))


def _spell(manifest: Manifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest, order="sorted"), indent=1) + b"\n"


def store(directory: Folder, manifest: Manifest, *, fsync: bool = True) -> None:
    """Replace the directory's manifest, all or nothing."""
    data = encode(manifest)
    if len(data) > MAX_BYTES:
        raise UsageError(f"{directory}: too many shards for one manifest: begin a new directory")
    remote.write(listing.beside(directory, NAME), data, fsync=fsync)


def load(directory: Folder, format: str = FORMAT) -> Manifest:
    """The directory's manifest, checked; DigestError or FormatError says what is wrong with it."""
    if not directory.is_dir():
        raise UsageError(f"{directory}: no such directory")
    path = listing.beside(directory, NAME)
    try:
        data = remote.read(path, limit=MAX_BYTES)
    except FileNotFoundError:
        raise DigestError(f"{path}: missing") from None
    except OSError as error:
        raise DiskError(f"{path}: {error.strerror}") from None
    if data is None:
        raise DigestError(f"{path}: not a file")
    if len(data) > MAX_BYTES:
        raise FormatError(f"{path}: larger than {MAX_BYTES} bytes")
    return _decode(path, data, format)


def _decode(path: Folder, data: bytes, format: str = FORMAT) -> Manifest:
    try:
        head = msgspec.json.decode(data, type=dict[str, Any])
        listing.check_format(path, head, format=(format,), version=(VERSION,))
        manifest = msgspec.json.decode(data, type=Manifest)
        spelled = encode(manifest)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise FormatError(f"{path}: damaged, or no manifest: {error}") from None
    if spelled != data:
        raise DigestError(f"{path}: does not match its own sha256")
    for number, entry in enumerate(manifest.shards):
        listing.entry_of(path, entry.name, msgspec.structs.asdict(entry))
        is_counted = min(entry.size, entry.rows, entry.raw) > 0 <= entry.steps
        if entry.name != shard_name(number, format) or not is_counted:
            raise FormatError(f"{path}: shard {number} is not one that a writer lists")
    return manifest


def fingerprint(*, limits: Limits, interpreter: InterpreterInfo, recipe: Any = None) -> dict[str, Any]:
    """What decides a directory's traces besides the programs: recipe, limits, interpreter, code version."""
    who = {"name": interpreter.name, "version": interpreter.version}
    return {"code": _code_version(), "interpreter": who, "limits": asdict(limits), "recipe": recipe}


@cache
def _code_version() -> str:
    from importlib import metadata

    try:
        return metadata.version("worldline")
    except metadata.PackageNotFoundError:
        return "unknown"


def diff(stored: Any, asked: Any, at: str = "") -> list[str]:
    """The differences of two fingerprints, a line each."""
    if isinstance(stored, dict) and isinstance(asked, dict):
        lines: list[str] = []
        for key in sorted(stored.keys() | asked.keys()):
            lines += diff(stored.get(key, _NOTHING), asked.get(key, _NOTHING), f"{at}.{key}" if at else key)
        return lines
    return [] if _same(stored, asked) else [f"{at}: stored {stored!r}, now {asked!r}"]


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def open_shard(
    directory: Folder, entry: ShardEntry, others: Sequence[ShardEntry] = (), *, hashed: bool = True
) -> Readable | StorageProblem:
    """A shard opened for reading after every byte of it was checked, or what is wrong with it.

    With `others`, a file that holds another shard's bytes is named as swapped. Unless `hashed`, its size alone is
    checked, and of an object nothing else is read yet.
    """
    path = directory / entry.name
    try:
        with remote.disk(path):
            file = remote.open_regular(path, size=entry.size) if hashed else remote.open_parts(path)
            kind, detail = _fault(file, entry, others, hashed)
    except DiskError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return StorageProblem(entry.name, "missing", "digest", "listed in the manifest")
        return StorageProblem(entry.name, "unreadable", "disk", str(error.__cause__))
    if file is not None and not kind:
        return file
    if file is not None:
        file.close()
    return StorageProblem(entry.name, kind, "digest", detail)


def _fault(
    file: Readable | None, entry: ShardEntry, others: Sequence[ShardEntry], hashed: bool
) -> tuple[str, str]:
    """What is wrong with a file and how, or two empty strings."""
    if file is None:
        return "not-a-file", "a directory, link or device stands in its place"
    size = file.seek(0, io.SEEK_END)
    # The size first: nothing is read of a file that is not as long as the manifest says.
    if size == entry.size and (not hashed or (found := files.digest(file, size)) == entry.sha256):
        return "", ""
    if twin := _twin(file, size, others):
        return "swapped", f"holds the bytes of {twin.name}"
    if size == entry.size:
        return "damaged", f"sha256 {found[:16]}... instead of {entry.sha256[:16]}..."
    kind = "empty" if size == 0 else "truncated" if size < entry.size else "grown"
    return kind, f"{size} bytes instead of {entry.size}"


def _twin(file: Readable, size: int, others: Sequence[ShardEntry]) -> ShardEntry | None:
    alike = [entry for entry in others if entry.size == size]
    found = files.digest(file, size) if alike else ""
    return next((entry for entry in alike if entry.sha256 == found), None)


def recalled(manifest: Manifest) -> list[tuple[ShardEntry, bool]]:
    """Every shard that a writer takes up, and whether it hashes it: the newest, as those before were hashed then."""
    first = len(manifest.shards) - NEWEST
    return [(entry, number >= first) for number, entry in enumerate(manifest.shards)]


def strangers(directory: Folder, manifest: Manifest) -> list[StorageProblem]:
    """Names in the directory that the manifest does not know; a living writer's own are no problem."""
    expected = {listing.beside(directory, NAME).name, SIDECAR} | {entry.name for entry in manifest.shards}
    at_work, unlisted = remote.locked(directory), shard_name(len(manifest.shards))
    found = []
    for name in remote.names(directory):
        left = name == files.LOCK_NAME or files.is_leftover(name, is_own) or name == unlisted
        if left and not at_work:
            found.append(
                StorageProblem(name, "leftover", "digest", "of a killed writer; the next one removes it")
            )
        elif not left and name not in expected:
            found.append(StorageProblem(name, "extra", "digest", "not listed in the manifest"))
    return found
