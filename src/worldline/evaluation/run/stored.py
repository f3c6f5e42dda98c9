"""A run on an object store: written in a local temporary folder and uploaded in segments, as objects cannot grow.

    config.json                 as on disk, as soon as the run has started
    records-<offset>.jsonl      what one `sync` added; the offset is the position of its first byte in the whole log
    records.jsonl, report.json, manifest.json       as on disk, once the run is complete; the segments are then removed

A killed run loses what was not synced; those tasks are predicted again. Reading joins the segments; a missing one is an
error. `directory` defines what a run contains.
"""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from worldline.core.errors import FormatError, UsageError
from worldline.evaluation.run import directory
from worldline.evaluation.run.directory import CONFIG, MANIFEST, RECORDS, REPORT, RunDir
from worldline.storage import files, remote
from worldline.storage.remote import Folder, Mark, StorePath

_SEGMENT = re.compile(r"records-([0-9]{12,})\.jsonl")


class StoredRun(RunDir):
    """The log of a run that is uploaded on every sync."""

    def __init__(self, path: Path, *, at: StorePath, mark: Mark) -> None:
        super().__init__(path)
        self._at, self._mark, self._sent = at, mark, (path / RECORDS).stat().st_size
        if CONFIG not in remote.names(at):
            remote.write(at / CONFIG, (path / CONFIG).read_bytes())

    def sync(self) -> None:
        """Upload what was added since the last sync, as one object."""
        super().sync()
        with files.disk(self.path / RECORDS), (self.path / RECORDS).open("rb") as log:
            log.seek(self._sent)
            data = log.read()
        if data:
            self._mark.require()
            remote.write(self._at / f"records-{self._sent:012d}.jsonl", data)
            self._sent += len(data)

    def finish(self, report: dict[str, Any]) -> None:
        """Complete the run: upload the whole log as one object, then the report, then the manifest."""
        super().finish(report)
        self._mark.require()
        for name in (RECORDS, REPORT, MANIFEST):
            remote.write(self._at / name, (self.path / name).read_bytes())
        for name in remote.names(self._at):
            if _SEGMENT.fullmatch(name):
                remote.remove(self._at / name)


@contextmanager
def open_run(at: Folder | None, config: Mapping[str, Any]) -> Iterator[RunDir | None]:
    """Open a run on disk or on a store, new or to be resumed; None for a run that is not stored."""
    if not isinstance(at, StorePath):
        with directory.open_run(at, config) as run:
            yield run
        return
    remote.make_directory(at)
    if (names := remote.contents(at, lambda name: False)) and CONFIG not in names:
        raise UsageError(f"{at} is not empty and not a run: it holds {', '.join(names[:3])}")
    with Mark(at) as mark, tempfile.TemporaryDirectory(prefix="worldline-") as scratch:
        _copy(at, Path(scratch))
        with directory.open_run(Path(scratch), config, kind=partial(StoredRun, at=at, mark=mark)) as run:
            yield run


def local(where: str | Folder) -> Path:
    """Return a run as a folder on disk; a run on a store is copied until this process ends."""
    at = remote.place(where)
    if isinstance(at, Path):
        return at
    if not directory.holds_run(at):
        raise UsageError(f"{at} is not a run: it has no {CONFIG} or no records")
    scratch = tempfile.mkdtemp(prefix="worldline-")
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    folder = Path(scratch) / at.name
    folder.mkdir()
    _copy(at, folder)
    return folder


def _copy(at: StorePath, folder: Path) -> None:
    """Copy a run to a folder as it would be on disk, with the segments appended to the log."""
    names = [name for name in remote.sizes(at) if name != files.LOCK_NAME]
    segments = {int(match[1]): name for name in names if (match := _SEGMENT.fullmatch(name))}
    for name in names:
        if name not in segments.values():
            files.write(folder / name, (at / name).read_bytes(), fsync=False)
    if not segments:
        return
    log = (folder / RECORDS).read_bytes() if RECORDS in names else b""
    for offset, name in sorted(segments.items()):
        if offset > len(log):
            raise FormatError(f"{at / name} does not continue the log at byte {len(log)}: a segment is missing")
        # A smaller offset is already in the log: its writer was killed while it removed segments.
        if offset == len(log):
            log += (at / name).read_bytes()
    files.write(folder / RECORDS, log, fsync=False)
