"""Journal of a mining, next to its output file, so that a killed mining resumes.

The first line names the format. Each further line has one candidate, keyed by a digest of everything
that determines its calls: torn lines are ignored, and a changed candidate is not found. Workers append
whole lines. `close` keeps the journal, `finish` removes it. Another file of that name is refused.
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

JOURNAL_HEADER: dict[str, Any] = {"format": "worldline-journal", "version": 1}
MAX_JOURNAL_BYTES = 1 << 30
_LINE_STARTS = (json.dumps(JOURNAL_HEADER).encode(), b'["')
# A call, and whether people wrote it.
KeptCall = tuple[str, bool]


@dataclass(frozen=True)
class JournalEntries:
    """Content of a journal for workers that cannot write it; their results are reported back."""

    done: dict[str, list[KeptCall]]

    def calls(self, mark: str) -> list[KeptCall] | None:
        """Return the calls kept of a candidate, or None if unknown."""
        return self.done.get(mark)

    def add(self, mark: str, calls: list[KeptCall]) -> None:
        """Do nothing: results are reported back."""

    def close(self) -> None:
        """Do nothing: no file is open."""


class Journal:
    """Calls kept of each candidate; empty if it had none."""

    def __init__(self, out: Path) -> None:
        self.path = out.with_name(out.name + ".journal")
        data = files.read_plain(self.path, limit=MAX_JOURNAL_BYTES) if os.path.lexists(self.path) else b""
        self._done = _parse_journal(self.path, data)
        with files.disk(self.path):
            how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.fdopen(os.open(self.path, how, 0o644), "ab", buffering=0)
            if not data:
                self._file.write(json.dumps(JOURNAL_HEADER).encode() + b"\n")
            elif not data.endswith(b"\n"):
                self._file.write(b"\n")

    @property
    def known(self) -> JournalEntries:
        """Content for workers that cannot write the journal."""
        return JournalEntries(dict(self._done))

    def calls(self, mark: str) -> list[KeptCall] | None:
        """Return the calls kept of a candidate, or None if unknown."""
        return self._done.get(mark)

    def add(self, mark: str, calls: list[KeptCall]) -> None:
        """Record the calls kept of a candidate."""
        if mark not in self._done:
            self._done[mark] = calls
            with files.disk(self.path):
                self._file.write(json.dumps([mark, calls]).encode() + b"\n")

    def close(self) -> None:
        """Close the journal and keep it for the next run."""
        self._file.close()

    def finish(self) -> None:
        """Remove the journal: everything is stored."""
        self.close()
        files.remove(self.path)


def candidate_digest(*decided: object) -> str:
    """Digest what determines the calls of a candidate."""
    return hashlib.sha256(repr(decided).encode("utf-8", "surrogatepass")).hexdigest()


def _parse_journal(path: Path, data: bytes) -> dict[str, list[KeptCall]]:
    """Calls by digest; raise FormatError unless the file is a journal."""
    entries, lines = {}, data.split(b"\n")
    for number, line in enumerate(lines):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            # Torn: the candidate is tried again.
            entry = None
        if isinstance(entry, dict) and not number:
            listing.check_format(path, entry, format=(JOURNAL_HEADER["format"],), version=(JOURNAL_HEADER["version"],))
        elif _is_entry(entry):
            entries[entry[0]] = [(call, shown) for call, shown in entry[1]]
        elif not any(line.startswith(start) or start.startswith(line) for start in _LINE_STARTS):
            raise FormatError(f"{path}, line {number + 1} is not a line of a mining journal: move the file away")
    return entries


def _is_entry(entry: Any) -> bool:
    """Whether a line is a digest and the calls kept."""
    return (
        isinstance(entry, list)
        and list(map(type, entry)) == [str, list]
        and all(isinstance(call, list) and list(map(type, call)) == [str, bool] for call in entry[1])
    )
