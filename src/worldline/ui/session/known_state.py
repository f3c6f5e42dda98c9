"""The differences between the states of two runs that are stepped side by side.

A state is the stack: the place and values of each frame, and what was passed to it. It is updated by the changes of
each step. The place of a waiting frame is the line of its latest step; the line of the running frame is what the next
row is about. Suspended and ended frames do not count until they run again. Changes that one run shows later than the
other are compared when both have shown them.
"""

from __future__ import annotations

from collections.abc import Iterable

from worldline.core.events import CHANGELESS
from worldline.core.value import equal
from worldline.ui.session.run import Run
from worldline.ui.session.stacks import ABSENT

_PLACE = object()  # marks the place of a frame among the names that differ


class _KnownRun:
    """The state of one run: the chain of frames on the stack, each with its position."""

    def __init__(self, run: Run) -> None:
        self.run, self.step, self.before = run, ABSENT, False
        self.nodes: list[int] = []
        self.positions: dict[int, int] = {}  # by frame

    def frame(self, position: int) -> int:
        """Return the frame at a position of the chain."""
        return self.run.stacks.frames[self.nodes[position]]

    def go(self, step: int | None) -> int:
        """Move on to a step, if there is one; return the first position at which the chain has changed."""
        if step is None:
            return len(self.nodes)
        stacks = self.run.stacks
        node, above = stacks.at[step], list[int]()
        self.step, self.before = step, True
        if self.nodes and self.nodes[-1] == node:
            return len(self.nodes)
        while node != ABSENT and not self._has(node):
            above.append(node)
            node = stacks.parents[node]
        unchanged = stacks.depths[node] + 1 if node != ABSENT else 0
        for gone in self.nodes[unchanged:]:
            self.positions.pop(stacks.frames[gone], None)
        del self.nodes[unchanged:]
        for new in reversed(above):
            self.positions[stacks.frames[new]] = len(self.nodes)
            self.nodes.append(new)
        return unchanged

    def leave(self) -> None:
        """Clear the chain."""
        self.nodes.clear()
        self.positions.clear()

    def _has(self, node: int) -> bool:
        depth = self.run.stacks.depths[node]
        return depth < len(self.nodes) and self.nodes[depth] == node

    def value(self, position: int, name: str) -> tuple[str | None, int]:
        """Return a value as it is now, and the step that wrote it (`ABSENT`: none)."""
        value = self.run.history.value(self.frame(position), name, self.step, before=self.before)
        return value[:2] if value is not None else (None, ABSENT)


