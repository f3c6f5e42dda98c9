"""One activation in a prediction: where in which code objects it may stand, frame by frame.

A position is a code object and a line. Frames move a set of positions along the flow; `settle` removes those that
contradict later frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from worldline.analyze.flow.control import Flow
from worldline.core.events import LEAVING

Position = tuple[Flow, int]
# More positions are given up, so that the cost of a frame is bounded.
MAX_POSITIONS = 32


@dataclass
class FramePlace:
    """Where one frame may stand. `allowed`: control flow leads here from the frame before.

    `raised`: the scope continues with an exception that it had when it was left, like a loop that waits to be
    closed.
    """

    scope: Activation
    event: str
    positions: list[Position]
    allowed: bool = True
    raised: bool = False

    @property
    def starts(self) -> bool:
        """Whether this is the call that started its scope."""
        return self.scope.places[0] is self


@dataclass(eq=False)
class Activation:
    """One activation: its places so far, and the names it showed last, with all values.

    `spent`: it last returned None, so a generator has probably ended rather than yielded. `left_at` is where the
    scope around it stood then.
    """

    serial: int
    places: list[FramePlace] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    spent: bool = False
    left_at: tuple[int, int] = (-1, 0)

    @property
    def last(self) -> FramePlace:
        return self.places[-1]


def reach(before: FramePlace, event: str, position: Position) -> Iterator[AbstractSet[int]]:
    """Yield sets of lines on which a frame of this event may stand after a position, the likeliest first."""
    flow, start = position
    after: AbstractSet[int] = flow.start if before.starts else flow.next.get(start, frozenset())
    if event in LEAVING:
        # Reported on the line that executed last.
        yield {start}
        yield after
    elif event == "call":
        # A generator continues where it stopped.
        yield {start}
    elif before.event == "raise" or before.raised:
        yield flow.handlers.get(start, frozenset())
    else:
        yield after
        if before.event == "call" and not before.starts:
            yield {start}


def moved(before: FramePlace, event: str, lines: AbstractSet[int]) -> list[Position]:
    """Return the positions on these lines that control flow allows after a place."""
    positions: dict[Position, None] = {}
    for position in before.positions:
        for reached in reach(before, event, position):
            shared = reached & lines
            positions.update(((position[0], line), None) for line in shared)
            if shared and event in LEAVING:
                break
    return narrow(list(positions))


def narrow(positions: list[Position]) -> list[Position]:
    """Return the positions, or none if there are too many to follow."""
    return positions if len(positions) <= MAX_POSITIONS else []


def settle(scope: Activation) -> None:
    """Drop, from the end back, the positions from which no position of the next place can be reached."""
    for before, after in zip(reversed(scope.places[:-1]), reversed(scope.places[1:]), strict=True):
        if len(before.positions) > 1 and after.allowed and after.positions:
            agreeing = [position for position in before.positions if _agrees(before, position, after)]
            before.positions = agreeing or before.positions


def _agrees(before: FramePlace, position: Position, after: FramePlace) -> bool:
    lines = {line for flow, line in after.positions if flow is position[0]}
    return any(reached & lines for reached in reach(before, after.event, position))
