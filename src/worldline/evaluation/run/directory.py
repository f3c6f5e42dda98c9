"""A run on disk: an append-only directory, so that a killed run can be resumed.

    config.json     what decides the answers: suite, model, their options. A run with other settings is refused. `how`
                    holds what else the predictor declares (a server's template) and is not compared
    records.jsonl   one line per task (`record`), written as soon as it is known, synced per batch
    report.json     the results, once the run is complete
    manifest.json   the sizes and sha256 of the other files, once the run is complete; `verify` compares them. Pages
                    and trials that are written later are added to it (`write_beside`)

A last line without its newline was never acknowledged: it is removed, and its task is predicted again. The newest
record of a task counts, and a resumed run keeps all of them. One writer at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from worldline.core.errors import DigestError, DiskError, FingerprintError, FormatError, UsageError
from worldline.evaluation.run.record import Record, line, parse
from worldline.storage import files, listing, remote
from worldline.storage.listing import Listed
from worldline.storage.remote import Folder, StorePath

FORMAT = 1
CONFIG, RECORDS, REPORT, MANIFEST = "config.json", "records.jsonl", "report.json", "manifest.json"
INTERVENTIONS_FILE = "interventions.json"
MEASUREMENTS = "measurements.jsonl"  # of a measured suite, in place of records (`measurements`)
SPEED_OPTIONS = ("concurrency", "timeout", "retries", "threads", "key_env")  # extras that change no answer
NOT_LISTED = Listed(0, "")
MAX_JSON_BYTES = 64 << 20  # of a file that is read whole
MAX_PAGE_BYTES = 1 << 30  # of a page beside a run
_OWN_FILES = (CONFIG, RECORDS, MEASUREMENTS, REPORT, MANIFEST)


class RunDir:
    """The log of a run in progress: the stored records, and how to add to them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen: dict[int, Record] = {}  # the newest record of each task, without its texts
        self._hasher, self._size, self._is_synced = hashlib.sha256(), 0, True
        log = path / RECORDS
        with files.disk(log):
            fd = os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
            self._file = os.fdopen(fd, "r+b", buffering=0)
            try:
                self._resume()
            except BaseException:
                self._file.close()
                raise
            files.sync_directory(path)

    def _resume(self) -> None:
        """Read the stored records; a manifest covers the records up to the last time the run was complete."""
        wanted = listed(self.path).get(RECORDS, NOT_LISTED)
        is_covered = wanted.size == 0
        with open(self._file.fileno(), "rb", closefd=False) as stored:
            for text in stored:
                if not text.endswith(b"\n"):
                    break  # a torn line was never acknowledged
                record = parse(text)
                self.seen[record.at] = _without_texts(record)
                self._hasher.update(text)
                self._size += len(text)
                if self._size == wanted.size:
                    is_covered = self._hasher.hexdigest() == wanted.sha256
        if not is_covered:
            raise DigestError(f"{self.path / RECORDS} does not match {MANIFEST}")
        self._file.truncate(self._size)

    def add(self, record: Record) -> None:
        """Append a record. It survives the end of this process; `sync` makes it survive a crash of the machine."""
        data = line(record)
        with files.disk(self.path / RECORDS):
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
        self._hasher.update(data)
        self._size += len(data)
        self._is_synced = False
        self.seen[record.at] = _without_texts(record)

    @property
    def count(self) -> int:
        """The number of tasks that were asked about."""
        return sum(record.kind == "asked" for record in self.seen.values())

    def sync(self) -> None:
        """Make all added records durable."""
        if not self._is_synced:
            with files.disk(self.path / RECORDS):
                os.fsync(self._file.fileno())
            self._is_synced = True

    def finish(self, report: dict[str, Any]) -> None:
        """Complete the run: write its report and the manifest."""
        self.sync()
        data = json_bytes(report)
        config = files.read_plain(self.path / CONFIG, limit=MAX_JSON_BYTES)
        table = {
            RECORDS: Listed(self._size, self._hasher.hexdigest()),
            REPORT: Listed(len(data), files.write(self.path / REPORT, data)),
            CONFIG: Listed(len(config), hashlib.sha256(config).hexdigest()),
        }
        write_manifest(self.path, table | listed_beside(self.path))

    def close(self) -> None:
        """Close the log."""
        self._file.close()


