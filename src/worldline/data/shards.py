"""Directories of parquet shards, one row an execution: written so that nothing is torn, read after checking.

A `ShardWriter` streams rows into a temporary file; a commit gives the shard its name and then replaces the
manifest, so a crash loses only what was not yet committed, and a later writer goes on from there. `read`
decodes nothing before its digest was checked. What a row looks like is `rows`; docs/format.md has it all.
pyarrow comes late.
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

GROUP_ROWS = 256  # a row group is written when it has so many rows,
GROUP_BYTES = 8 << 20  # or so many bytes in memory
SHARD_BYTES = 256 << 20
MAX_GROUP_BYTES = 2 << 30  # of a group decompressed, by its footer: more is refused unread
MAX_GROUP_VALUES = 1 << 28  # of a group, nulls and empty lists counted: run lengths make them cheap to claim


class ShardWriter:
    """Stores traces in a directory; programs that it already holds are skipped, so a stopped run goes on.

    A trace is safe once `flush` or `close` returned after it, or once `stored` counts it. One writer at a
    time: a second gets BusyError. `fingerprint` (see `manifest.fingerprint`) must be the one the directory
    was begun with.
    """

    def __init__(
        self,
        directory: str | Folder,
        *,
        fingerprint: dict[str, Any],
        rows_per_shard: int = 4096,
        fsync: bool = True,
    ) -> None:
        if rows_per_shard < 1:
            raise UsageError(f"rows_per_shard must be at least 1, not {rows_per_shard}")
        self._directory, self._fsync, self._rows_per_shard = remote.place(directory), fsync, rows_per_shard
        self._manifest = manifests.empty(fingerprint)
        self._shard: _Shard | None = None
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
        """Take up the directory's manifest, or begin one; remove what a killed writer left."""
        found = self._stored_manifest()
        remote.sweep(self._directory, manifests.is_own)
        if found is None:
            manifests.store(self._directory, self._manifest, fsync=self._fsync)
            return
        self._manifest = found
        # A shard that was named but not yet listed: nobody was told that it is stored.
        if (name := manifests.shard_name(len(found.shards))) in remote.names(self._directory):
            remote.remove(self._directory / name)

    def _stored_manifest(self) -> Manifest | None:
        """The directory's manifest, None for a new directory; an error if it is not ours to add to."""
        others = remote.contents(self._directory, manifests.is_own)
        if listing.beside(self._directory, manifests.NAME).name in others:
            found = manifests.load(self._directory)
            _require_same(self._directory, found.fingerprint, self._manifest.fingerprint)
            return found
        if any(name.endswith(".parquet") for name in others):
            raise DigestError(
                f"{listing.beside(self._directory, manifests.NAME)}: missing, and there are shards"
            )
        if others:
            raise UsageError(f"{self._directory}: neither empty nor a directory of shards")
        return None

    def holds(self, program: Program) -> bool:
        """Whether a trace of this program is here already."""
        return bytes.fromhex(program.digest) in self._known

    def add(self, trace: Trace) -> bool:
        """Take a trace; False if its program is already here. Memory does not grow with what was added."""
        if self._broken:
            raise DiskError(f"{self._directory}: this writer failed before; open another to go on")
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
                self._shard = _Shard(self._directory / manifests.shard_name(number), fsync=self._fsync)
            self._shard.add(row, len(trace))
        self._known.add(key)
        if self._shard.rows >= self._rows_per_shard or self._shard.size >= SHARD_BYTES:
            self.flush()
        return True

    def _require_kin(self, trace: Trace) -> None:
        """A trace of another interpreter or other limits than the fingerprint names does not belong here."""
        facts = {"interpreter": asdict(trace.interpreter), "limits": asdict(trace.limits)}
        for part, found in facts.items():
            stored = self._manifest.fingerprint.get(part)
            if isinstance(stored, dict):  # a run that died too early to name its interpreter is let in
                asked = {key: found.get(key) or value for key, value in stored.items()}
                _require_same(self._directory, stored, asked, part)

    def flush(self) -> None:
        """Commit every trace added so far: the shard, then the manifest that lists it."""
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
        """Whatever interrupts these acts, a full disk or Ctrl-C, leaves the writer unfit to go on."""
        self._broken = True
        yield
        self._broken = False

    def close(self) -> None:
        """Commit what was added and let the next writer in. After a failure only the latter."""
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


class _Shard:
    """The shard being written: rows gather in memory up to a row group, row groups in a draft."""

    def __init__(self, path: Folder, *, fsync: bool) -> None:
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        from worldline.data import rows

        self.rows = self.steps = 0
        self._path, self._group, self._group_bytes = path, list[Any](), 0
        self._footer: list[Any] = []
        self._draft = remote.draft(path, fsync=fsync)
        self._parquet = pq.ParquetWriter(
            self._draft, rows.SCHEMA, compression="zstd", write_page_checksum=True, use_dictionary=True,
            write_statistics=False, metadata_collector=self._footer,
        )  # fmt: skip

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
        return ShardEntry(self._path.name, self._draft.size, self.rows, self.steps, _raw(footer), sha256)

    def discard(self) -> None:
        self._draft.discard()


