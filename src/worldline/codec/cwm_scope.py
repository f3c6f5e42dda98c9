"""One activation in a prediction: where in which code objects it may stand, frame by frame.

A position is a code object and a line. Frames move a set of positions along the flow; `settle` takes back those that
nothing later agrees with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from worldline.codec.flow import Flow

Position = tuple[Flow, int]
WIDEST = 32


@dataclass
class Place:
    """Where one frame may stand. `allowed`: control flow leads here from the frame before."""

    scope: Scope
    event: str
    positions: list[Position]
    allowed: bool = True


@dataclass(eq=False)
class Scope:
    """One activation: its places so far and the names it last showed, whole."""

    serial: int
    places: list[Place] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    @property
    def last(self) -> Place:
        """Its newest place."""
        return self.places[-1]


def leads(before: Place, event: str, flow: Flow, start: int, line: int) -> bool:
    """Whether a frame of this event on this line may follow one that stood at `start`."""
    if event in ("return", "raise"):  # reported on the line that ran last
        return line == start or (before.event == "call" and line in flow.start) or line in flow.next.get(start, ())
    if event == "call":  # a generator goes on where it stopped
        return line == start
    if before.event == "call":
        if len(before.scope.places) and before is before.scope.places[0]:
            return line in flow.start
        return line == start or line in flow.next.get(start, ())
    if before.event == "raise":
        return line in flow.handlers.get(start, ())
    return line in flow.next.get(start, ())


def moved(before: Place, event: str, lines: Iterable[int]) -> list[Position]:
    """The positions on these lines that control flow allows after a place."""
    found: dict[tuple[int, int], Position] = {}
    lines = list(lines)
    for flow, start in before.positions:
        if event in ("return", "raise") and start in lines:
            found[id(flow), start] = flow, start
            continue
        for line in lines:
            if leads(before, event, flow, start, line):
                found[id(flow), line] = flow, line
    return list(found.values())


def settle(scope: Scope) -> None:
    """From the end back: drop the positions from which none of the next place's can be reached."""
    for before, after in zip(reversed(scope.places[:-1]), reversed(scope.places[1:]), strict=True):
        if len(before.positions) < 2 or not after.allowed or not after.positions:
            continue
        kept = [
            (flow, start)
            for flow, start in before.positions
            if any(flow is other and leads(before, after.event, flow, start, line) for other, line in after.positions)
        ]
        before.positions = kept or before.positions
