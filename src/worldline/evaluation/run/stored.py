"""A run on a store: made here in a temporary folder, and sent segment by segment, as an object cannot be added to.

    config.json                 as on disk, as soon as the run is begun
    records-<offset>.jsonl      what one `sync` has added; the offset is where its first byte stands in the whole log
    records.jsonl, report.json, manifest.json       as on disk, once the run is through; the segments are then removed

A killed run loses what was not synced: it is asked again. Reading joins the segments; one that is missing is an error.
What is in a run is `directory`'s.
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
    """The log of a run whose every sync goes to a store."""

    def __init__(self, path: Path, *, at: StorePath, mark: Mark) -> None:
        super().__init__(path)
        self._at, self._mark, self._sent = at, mark, (path / RECORDS).stat().st_size
        if CONFIG not in remote.names(at):
            remote.write(at / CONFIG, (path / CONFIG).read_bytes())

    def sync(self) -> None:
        """Send what was added since the last time, as one object."""
        super().sync()
        with files.disk(self.path / RECORDS), (self.path / RECORDS).open("rb") as log:
            log.seek(self._sent)
            data = log.read()
        if data:
            self._mark.require()
            remote.write(self._at / f"records-{self._sent:012d}.jsonl", data)
            self._sent += len(data)

    def finish(self, report: dict[str, Any]) -> None:
        """Complete the run: store the whole log in one object, the results, and the digests last."""
        super().finish(report)
        self._mark.require()
        for name in (RECORDS, REPORT, MANIFEST):
            remote.write(self._at / name, (self.path / name).read_bytes())
        for name in remote.names(self._at):
            if _SEGMENT.fullmatch(name):
                remote.remove(self._at / name)


@contextmanager
def opened(at: Folder | None, config: Mapping[str, Any]) -> Iterator[RunDir | None]:
    """A run's directory on disk or on a store, new or gone on with; None for a run that is not kept."""
    if not isinstance(at, StorePath):
        with directory.opened(at, config) as run:
            yield run
        return
    remote.make_directory(at)
    if (there := remote.contents(at, lambda name: False)) and CONFIG not in there:
        raise UsageError(f"{at} is not empty and no run: it holds {', '.join(there[:3])}")
    with Mark(at) as mark, tempfile.TemporaryDirectory(prefix="worldline-") as scratch:
        _copy(at, Path(scratch))
        with directory.opened(Path(scratch), config, kind=partial(StoredRun, at=at, mark=mark)) as run:
            yield run


def local(where: str | Folder) -> Path:
    """A run as a folder on disk: of one on a store a copy, which is gone when this process ends."""
    at = remote.place(where)
    if isinstance(at, Path):
        return at
    if not directory.holds_run(at):
        raise UsageError(f"{at} is no run: it has no {CONFIG} or no records")
    scratch = tempfile.mkdtemp(prefix="worldline-")
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    folder = Path(scratch) / at.name
    folder.mkdir()
    _copy(at, folder)
    return folder


def _copy(at: StorePath, folder: Path) -> None:
    """What is there as it would be on disk, the segments joined behind the log of an earlier end."""
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
            raise FormatError(
                f"{at / name} is not where those before it end, at byte {len(log)}: one is gone"
            )
        if offset == len(
            log
        ):  # else it is in the whole log already: its writer was killed as it removed segments
            log += (at / name).read_bytes()
    files.write(folder / RECORDS, log, fsync=False)
