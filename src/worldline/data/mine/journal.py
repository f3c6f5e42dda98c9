"""What a mining has done so far, beside the file that it will write, so that one that was killed goes on.

A line that says what it is, then one for each candidate, by a digest of all that decides what is found: a torn line is
not read, and a candidate that has changed is not found. Several workers append to one journal, a line at a time. It is
kept by `close` and removed by `finish`. A file of that name that is no journal is refused, and stays as it is.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.core.errors import FormatError
from worldline.storage import files, listing

HEAD: dict[str, Any] = {"format": "worldline-journal", "version": 1}
LIMIT = 1 << 30  # bytes
_STARTS = (json.dumps(HEAD).encode(), b'["')  # of every line, torn ones too
Kept = tuple[str, bool]  # a call, and whether people wrote it


@dataclass(frozen=True)
class JournalEntries:
    """What a journal has, where it cannot be written in: who tries a candidate there tells what was found."""

    done: dict[str, list[Kept]]

    def calls(self, mark: str) -> list[Kept] | None:
        """What was kept of a candidate, None where that is not known."""
        return self.done.get(mark)

    def add(self, mark: str, calls: list[Kept]) -> None:
        """Nothing is written here."""

    def close(self) -> None:
        """Nothing is open."""


class Journal:
    """The calls that were kept of each candidate, empty for those that gave none."""

    def __init__(self, out: Path) -> None:
        self.path = out.with_name(out.name + ".journal")
        data = files.read_plain(self.path, limit=LIMIT) if os.path.lexists(self.path) else b""
        self._done = _read(self.path, data)
        with files.disk(self.path):
            how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.fdopen(os.open(self.path, how, 0o644), "ab", buffering=0)
            if not data:
                self._file.write(json.dumps(HEAD).encode() + b"\n")
            elif not data.endswith(b"\n"):
                self._file.write(b"\n")

    @property
    def known(self) -> JournalEntries:
        """All that it has, for who cannot write in it."""
        return JournalEntries(dict(self._done))

    def calls(self, mark: str) -> list[Kept] | None:
        """What was kept of a candidate, None where that is not known."""
        return self._done.get(mark)

    def add(self, mark: str, calls: list[Kept]) -> None:
        """Note what was kept of a candidate."""
        if mark not in self._done:
            self._done[mark] = calls
            with files.disk(self.path):
                self._file.write(json.dumps([mark, calls]).encode() + b"\n")

    def close(self) -> None:
        """Leave it for the next run."""
        self._file.close()

    def finish(self) -> None:
        """All is stored elsewhere: remove it."""
        self.close()
        files.remove(self.path)


def digest(*decided: object) -> str:
    """The digest of what decides what is found of a candidate."""
    return hashlib.sha256(repr(decided).encode("utf-8", "surrogatepass")).hexdigest()


def _read(path: Path, data: bytes) -> dict[str, list[Kept]]:
    """The calls by digest; FormatError unless the file says that it is a journal, or begins as older ones do."""
    found, lines = {}, data.split(b"\n")
    for number, line in enumerate(lines):
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            told = None  # torn: the candidate is tried again
        if isinstance(told, dict) and not number:
            listing.check_format(path, told, format=(HEAD["format"],), version=(HEAD["version"],))
        elif _is_kept(told):
            found[told[0]] = [(call, shown) for call, shown in told[1]]
        elif not any(line.startswith(start) or start.startswith(line) for start in _STARTS):
            raise FormatError(
                f"{path}, line {number + 1}, is no line of a mining's journal: move the file away"
            )
    return found


def _is_kept(told: Any) -> bool:
    """Whether a line is a digest and the calls that were kept."""
    return (
        isinstance(told, list) and list(map(type, told)) == [str, list]
        and all(isinstance(kept, list) and list(map(type, kept)) == [str, bool] for kept in told[1])
    )  # fmt: skip
