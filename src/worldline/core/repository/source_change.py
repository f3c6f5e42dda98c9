"""What differs between two revisions of a repository's sources: files, lines, and which line became which.

Pure data: `recording.repository.revision` reads it from version control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from worldline.core.language import source_lines


@dataclass(frozen=True)
class LinePairs:
    """Which line before became which line after, both from 1.

    Two lines are a pair if they differ in indentation at most, so that a block that was wrapped in an `if` is still
    the same block. A pair whose indentation differs counts as changed.

    Attributes:
        forward: The line after by the line before.
        changed_before: Lines that were removed or rewritten.
        changed_after: Lines that were added or rewritten.
    """

    forward: dict[int, int]
    changed_before: frozenset[int]
    changed_after: frozenset[int]

    @classmethod
    def of(cls, before: str, after: str, *, first: tuple[int, int] = (1, 1)) -> LinePairs:
        """Pair the lines of two texts; `first` are the numbers of their first lines."""
        left, right = source_lines(before, "python"), source_lines(after, "python")
        forward: dict[int, int] = {}
        same_before, same_after = set[int](), set[int]()
        for i, j in _pairs([line.strip() for line in left], [line.strip() for line in right]):
            forward[i + first[0]] = j + first[1]
            if left[i] == right[j]:
                same_before.add(i)
                same_after.add(j)
        return cls(
            forward=forward,
            changed_before=frozenset(i + first[0] for i in range(len(left)) if i not in same_before),
            changed_after=frozenset(j + first[1] for j in range(len(right)) if j not in same_after),
        )

    @cached_property
    def backward(self) -> dict[int, int]:
        """The line before by the line after."""
        return {after: before for before, after in self.forward.items()}


def _pairs(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """The positions of equal lines. Common ends are paired first: they are most of a file."""
    start, end = 0, 0
    shorter = min(len(left), len(right))
    while start < shorter and left[start] == right[start]:
        start += 1
    while end < shorter - start and left[-1 - end] == right[-1 - end]:
        end += 1
    inner = SequenceMatcher(None, left[start : len(left) - end], right[start : len(right) - end], autojunk=False)
    pairs = [(i, i) for i in range(start)]
    for block in inner.get_matching_blocks():
        pairs += [(start + block.a + k, start + block.b + k) for k in range(block.size)]
    pairs += [(len(left) - k, len(right) - k) for k in range(end, 0, -1)]
    return pairs


@dataclass(frozen=True, kw_only=True)
class ChangedFile:
    """One Python file that differs between two revisions.

    Attributes:
        path: Its path after the change; empty if it was deleted.
        old_path: Its path before the change; empty if it was added.
        before: Its text before the change.
        after: Its text after the change.
        is_test: Whether it belongs to the tests.
    """

    path: str
    old_path: str
    before: str = ""
    after: str = ""
    is_test: bool = False

    @cached_property
    def lines(self) -> LinePairs:
        """Which line became which."""
        return LinePairs.of(self.before, self.after)


@dataclass(frozen=True, kw_only=True)
class SourceChange:
    """Everything that differs between a revision and a working tree.

    Attributes:
        since: The commit that is compared with.
        files: The Python files that differ, tests included.
        other_paths: Other files that differ, by path.
    """

    since: str
    files: tuple[ChangedFile, ...] = ()
    other_paths: tuple[str, ...] = ()

    @property
    def paths(self) -> frozenset[str]:
        """The paths after the change of the Python files that differ."""
        return frozenset(file.path for file in self.files if file.path)
