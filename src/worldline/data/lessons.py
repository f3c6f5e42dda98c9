"""Curriculum factors: labels of what a mixture draws, and a file of factors that is reread as it changes.

A label names a source, a kind of generated program, a mode or an operation. Its factor multiplies the
share in the recipe. Uses only the standard library.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from worldline.core.errors import FormatError
from worldline.storage.inputs import read_input

KIND, MODE, OPERATION, REVEAL, SOURCE = "kind", "mode", "operation", "reveal", "source"


class Factors:
    """Factors of a file, which may not exist yet. A label without an entry has factor 1."""

    def __init__(self, path: str | os.PathLike[str] = "", table: Mapping[str, float] | None = None) -> None:
        self._path = Path(path) if path else None
        self._seen = 0
        self.table: Mapping[str, float] = dict(table or {})

    def __call__(self, label: str) -> float:
        """Return the factor of a label."""
        return self.table.get(label, 1.0)

    def renewed(self) -> bool:
        """Reread the file if it has changed; return whether it had."""
        if self._path is None:
            return False
        try:
            stamp = self._path.stat().st_mtime_ns
            if stamp == self._seen:
                return False
            self._seen, self.table = stamp, read_factors(self._path)
        except OSError:
            # The file does not exist yet or any more: keep what was read.
            return False
        return True

    def of(self, axis: str) -> dict[str, float]:
        """Return the factors of one axis, such as `kind` or `operation`, by name."""
        start = axis + " "
        return {label.removeprefix(start): value for label, value in self.table.items() if label.startswith(start)}


def read_factors(path: Path) -> dict[str, float]:
    """Read the factors of a curriculum file."""
    try:
        entries = json.loads(read_input(path))["factors"]
        table = {str(label): float(value) for label, value in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{path} is not a curriculum: {error!r}") from error
    if not all(0 <= value < 1e6 for value in table.values()):
        raise FormatError(f"{path}: factors must be from 0 to below 1e6")
    return table


def acceptance_rate(operations: Iterable[str], factors: Mapping[str, float]) -> float:
    """Compute how likely a program is accepted: the mean factor of its operations over the greatest."""
    known = [factors.get(operation, 1.0) for operation in operations]
    return sum(known) / len(known) / max(1.0, *factors.values()) if known and factors else 1.0
