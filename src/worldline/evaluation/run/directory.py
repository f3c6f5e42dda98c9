"""A run on disk: one directory to which records are only ever added, so that a run that was killed goes on.

    config.json     what decides the answers: suite, model, their options; another one is refused. `how` is what else
                    the predictor says of itself (a server's template), and is not compared
    records.jsonl   a line for each task (`record`), written the moment it is known, synced by the batch
    report.json     the results, once the run is complete
    manifest.json   the sizes and sha256 of the others, likewise: `verify` compares

A last line without its newline was never acknowledged: it is cut off, and its task is asked again. The newest record of
a task counts. One writer at a time. What records mean is not known here, but for what is to be asked again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldline.core.errors import DigestError, FingerprintError, FormatError, UsageError
from worldline.evaluation.run.record import Record, line, parse
from worldline.storage import files, listing, remote
from worldline.storage.listing import Listed
from worldline.storage.remote import Folder, StorePath

FORMAT = 1
CONFIG, RECORDS, REPORT, MANIFEST = "config.json", "records.jsonl", "report.json", "manifest.json"
INTERVENTIONS_FILE = "interventions.json"
MEASUREMENTS = "measurements.jsonl"  # of a measured suite, in place of records (`measurements`)
IDLE = ("concurrency", "timeout", "retries", "threads", "key_env")  # extras that decide how fast, not what
NOTHING = Listed(0, "")
_SMALL = 64 << 20  # bytes of a file that is read whole


class RunDir:
    """The log of a run that is being made: what is there already, and a way to add to it."""

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
        """Read what is there; the manifest of an earlier end covers a beginning of it."""
        wanted = listed(self.path).get(RECORDS, NOTHING)
        is_covered = wanted.size == 0
        with open(self._file.fileno(), "rb", closefd=False) as stored:
            for text in stored:
                if not text.endswith(b"\n"):
                    break  # torn: nobody was told that it is stored
                record = parse(text)
                self.seen[record.at] = _without_texts(record)
                self._hasher.update(text)
                self._size += len(text)
                if self._size == wanted.size:
                    is_covered = self._hasher.hexdigest() == wanted.sha256
        if not is_covered:
            raise DigestError(f"{self.path / RECORDS} is not what {MANIFEST} says")
        self._file.truncate(self._size)

    def add(self, record: Record) -> None:
        """Append a record: from here on it survives the end of this process; `sync` makes it survive the machine's."""
        data = line(record)
        with files.disk(self.path / RECORDS):
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
        self._hasher.update(data)
        self._size += len(data)
        self._is_synced = False
        self.seen[record.at] = _without_texts(record)

    def sync(self) -> None:
        """Make all that was added durable."""
        if not self._is_synced:
            with files.disk(self.path / RECORDS):
                os.fsync(self._file.fileno())
            self._is_synced = True

    def finish(self, report: dict[str, Any]) -> None:
        """Complete the run: store its results and the digests."""
        self.sync()
        data = json_bytes(report)
        digests = {RECORDS: {"size": self._size, "sha256": self._hasher.hexdigest()}}
        digests[REPORT] = {"size": len(data), "sha256": files.write(self.path / REPORT, data)}
        config = files.read_plain(self.path / CONFIG, limit=_SMALL)
        digests[CONFIG] = {"size": len(config), "sha256": hashlib.sha256(config).hexdigest()}
        files.write(self.path / MANIFEST, json_bytes({"format": FORMAT, "files": digests}))

    def close(self) -> None:
        """Leave it for the next run."""
        self._file.close()


@contextmanager
def opened(
    path: Path | None, config: Mapping[str, Any], *, kind: Callable[[Path], RunDir] | None = None
) -> Iterator[RunDir | None]:
    """A run's directory, new or gone on with, held by this process; None for a run that is not kept."""
    if path is None:
        yield None
        return
    files.make_directory(path)
    _require_run(path)
    with files.Lock(path):
        _settle(path, config)
        files.sweep(path, _is_own)
        run = (kind or RunDir)(path)
        try:
            yield run
        finally:
            run.close()


def read_config(path: Folder) -> dict[str, Any]:
    """What decided a run's answers."""
    if not (path / CONFIG).is_file():
        raise UsageError(f"{path} is no run: it has no {CONFIG}")
    found = listing.read_object(path / CONFIG, limit=_SMALL)
    listing.check_format(path / CONFIG, found, format=(FORMAT,))
    return found


def read_records(path: Path) -> Iterator[Record]:
    """Every record of a run, in the order written; a torn last line is no record."""
    read_config(path)
    file = files.open_regular(path / RECORDS) if (path / RECORDS).exists() else None
    if file is None:
        raise UsageError(f"{path} is no run: it has no {RECORDS}")
    with file, open(file.fileno(), "rb", closefd=False) as stored:
        for text in stored:
            if text.endswith(b"\n"):
                yield parse(text)