@contextmanager
def open_run(
    path: Path | None, config: Mapping[str, Any], *, kind: Callable[[Path], RunDir] | None = None
) -> Iterator[RunDir | None]:
    """Open and lock a run's directory, new or to be resumed; None for a run that is not stored."""
    if path is None:
        yield None
        return
    files.make_directory(path)
    _require_run(path)
    with files.Lock(path):
        _write_or_check_config(path, config)
        files.sweep(path, _is_own)
        run = (kind or RunDir)(path)
        try:
            yield run
        finally:
            run.close()


def read_config(path: Folder) -> dict[str, Any]:
    """Read what decided a run's answers.

    Raises:
        UsageError: The folder is not a run.
        FormatError: The file is damaged, or of a later version.
    """
    if not (path / CONFIG).is_file():
        raise UsageError(f"{path} is not a run: it has no {CONFIG}")
    config = listing.read_object(path / CONFIG, limit=MAX_JSON_BYTES)
    listing.check_format(path / CONFIG, config, format=(FORMAT,))
    return config


def read_records(path: Path) -> Iterator[Record]:
    """Iterate over the records of a run in the order written, without a torn last line."""
    read_config(path)
    file = files.open_regular(path / RECORDS) if (path / RECORDS).exists() else None
    if file is None:
        raise UsageError(f"{path} is not a run: it has no {RECORDS}")
    with file, open(file.fileno(), "rb", closefd=False) as stored:
        for text in stored:
            if text.endswith(b"\n"):
                yield parse(text)


def newest(path: Path) -> dict[int, Record]:
    """Return the newest record of each task, in the order of the suite."""
    records = {record.at: record for record in read_records(path)}
    return dict(sorted(records.items()))


def is_run(path: str | Folder) -> bool:
    """Return whether a folder or URL holds a run of judged traces, by the names in it."""
    at = remote.place(path)
    if isinstance(at, StorePath):
        names = remote.names(at)
        return CONFIG in names and any(name.startswith("records") for name in names)
    return (at / CONFIG).exists() and (at / RECORDS).exists()


def is_measured_run(path: str | Folder) -> bool:
    """Return whether a folder or URL holds the run of a measured suite, by the names in it."""
    at = remote.place(path)
    names = remote.names(at) if remote.is_there(at) else []
    return CONFIG in names and MEASUREMENTS in names


def holds_run(path: str | Folder) -> bool:
    """Return whether a folder or URL holds a run of either kind."""
    return is_run(path) or is_measured_run(path)


def write_beside(run: Folder, name: str, data: bytes) -> None:
    """Write a file into the folder of a run, and list it in the manifest if the run is complete.

    While a run is being written, its writer lists the file when it finishes.
    """
    remote.write(run / name, data)
    if remote.locked(run):
        return
    with remote.lock(run):
        if table := listed(run):
            table[name] = Listed(len(data), hashlib.sha256(data).hexdigest())
            write_manifest(run, table)


def write_manifest(run: Folder, table: Mapping[str, Listed]) -> None:
    """Write the manifest of a complete run."""
    entries = {name: asdict(entry) for name, entry in table.items()}
    remote.write(run / MANIFEST, json_bytes({"format": FORMAT, "files": entries}))


def listed_beside(run: Folder) -> dict[str, Listed]:
    """Return the files that `write_beside` has added to a run, as they are now."""
    table = {}
    for name in listed(run):
        if name not in _OWN_FILES and remote.is_there(run / name):
            data = remote.read_plain(run / name, limit=MAX_PAGE_BYTES)
            table[name] = Listed(len(data), hashlib.sha256(data).hexdigest())
    return table


