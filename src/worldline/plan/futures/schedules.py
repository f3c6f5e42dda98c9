"""Every possible result of a racing program: schedules in the order of their preemptions.

First come the schedules in which threads switch only where one waits or ends, then those with one preemption before a
line, with two, and so on (iterative context bounding, Musuvathi and Qadeer 2007). A schedule has no probability: a
result is possible, or was not found. How often seeded schedules give each result is reported separately.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any

from worldline.core.hidden import THREAD, Control
from worldline.core.trace import Hidden, Trace
from worldline.plan.futures.subject import Subject, read_from_trace
from worldline.plan.futures.walk import ControlledRunner

DEFAULT_PREEMPTIONS = 2


@dataclass(frozen=True)
class Switch:
    """A switch to another thread before a step."""

    step: int
    thread: int


@dataclass(frozen=True)
class RaceResult:
    """One result, a schedule with the fewest preemptions that gives it, and the hidden inputs of that run."""

    what: str
    preemptions: int
    switches: tuple[Switch, ...]
    hidden: tuple[Hidden, ...]

    def as_json(self) -> dict[str, Any]:
        """Return all fields as JSON; `hidden` replays the run."""
        return {
            "what": self.what,
            "preemptions": self.preemptions,
            "switches": [dict(s.__dict__) for s in self.switches],
            "hidden": [dict(h.__dict__) for h in self.hidden],
        }


@dataclass(order=True)
class _Plan:
    """A schedule to try: its forced hidden inputs, and its preemptions."""

    preemptions: int
    number: int
    given: tuple[Hidden, ...] = field(compare=False)


class Schedules:
    """The search: iterate over its runs, each with its preemptions, and stop at any time.

    A run that could not take its schedule, or repeated another run, has no trace.

    Every schedule with at most `done` preemptions was executed; -1 if some without a preemption are left.
    """

    def __init__(self, world: ControlledRunner, *, seed: int = 0, most: int = DEFAULT_PREEMPTIONS) -> None:
        self._world, self._seed, self._most = world, seed, most
        self._plans: list[_Plan] = []
        self._numbers = count()
        self._seen: set[tuple[tuple[int, str], ...]] = set()
        self.runs, self.refused = 0, 0

    @property
    def done(self) -> int:
        """The number of preemptions up to which every schedule was executed."""
        return self._plans[0].preemptions - 1 if self._plans else self._most

    @property
    def waiting(self) -> int:
        """The number of known schedules that are left."""
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
                self._branch(plan, trace)
            yield plan.preemptions, trace if is_new else None

    def _plan(self, preemptions: int, forced: tuple[Hidden, ...]) -> None:
        if preemptions <= self._most:
            heappush(self._plans, _Plan(preemptions, next(self._numbers), forced))

    def _is_new(self, plan: _Plan, trace: Trace) -> bool:
        """Whether the run took its schedule, and no other run took the same one."""
        took = [(h.step, h.value) for h in trace.hidden[: len(plan.given)]]
        if took != [(h.step, h.value) for h in plan.given]:
            self.refused += 1  # the thread could not continue there
            return False
        changes = tuple((h.step, h.value) for h in trace.hidden if h.kind.startswith(THREAD))
        is_new = changes not in self._seen
        self._seen.add(changes)
        return is_new

    def _branch(self, plan: _Plan, trace: Trace) -> None:
        """Plan the schedules that diverge after the forced part of this one."""
        known = len(plan.given)
        last = plan.given[-1].step if plan.given else -1
        threads = threads_of(trace)
        for i, hidden in enumerate(trace.hidden[known:], known):
            if hidden.kind.startswith(THREAD):
                self._choose(plan, trace, i, threads)
        every = sorted({*threads, *map(int, _thread_choices(trace))})
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
        """Plan the other threads that could have continued where one waited or ended."""
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
    """Return the thread of each step."""
    changes = {h.step: int(h.value) for h in trace.hidden if h.kind.startswith(THREAD)}
    threads, thread = list[int](), 0
    for i in range(len(trace)):
        thread = changes.get(i, thread)
        threads.append(thread)
    return threads


def _thread_choices(trace: Trace) -> set[str]:
    """Return the threads that any choice was among."""
    return {number for h in trace.hidden if h.kind.startswith(THREAD) for number in h.kind.split()[1:]}


def race_result(subject: Subject, preemptions: int, trace: Trace) -> RaceResult:
    """Build a result with its schedule from a trace."""
    switches = tuple(Switch(h.step, int(h.value)) for h in trace.hidden if h.kind.startswith(THREAD))
    return RaceResult(read_from_trace(subject, trace), preemptions, switches, trace.hidden)
