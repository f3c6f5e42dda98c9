"""Every future of a program, one run each: the draws form a tree, explored from the heaviest branch.

Each value of a draw with n values weighs 1/n. Draws after the forced ones branch the tree further. Draws without a
finite list of values (`float`) cannot be enumerated: their mass is left over, as is what the budget leaves. Stdin, the
virtual clock and ids are not random: they are replayed. The runner is a callable; nothing here knows the sandbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from typing import Protocol

from worldline.core.hidden import READ, SCHEDULE, THREAD, Control, possibilities, values
from worldline.core.trace import Hidden, Trace

ControlledRunner = Callable[[Control], Trace]
"""Executes one program with its draws decided by a `Control`."""


class ProgramRunner(Protocol):
    """Executes one program, with or without a report of the turns that its threads take."""

    def __call__(self, control: Control) -> Trace:
        """Execute the program."""

    def run_turns(self, control: Control) -> tuple[Trace, Mapping[str, str]]:
        """Execute the program by the plan of turns in the control; also return what is reported of the turns."""


CLOCK = "clock"
# Kinds of hidden inputs that are not random.
FIXED = (READ, CLOCK, "times", "usage", "stat", "id", THREAD, SCHEDULE)
ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True)
class Future:
    """One run and its probability; 0 if it drew from an infinite kind, or did not take the forced draws."""

    weight: Fraction
    trace: Trace


def is_random(kind: str) -> bool:
    """Whether hidden inputs of a kind are random."""
    return kind.partition(" ")[0] not in FIXED


def is_infinite(kind: str) -> bool:
    """Whether a kind is random and has no finite list of values."""
    return is_random(kind) and possibilities(kind) is None


@dataclass(order=True)
class _Siblings:
    """The unexplored values of one draw, with the draws before it and the weight of each value."""

    key: tuple[Fraction, int]
    given: tuple[Hidden, ...] = field(compare=False)
    draw: Hidden = field(compare=False)
    rest: Iterator[str] = field(compare=False)
    waiting: int = field(compare=False)

    @property
    def weight(self) -> Fraction:
        """The weight of one value."""
        return -self.key[0]


class Walk:
    """The exploration of all draws: iterate over the futures; `left` and `waiting` are valid at any time.

    Draws after step `last` are not explored: they cannot change the subject. `unwalkable` are the kinds of draws
    without a finite list of values. `astray` counts runs that did not take the forced draws; their mass is left.
    """

    def __init__(self, world: ControlledRunner, *, seed: int = 0, last: int | None = None) -> None:
        self._world, self._seed, self._last = world, seed, last
        self._open: list[_Siblings] = []
        self._numbers = count()
        self.left, self.runs, self.astray = ONE, 0, 0
        self.unwalkable: dict[str, int] = {}  # by kind: the first step that drew it

    @property
    def waiting(self) -> int:
        """How many known runs are left; each may add more."""
        return sum(siblings.waiting for siblings in self._open)

    def __iter__(self) -> Iterator[Future]:
        yield self._run((), ONE)
        while self._open:
            siblings = self._open[0]
            value = next(siblings.rest)
            siblings.waiting -= 1
            if not siblings.waiting:
                heappop(self._open)
            draw = Hidden(siblings.draw.step, siblings.draw.kind, value)
            yield self._run((*siblings.given, draw), siblings.weight)

    def _run(self, forced: tuple[Hidden, ...], weight: Fraction) -> Future:
        """Execute one run with its first draws forced; `weight` is their joint probability."""
        trace = self._world(Control(seed=self._seed, given=forced))
        self.runs += 1
        drawn, known = trace.hidden, len(forced)
        if [(h.kind, h.value) for h in drawn[:known]] != [(h.kind, h.value) for h in forced]:
            self.astray += 1
            return Future(ZERO, trace)
        for i, hidden in enumerate(drawn[known:], known):
            if not is_random(hidden.kind) or (self._last is not None and hidden.step > self._last):
                continue
            n = possibilities(hidden.kind)
            if n is None:
                self.unwalkable.setdefault(hidden.kind, hidden.step)
                return Future(ZERO, trace)
            weight /= n
            if n > 1:
                self._branch(drawn[:i], hidden, weight, n)
        self.left -= weight
        return Future(weight, trace)

    def _branch(self, forced: tuple[Hidden, ...], draw: Hidden, weight: Fraction, n: int) -> None:
        others = (value for value in values(draw.kind) if value != draw.value)
        # Among branches of equal weight the newest comes first: depth-first.
        heappush(self._open, _Siblings((-weight, -next(self._numbers)), forced, draw, others, n - 1))
