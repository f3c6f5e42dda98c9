"""A measured suite on disk or on a store: one line per program, so that it can be resumed, sharded and merged.

config.json             what decides the figures, as for any other suite (`directory`)
measurements.jsonl      one line per program, in the order of the suite; rewritten after each batch
report.json             the tables, once the run is complete
manifest.json           the sizes and sha256 of the other files, once the run is complete
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from worldline.core.errors import FormatError, UsageError
from worldline.evaluation.run.directory import (
    CONFIG,
    FORMAT,
    MANIFEST,
    MEASUREMENTS,
    REPORT,
    json_bytes,
    listed_beside,
    read_config,
    refuse_other_config,
    write_manifest,
)
from worldline.evaluation.suites.measurement import KINDS, Measurement
from worldline.storage import listing, remote
from worldline.storage.listing import Listed
from worldline.storage.remote import Folder

MAX_BYTES = 1 << 30  # of a log that is read whole


class MeasurementLog:
    """The measurements of a run by the program's place, stored if there is a folder."""

    def __init__(self, folder: Folder | None, rows: Mapping[int, Measurement]) -> None:
        self.rows = dict(rows)
        self._folder = folder

    def add(self, rows: Sequence[Measurement]) -> None:
        """Add a batch; it is durable when this returns."""
        changed = [row for row in rows if self.rows.get(row.at) != row]
        self.rows |= {row.at: row for row in changed}
        if self._folder is not None and changed:
            remote.write(self._folder / MEASUREMENTS, self._data())

    def finish(self, report: Mapping[str, Any]) -> None:
        """Complete the run: write its report and the manifest."""
        if self._folder is None:
            return
        config = remote.read_plain(self._folder / CONFIG, limit=MAX_BYTES)
        written = {CONFIG: config, MEASUREMENTS: self._data(), REPORT: json_bytes(report)}
        for name in (MEASUREMENTS, REPORT):
            remote.write(self._folder / name, written[name])
        table = {name: Listed(len(data), hashlib.sha256(data).hexdigest()) for name, data in written.items()}
        write_manifest(self._folder, table | listed_beside(self._folder))

    def _data(self) -> bytes:
        ordered = sorted(self.rows.values(), key=lambda row: row.at)
        return b"".join(json.dumps(asdict(row)).encode() + b"\n" for row in ordered)


@contextmanager
def open_measurements(out: Folder | None, config: Mapping[str, Any]) -> Iterator[MeasurementLog]:
    """Open a folder for a measured suite, new or to be resumed; without one nothing is stored."""
    if out is None:
        yield MeasurementLog(None, {})
        return
    remote.make_directory(out)
    _require_own(out)
    with remote.lock(out):
        if remote.is_there(out / CONFIG):
            refuse_other_config(out, config)
        else:
            remote.write(out / CONFIG, json_bytes({"format": FORMAT, **config}))
        rows = read_measurements(out) if remote.is_there(out / MEASUREMENTS) else []
        yield MeasurementLog(out, {row.at: row for row in rows})


def read_measurements(folder: Folder) -> list[Measurement]:
    """Read the measurements of a run, in the order of its suite."""
    rows = listing.read_lines(folder / MEASUREMENTS, limit=MAX_BYTES)
    try:
        parsed = [Measurement(**row) for row in rows]
    except TypeError as error:
        raise FormatError(f"{folder / MEASUREMENTS} is damaged: {error}") from None
    if unknown := next((row.kind for row in parsed if row.kind not in KINDS), None):
        raise FormatError(f"{folder / MEASUREMENTS} is damaged: unknown kind of measurement {unknown!r}")
    return parsed


def _require_own(folder: Folder) -> None:
    """Refuse a folder that holds something else, or a run of judged traces."""
    names = remote.contents(folder, lambda name: name in (CONFIG, MEASUREMENTS, REPORT, MANIFEST))
    if CONFIG in names:
        read_config(folder)
    elif names:
        raise UsageError(f"{folder} is not empty and not a run: it holds {', '.join(names[:3])}")