class KnownDifferences:
    """The current differences between two runs; none at first. `different` are values known to be different."""

    def __init__(self, left: Run, right: Run, different: Iterable[tuple[str, str]] = ()) -> None:
        self._left, self._right = _KnownRun(left), _KnownRun(right)
        self._runs = self._left, self._right
        self._differs: dict[int, set[object]] = {}  # by position, the names that differ
        # Positions to which different values were passed, and that have not shown the consequences yet.
        self._passed = set[int]()
        self._open: tuple[set[int], set[int]] = set(), set()  # steps whose changes may still be shown
        self._same = dict.fromkeys(different, False)

    @property
    def is_equal(self) -> bool:
        """Whether the states are equal."""
        return not self._differs and not self._passed and len(self._left.nodes) == len(self._right.nodes)

    @property
    def is_seen(self) -> bool:
        """Whether every difference is visible in the two states: none was only passed on."""
        return not self._passed

    @property
    def depth(self) -> int:
        """The number of frames on both stacks together."""
        return len(self._left.nodes) + len(self._right.nodes)

    @property
    def has_equal_values(self) -> bool:
        """Whether all values are equal in the frames that both runs have."""
        return all(names == {_PLACE} for names in self._differs.values())

    def forget(self) -> None:
        """Drop all state: after the next `arrive` both runs are compared completely."""
        self._left.leave()
        self._right.leave()
        self._differs.clear()

    def arrive(self, left: int | None, right: int | None) -> None:
        """Move both runs on to these steps, if there are any. Their changes are not applied yet."""
        depth = max(len(self._left.nodes), len(self._right.nodes))
        unchanged = min(self._left.go(left), self._right.go(right))
        for position in range(unchanged, depth):
            self._differs.pop(position, None)
            self._passed.discard(position)
        common = self._common
        for known, step in ((self._left, left), (self._right, right)):
            if step is not None and known.run.events[step].event not in CHANGELESS:
                self._passed.discard(len(known.nodes) - 1)
        if unchanged == depth == len(self._left.nodes) == len(self._right.nodes):
            return  # no frame was added or removed
        for position in range(unchanged, common):
            self._compare_all(position)
        for position in range(max(unchanged - 1, 0), common):
            self._compare_places(position, is_waiting=position < common - 1)

    def apply(self, left: int | None, right: int | None) -> None:
        """Apply the changes that both steps show."""
        self._left.before = self._right.before = False
        changed, end = set[tuple[int, str]](), self._common
        for known, step in ((self._left, left), (self._right, right)):
            for write in known.run.writes(step) if step is not None else ():
                changed.add((known.positions.get(write.frame, end), write.name))
        for position, name in changed:
            if position < end:
                self._compare(position, name)

    def pass_on(self, left: int) -> None:
        """Note that two steps passed on different values: to the enclosing frame or, if raised, within their own."""
        event, top = self._left.run.events[left].event, len(self._left.nodes) - 1
        if event in ("return", "yield", "raise") and top > 0:
            self._passed.add(top - 1)
        if event not in ("return", "yield", "output"):
            self._passed.add(top)

    def hold(self, left: int, right: int) -> None:
        """Ignore the changes of two steps for now: not both runs have shown them."""
        self._open[0].add(left)
        self._open[1].add(right)

    def release(self, left: int, right: int) -> None:
        """Compare the changes of two steps from now on: both runs have shown them."""
        for known, step, held in zip(self._runs, (left, right), self._open, strict=True):
            held.discard(step)
            position = known.positions.get(known.run.events[step].frame, self._common)
            for write in known.run.writes(known.run.history.shown_at(step)) if position < self._common else ():
                if write.writer == step:
                    self._compare(position, write.name)

    @property
    def _common(self) -> int:
        return min(len(self._left.nodes), len(self._right.nodes))

    def _compare_all(self, position: int) -> None:
        """Compare all names of a position that is new in at least one run."""
        pasts = (known.run.history.names.get(known.frame(position), {}) for known in self._runs)
        for name in {name for past in pasts for name in past}:
            self._compare(position, name)

    def _compare(self, position: int, name: str) -> None:
        left, left_writer = self._left.value(position, name)
        right, right_writer = self._right.value(position, name)
        is_open = left_writer in self._open[0] or right_writer in self._open[1]
        self._mark(position, name, differs=not is_open and not self._equal(left, right))

    def _compare_places(self, position: int, *, is_waiting: bool) -> None:
        """Compare the functions of two frames and, if both wait, their lines."""
        left, right = (known.run.frame(known.frame(position)) for known in self._runs)
        differs = (left.file, left.line) != (right.file, right.line)
        if is_waiting and not differs:
            left_line, right_line = (known.run.line(known.frame(position), known.step) for known in self._runs)
            differs = left_line != right_line
        self._mark(position, _PLACE, differs=differs)

    def _mark(self, position: int, name: object, *, differs: bool) -> None:
        if differs:
            self._differs.setdefault(position, set()).add(name)
        elif position in self._differs:
            self._differs[position].discard(name)
            if not self._differs[position]:
                del self._differs[position]

    def _equal(self, left: str | None, right: str | None) -> bool:
        if left == right or left is None or right is None:
            return left == right
        if (left, right) not in self._same:
            self._same[left, right] = equal(left, right)
        return self._same[left, right]
