"""What two runs know that are stepped side by side, and whether it is the same: the stack, each frame at the same place
with the same values, and what was handed to it. Kept up to date by what each step changes; who is right is not asked.

A waiting frame's place is the line of its newest step; the running frame's own line is what the next row is about.
Frames that are suspended or have ended are no part of it until they run again. Changes that one side tells late and
the other at once are compared when both have told them.
"""

from __future__ import annotations

from collections.abc import Iterable

from worldline.core.events import CHANGELESS
from worldline.core.value import equal
from worldline.ui.session.run import Run
from worldline.ui.session.stacks import NOBODY

_PLACE = object()  # stands for a frame's place among the names that differ


class _KnownRun:
    """One side of it: the chain of frames that run, each with its position."""

    def __init__(self, run: Run) -> None:
        self.run, self.step, self.before = run, NOBODY, False
        self.nodes: list[int] = []
        self.positions: dict[int, int] = {}  # by frame

    def frame(self, position: int) -> int:
        """The frame at a position of the chain."""
        return self.run.stacks.frames[self.nodes[position]]

    def go(self, step: int | None) -> int:
        """Moves on to a step, if there is one; says from which position on the chain is another one."""
        if step is None:
            return len(self.nodes)
        stacks = self.run.stacks
        node, above = stacks.at[step], list[int]()
        self.step, self.before = step, True
        if self.nodes and self.nodes[-1] == node:
            return len(self.nodes)
        while node != NOBODY and not self._has(node):
            above.append(node)
            node = stacks.parents[node]
        kept = stacks.depths[node] + 1 if node != NOBODY else 0
        for gone in self.nodes[kept:]:
            self.positions.pop(stacks.frames[gone], None)
        del self.nodes[kept:]
        for new in reversed(above):
            self.positions[stacks.frames[new]] = len(self.nodes)
            self.nodes.append(new)
        return kept

    def leave(self) -> None:
        """Leaves the whole chain."""
        self.nodes.clear()
        self.positions.clear()

    def _has(self, node: int) -> bool:
        depth = self.run.stacks.depths[node]
        return depth < len(self.nodes) and self.nodes[depth] == node

    def value(self, position: int, name: str) -> tuple[str | None, int]:
        """A value as it is now, and the step that wrote it (-1: nobody)."""
        found = self.run.history.value(self.frame(position), name, self.step, before=self.before)
        return (found[0], found[1]) if found is not None else (None, NOBODY)


