"""How often each lesson comes: the labels of what a mixture draws, and a file of factors that moves while it is drawn.

A label names a source, a kind of generated program, a mode or an operation; its factor multiplies the share that the
recipe gives it. Who measures and decides is not known here. The standard library alone: streams need no more.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from worldline.core.errors import FormatError

KIND, MODE, OPERATION, REVEAL, SOURCE = "kind", "mode", "operation", "reveal", "source"


class Factors:
    """The factors of a file, which need not be there yet; 1 for a label that is not in it."""

    def __init__(self, path: str | os.PathLike[str] = "", table: Mapping[str, float] | None = None) -> None:
        self._path = Path(path) if path else None
        self._seen = 0
        self.table: Mapping[str, float] = dict(table or {})

    def __call__(self, label: str) -> float:
        """The factor of a label."""
        return self.table.get(label, 1.0)

    def renewed(self) -> bool:
        """Read the file again if it has changed; whether it had."""
        if self._path is None:
            return False
        try:
            stamp = self._path.stat().st_mtime_ns
            if stamp == self._seen:
                return False
            self._seen, self.table = stamp, read_factors(self._path)
        except OSError:  # not there yet, or no more: what was read stays
            return False
        return True

    def of(self, axis: str) -> dict[str, float]:
        """The factors of one axis by name: of `kind`, of `operation`."""
        start = axis + " "
        return {
            label.removeprefix(start): value for label, value in self.table.items() if label.startswith(start)
        }


def read_factors(path: Path) -> dict[str, float]:
    """The factors that a curriculum's file holds."""
    try:
        found = json.loads(path.read_bytes())["factors"]
        table = {str(label): float(value) for label, value in found.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{path} is no curriculum: {error!r}") from error
    if not all(0 <= value < 1e6 for value in table.values()):
        raise FormatError(f"{path}: a factor is a number from 0 on")
    return table


def chance(operations: Iterable[str], factors: Mapping[str, float]) -> float:
    """How likely a program with these operations is kept: the mean of their factors beside the greatest there is."""
    found = [factors.get(operation, 1.0) for operation in operations]
    return sum(found) / len(found) / max(1.0, *factors.values()) if found and factors else 1.0
