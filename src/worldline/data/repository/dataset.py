"""A dataset of recorded calls: shards of calls, of tests and of instances, under one manifest.

A test is stored together with its calls, or not at all, so a killed run resumes with the tests that are missing
(`CallWriter.holds_test`). On disk and on object stores alike; every reader checks a shard before it decodes it.
docs/reference/format.md describes the format. pyarrow is imported late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeVar

from worldline.codec.names import NOTATIONS
from worldline.core.errors import DigestError, DiskError, FormatError, UsageError
from worldline.core.repository.recorded_test import Instance, RecordedCall, RecordedTest
from worldline.core.trace import Trace
from worldline.data import manifest as manifests
from worldline.data import shards
from worldline.data.manifest import CALLS, Manifest, ShardEntry, StorageProblem
from worldline.data.repository.stored import InstanceRow, TestRow, row_of
from worldline.storage import listing, remote
from worldline.storage.remote import Folder

ROWS_PER_SHARD = 4096
_KEYS = ("instance_id", "test_id")
_Row = TypeVar("_Row")


class CallWriter:
    """Stores recorded calls and tests in a directory or at a URL.

    Add the calls of a test, then the test. Until then nothing of it is written. A test is safe once `flush` or
    `close` has returned. Only one writer can be open: a second gets BusyError. The fingerprint and the notations
    must match the directory's.
    """

    def __init__(
        self,
        directory: str | Folder,
        *,
        fingerprint: dict[str, Any],
        notations: Sequence[str] = (),
        keep_traces: bool = True,
        rows_per_shard: int = ROWS_PER_SHARD,
        fsync: bool = True,
    ) -> None:
        """Open a directory, created if it is missing.

        Args:
            directory: A folder or a URL.
            fingerprint: What determines the calls besides the repositories, as JSON.
            notations: Notations in which each call is also stored as text: `compact`, `cwm`.
            keep_traces: Whether to store the traces of whole tests, which `export_rows` needs.
            rows_per_shard: Calls or tests after which a shard is committed.
            fsync: Whether to sync files to disk.
        """
        if unknown := [name for name in notations if name not in NOTATIONS]:
            raise UsageError(f"unknown notation {unknown[0]!r}: choose among {', '.join(NOTATIONS)}")
        self.notations = tuple(name for name in NOTATIONS if name in notations)
        self._keep_traces, self._rows_per_shard = keep_traces, rows_per_shard
        self._drafts: dict[str, shards.ShardDraft] = {}
        # Calls of tests that are not finished, by test.
        self._open: dict[tuple[str, str], list[tuple[Any, int]]] = {}
        self._broken = False
        mark = {**fingerprint, "notations": list(self.notations), "keep_traces": keep_traces}
        self._folder = shards.ShardFolder(directory, fingerprint=mark, format=CALLS, fsync=fsync)
        try:
            self._stored, instances = _stored_keys(self._folder.directory, self._folder.manifest)
        except BaseException:
            self._folder.release()
            raise
        self._instances = {row.instance.id for row in instances}
        # Instances of tests, which are listed with the next commit.
        self._unlisted: dict[str, Instance] = {}
        self._units = {row.unit for row in instances if row.unit}
        self._added: set[tuple[str, str]] = set()

    @property
    def directory(self) -> Folder:
        """The place of the dataset."""
        return self._folder.directory

    def holds_instance(self, instance_id: str) -> bool:
        """Return whether tests of an instance are stored, or were added."""
        return _key(instance_id, "")[0] in self._instances

    def holds_test(self, instance_id: str, test_id: str) -> bool:
        """Return whether a test is stored, or was added."""
        key = _key(instance_id, test_id)
        return key in self._stored or key in self._added

    def holds_unit(self, unit: str) -> bool:
        """Return whether a recording with this unit is stored, or was added."""
        return unit in self._units

    def add(self, call: RecordedCall) -> bool:
        """Add a call of a test that is added later; return False if the test is already stored.

        Raises:
            UsageError: The test was added before its call.
            FormatError: The call cannot be stored.
        """
        from worldline.data.repository import tables

        self._require_whole()
        key = _key(call.instance_id, call.test_id)
        if key in self._added:
            raise UsageError(f"{call.test_id}: add the calls of a test before the test itself")
        if key in self._stored:
            return False
        row = tables.encode_call(call, self.notations)
        self._open.setdefault(key, []).append((row, len(call.trace)))
        return True

    def add_test(self, test: RecordedTest, *, keep_trace: bool = True) -> bool:
        """Add a test, which completes it; return False if it is already stored.

        Its instance is stored with it, with its licence, if `add_instance` did not do so. `keep_trace` says
        whether to store its trace.
        """
        from worldline.data.repository import tables

        self._require_whole()
        key = _key(test.instance.id, test.id)
        if self.holds_test(*key):
            self._open.pop(key, None)
            return False
        row = row_of(test)
        trace = test.trace if self._keep_traces and keep_trace else None
        encoded = tables.encode_test(row, trace)
        for call, steps in self._open.pop(key, []):
            self._write("calls", call, steps)
        self._write("tests", encoded, 0 if trace is None else row.steps)
        self._added.add(key)
        self._unlisted.setdefault(test.instance.id, test.instance)
        if any(
            draft.rows >= self._rows_per_shard or draft.size >= shards.SHARD_BYTES for draft in self._drafts.values()
        ):
            self.flush()
        return True

    def add_instance(self, row: InstanceRow) -> None:
        """Add a recording of a repository."""
        from worldline.data.repository import tables

        self._require_whole()
        self._write("instances", tables.encode_instance(row), 0)
        self._instances.add(row.instance.id)
        if row.unit:
            self._units.add(row.unit)

    def adopt(self, directory: str | Folder, keep: Callable[[str, bytes], bool] | None = None) -> None:
        """Add what another dataset with the same notations holds, without decoding it. Tests stored here are skipped.

        Args:
            directory: The other dataset.
            keep: Whether to store a call, by its function and a digest of its path; by default all are.

        Raises:
            UsageError: Its notations differ.
        """
        from worldline.data.repository import tables

        self._require_whole()
        other = remote.place(directory)
        manifest = manifests.load(other, CALLS)
        if notations_of(manifest) != self.notations:
            raise UsageError(f"{directory} has other notations than {self._folder.directory}")
        keys, instances = _stored_keys(other, manifest)
        new = {key for key in keys if not self.holds_test(*key)}
        for entry in manifest.shards:
            stem = manifests.stem_of(entry.name)
            for batch in shards.read_batches(other, entry, tables.schema_of(stem, self.notations)):
                table = tables.as_table(batch) if stem == "instances" else tables.select(batch, new)
                if stem == "calls" and keep is not None:
                    table = tables.filtered(table, [keep(*path) for path in tables.call_paths(table)])
                if table.num_rows:
                    self._write(stem, table, tables.count_steps(table))
        self._added |= new
        self._instances |= {row.instance.id for row in instances}
        self._units |= {row.unit for row in instances if row.unit}

    def _write(self, stem: str, table: Any, steps: int) -> None:
        from worldline.data.repository import tables

        with self._breaking():
            if stem not in self._drafts:
                self._drafts[stem] = self._folder.draft(tables.schema_of(stem, self.notations), stem)
            self._drafts[stem].add(table, steps)

    def write_report(self, data: bytes) -> None:
        """Replace `report.json`."""
        self._folder.write(manifests.REPORT, data)

    def flush(self) -> None:
        """Commit all tests added so far: their shards, then the manifest."""
        if not self._drafts or self._broken:
            return
        for instance in self._unlisted.values():
            if instance.id not in self._instances:
                self.add_instance(InstanceRow(instance=instance))
        self._unlisted = {}
        with self._breaking():
            stems = manifests.STEMS[CALLS]
            self._folder.commit(*(self._drafts[stem] for stem in stems if stem in self._drafts))
        self._drafts = {}
        self._stored |= self._added
        self._added = set()

    def _require_whole(self) -> None:
        if self._broken:
            raise DiskError(f"{self._folder.directory}: this writer failed before; open a new one to resume")

    @contextmanager
    def _breaking(self) -> Iterator[None]:
        """Mark the writer as broken if these actions are interrupted."""
        self._broken = True
        yield
        self._broken = False

    def close(self) -> None:
        """Commit the tests that were added and release the lock; after a failure only release it."""
        try:
            self.flush()
        finally:
            for draft in self._drafts.values():
                draft.discard()
            self._drafts, self._broken = {}, True
            self._folder.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def read_calls(directory: str | Folder) -> Iterator[RecordedCall]:
    """Yield every stored call in order; each shard is verified before it is decoded."""
    from worldline.data.repository import tables

    yield from _read(directory, "calls", tables.decode_calls, dictionaries=tables.DICTIONARIES)


def read_traces(directory: str | Folder) -> Iterator[Trace]:
    """Yield the trace of every stored call in order."""
    return (call.trace for call in read_calls(directory))


def read_tests(directory: str | Folder) -> Iterator[TestRow]:
    """Yield every stored test in order, without its trace."""
    from worldline.data.repository import tables

    columns = [name for name in tables.TEST_SCHEMA.names if name != "trace"]
    yield from _read(directory, "tests", tables.decode_tests, columns)


def read_test_traces(directory: str | Folder) -> Iterator[tuple[TestRow, Trace | None]]:
    """Yield every stored test in order with its trace, or None if it has none."""
    from worldline.data.repository import tables

    def decode(batch: Any) -> Iterable[tuple[TestRow, Trace | None]]:
        return zip(tables.decode_tests(batch), tables.decode_test_traces(batch), strict=True)

    yield from _read(directory, "tests", decode, dictionaries=tables.DICTIONARIES)


def read_functions(directory: str | Folder) -> Iterator[tuple[str, str]]:
    """Yield the instance and the function of every stored call in order, without its trace."""

    def decode(batch: Any) -> Iterable[tuple[str, str]]:
        return zip(*(batch.column(name).to_pylist() for name in ("instance_id", "function")), strict=True)

    yield from _read(directory, "calls", decode, ("instance_id", "function"))


def read_path_digests(directory: str | Folder, instance_id: str) -> Iterator[tuple[str, bytes]]:
    """Yield the function of every stored call of an instance, and a digest of its path (`tables.call_paths`)."""
    from worldline.data.repository import tables

    def decode(batch: Any) -> Iterable[tuple[str, str, bytes]]:
        paths = tables.call_paths(tables.as_table(batch))
        ids = batch.column("instance_id").to_pylist()
        return ((owner, function, path) for owner, (function, path) in zip(ids, paths, strict=True))

    rows = _read(directory, "calls", decode, ("instance_id", "function", "trace"))
    yield from ((function, path) for owner, function, path in rows if owner == instance_id)


def read_instances(directory: str | Folder) -> Iterator[InstanceRow]:
    """Yield every stored recording in order, with the licence of its repository."""
    from worldline.data.repository import tables

    yield from _read(directory, "instances", tables.decode_instances)


def is_calls(directory: str | Folder) -> bool:
    """Return whether a directory holds recorded calls."""
    return manifests.format_of(remote.place(directory)) == CALLS


def _read(
    directory: str | Folder,
    stem: str,
    decode: Callable[[Any], Iterable[_Row]],
    columns: Sequence[str] | None = None,
    *,
    dictionaries: Sequence[str] = (),
) -> Iterator[_Row]:
    from worldline.data.repository import tables

    folder = remote.place(directory)
    manifest = manifests.load(folder, CALLS)
    schema = tables.schema_of(stem, notations_of(manifest))
    for entry in manifest.shards:
        if manifests.stem_of(entry.name) == stem:
            for batch in shards.read_batches(folder, entry, schema, columns, dictionaries=dictionaries):
                rows = iter(decode(batch))
                while True:
                    with shards.name_errors(entry):
                        row = next(rows, None)
                    if row is None:
                        break
                    yield row


def notations_of(manifest: Manifest) -> tuple[str, ...]:
    """Return the notations whose texts a dataset holds."""
    stored = manifest.fingerprint.get("notations")
    return tuple(name for name in NOTATIONS if isinstance(stored, list) and name in stored)


def _key(instance_id: str, test_id: str) -> tuple[str, str]:
    """The key of a test, as its columns store it."""
    from worldline.data import rows

    return rows.encodable(instance_id), rows.encodable(test_id)


def _stored_keys(directory: Folder, manifest: Manifest) -> tuple[set[tuple[str, str]], list[InstanceRow]]:
    """All stored tests and recordings. Only the newest shards are hashed again."""
    from worldline.data.repository import tables

    keys: set[tuple[str, str]] = set()
    instances: list[InstanceRow] = []
    for entry, hashed in manifests.shards_to_recall(manifest):
        with shards.open_shard(directory, entry, hashed=hashed) as file:
            stem = manifests.stem_of(entry.name)
            if stem != "instances":
                shard_keys = _read_keys(entry, file, tables.schema_of(stem, notations_of(manifest)), stem)
                keys.update(shard_keys if stem == "tests" else ())
                continue
            with shards.name_errors(entry):
                table = shards.open_parquet(entry, file, tables.INSTANCE_SCHEMA).read(use_threads=False)
                for batch in table.to_batches():
                    instances += tables.decode_instances(batch)
    return keys, instances


def _read_keys(entry: ShardEntry, file: remote.Readable, schema: Any, stem: str) -> list[tuple[str, str]]:
    """Instance and test of each row; a shard of instances has no tests."""
    names = _KEYS if stem != "instances" else _KEYS[:1] * 2
    with shards.name_errors(entry):
        table = shards.open_parquet(entry, file, schema).read(list(dict.fromkeys(names)), use_threads=False)
        return list(zip(*(table.column(name).to_pylist() for name in names), strict=True))


def verify(directory: str | Folder) -> list[StorageProblem]:
    """List everything that is wrong with a dataset of recorded calls."""
    from worldline.data.repository import tables

    folder = remote.place(directory)
    try:
        manifest = manifests.load(folder, CALLS)
    except (DigestError, DiskError, FormatError) as error:
        name = listing.beside(folder, manifests.MANIFEST_NAME).name
        return [StorageProblem(name, "manifest", error.slug, str(error))]
    problems = manifests.find_unlisted(folder, manifest)
    keys = dict[str, list[tuple[ShardEntry, tuple[str, str]]]](calls=[], tests=[], instances=[])
    for entry in manifest.shards:
        file = manifests.open_shard(folder, entry, manifest.shards)
        if isinstance(file, StorageProblem):
            problems.append(file)
            continue
        stem = manifests.stem_of(entry.name)
        with file:
            try:
                shard_keys = _read_keys(entry, file, tables.schema_of(stem, notations_of(manifest)), stem)
            except (DigestError, FormatError) as error:
                problems.append(StorageProblem(entry.name, "content", error.slug, str(error)))
            else:
                keys[stem] += [(entry, key) for key in shard_keys]
    # Calls of a test in a damaged shard are not a second problem.
    return problems or _compare_tests(keys["calls"], keys["tests"])


def _compare_tests(
    calls: list[tuple[ShardEntry, tuple[str, str]]], tests: list[tuple[ShardEntry, tuple[str, str]]]
) -> list[StorageProblem]:
    """Tests that were stored twice, and calls of tests that are not stored."""
    problems, seen = [], set[tuple[str, str]]()
    for entry, key in tests:
        if key in seen:
            problems.append(StorageProblem(entry.name, "twice", "format", f"{key[1]} of {key[0]} was stored before"))
        seen.add(key)
    missing = {key: entry for entry, key in calls if key not in seen}
    return problems + [
        StorageProblem(entry.name, "content", "format", f"calls of {key[1]} of {key[0]}, which is not among the tests")
        for key, entry in missing.items()
    ]
