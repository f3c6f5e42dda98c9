"""Both runs at a row: their stacks, the names in each frame, and what changed or differs.

A run without a step in this row is shown as its newest step left it, as on the page.
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

MAX_OUTPUT = 4_000  # characters, from the end
CARRIED = {
    "return": "returns", "raise": "raises", "yield": "yields", "resume": "is sent", "input": "reads", "exit": "exits",
}  # fmt: skip


@dataclass(frozen=True)
class RunView:
    """One run at a row: its newest step, whether that is in this row, its stack, and what it changed and printed."""

    run: Run
    step: int
    own: bool
    stack: tuple[FrameState, ...]
    changed: frozenset[tuple[int, str]]
    printed: str

    @property
    def event(self) -> Event:
        return self.run.events[self.step]


@dataclass(frozen=True)
class NamedValue:
    """A name on a level of the stack (0: innermost), with its value in both runs (None: it has none).

    `carried`: not a name, but what the step itself returns, raises, yields or reads.
    """

    level: int
    name: str
    left: str | None
    right: str | None
    changed: tuple[bool, bool] = (False, False)
    carried: bool = False

    @property
    def differs(self) -> bool:
        if self.left is None or self.right is None:
            return self.left is not self.right
        return self.left != self.right and not equal(self.left, self.right)


@dataclass(frozen=True)
class StackLevel:
    """A level of the stack: the frame of each run (None: it has none at this depth), and their names."""

    left: FrameState | None
    right: FrameState | None
    names: tuple[NamedValue, ...]


@dataclass(frozen=True)
class RowView:
    """Both runs at a row, the innermost level first. `alone`: there is no truth to compare with."""

    left: RunView | None
    right: RunView | None
    levels: tuple[StackLevel, ...] = ()
    alone: bool = False

    @property
    def names(self) -> tuple[NamedValue, ...]:
        """Every name that can be chosen, in display order."""
        return tuple(value for level in self.levels for value in level.names if not value.carried)

    def differs(self, value: NamedValue) -> bool:
        """Tell whether to mark a name as different."""
        return not self.alone and value.differs


def row_view(run_diff: RunDiff, row: int) -> RowView:
    """Return both runs at a row."""
    left, right = _run_view(run_diff, "left", row), _run_view(run_diff, "right", row)
    stacks = left.stack if left else (), right.stack if right else ()
    deep = max(map(len, stacks))
    levels = []
    for at in range(deep - 1, -1, -1):
        left_frame, right_frame = (stack[at] if at < len(stack) else None for stack in stacks)
        names = _names(deep - 1 - at, left_frame, right_frame, left, right)
        levels.append(StackLevel(left_frame, right_frame, (*(_carried(left, right) if at == deep - 1 else ()), *names)))
    return RowView(left, right, tuple(levels), alone=run_diff.left is None)


def _run_view(run_diff: RunDiff, name: str, row: int) -> RunView | None:
    run, step = run_diff.run(name), newest_step(run_diff, name, row)
    if run is None or step is None:
        return None
    own = row < len(run_diff.rows) and getattr(run_diff.rows[row], name) == step
    changed = frozenset((write.frame, write.name) for write in run.writes(step)) if own else frozenset()
    return RunView(run, step, own, run.stack(step), changed, run.output_tail(step + 1, MAX_OUTPUT))


def _names(
    level: int,
    left_frame: FrameState | None,
    right_frame: FrameState | None,
    left: RunView | None,
    right: RunView | None,
) -> Iterator[NamedValue]:
    wanted, got = _values(left_frame), _values(right_frame)
    for name in dict.fromkeys([*wanted, *got]):
        changed = _is_changed(left, left_frame, name), _is_changed(right, right_frame, name)
        yield NamedValue(level, name, wanted.get(name), got.get(name), changed)


def _values(live: FrameState | None) -> Mapping[str, str]:
    return live.values if live is not None else {}


def _is_changed(run_view: RunView | None, live: FrameState | None, name: str) -> bool:
    return run_view is not None and live is not None and (live.frame, name) in run_view.changed


def _carried(left: RunView | None, right: RunView | None) -> tuple[NamedValue, ...]:
    """What the steps of this row draw, return, raise, yield or read."""
    events = [run_view.event if run_view is not None and run_view.own else None for run_view in (left, right)]
    hidden = [event_or_none.hidden if event_or_none is not None else () for event_or_none in events]
    drawn = [
        _drawn(*(draws[at] if at < len(draws) else None for draws in hidden)) for at in range(max(map(len, hidden)))
    ]
    args = [
        event_or_none.arg if event_or_none is not None and event_or_none.event in CARRIED else None
        for event_or_none in events
    ]
    event = next(
        (
            event_or_none.event
            for event_or_none, arg in zip(events, args, strict=True)
            if event_or_none and arg is not None
        ),
        None,
    )
    if event is None:
        return tuple(drawn)
    return (*drawn, NamedValue(0, CARRIED[event], args[0], args[1], carried=True))


def _drawn(left: tuple[str, str] | None, right: tuple[str, str] | None) -> NamedValue:
    """A hidden input of both steps."""
    kind = next(draw[0] for draw in (left, right) if draw is not None)
    return NamedValue(0, in_words(kind), left and left[1], right and right[1], carried=True)
