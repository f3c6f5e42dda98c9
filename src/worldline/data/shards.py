"""Directories of parquet shards, one row per execution: written atomically, verified before reading.

A `ShardWriter` streams rows into a temporary file. A commit names the shard and then replaces the
manifest, so a crash loses only uncommitted rows, and a later writer resumes. `read` decodes nothing
before its digest was checked. docs/reference/format.md describes the format. pyarrow is imported late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any

import msgspec

from worldline.core.errors import DigestError, DiskError, FingerprintError, FormatError, UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data import manifest as manifests
from worldline.data.manifest import Manifest, ShardEntry, StorageProblem
from worldline.storage import listing, remote
from worldline.storage.remote import Folder, Readable

__all__ = ["ShardWriter", "StorageProblem", "read", "verify"]

# A row group is written when it reaches either bound.
GROUP_ROWS = 256
GROUP_BYTES = 8 << 20
SHARD_BYTES = 256 << 20
# Decompressed size of a group according to its footer; larger groups are refused unread.
MAX_GROUP_BYTES = 2 << 30
# Values of a group, nulls and empty lists included: run lengths make them cheap to claim.
MAX_GROUP_VALUES = 1 << 28


class ShardFolder:
    """A directory of shards, open for one writer: its lock, its manifest, and commits of whole shards.

    Opening it removes what a killed writer left. A second writer gets BusyError, and one with another
    fingerprint FingerprintError. Call `release` at the end.
    """

    def __init__(
        self,
        directory: str | Folder,
        *,
        fingerprint: dict[str, Any],
        format: str = manifests.FORMAT,
        fsync: bool = True,
    ) -> None:
        self.directory, self._fsync = remote.place(directory), fsync
        self.manifest = manifests.new_manifest(fingerprint, format)
        self._own = partial(manifests.is_own, format=format)
        remote.make_directory(self.directory)
        self._stored_manifest()
        self._lock = remote.lock(self.directory)
        try:
            self._resume()
        except BaseException:
            self._lock.release()
            raise

    def _resume(self) -> None:
        """Load or create the manifest; remove what a killed writer left."""
        stored_manifest = self._stored_manifest()
        remote.sweep(self.directory, self._own)
        if stored_manifest is None:
            manifests.store(self.directory, self.manifest, fsync=self._fsync)
            return
        self.manifest = stored_manifest
        # Named but not listed: it was never reported as stored.
        present = remote.names(self.directory)
        for name in manifests.next_names(stored_manifest).values():
            if name in present:
                remote.remove(self.directory / name)

    def _stored_manifest(self) -> Manifest | None:
        """The directory's manifest, or None if it is new; raise an error if it has another owner."""
        others = remote.contents(self.directory, self._own)
        if listing.beside(self.directory, manifests.MANIFEST_NAME).name in others:
            manifest = manifests.load(self.directory, self.manifest.format)
            require_same_fingerprint(self.directory, manifest.fingerprint, self.manifest.fingerprint)
            return manifest
        if any(name.endswith(".parquet") for name in others):
            raise DigestError(
                f"{listing.beside(self.directory, manifests.MANIFEST_NAME)}: missing, but there are shards"
            )
        if others:
            raise UsageError(f"{self.directory}: neither empty nor a directory of shards")
        return None

    def draft(self, schema: Any, stem: str = "") -> ShardDraft:
        """Start the next shard of a stem; by default of the format's first."""
        name = manifests.next_names(self.manifest)[stem or manifests.STEMS[self.manifest.format][0]]
        return ShardDraft(self.directory / name, schema, fsync=self._fsync)

    def commit(self, *drafts: ShardDraft) -> None:
        """Name these shards, then list them in the manifest: they are stored together or not at all."""
        entries = [draft.commit() for draft in drafts]
        remote.require(self._lock)
        listed = msgspec.structs.replace(self.manifest, shards=(*self.manifest.shards, *entries))
        manifests.store(self.directory, listed, fsync=self._fsync)
        self.manifest = listed

    def write(self, name: str, data: bytes) -> None:
        """Replace a file beside the shards."""
        remote.write(self.directory / name, data, fsync=self._fsync)

    def release(self) -> None:
        """Let another writer open the directory."""
        self._lock.release()