def findings(path: Path) -> list[str]:
    """Compare a run with its manifest, and return one sentence for each file that differs."""
    try:
        wanted = _listed_when_complete(path)
    except (FormatError, DiskError) as error:
        return [str(error)]
    problems = []
    for name in wanted:
        try:
            listing.open_file(path, name, wanted[name]).close()
        except DigestError as error:
            problems.append(str(error))
    if not problems:
        read_config(path)
    return problems


def verify(path: Path) -> int:
    """Compare a run with its manifest, and return how many bytes were compared.

    Raises:
        DigestError: A file differs.
    """
    wanted = _listed_when_complete(path)
    for name in wanted:
        listing.open_file(path, name, wanted[name]).close()
    read_config(path)
    return sum(entry.size for entry in wanted.values())


def listed(path: Folder) -> dict[str, Listed]:
    """Return the files that a run's manifest lists, or none if there is no manifest yet."""
    if not remote.is_there(path / MANIFEST):
        return {}
    manifest = listing.read_object(path / MANIFEST, limit=MAX_JSON_BYTES)
    listing.check_format(path / MANIFEST, manifest, format=(FORMAT,))
    table = manifest.get("files")
    log = MEASUREMENTS if isinstance(table, dict) and MEASUREMENTS in table else RECORDS
    if not isinstance(table, dict) or not {CONFIG, log, REPORT} <= table.keys():
        raise FormatError(f"{path / MANIFEST} is damaged: it does not list {CONFIG}, {log} and {REPORT}")
    return {name: listing.entry_of(path / MANIFEST, name, entry) for name, entry in table.items()}


def _listed_when_complete(path: Path) -> dict[str, Listed]:
    if not (wanted := listed(path)):
        raise UsageError(f"{path} has no {MANIFEST}: the run is not complete. Run it again to resume it")
    return wanted


def _write_or_check_config(path: Path, config: Mapping[str, Any]) -> None:
    if (path / CONFIG).exists():
        refuse_other_config(path, config)
        return
    _require_run(path)
    files.write(path / CONFIG, json_bytes({"format": FORMAT, **config}))


def refuse_other_config(path: Folder, config: Mapping[str, Any]) -> None:
    """Raise a FingerprintError if a folder holds a run with other settings."""
    wanted = json.loads(json_bytes({"format": FORMAT, **config}))
    differing = differences(deciding(read_config(path)), deciding(wanted))
    if differing:
        changes = "; ".join(f"{key} was {was!r}, now {now!r}" for key, (was, now) in differing.items())
        raise FingerprintError(f"{path} holds another run: {changes}")


def _require_run(path: Path) -> None:
    """Refuse a directory that holds something else: before a lock is made in it, and once it is held."""
    if (path / CONFIG).exists():
        read_config(path)
    elif names := files.contents(path, _is_own):
        raise UsageError(f"{path} is not empty and not a run: it holds {', '.join(names[:3])}")


def _is_own(name: str) -> bool:
    return name in (CONFIG, REPORT, MANIFEST)


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the keys whose values differ, with both values."""
    keys = sorted(first.keys() | second.keys())
    return {key: (first.get(key), second.get(key)) for key in keys if first.get(key) != second.get(key)}


def deciding(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a configuration that decides the answers."""
    extras = config.get("extras") or {}
    decided = {key: value for key, value in config.items() if key not in ("how", "extras")}
    return decided | {"extras": {key: value for key, value in extras.items() if key not in SPEED_OPTIONS}}


def json_bytes(data: Mapping[str, Any]) -> bytes:
    """Encode an object as the files of a run hold it."""
    return json.dumps(data, indent=1, default=str).encode() + b"\n"


def _without_texts(record: Record) -> Record:
    return replace(
        record, truth=b"", ask=replace(record.ask, given=b""), found=replace(record.found, text=b"", scratch=None)
    )
