"""Dataset of documents on disk: parquet shards, a manifest with their digests, and a coverage table.

Files appear whole or not at all, one writer at a time, and nothing is read that does not match its
digest. A row is one document with its kind, split and the hashes of its program and run. A shard's
schema metadata holds its coverage and the unit that a build continues with. pyarrow is imported late.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from worldline.core.errors import DigestError, DiskError, FingerprintError, FormatError, UsageError
from worldline.data import manifest as manifests
from worldline.data.document import Document
from worldline.data.manifest import DOCUMENTS, Manifest, ShardEntry, StorageProblem
from worldline.programs.coverage.coverage import table
from worldline.storage import listing, remote
from worldline.storage.remote import Folder

COVERAGE_FILE = "coverage.json"
GROUP_ROWS = 512
MAX_COVERAGE_BYTES = 64 << 20
_COVERAGE_KEY = b"worldline.coverage"
_NEXT_UNIT_KEY = b"worldline.following"


class DocumentRow(msgspec.Struct, frozen=True):
    """One stored document. `key` identifies the program up to renaming, `run` one execution of it."""

    prompt: bytes
    steps: bytes
    kind: str
    split: str
    key: str
    run: str


class DocumentStore:
    """A directory of document shards, open for appending. Commits are atomic."""

    def __init__(self, directory: str | Folder, *, fingerprint: dict[str, Any]) -> None:
        self.directory = remote.place(directory)
        remote.make_directory(self.directory)
        fresh = manifests.new_manifest(fingerprint, DOCUMENTS)
        self._stored_manifest(fresh)
        self._lock = remote.lock(self.directory)
        try:
            self.manifest = self._resume(fresh)
            self.runs: set[str] = set()
            self.coverage: Counter[str] = Counter()
            self.size = 0
            self.following = 0
            for entry, hashed in manifests.shards_to_recall(self.manifest):
                self._recall(entry, hashed=hashed)
        except BaseException:
            self._lock.release()
            raise

    def _resume(self, fresh: Manifest) -> Manifest:
        """Load or create the manifest; remove what a killed writer left."""
        stored = self._stored_manifest(fresh)
        remote.sweep(self.directory, _is_dataset_file)
        if stored is None:
            manifests.store(self.directory, fresh)
            return fresh
        if (name := shard_name(len(stored.shards))) in remote.names(self.directory):
            # Named but not listed: it was never reported as stored.
            remote.remove(self.directory / name)
        return stored

    def _stored_manifest(self, fresh: Manifest) -> Manifest | None:
        """The directory's manifest, or None if it is new; raise an error if it has another owner."""
        others = remote.contents(self.directory, _is_dataset_file)
        if listing.beside(self.directory, manifests.MANIFEST_NAME).name in others:
            stored = load_manifest(self.directory)
            if lines := manifests.diff(stored.fingerprint, fresh.fingerprint):
                text = "\n".join(f"  {line}" for line in lines)
                raise FingerprintError(
                    f"{self.directory} has another fingerprint; use the same settings or a new directory:\n{text}"
                )
            return stored
        if others:
            raise UsageError(f"{self.directory}: neither empty nor a directory of documents")
        return None

    def _recall(self, entry: ShardEntry, *, hashed: bool) -> None:
        shard = _read_table(self.directory, entry, ["run"], hashed=hashed)
        notes = shard.schema.metadata or {}
        try:
            self.coverage.update(_coverage_in(notes))
            self.following = int(notes.get(_NEXT_UNIT_KEY, self.following + 1))
            self.runs.update(shard.column("run").to_pylist())
        except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise FormatError(f"{entry.name}: not a shard of documents: {error!r}") from None
        self.size += entry.raw

    @property
    def documents(self) -> int:
        """Number of stored documents."""
        return sum(entry.rows for entry in self.manifest.shards)

    def commit(self, rows: Sequence[DocumentRow], coverage: Counter[str], *, following: int | None = None) -> None:
        """Store rows as the next shard, then update the manifest and the coverage table.

        Args:
            rows: Documents to store.
            coverage: What they cover.
            following: Unit to continue with; by default the next one.
        """
        if rows:
            self.following = self.following + 1 if following is None else following
            notes = {
                _COVERAGE_KEY: json.dumps(coverage, sort_keys=True).encode(),
                _NEXT_UNIT_KEY: b"%d" % self.following,
            }
            entry = _write_shard(self.directory / shard_name(len(self.manifest.shards)), rows, notes)
            listed = msgspec.structs.replace(self.manifest, shards=(*self.manifest.shards, entry))
            remote.require(self._lock)
            manifests.store(self.directory, listed)
            self.manifest = listed
            self.runs.update(row.run for row in rows)
            self.coverage += coverage
            self.size += entry.raw
        remote.write(listing.beside(self.directory, COVERAGE_FILE), _coverage_bytes(self.coverage))

    def close(self) -> None:
        """Release the lock."""
        self._lock.release()


def shard_name(number: int) -> str:
    """Return the name of a shard by its number."""
    return manifests.shard_name(number, DOCUMENTS)