class ShardWriter:
    """Stores traces in a directory. Programs already stored are skipped, so a stopped run resumes.

    A trace is safe once `flush` or `close` has returned, or once `stored` counts it. Only one writer can be
    open: a second gets BusyError. The fingerprint (`manifest.fingerprint`) must match the directory's.
    """

    def __init__(
        self, directory: str | Folder, *, fingerprint: dict[str, Any], rows_per_shard: int = 4096, fsync: bool = True
    ) -> None:
        if rows_per_shard < 1:
            raise UsageError(f"rows_per_shard must be at least 1, not {rows_per_shard}")
        # Imported before anything is written, because it needs pyarrow.
        from worldline.data import rows

        self._schema = rows.SCHEMA
        self._rows_per_shard = rows_per_shard
        self._shard: ShardDraft | None = None
        self._broken = False
        self.skipped = 0
        self._folder = ShardFolder(directory, fingerprint=fingerprint, fsync=fsync)
        try:
            self._known = _stored_digests(self._folder.directory, self._folder.manifest)
        except BaseException:
            self._folder.release()
            raise
        self.stored = len(self._known)

    def holds(self, program: Program) -> bool:
        """Return whether a trace of this program is stored."""
        return bytes.fromhex(program.digest) in self._known

    def add(self, trace: Trace) -> bool:
        """Add a trace; return False if its program is already stored. Memory use stays constant."""
        if self._broken:
            raise DiskError(f"{self._folder.directory}: this writer failed before; open a new one to resume")
        digest = trace.program.digest
        key = bytes.fromhex(digest)
        if key in self._known:
            self.skipped += 1
            return False
        self._require_kin(trace)
        from worldline.data import rows

        row = rows.encode(trace)
        with self._breaking():
            if self._shard is None:
                self._shard = self._folder.draft(self._schema)
            self._shard.add(row, len(trace))
        self._known.add(key)
        if self._shard.rows >= self._rows_per_shard or self._shard.size >= SHARD_BYTES:
            self.flush()
        return True

    def _require_kin(self, trace: Trace) -> None:
        """Raise FingerprintError if the trace has another interpreter or other limits."""
        facts = {"interpreter": asdict(trace.interpreter), "limits": asdict(trace.limits)}
        for part, actual in facts.items():
            stored = self._folder.manifest.fingerprint.get(part)
            # A run that died before naming its interpreter is accepted.
            if isinstance(stored, dict):
                expected = {key: actual.get(key) or value for key, value in stored.items()}
                require_same_fingerprint(self._folder.directory, stored, expected, part)

    def flush(self) -> None:
        """Commit all traces added so far: the shard, then the manifest."""
        if self._shard is None or self._broken:
            return
        with self._breaking():
            self._folder.commit(self._shard)
        self.stored += self._shard.rows
        self._shard = None

    @contextmanager
    def _breaking(self) -> Iterator[None]:
        """Mark the writer as broken if these actions are interrupted."""
        self._broken = True
        yield
        self._broken = False

    def close(self) -> None:
        """Commit what was added and release the lock; after a failure only release it."""
        try:
            self.flush()
        finally:
            if self._shard is not None:
                self._shard.discard()
            self._shard, self._broken = None, True
            self._folder.release()

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class ShardDraft:
    """The shard being written: rows gather in memory up to a row group, row groups in a draft."""

    def __init__(self, path: Folder, schema: Any, *, fsync: bool) -> None:
        from worldline.storage.arrow import pq

        self.rows = self.steps = 0
        self._path, self._group, self._group_bytes, self._group_rows = path, list[Any](), 0, 0
        self._footer: list[Any] = []
        self._draft = remote.draft(path, fsync=fsync)
        self._parquet = pq.ParquetWriter(
            self._draft,
            schema,
            compression="zstd",
            write_page_checksum=True,
            use_dictionary=True,
            write_statistics=False,
            metadata_collector=self._footer,
        )

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._draft.size

    def add(self, rows: Any, steps: int) -> None:
        """Add a table of rows, which have this many steps."""
        self._group.append(rows)
        self._group_bytes += rows.nbytes
        self._group_rows += rows.num_rows
        self.rows += rows.num_rows
        self.steps += steps
        if self._group_rows >= GROUP_ROWS or self._group_bytes >= GROUP_BYTES:
            self._write_group()

    def _write_group(self) -> None:
        from worldline.storage.arrow import pa

        if self._group:
            table = pa.concat_tables(self._group).combine_chunks()
            self._parquet.write_table(table, row_group_size=table.num_rows)
        self._group, self._group_bytes, self._group_rows = [], 0, 0

    def commit(self) -> ShardEntry:
        """Give the shard its name and return its entry for the manifest."""
        self._write_group()
        self._parquet.close()
        (footer,) = self._footer
        sha256 = self._draft.commit()
        return ShardEntry(self._path.name, self._draft.size, self.rows, self.steps, _raw_size(footer), sha256)

    def discard(self) -> None:
        """Remove the draft."""
        self._draft.discard()


def require_same_fingerprint(directory: Folder, stored: Any, current: Any, at: str = "") -> None:
    """Raise FingerprintError with the differences of two fingerprints, if there are any."""
    if lines := manifests.diff(stored, current, at):
        raise FingerprintError(
            f"{directory} has another fingerprint; use the same settings or a new directory:\n"
            + "\n".join(f"  {line}" for line in lines)
        )


def read(directory: str | Folder) -> Iterator[Trace]:
    """Yield every stored trace in order; each shard is verified before it is decoded."""
    from worldline.data import rows

    directory = remote.place(directory)
    for entry in manifests.load(directory).shards:
        for batch in read_batches(directory, entry, rows.SCHEMA, dictionaries=rows.DICTIONARIES):
            for row in range(batch.num_rows):
                with name_errors(entry):
                    trace = rows.decode(batch, row)
                yield trace


