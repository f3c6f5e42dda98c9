"""Directories of parquet shards, one row per execution: written atomically, verified before reading.

A `ShardWriter` streams rows into a temporary file. A commit names the shard and then replaces the
manifest, so a crash loses only uncommitted rows, and a later writer resumes. `read` decodes nothing
before its digest was checked. docs/reference/format.md describes the format. pyarrow is imported late.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
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
        self._directory, self._fsync, self._rows_per_shard = remote.place(directory), fsync, rows_per_shard
        self._manifest = manifests.new_manifest(fingerprint)
        self._shard: _ShardDraft | None = None
        self._broken = False
        self.skipped = 0
        remote.make_directory(self._directory)
        self._stored_manifest()
        self._lock = remote.lock(self._directory)
        try:
            self._resume()
            self._known = _stored_digests(self._directory, self._manifest)
        except BaseException:
            self._lock.release()
            raise
        self.stored = len(self._known)

    def _resume(self) -> None:
        """Load or create the manifest; remove what a killed writer left."""
        stored_manifest = self._stored_manifest()
        remote.sweep(self._directory, manifests.is_own)
        if stored_manifest is None:
            manifests.store(self._directory, self._manifest, fsync=self._fsync)
            return
        self._manifest = stored_manifest
        # Named but not listed: it was never reported as stored.
        if (name := manifests.shard_name(len(stored_manifest.shards))) in remote.names(self._directory):
            remote.remove(self._directory / name)

    def _stored_manifest(self) -> Manifest | None:
        """The directory's manifest, or None if it is new; raise an error if it has another owner."""
        others = remote.contents(self._directory, manifests.is_own)
        if listing.beside(self._directory, manifests.MANIFEST_NAME).name in others:
            manifest = manifests.load(self._directory)
            _require_same_fingerprint(self._directory, manifest.fingerprint, self._manifest.fingerprint)
            return manifest
        if any(name.endswith(".parquet") for name in others):
            raise DigestError(
                f"{listing.beside(self._directory, manifests.MANIFEST_NAME)}: missing, but there are shards"
            )
        if others:
            raise UsageError(f"{self._directory}: neither empty nor a directory of shards")
        return None

    def holds(self, program: Program) -> bool:
        """Return whether a trace of this program is stored."""
        return bytes.fromhex(program.digest) in self._known

    def add(self, trace: Trace) -> bool:
        """Add a trace; return False if its program is already stored. Memory use stays constant."""
        if self._broken:
            raise DiskError(f"{self._directory}: this writer failed before; open a new one to resume")
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
                number = len(self._manifest.shards)
                self._shard = _ShardDraft(self._directory / manifests.shard_name(number), fsync=self._fsync)
            self._shard.add(row, len(trace))
        self._known.add(key)
        if self._shard.rows >= self._rows_per_shard or self._shard.size >= SHARD_BYTES:
            self.flush()
        return True

    def _require_kin(self, trace: Trace) -> None:
        """Raise FingerprintError if the trace has another interpreter or other limits."""
        facts = {"interpreter": asdict(trace.interpreter), "limits": asdict(trace.limits)}
        for part, actual in facts.items():
            stored = self._manifest.fingerprint.get(part)
            # A run that died before naming its interpreter is accepted.
            if isinstance(stored, dict):
                expected = {key: actual.get(key) or value for key, value in stored.items()}
                _require_same_fingerprint(self._directory, stored, expected, part)

    def flush(self) -> None:
        """Commit all traces added so far: the shard, then the manifest."""
        if self._shard is None or self._broken:
            return
        with self._breaking():
            entry = self._shard.commit()
            remote.require(self._lock)
            listed = msgspec.structs.replace(self._manifest, shards=(*self._manifest.shards, entry))
            manifests.store(self._directory, listed, fsync=self._fsync)
        self._manifest, self._shard = listed, None
        self.stored += entry.rows

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
            self._lock.release()

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _ShardDraft:
    """The shard being written: rows gather in memory up to a row group, row groups in a draft."""

    def __init__(self, path: Folder, *, fsync: bool) -> None:
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        from worldline.data import rows

        self.rows = self.steps = 0
        self._path, self._group, self._group_bytes = path, list[Any](), 0
        self._footer: list[Any] = []
        self._draft = remote.draft(path, fsync=fsync)
        self._parquet = pq.ParquetWriter(
            self._draft,
            rows.SCHEMA,
            compression="zstd",
            write_page_checksum=True,
            use_dictionary=True,
            write_statistics=False,
            metadata_collector=self._footer,
        )

    @property
    def size(self) -> int:
        return self._draft.size

    def add(self, row: Any, steps: int) -> None:
        self._group.append(row)
        self._group_bytes += row.nbytes
        self.rows += 1
        self.steps += steps
        if len(self._group) >= GROUP_ROWS or self._group_bytes >= GROUP_BYTES:
            self._write_group()

    def _write_group(self) -> None:
        import pyarrow as pa

        if self._group:
            table = pa.concat_tables(self._group).combine_chunks()
            self._parquet.write_table(table, row_group_size=len(self._group))
        self._group, self._group_bytes = [], 0

    def commit(self) -> ShardEntry:
        self._write_group()
        self._parquet.close()
        (footer,) = self._footer
        sha256 = self._draft.commit()
        return ShardEntry(self._path.name, self._draft.size, self.rows, self.steps, _raw_size(footer), sha256)

    def discard(self) -> None:
        self._draft.discard()


def _require_same_fingerprint(directory: Folder, stored: Any, current: Any, at: str = "") -> None:
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
        with _open_shard(directory, entry) as file, _name_errors(entry):
            parquet = _open_parquet(entry, file)
            for group in range(parquet.num_row_groups):
                for batch in parquet.read_row_group(group, use_threads=False).to_batches():
                    for row in range(batch.num_rows):
                        yield rows.decode(batch, row)


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
        with _open_shard(directory, entry, hashed=hashed) as file:
            stored.update(_read_digests(entry, file))
    return stored


def _open_shard(directory: Folder, entry: ShardEntry, *, hashed: bool = True) -> Readable:
    file = manifests.open_shard(directory, entry, hashed=hashed)
    if isinstance(file, StorageProblem):
        raise file.exception()
    return file


@contextmanager
def _name_errors(entry: ShardEntry) -> Iterator[None]:
    """Turn errors of pyarrow on damaged bytes into a FormatError that names the shard."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError, MemoryError) as error:
        raise FormatError(f"{entry.name}: {error}") from error
    except (FormatError, DigestError) as error:
        raise type(error)(f"{entry.name}: {error}") from error.__cause__


def _open_parquet(entry: ShardEntry, file: Readable) -> Any:
    """Open a shard after checking its footer against the manifest and the bounds."""
    import pyarrow.parquet as pq

    from worldline.data import rows

    options = {"page_checksum_verification": True, "pre_buffer": False}
    schema = pq.read_schema(file)
    if not schema.equals(rows.SCHEMA, check_metadata=True):
        raise FormatError("not the columns of format version 1")
    file.seek(0)
    parquet = pq.ParquetFile(file, read_dictionary=rows.DICTIONARIES, **options)
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
    with _name_errors(entry):
        column = _open_parquet(entry, file).read(["digest"], use_threads=False).column("digest")
        return [bytes.fromhex(digest) for digest in column.to_pylist()]
