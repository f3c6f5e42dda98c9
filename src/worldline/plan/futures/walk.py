"""Every future of a program, one run each: the draws are walked as a tree, the heaviest branch first.

A finite kind of n values weighs 1/n a value. What a run draws behind the draws that it was given parts the tree
further. Draws that have no finite list of values (`float`) cannot be walked: such mass is left, as is what the budget
leaves. What a program is given (its stdin), or what is the same in every run under control (a virtual clock, ids), is
no chance: it is replayed as it was. The world enters as one callable; nothing here knows a box or a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count

from worldline.core.hidden import READ, THREAD, Control, possibilities, values
from worldline.core.trace import Hidden, Trace

ControlledRunner = Callable[[Control], Trace]
CLOCK = "clock"
# Words of kinds whose values do not fall by chance.
FIXED = (READ, CLOCK, "times", "usage", "stat", "id", THREAD)
WHOLE, NOTHING = Fraction(1), Fraction(0)


@dataclass(frozen=True)
class Future:
    """One run, and how likely it is; 0: it drew what cannot be walked, or did not take the draws it was given."""

    weight: Fraction
    trace: Trace


def is_chance(kind: str) -> bool:
    """Whether hidden inputs of a kind fall by chance."""
    return kind.partition(" ")[0] not in FIXED


def is_endless(kind: str) -> bool:
    """Whether draws of a kind fall by chance and have no finite list of values."""
    return is_chance(kind) and possibilities(kind) is None


@dataclass(order=True)
class _Siblings:
    """The values of one draw that were not walked yet: the draws before it, and what each of them weighs."""

    key: tuple[Fraction, int]
    given: tuple[Hidden, ...] = field(compare=False)
    draw: Hidden = field(compare=False)
    rest: Iterator[str] = field(compare=False)
    waiting: int = field(compare=False)

    @property
    def weight(self) -> Fraction:
        """Of one value."""
        return -self.key[0]


class Walk:
    """The walk through a world's draws: iterate for its futures, look at `left` and `waiting` whenever you like.

    Draws behind step `last` are not walked: they are all one for what is asked. `unwalkable` are the kinds of draws
    that were met and have no finite list of values; `astray` counts runs that did not take the draws they were given,
    whose mass is left.
    """

    def __init__(self, world: ControlledRunner, *, seed: int = 0, last: int | None = None) -> None:
        self._world, self._seed, self._last = world, seed, last
        self._open: list[_Siblings] = []
        self._numbers = count()
        self.left, self.runs, self.astray = WHOLE, 0, 0
        self.unwalkable: dict[str, int] = {}  # by kind: the first step at which one was met

    @property
    def waiting(self) -> int:
        """How many runs are known to be needed still; each may show more."""
        return sum(siblings.waiting for siblings in self._open)

    def __iter__(self) -> Iterator[Future]:
        yield self._run((), WHOLE)
        while self._open:
            siblings = self._open[0]
            value = next(siblings.rest)
            siblings.waiting -= 1
            if not siblings.waiting:
                heappop(self._open)
            draw = Hidden(siblings.draw.step, siblings.draw.kind, value)
            yield self._run((*siblings.given, draw), siblings.weight)

    def _run(self, forced: tuple[Hidden, ...], weight: Fraction) -> Future:
        """One run that is given its first draws, which weigh so much together."""
        trace = self._world(Control(seed=self._seed, given=forced))
        self.runs += 1
        drawn, known = trace.hidden, len(forced)
        if [(h.kind, h.value) for h in drawn[:known]] != [(h.kind, h.value) for h in forced]:
            self.astray += 1
            return Future(NOTHING, trace)
        for i, hidden in enumerate(drawn[known:], known):
            if not is_chance(hidden.kind) or (self._last is not None and hidden.step > self._last):
                continue
            n = possibilities(hidden.kind)
            if n is None:
                self.unwalkable.setdefault(hidden.kind, hidden.step)
                return Future(NOTHING, trace)
            weight /= n
            if n > 1:
                self._part(drawn[:i], hidden, weight, n)
        self.left -= weight
        return Future(weight, trace)

    def _part(self, forced: tuple[Hidden, ...], draw: Hidden, weight: Fraction, n: int) -> None:
        others = (value for value in values(draw.kind) if value != draw.value)
        # Of branches that weigh the same the newest comes first: the walk is depth-first among them.
        heappush(self._open, _Siblings((-weight, -next(self._numbers)), forced, draw, others, n - 1))