def read_batches(
    directory: Folder,
    entry: ShardEntry,
    schema: Any,
    columns: Sequence[str] | None = None,
    *,
    dictionaries: Sequence[str] = (),
) -> Iterator[Any]:
    """Verify a shard and yield its rows as record batches, one row group at a time.

    Args:
        directory: Directory of shards.
        entry: Entry of the shard in the manifest.
        schema: Schema that it must have.
        columns: Columns to read; by default all.
        dictionaries: Columns to read as dictionaries.

    Yields:
        Record batches.

    Raises:
        DigestError: The file is not the one in the manifest.
        FormatError: It does not hold these columns, or is damaged.
    """
    with open_shard(directory, entry) as file, name_errors(entry):
        parquet = open_parquet(entry, file, schema, dictionaries)
        for group in range(parquet.num_row_groups):
            yield from parquet.read_row_group(group, columns=columns, use_threads=False).to_batches()


def verify(directory: str | Folder) -> list[StorageProblem]:
    """List everything that is wrong with a directory of shards."""
    directory = remote.place(directory)
    try:
        manifest = manifests.load(directory)
    except (DigestError, DiskError, FormatError) as error:
        return [
            StorageProblem(listing.beside(directory, manifests.MANIFEST_NAME).name, "manifest", error.slug, str(error))
        ]
    problems = manifests.find_unlisted(directory, manifest)
    seen: set[bytes] = set()
    for entry in manifest.shards:
        problems += _verify_shard(directory, entry, manifest, seen)
    return problems


def _verify_shard(directory: Folder, entry: ShardEntry, manifest: Manifest, seen: set[bytes]) -> list[StorageProblem]:
    file = manifests.open_shard(directory, entry, manifest.shards)
    if isinstance(file, StorageProblem):
        return [file]
    with file:
        try:
            digests = _read_digests(entry, file)
        except (DigestError, FormatError) as error:
            return [StorageProblem(entry.name, "content", error.slug, str(error))]
    problems = []
    for digest in digests:
        if digest in seen:
            problems.append(StorageProblem(entry.name, "twice", "format", f"program {digest.hex()} was stored before"))
        seen.add(digest)
    return problems


def _stored_digests(directory: Folder, manifest: Manifest) -> set[bytes]:
    """Digests of all stored programs. Only the newest shards are hashed again."""
    stored: set[bytes] = set()
    for entry, hashed in manifests.shards_to_recall(manifest):
        with open_shard(directory, entry, hashed=hashed) as file:
            stored.update(_read_digests(entry, file))
    return stored


def open_shard(directory: Folder, entry: ShardEntry, *, hashed: bool = True) -> Readable:
    """Open a shard after checking its bytes, or only its size; raise what is wrong with it."""
    file = manifests.open_shard(directory, entry, hashed=hashed)
    if isinstance(file, StorageProblem):
        raise file.exception()
    return file


@contextmanager
def name_errors(entry: ShardEntry) -> Iterator[None]:
    """Turn errors of pyarrow on damaged bytes into a FormatError that names the shard."""
    from worldline.storage.arrow import pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError, MemoryError) as error:
        raise FormatError(f"{entry.name}: {error}") from error
    except (FormatError, DigestError) as error:
        raise type(error)(f"{entry.name}: {error}") from error.__cause__


def open_parquet(entry: ShardEntry, file: Readable, schema: Any, dictionaries: Sequence[str] = ()) -> Any:
    """Open a shard after checking its footer against the manifest, a schema and the bounds."""
    from worldline.storage.arrow import pq

    options = {"page_checksum_verification": True, "pre_buffer": False}
    if not pq.read_schema(file).equals(schema, check_metadata=True):
        raise FormatError("not the columns of format version 1")
    file.seek(0)
    parquet = pq.ParquetFile(file, read_dictionary=list(dictionaries), **options)
    footer = parquet.metadata
    if (footer.num_rows, _raw_size(footer)) != (entry.rows, entry.raw):
        raise FormatError(f"{footer.num_rows} rows of {_raw_size(footer)} bytes, not {entry.rows} of {entry.raw}")
    for group in range(footer.num_row_groups):
        _check_group(footer.row_group(group))
    return parquet


def _raw_size(footer: Any) -> int:
    return sum(footer.row_group(n).total_byte_size for n in range(footer.num_row_groups))


def _check_group(group: Any) -> None:
    columns = [group.column(n) for n in range(group.num_columns)]
    size = max(group.total_byte_size, sum(column.total_uncompressed_size for column in columns))
    values = sum(column.num_values for column in columns)
    if size > MAX_GROUP_BYTES or values > MAX_GROUP_VALUES:
        raise FormatError(f"a row group of {size} bytes and {values} values exceeds the limits of this release")


def _read_digests(entry: ShardEntry, file: Readable) -> list[bytes]:
    from worldline.data import rows

    with name_errors(entry):
        parquet = open_parquet(entry, file, rows.SCHEMA, rows.DICTIONARIES)
        column = parquet.read(["digest"], use_threads=False).column("digest")
        return [bytes.fromhex(digest) for digest in column.to_pylist()]
