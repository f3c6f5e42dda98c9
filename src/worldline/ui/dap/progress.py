"""How far a branch is, as progress events, for clients that know them. One report a branch, cancelled by its number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from worldline.ui.session.rollout import RolloutProgress


@dataclass
class ProgressReports:
    """The reports that were begun and not ended."""

    emit: Callable[[str, Mapping[str, Any]], None]
    model: str = ""
    _open: set[str] = field(default_factory=set)
    _count: int = 0
    _current: dict[int, str] = field(default_factory=dict)

    def watch(self, progress: RolloutProgress) -> None:
        """Says how far a branch has come."""
        is_last = progress.stage in ("done", "failed")
        number = self._current.get(progress.branch)
        if number is None and not is_last:
            self._count += 1
            number = self._current[progress.branch] = f"branch-{progress.branch}-{self._count}"
            self._open.add(number)
            title = f"{self.model} imagines"
            self.emit("progressStart", {"progressId": number, "title": title, "cancellable": True})
        if number is None:
            return
        if is_last:
            self._end(progress.branch, _text(progress))
        else:
            self.emit("progressUpdate", {"progressId": number, "message": _text(progress)})

    def end(self) -> None:
        """Ends whatever is open."""
        for branch in list(self._current):
            self._end(branch, "stopped")

    def has(self, number: str) -> bool:
        """Whether a report is open."""
        return number in self._open

    def _end(self, branch: int, text: str) -> None:
        number = self._current.pop(branch)
        self._open.discard(number)
        self.emit("progressEnd", {"progressId": number, "message": text})


def _text(progress: RolloutProgress) -> str:
    if progress.stage == "truth":
        return "the interpreter runs it"
    return f"{progress.steps} steps, {progress.bytes} bytes"
