"""What both sides of a pair know at a row: stacks beside each other, their names, and what of them changed or differs.

A side that has no step of its own in a row is shown as its newest step left it, as on the page. Nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worldline.core.value import equal
from worldline.diagnose.reading import Event
from worldline.explore.pair import Pair
from worldline.explore.side import Live, Side

PRINTED = 4_000  # characters of the output's end
CARRIED = {
    "return": "returns", "raise": "raises", "yield": "yields", "resume": "is sent", "input": "reads", "exit": "exits",
}  # fmt: skip


@dataclass(frozen=True)
class Shot:
    """One side at a row: its newest step, whether that is the row's own, its stack, what it changed and printed."""

    side: Side
    step: int
    own: bool
    stack: tuple[Live, ...]
    changed: frozenset[tuple[int, str]]
    printed: str

    @property
    def moment(self) -> Event:
        """What happens in the step."""
        return self.side.moments[self.step]


@dataclass(frozen=True)
class Named:
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
class Level:
    """A level of the stack: the frame of each side (None: it has none so deep), and their names."""

    left: Live | None
    right: Live | None
    names: tuple[Named, ...]


@dataclass(frozen=True)
class View:
    """Both sides at a row; the innermost level first. Without a truth, `alone`: nothing can differ."""

    left: Shot | None
    right: Shot | None
    levels: tuple[Level, ...] = ()
    alone: bool = False

    @property
    def names(self) -> tuple[Named, ...]:
        """Every name that can be chosen, in the order in which they are shown."""
        return tuple(one for level in self.levels for one in level.names if not one.carried)

    def differs(self, one: Named) -> bool:
        """Whether a name is to be marked."""
        return not self.alone and one.differs


def newest(pair: Pair, name: str, row: int) -> int | None:
    """The newest step of a side at or before a row; None before its first."""
    side = pair.side(name)
    low, high = 0, len(side) if side is not None else 0
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if pair.row_of(name, middle) <= row else (low, middle)
    return low - 1 if low else None


def view(pair: Pair, row: int) -> View:
    """What is to be seen at a row."""
    left, right = _shot(pair, "left", row), _shot(pair, "right", row)
    stacks = left.stack if left else (), right.stack if right else ()
    deep = max(map(len, stacks))
    levels = []
    for at in range(deep - 1, -1, -1):
        one, other = (stack[at] if at < len(stack) else None for stack in stacks)
        names = _names(deep - 1 - at, one, other, left, right)
        levels.append(Level(one, other, (*(_carried(left, right) if at == deep - 1 else ()), *names)))
    return View(left, right, tuple(levels), alone=pair.left is None)


def _shot(pair: Pair, name: str, row: int) -> Shot | None:
    side, step = pair.side(name), newest(pair, name, row)
    if side is None or step is None:
        return None
    own = row < len(pair.rows) and getattr(pair.rows[row], name) == step
    changed = frozenset((one.frame, one.name) for one in side.changes(step)) if own else frozenset()
    return Shot(side, step, own, side.stack(step), changed, side.output_tail(step + 1, PRINTED))


def _names(
    level: int, one: Live | None, other: Live | None, left: Shot | None, right: Shot | None
) -> Iterator[Named]:
    wanted, got = _values(one), _values(other)
    for name in dict.fromkeys([*wanted, *got]):
        changed = _is_changed(left, one, name), _is_changed(right, other, name)
        yield Named(level, name, wanted.get(name), got.get(name), changed)


def _values(live: Live | None) -> Mapping[str, str]:
    return live.values if live is not None else {}


def _is_changed(shot: Shot | None, live: Live | None, name: str) -> bool:
    return shot is not None and live is not None and (live.frame, name) in shot.changed


def _carried(left: Shot | None, right: Shot | None) -> tuple[Named, ...]:
    """What the row's own steps return, raise, yield or read."""
    found = [shot.moment if shot is not None and shot.own else None for shot in (left, right)]
    args = [one.arg if one is not None and one.event in CARRIED else None for one in found]
    event = next((one.event for one, arg in zip(found, args, strict=True) if one and arg is not None), None)
    if event is None:
        return ()
    return (Named(0, CARRIED[event], args[0], args[1], carried=True),)
