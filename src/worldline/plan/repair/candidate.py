"""A program that may be the fix: its whole text, the kind of the change, and the patch.

The text outside the change stays the user's own, byte for byte.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from worldline.core.language import all_lines

BY_EDITS = "edits"  # who proposes the built-in edits
PROPOSED_KIND = "proposed"  # the kind of a change that is not a built-in edit


@dataclass(frozen=True, kw_only=True)
class RepairCandidate:
    """A changed source. `lines` are the old lines whose execution the change can alter; empty if unknown."""

    source: str
    kind: str
    lines: range
    by: str = BY_EDITS

    def __repr__(self) -> str:
        return f"<RepairCandidate {self.kind} at line {self.lines.start}, by {self.by}>"


@dataclass(frozen=True, kw_only=True)
class Defect:
    """What a proposer is given: the source, its name, the failing test, its result, and the lines it reached.

    `kinds` are the kinds of value that each name had in the failing run.
    """

    source: str
    name: str
    failing: str = ""
    expected: str = ""
    found: str = ""
    reached: frozenset[int] | None = None
    kinds: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PassingPatch:
    """A change that passed every test: the patch, its kind, its proposer, and after how many executions."""

    source: str
    patch: str
    kind: str
    by: str
    size: tuple[int, int]
    after: int
    tried: int
    prior: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the patch with what is known of it, without the whole source."""
        return {"patch": self.patch, "kind": self.kind, "by": self.by, "executions": self.after, "tried": self.tried}


class Proposer(Protocol):
    """Proposes fixes: the built-in edits, a model behind a server, or a function of the user."""

    @property
    def name(self) -> str:
        """The name in a report."""
        ...

    def propose(self, defect: Defect, /) -> Iterable[RepairCandidate]:
        """Propose changed sources, the most likely first if possible; they need not be right, or even Python."""
        ...


def patch(old: str, new: str, name: str) -> str:
    """Return a change as a unified diff for `patch -p1`."""
    lines = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{name}", f"b/{name}")
    return "".join(_with_newline_note(line) for line in lines)


def _with_newline_note(line: str) -> str:
    return line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def patch_size(old: str, new: str) -> tuple[int, int]:
    """Return the size of a change: differing lines, then characters."""
    before, after = all_lines(old), all_lines(new)
    lines = sum(
        max(i2 - i1, j2 - j1)
        for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if tag != "equal"
    )
    prefix = _common_prefix(old, new)
    suffix = _common_prefix(old[prefix:][::-1], new[prefix:][::-1])
    return lines, max(len(old), len(new)) - prefix - suffix


def _common_prefix(left: str, right: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def changed_lines(old: str, new: str) -> range:
    """Return the range of old lines that a change covers; one line if it only inserts."""
    before, after = all_lines(old), all_lines(new)
    codes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    spans = [(i1, i2) for tag, i1, i2, _, _ in codes if tag != "equal"]
    if not spans:
        return range(0)
    return range(spans[0][0] + 1, max(spans[-1][1], spans[0][0] + 1) + 1)


def drop_duplicates(defect: Defect, candidates: Iterable[RepairCandidate]) -> Iterator[RepairCandidate]:
    """Yield candidates without duplicates and without the source itself."""
    seen = {defect.source}
    for candidate in candidates:
        if candidate.source not in seen:
            seen.add(candidate.source)
            yield candidate