def newest(path: Path) -> dict[int, Record]:
    """The record that counts of each task, in the order of the suite."""
    found = {record.at: record for record in read_records(path)}
    return dict(sorted(found.items()))


def is_run(path: str | Folder) -> bool:
    """Whether a directory, or a place on a store, holds a run, by the names in it."""
    at = remote.place(path)
    if isinstance(at, StorePath):
        names = remote.names(at)
        return CONFIG in names and any(name.startswith("records") for name in names)
    return (at / CONFIG).exists() and (at / RECORDS).exists()


def is_measured_run(path: str | Folder) -> bool:
    """Whether a directory, or a place on a store, holds the run of a measured suite, by the names in it."""
    at = remote.place(path)
    names = remote.names(at) if remote.is_there(at) else []
    return CONFIG in names and MEASUREMENTS in names


def holds_run(path: str | Folder) -> bool:
    """Whether a directory, or a place on a store, holds a run of either kind."""
    return is_run(path) or is_measured_run(path)


def findings(path: Path) -> list[str]:
    """What `verify` finds, of every file."""
    found = []
    for name, wanted in _through(path).items():
        try:
            listing.open_file(path, name, wanted).close()
        except DigestError as error:
            found.append(str(error))
    if not found:
        read_config(path)  # of this format, as its bytes are those that were written
    return found


def verify(path: Path) -> int:
    """Compare a run with its manifest; how many bytes were compared. DigestError where one differs."""
    wanted = _through(path)
    for name in wanted:
        listing.open_file(path, name, wanted[name]).close()
    read_config(path)
    return sum(each.size for each in wanted.values())


def listed(path: Path) -> dict[str, Listed]:
    """The files that a run's manifest lists; none where it has no manifest yet, FormatError where that is none."""
    if not os.path.lexists(path / MANIFEST):
        return {}
    found = listing.read_object(path / MANIFEST, limit=_SMALL)
    listing.check_format(path / MANIFEST, found, format=(FORMAT,))
    table = found.get("files")
    log = MEASUREMENTS if isinstance(table, dict) and MEASUREMENTS in table else RECORDS
    if not isinstance(table, dict) or not {CONFIG, log, REPORT} <= table.keys():
        raise FormatError(f"{path / MANIFEST} is damaged: it does not list {CONFIG}, {log} and {REPORT}")
    return {name: listing.entry_of(path / MANIFEST, name, entry) for name, entry in table.items()}


def _through(path: Path) -> dict[str, Listed]:
    """What the manifest of a run that is through lists."""
    if not (wanted := listed(path)):
        raise UsageError(f"{path} has no {MANIFEST}: its run is not through")
    return wanted


def _settle(path: Path, config: Mapping[str, Any]) -> None:
    """The configuration of a new directory; of another one, that it is this."""
    if (path / CONFIG).exists():
        refuse_other_config(path, config)
        return
    _require_run(path)
    files.write(path / CONFIG, json_bytes({"format": FORMAT, **config}))


def refuse_other_config(path: Folder, config: Mapping[str, Any]) -> None:
    """FingerprintError where a folder holds a run that other settings decided."""
    wanted = json.loads(json_bytes({"format": FORMAT, **config}))
    differing = differences(deciding(read_config(path)), deciding(wanted))
    if differing:
        told = "; ".join(f"{key} was {was!r}, now {now!r}" for key, (was, now) in differing.items())
        raise FingerprintError(f"{path} holds another run: {told}")


def _require_run(path: Path) -> None:
    """UsageError if a directory is somebody else's: before a lock is made in it, and once it is held."""
    if (path / CONFIG).exists():
        read_config(path)
    elif there := files.contents(path, _is_own):
        raise UsageError(f"{path} is not empty and no run: it holds {', '.join(there[:3])}")


def _is_own(name: str) -> bool:
    return name in (CONFIG, REPORT, MANIFEST)


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The keys whose values are not the same, with both values."""
    keys = sorted(one.keys() | other.keys())
    return {key: (one.get(key), other.get(key)) for key in keys if one.get(key) != other.get(key)}


def deciding(config: Mapping[str, Any]) -> dict[str, Any]:
    """What of a configuration decides the answers."""
    extras = config.get("extras") or {}
    decided = {key: value for key, value in config.items() if key not in ("how", "extras")}
    return decided | {"extras": {key: value for key, value in extras.items() if key not in IDLE}}


def json_bytes(data: Mapping[str, Any]) -> bytes:
    """An object as the files of a run hold it."""
    return json.dumps(data, indent=1, default=str).encode() + b"\n"


def _without_texts(record: Record) -> Record:
    return replace(
        record,
        truth=b"",
        ask=replace(record.ask, given=b""),
        found=replace(record.found, text=b"", scratch=None),
    )
