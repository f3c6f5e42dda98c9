"""Every result that a racing program can have: schedules by how often a thread is stopped that could have gone on.

First the run in which threads change only where one waits or ends, and every other choice there; then those with one
preemption before a line, with two, ... (iterative context bounding, Musuvathi and Qadeer 2007). A schedule has no
probability: results are possible or were not found. How often seeded schedules give each is told beside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any

from worldline.core.hidden import THREAD, Control
from worldline.core.trace import Hidden, Trace
from worldline.plan.futures.subject import Subject, of_trace
from worldline.plan.futures.walk import ControlledRunner

PREEMPTIONS = 2


@dataclass(frozen=True)
class Switch:
    """Before a step another thread goes on."""

    step: int
    thread: int


@dataclass(frozen=True)
class RaceResult:
    """One result, and a schedule with the fewest preemptions that gives it, with all the hidden inputs of its run."""

    what: str
    preemptions: int
    switches: tuple[Switch, ...]
    hidden: tuple[Hidden, ...]

    def as_json(self) -> dict[str, Any]:
        """All of it; `hidden` replays the run."""
        return {
            "what": self.what,
            "preemptions": self.preemptions,
            "switches": [dict(s.__dict__) for s in self.switches],
            "hidden": [dict(h.__dict__) for h in self.hidden],
        }


@dataclass(order=True)
class _Plan:
    """A schedule to try: what is given, and how many preemptions it has."""

    preemptions: int
    number: int
    given: tuple[Hidden, ...] = field(compare=False)


class Schedules:
    """The search: iterate for its runs, each with its preemptions; stop whenever you like.

    A run that could not take its schedule, or did what another had done, has no trace.

    `done` is the number of preemptions up to which every schedule was run; -1: not even those without any.
    """

    def __init__(self, world: ControlledRunner, *, seed: int = 0, most: int = PREEMPTIONS) -> None:
        self._world, self._seed, self._most = world, seed, most
        self._plans: list[_Plan] = []
        self._numbers = count()
        self._seen: set[tuple[tuple[int, str], ...]] = set()
        self.runs, self.refused = 0, 0

    @property
    def done(self) -> int:
        """Up to how many preemptions every schedule was run."""
        return self._plans[0].preemptions - 1 if self._plans else self._most

    @property
    def waiting(self) -> int:
        """Schedules that are known to be left."""
        return len(self._plans)

    def __iter__(self) -> Iterator[tuple[int, Trace | None]]:
        self._plan(0, ())
        while self._plans:
            plan = self._plans[0]
            trace = self._world(Control(seed=self._seed, given=plan.given))
            self.runs += 1
            heappop(self._plans)
            is_new = self._is_new(plan, trace)
            if is_new:
                self._part(plan, trace)
            yield plan.preemptions, trace if is_new else None

    def _plan(self, preemptions: int, forced: tuple[Hidden, ...]) -> None:
        if preemptions <= self._most:
            heappush(self._plans, _Plan(preemptions, next(self._numbers), forced))

    def _is_new(self, plan: _Plan, trace: Trace) -> bool:
        """Whether the run took the schedule that it was given, and no other run did the same."""
        took = [(h.step, h.value) for h in trace.hidden[: len(plan.given)]]
        if took != [(h.step, h.value) for h in plan.given]:
            self.refused += 1  # the thread could not go on there
            return False
        changes = tuple((h.step, h.value) for h in trace.hidden if h.kind.startswith(THREAD))
        is_new = changes not in self._seen
        self._seen.add(changes)
        return is_new

    def _part(self, plan: _Plan, trace: Trace) -> None:
        """The schedules that go on otherwise behind what this one was given."""
        known = len(plan.given)
        last = plan.given[-1].step if plan.given else -1
        threads = threads_of(trace)
        for i, hidden in enumerate(trace.hidden[known:], known):
            if hidden.kind.startswith(THREAD):
                self._choose(plan, trace, i, threads)
        every = sorted({*threads, *map(int, _named(trace))})
        if plan.preemptions >= self._most or len(every) < 2:
            return
        changed = {h.step for h in trace.hidden if h.kind.startswith(THREAD)}
        for step in range(max(last, 0), len(trace)):
            if step in changed or trace.columns.event[step] != _LINE:
                continue
            before = tuple(h for h in trace.hidden if h.step < step)
            for thread in every:
                if thread != threads[step] and len(before) >= known:
                    kind = f"{THREAD} {' '.join(map(str, every))}"
                    self._plan(plan.preemptions + 1, (*before, Hidden(step, kind, str(thread))))

    def _choose(self, plan: _Plan, trace: Trace, i: int, threads: list[int]) -> None:
        """The other threads that could have gone on where one waited or ended."""
        hidden = trace.hidden[i]
        could = hidden.kind.split()[1:]
        before = str(threads[hidden.step - 1]) if 0 < hidden.step <= len(threads) else ""
        for other in could:
            if other != hidden.value:
                cost = int(before in could and other != before)
                forced = (*trace.hidden[:i], Hidden(hidden.step, hidden.kind, other))
                self._plan(plan.preemptions + cost, forced)


_LINE = 1  # of EVENTS


def threads_of(trace: Trace) -> list[int]:
    """The thread of each step."""
    changes = {h.step: int(h.value) for h in trace.hidden if h.kind.startswith(THREAD)}
    threads, thread = list[int](), 0
    for i in range(len(trace)):
        thread = changes.get(i, thread)
        threads.append(thread)
    return threads


def _named(trace: Trace) -> set[str]:
    """The threads that any choice was among."""
    return {number for h in trace.hidden if h.kind.startswith(THREAD) for number in h.kind.split()[1:]}


def raced(subject: Subject, preemptions: int, trace: Trace) -> RaceResult:
    """A result with its schedule."""
    switches = tuple(Switch(h.step, int(h.value)) for h in trace.hidden if h.kind.startswith(THREAD))
    return RaceResult(of_trace(subject, trace), preemptions, switches, trace.hidden)