class KnownDifferences:
    """What differs between two runs now. Before the first row, nothing does. `different`: values known to be so."""

    def __init__(self, left: Run, right: Run, different: Iterable[tuple[str, str]] = ()) -> None:
        self._left, self._right = _KnownRun(left), _KnownRun(right)
        self._ways = self._left, self._right
        self._differs: dict[int, set[object]] = {}  # by position: names, where there are some
        self._given = set[
            int
        ]()  # positions that were given another value, and have not told what they made of it
        self._open: tuple[set[int], set[int]] = set(), set()  # steps whose changes one side may still tell
        self._same = dict.fromkeys(different, False)

    @property
    def is_equal(self) -> bool:
        """Whether nothing differs."""
        return not self._differs and not self._given and len(self._left.nodes) == len(self._right.nodes)

    @property
    def is_seen(self) -> bool:
        """Whether all that differs is seen in what both sides are now: nothing of it was handed on alone."""
        return not self._given

    @property
    def depth(self) -> int:
        """How many frames there are, of both sides."""
        return len(self._left.nodes) + len(self._right.nodes)

    @property
    def has_equal_values(self) -> bool:
        """Whether no value differs of the frames that both have."""
        return all(names == {_PLACE} for names in self._differs.values())

    def forget(self) -> None:
        """Leaves it all: where both sides arrive next, they are compared as a whole."""
        self._left.leave()
        self._right.leave()
        self._differs.clear()

    def arrive(self, left: int | None, right: int | None) -> None:
        """Moves both sides on to these steps, where there are some: their frames run, and tell what was late."""
        depth = max(len(self._left.nodes), len(self._right.nodes))
        kept = min(self._left.go(left), self._right.go(right))
        for position in range(kept, depth):
            self._differs.pop(position, None)
            self._given.discard(position)
        common = self._common
        self._compare_changes(left, right, min(kept, common), late=True)
        for way, step in ((self._left, left), (self._right, right)):
            if step is not None and way.run.events[step].event not in CHANGELESS:
                self._given.discard(len(way.nodes) - 1)
        if kept == depth == len(self._left.nodes) == len(self._right.nodes):
            return  # no frame has come or gone
        for position in range(kept, common):
            self._compare_all(position)
        for position in range(max(kept - 1, 0), common):
            self._compare_places(position, is_waiting=position < common - 1)

    def do(self, left: int | None, right: int | None) -> None:
        """Lets both steps change what they change at once."""
        self._left.before = self._right.before = False
        self._compare_changes(left, right, self._common, late=False)

    def give(self, left: int) -> None:
        """Two steps beside each other handed on different values: to the frame around, or, raised, to their own."""
        event, top = self._left.run.events[left].event, len(self._left.nodes) - 1
        if event in ("return", "yield", "raise") and top > 0:
            self._given.add(top - 1)
        if event not in ("return", "yield", "output"):
            self._given.add(top)

    def hold(self, left: int, right: int) -> None:
        """Leaves the changes of two steps out, as long as one of them is not told."""
        self._open[0].add(left)
        self._open[1].add(right)

    def release(self, left: int, right: int) -> None:
        """Both are told: they count from now on."""
        for way, step, held in zip(self._ways, (left, right), self._open, strict=True):
            held.discard(step)
            moment = way.run.events[step]
            position = way.positions.get(moment.frame, self._common)
            for name in (*moment.gone, *moment.values) if position < self._common else ():
                self._compare(position, name)

    @property
    def _common(self) -> int:
        return min(len(self._left.nodes), len(self._right.nodes))

    def _compare_changes(self, left: int | None, right: int | None, most: int, *, late: bool) -> None:
        """Compares what two steps change, late or at once, in the frames before a position."""
        changed = set[tuple[int, str]]()
        for way, step in ((self._left, left), (self._right, right)):
            if step is None:
                continue
            for change in way.run.writes(step):
                if (change.writer < step) == late:
                    changed.add((way.positions.get(change.frame, most), change.name))
        for position, name in changed:
            if position < most:
                self._compare(position, name)

    def _compare_all(self, position: int) -> None:
        """A position that is new, on one side at least."""
        pasts = (way.run.history.names.get(way.frame(position), {}) for way in self._ways)
        for name in {name for past in pasts for name in past}:
            self._compare(position, name)

    def _compare(self, position: int, name: str) -> None:
        one, by = self._left.value(position, name)
        other, also = self._right.value(position, name)
        is_open = by in self._open[0] or also in self._open[1]
        self._mark(position, name, differs=not is_open and not self._equal(one, other))

    def _compare_places(self, position: int, *, is_waiting: bool) -> None:
        """Whether two frames are of one function and, where both wait, on one line."""
        mine, yours = (way.run.frame(way.frame(position)) for way in self._ways)
        differs = (mine.file, mine.line) != (yours.file, yours.line)
        if is_waiting and not differs:
            one, other = (way.run.line(way.frame(position), way.step) for way in self._ways)
            differs = one != other
        self._mark(position, _PLACE, differs=differs)

    def _mark(self, position: int, name: object, *, differs: bool) -> None:
        if differs:
            self._differs.setdefault(position, set()).add(name)
        elif position in self._differs:
            self._differs[position].discard(name)
            if not self._differs[position]:
                del self._differs[position]

    def _equal(self, one: str | None, other: str | None) -> bool:
        if one == other or one is None or other is None:
            return one == other
        if (one, other) not in self._same:
            self._same[one, other] = equal(one, other)
        return self._same[one, other]
