"""What both sides of a pair know at a row: stacks beside each other, their names, and what of them changed or differs.

A side that has no step of its own in a row is shown as its newest step left it, as on the page. Nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldline.codec.reading import Event
from worldline.core.hidden import in_words
from worldline.core.value import equal
from worldline.ui.session.run import FrameState, Run
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.stepping import newest_step

PRINTED = 4_000  # characters of the output's end
CARRIED = {
    "return": "returns", "raise": "raises", "yield": "yields", "resume": "is sent", "input": "reads", "exit": "exits",
}  # fmt: skip


@dataclass(frozen=True)
class RunView:
    """One side at a row: its newest step, whether that is the row's own, its stack, what it changed and printed."""

    run: Run
    step: int
    own: bool
    stack: tuple[FrameState, ...]
    changed: frozenset[tuple[int, str]]
    printed: str

    @property
    def event(self) -> Event:
        """What happens in the step."""
        return self.run.events[self.step]


@dataclass(frozen=True)
class NamedValue:
    """A name on a level of the stack (0: the innermost), with its value on both sides (None: it has none).

    `carried`: not a name, but what the step itself hands on.
    """

    level: int
    name: str
    left: str | None
    right: str | None
    changed: tuple[bool, bool] = (False, False)
    carried: bool = False

    @property
    def differs(self) -> bool:
        """Whether it is not the same value on both sides."""
        if self.left is None or self.right is None:
            return self.left is not self.right
        return self.left != self.right and not equal(self.left, self.right)


@dataclass(frozen=True)
class StackLevel:
    """A level of the stack: the frame of each side (None: it has none so deep), and their names."""

    left: FrameState | None
    right: FrameState | None
    names: tuple[NamedValue, ...]


@dataclass(frozen=True)
class RowView:
    """Both sides at a row; the innermost level first. Without a truth, `alone`: nothing can differ."""

    left: RunView | None
    right: RunView | None
    levels: tuple[StackLevel, ...] = ()
    alone: bool = False

    @property
    def names(self) -> tuple[NamedValue, ...]:
        """Every name that can be chosen, in the order in which they are shown."""
        return tuple(one for level in self.levels for one in level.names if not one.carried)

    def differs(self, one: NamedValue) -> bool:
        """Whether a name is to be marked."""
        return not self.alone and one.differs


def row_view(run_diff: RunDiff, row: int) -> RowView:
    """What is to be seen at a row."""
    left, right = _run_view(run_diff, "left", row), _run_view(run_diff, "right", row)
    stacks = left.stack if left else (), right.stack if right else ()
    deep = max(map(len, stacks))
    levels = []
    for at in range(deep - 1, -1, -1):
        one, other = (stack[at] if at < len(stack) else None for stack in stacks)
        names = _names(deep - 1 - at, one, other, left, right)
        levels.append(StackLevel(one, other, (*(_carried(left, right) if at == deep - 1 else ()), *names)))
    return RowView(left, right, tuple(levels), alone=run_diff.left is None)


def _run_view(run_diff: RunDiff, name: str, row: int) -> RunView | None:
    run, step = run_diff.run(name), newest_step(run_diff, name, row)
    if run is None or step is None:
        return None
    own = row < len(run_diff.rows) and getattr(run_diff.rows[row], name) == step
    changed = frozenset((one.frame, one.name) for one in run.writes(step)) if own else frozenset()
    return RunView(run, step, own, run.stack(step), changed, run.output_tail(step + 1, PRINTED))


def _names(
    level: int,
    one: FrameState | None,
    other: FrameState | None,
    left: RunView | None,
    right: RunView | None,
) -> Iterator[NamedValue]:
    wanted, got = _values(one), _values(other)
    for name in dict.fromkeys([*wanted, *got]):
        changed = _is_changed(left, one, name), _is_changed(right, other, name)
        yield NamedValue(level, name, wanted.get(name), got.get(name), changed)


def _values(live: FrameState | None) -> Mapping[str, str]:
    return live.values if live is not None else {}


def _is_changed(run_view: RunView | None, live: FrameState | None, name: str) -> bool:
    return run_view is not None and live is not None and (live.frame, name) in run_view.changed


def _carried(left: RunView | None, right: RunView | None) -> tuple[NamedValue, ...]:
    """What the row's own steps draw, return, raise, yield or read."""
    found = [run_view.event if run_view is not None and run_view.own else None for run_view in (left, right)]
    hidden = [one.hidden if one is not None else () for one in found]
    drawn = [
        _drawn(*(some[at] if at < len(some) else None for some in hidden))
        for at in range(max(map(len, hidden)))
    ]
    args = [one.arg if one is not None and one.event in CARRIED else None for one in found]
    event = next((one.event for one, arg in zip(found, args, strict=True) if one and arg is not None), None)
    if event is None:
        return tuple(drawn)
    return (*drawn, NamedValue(0, CARRIED[event], args[0], args[1], carried=True))


def _drawn(one: tuple[str, str] | None, other: tuple[str, str] | None) -> NamedValue:
    """A hidden input of both steps, under what it could have been."""
    kind = next(each[0] for each in (one, other) if each is not None)
    return NamedValue(0, in_words(kind), one and one[1], other and other[1], carried=True)
