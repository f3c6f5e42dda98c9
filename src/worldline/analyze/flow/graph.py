"""A graph of points in a code object, folded into: after this line, which lines.

A point has a line, or none (a join). The fold says for each line which lines an interpreter may report next. It is an
over-approximation by design: a line's points are not told apart. Nothing here knows Python's syntax.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

EXIT = 0
NO_LINE = -1


@dataclass(frozen=True)
class Folded:
    """Line-level successors: without an exception, after an exception, at the start; and where returns happen."""

    start: frozenset[int]
    next: Mapping[int, frozenset[int]]
    handlers: Mapping[int, frozenset[int]]
    returns: frozenset[int]


@dataclass
class Graph:
    """Points with lines, edges, and for each point the join that an exception raised there goes to.

    `loops` are lines that may be reported twice in a row, `swallows` lines that may go on after an exception.
    """

    lines: list[int] = field(default_factory=lambda: [NO_LINE])
    edges: list[list[int]] = field(default_factory=lambda: [[]])
    catches: list[int] = field(default_factory=lambda: [EXIT])
    loops: set[int] = field(default_factory=set)
    swallows: set[int] = field(default_factory=set)
    catch: int = EXIT

    def point(self, line: int = NO_LINE) -> int:
        """Add a point; without a line it is a join."""
        self.lines.append(line)
        self.edges.append([])
        self.catches.append(self.catch)
        return len(self.lines) - 1

    def edge(self, start: int, end: int) -> None:
        """Add an edge: control may go from start to end."""
        self.edges[start].append(end)

    def join(self, *points: int) -> int:
        """Add a join after several points."""
        join = self.point()
        for point in points:
            self.edge(point, join)
        return join

    def then(self, current: int, line: int) -> int:
        """Add a point of this line after the current one."""
        point = self.point(line)
        self.edge(current, point)
        return point

    def maybe(self, current: int, line: int) -> int:
        """Add a point of this line that an interpreter may skip."""
        join = self.point()
        self.edge(current, join)
        self.edge(self.then(current, line), join)
        return join

    def anyhow(self, current: int, lines: Iterable[int]) -> int:
        """Add these lines in any order, any number of times, or not at all."""
        join = self.point()
        self.edge(current, join)
        for line in lines:
            self.edge(self.then(join, line), join)
            self.loops.add(line)
        return join

    def fold(self, start: int) -> Folded:
        """Return the line-level successors; equal sets share one object to save memory."""
        closures: dict[int, tuple[frozenset[int], bool]] = {}
        following: dict[int, set[frozenset[int]]] = {}
        handling: dict[int, set[frozenset[int]]] = {}
        returns: set[int] = set()
        for point, line in enumerate(self.lines):
            if line == NO_LINE:
                continue
            for end in self.edges[point]:
                lines, leaves = self._reach(end, closures)
                following.setdefault(line, set()).add(lines)
                if leaves:
                    returns.add(line)
            handling.setdefault(line, set()).add(self._reach(self.catches[point], closures)[0])
        for line in self.swallows & following.keys():
            handling[line] |= {frozenset({line}), *following[line]}
        return Folded(
            self._reach(start, closures)[0],
            {line: self._successors(line, parts) for line, parts in following.items()},
            {line: _union(parts) for line, parts in handling.items()},
            frozenset(returns),
        )

    def _reach(self, point: int, closures: dict[int, tuple[frozenset[int], bool]]) -> tuple[frozenset[int], bool]:
        """Compute the lines reached from a point through joins only, and whether the exit is reached."""
        if point in closures:
            return closures[point]
        seen, pending, lines = {point}, [point], set()
        while pending:
            at = pending.pop()
            if self.lines[at] != NO_LINE:
                lines.add(self.lines[at])
                continue
            fresh = [end for end in self.edges[at] if end not in seen]
            seen.update(fresh)
            pending.extend(fresh)
        closures[point] = frozenset(lines), EXIT in seen
        return closures[point]

    def _successors(self, line: int, parts: set[frozenset[int]]) -> frozenset[int]:
        """Return one line's successors; the line itself only if a jump back can report it again."""
        after = _union(parts)
        if line in self.loops:
            return after if line in after else after | {line}
        return after - {line} if line in after else after


def _union(parts: set[frozenset[int]]) -> frozenset[int]:
    return next(iter(parts)) if len(parts) == 1 else frozenset().union(*parts)