def _is_dataset_file(name: str) -> bool:
    return name.removeprefix(".") == COVERAGE_FILE or manifests.is_own(name, DOCUMENTS)


def is_dataset(directory: str | Folder) -> bool:
    """Return whether a directory holds documents rather than traces, also before its first shard."""
    path = remote.place(directory)
    if (path / shard_name(0)).exists():
        return True
    try:
        load_manifest(path)
    except (DigestError, DiskError, FormatError):
        return False
    return True


def load_manifest(directory: str | Folder) -> Manifest:
    """Load and verify the directory's manifest."""
    return manifests.load(remote.place(directory), DOCUMENTS)


def read_rows(directory: str | Folder, *, split: str = "") -> Iterator[DocumentRow]:
    """Yield every stored row, of one split if given; each shard is verified first."""
    for entry in load_manifest(directory).shards:
        for row in read_shard(remote.place(directory), entry):
            if not split or row.split == split:
                yield row


def read_shard(directory: Folder, entry: ShardEntry) -> Iterator[DocumentRow]:
    """Verify one shard and yield its rows."""
    for row in _read_table(directory, entry).to_pylist():
        yield DocumentRow(**row)


def read_documents(directory: str | Folder, *, split: str = "") -> Iterator[Document]:
    """Yield every stored document, of one split if given."""
    for row in read_rows(directory, split=split):
        yield Document(row.prompt, row.steps, row.kind, row.key)


def verify(directory: str | Folder) -> list[StorageProblem]:
    """List everything that is wrong with a dataset of documents."""
    try:
        manifest = load_manifest(directory)
    except (DigestError, DiskError, FormatError) as error:
        name = listing.beside(remote.place(directory), manifests.MANIFEST_NAME).name
        return [StorageProblem(name, "manifest", error.slug, str(error))]
    problems = []
    for entry in manifest.shards:
        file = manifests.open_shard(remote.place(directory), entry, manifest.shards)
        if isinstance(file, StorageProblem):
            problems.append(file)
        else:
            file.close()
    return problems or _coverage_problems(remote.place(directory), manifest)


def _coverage_problems(directory: Folder, manifest: Manifest) -> list[StorageProblem]:
    """Compare the coverage table with what the shards say they cover; a killed build has not added the last one."""
    path = listing.beside(directory, COVERAGE_FILE)
    coverage, before = Counter[str](), Counter[str]()
    if len(manifest.shards) < 2 and not remote.is_there(path):
        return []
    try:
        for entry in manifest.shards:
            before = coverage.copy()
            coverage.update(_coverage_in(_read_table(directory, entry, []).schema.metadata or {}))
        stored = remote.read_plain(path, limit=MAX_COVERAGE_BYTES)
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        return [StorageProblem(path.name, "coverage", FormatError.slug, f"a shard has no coverage: {error!r}")]
    except (DiskError, FormatError) as error:
        return [StorageProblem(path.name, "coverage", error.slug, str(error))]
    if stored not in (_coverage_bytes(coverage), _coverage_bytes(before)):
        why = "the coverage table differs from what the shards cover"
        return [StorageProblem(path.name, "coverage", DigestError.slug, why)]
    return []


def _coverage_in(notes: Mapping[bytes, bytes]) -> dict[str, int]:
    """What a shard covers, by its metadata."""
    return {str(name): int(count) for name, count in json.loads(notes[_COVERAGE_KEY]).items()}


def _coverage_bytes(coverage: Counter[str]) -> bytes:
    """The coverage table as it is stored."""
    return json.dumps(dict(table(coverage)), indent=1, ensure_ascii=False).encode() + b"\n"


def _write_shard(path: Folder, rows: Sequence[DocumentRow], notes: dict[bytes, bytes]) -> ShardEntry:
    from worldline.storage.arrow import pa, pq

    kinds = {"prompt": pa.binary(), "steps": pa.binary()}
    fields = [pa.field(name, kinds.get(name, pa.string()), nullable=False) for name in DocumentRow.__struct_fields__]
    schema = pa.schema(fields, metadata=notes)
    rows_table = pa.Table.from_pylist([msgspec.structs.asdict(row) for row in rows], schema=schema)
    draft = remote.draft(path)
    try:
        pq.write_table(rows_table, draft, compression="zstd", write_page_checksum=True, row_group_size=GROUP_ROWS)
        sha256 = draft.commit()
    except BaseException:
        draft.discard()
        raise
    raw = sum(len(row.prompt) + len(row.steps) for row in rows)
    lines = sum(row.steps.count(b"\n") for row in rows)
    return ShardEntry(path.name, draft.size, len(rows), lines, raw, sha256)


def _read_table(directory: Folder, entry: ShardEntry, columns: list[str] | None = None, *, hashed: bool = True) -> Any:
    from worldline.storage.arrow import pa, pq

    file = manifests.open_shard(directory, entry, hashed=hashed)
    if isinstance(file, StorageProblem):
        raise file.exception()
    with file:
        file.seek(0)
        try:
            return pq.ParquetFile(file, page_checksum_verification=True).read(columns, use_threads=False)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise FormatError(f"{entry.name}: {error}") from error