def _require_same(directory: Folder, stored: Any, asked: Any, at: str = "") -> None:
    if lines := manifests.diff(stored, asked, at):
        raise FingerprintError(
            f"{directory} was made otherwise:\n" + "\n".join(f"  {line}" for line in lines)
        )


def read(directory: str | Folder) -> Iterator[Trace]:
    """Every stored trace, in the order of adding; each shard is checked before a row of it is decoded."""
    from worldline.data import rows

    directory = remote.place(directory)
    for entry in manifests.load(directory).shards:
        with _opened(directory, entry) as file, _decoding(entry):
            parquet = _parquet(entry, file)
            for group in range(parquet.num_row_groups):
                for batch in parquet.read_row_group(group, use_threads=False).to_batches():
                    for row in range(batch.num_rows):
                        yield rows.decode(batch, row)


def verify(directory: str | Folder) -> list[StorageProblem]:
    """Everything that is wrong with a directory of shards; an empty list if nothing is."""
    directory = remote.place(directory)
    try:
        manifest = manifests.load(directory)
    except (DigestError, DiskError, FormatError) as error:
        return [
            StorageProblem(listing.beside(directory, manifests.NAME).name, "manifest", error.slug, str(error))
        ]
    problems = manifests.strangers(directory, manifest)
    seen: set[bytes] = set()
    for entry in manifest.shards:
        problems += _examine(directory, entry, manifest, seen)
    return problems


def _examine(
    directory: Folder, entry: ShardEntry, manifest: Manifest, seen: set[bytes]
) -> list[StorageProblem]:
    file = manifests.open_shard(directory, entry, manifest.shards)
    if isinstance(file, StorageProblem):
        return [file]
    with file:
        try:
            digests = _digests(entry, file)
        except (DigestError, FormatError) as error:
            return [StorageProblem(entry.name, "content", error.slug, str(error))]
    found = []
    for digest in digests:
        if digest in seen:
            found.append(
                StorageProblem(entry.name, "twice", "format", f"program {digest.hex()} was stored before")
            )
        seen.add(digest)
    return found


def _stored_digests(directory: Folder, manifest: Manifest) -> set[bytes]:
    """The digests of every stored program; of all but the newest shards the size and this column alone are checked."""
    stored: set[bytes] = set()
    for entry, hashed in manifests.recalled(manifest):
        with _opened(directory, entry, hashed=hashed) as file:
            stored.update(_digests(entry, file))
    return stored


def _opened(directory: Folder, entry: ShardEntry, *, hashed: bool = True) -> Readable:
    file = manifests.open_shard(directory, entry, hashed=hashed)
    if isinstance(file, StorageProblem):
        raise file.exception()
    return file


@contextmanager
def _decoding(entry: ShardEntry) -> Iterator[None]:
    """Whatever pyarrow makes of bytes that no writer wrote is a FormatError that names the shard."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError, MemoryError) as error:
        raise FormatError(f"{entry.name}: {error}") from error
    except (FormatError, DigestError) as error:
        raise type(error)(f"{entry.name}: {error}") from error.__cause__


def _parquet(entry: ShardEntry, file: Readable) -> Any:
    """The open shard, its footer held against the manifest and the bounds before any page is read."""
    import pyarrow.parquet as pq

    from worldline.data import rows

    options = {"page_checksum_verification": True, "pre_buffer": False}
    schema = pq.read_schema(file)
    if not schema.equals(rows.SCHEMA, check_metadata=True):
        raise FormatError("not the columns of format version 1")
    file.seek(0)
    parquet = pq.ParquetFile(file, read_dictionary=rows.DICTIONARIES, **options)
    footer = parquet.metadata
    if (footer.num_rows, _raw(footer)) != (entry.rows, entry.raw):
        raise FormatError(f"{footer.num_rows} rows of {_raw(footer)} bytes, not {entry.rows} of {entry.raw}")
    for group in range(footer.num_row_groups):
        _bound(footer.row_group(group))
    return parquet


def _raw(footer: Any) -> int:
    return sum(footer.row_group(n).total_byte_size for n in range(footer.num_row_groups))


def _bound(group: Any) -> None:
    columns = [group.column(n) for n in range(group.num_columns)]
    size = max(group.total_byte_size, sum(column.total_uncompressed_size for column in columns))
    values = sum(column.num_values for column in columns)
    if size > MAX_GROUP_BYTES or values > MAX_GROUP_VALUES:
        raise FormatError(
            f"a row group of {size} bytes and {values} values is more than this release unpacks"
        )


def _digests(entry: ShardEntry, file: Readable) -> list[bytes]:
    with _decoding(entry):
        column = _parquet(entry, file).read(["digest"], use_threads=False).column("digest")
        return [bytes.fromhex(digest) for digest in column.to_pylist()]
