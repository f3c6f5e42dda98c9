"""What a mining has done so far, beside the file that it will write, so that one that was killed goes on.

One JSON line for each candidate, by a digest of all that decides what is found: a torn line is not read, and a
candidate that has changed is not found. Several workers append to one journal, a line at a time. `close` keeps the
journal, `finish` removes it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from worldline import files

Kept = tuple[str, bool]  # a call, and whether people wrote it


class Journal:
    """The calls that were kept of each candidate, empty for those that gave none."""

    def __init__(self, out: Path) -> None:
        self.path = out.with_name(out.name + ".journal")
        with files.disk(self.path):
            data = self.path.read_bytes() if self.path.exists() else b""
            self._done = _read(data)
            self._file = self.path.open("ab", buffering=0)
            if data and not data.endswith(b"\n"):
                self._file.write(b"\n")

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


def _read(data: bytes) -> dict[str, list[Kept]]:
    found = {}
    for line in data.split(b"\n"):
        try:
            mark, calls = json.loads(line)
            found[str(mark)] = [(str(call), bool(shown)) for call, shown in calls]
        except (ValueError, TypeError):
            continue  # torn: the candidate is tried again
    return found
