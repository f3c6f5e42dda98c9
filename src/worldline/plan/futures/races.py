"""Every result of a racing program: dynamic partial-order reduction over the turns of its threads.

A turn begins before an access to what threads may share (recording/guests/turns). Two turns are dependent if they
access the same part of an object and one writes. Runs that only swap independent turns end in the same result, so one
of them is executed: after each run, for each pair of dependent turns that could have happened in the other order, a
run with that order is planned (source sets and sleep sets: Abdulla, Aronis, Jonsson, Sagonas 2014; Flanagan and
Godefroid 2005). When no planned run is left, every schedule was executed up to the order of independent turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from worldline.core.events import ENDED
from worldline.core.hidden import Control, TurnPlan, format_schedule
from worldline.core.text import plural
from worldline.core.trace import Trace
from worldline.plan.futures.turn_log import RaceTurn, TurnLog, read_log
from worldline.recording.guests.turns.footprint import MAX_TURNS_IN_A_ROW, Entry
from worldline.recording.guests.turns.footprint import is_dependent as compare_footprints

TurnRunner = Callable[[Control], tuple[Trace, Mapping[str, str]]]
"""Executes one program by a plan of turns, and returns the trace and the facts of its turns."""
Clock = dict[int, int]
is_dependent = lru_cache(maxsize=1 << 18)(compare_footprints)


@dataclass
class _Node:
    """A state of the search: the turn taken from it, and which threads were or will be tried instead."""

    turn: RaceTurn
    asleep: set[int]
    planned: set[int]
    done: set[int] = field(default_factory=set)
    clock: Clock = field(default_factory=dict)

    @property
    def left(self) -> set[int]:
        """The threads that are still to be tried here."""
        return self.planned - self.done - self.asleep - {self.turn.thread}


@dataclass(frozen=True)
class _Event:
    """A turn that was taken, or would have been."""

    thread: int
    entries: tuple[Entry, ...]
    is_waiting: bool


# Notes of a trace that say that something beyond the program's own threads and objects may decide.
_DOUBTS = {
    "processes": "it starts processes",
    "sockets": "it uses sockets",
    "ctypes": "it uses ctypes",
    "settrace": "it replaces the trace function",
    "monitoring": "it uses sys.monitoring",
}


@dataclass(frozen=True)
class RaceRun:
    """One run of the search: its turns, and its trace unless another run has the rest of it."""

    log: TurnLog
    trace: Trace | None

    @property
    def preemptions(self) -> int:
        """How often a thread lost its turn although it could have had the next one."""
        turns = self.log.turns
        return sum(a.thread != b.thread and a.thread in b.ready for a, b in pairwise(turns))

    @property
    def schedule(self) -> str:
        """The schedule, without the turns at its end that threads have by themselves."""
        turns = self.log.turns
        end = len(turns)
        while 1 < end < MAX_TURNS_IN_A_ROW:
            before, ready = turns[end - 2].thread, turns[end - 1].ready
            if turns[end - 1].thread != (before if before in ready else min(ready, default=before)):
                break
            end -= 1
        return format_schedule(turn.thread for turn in turns[:end])


class RaceSearch:
    """The search: iterate over its runs, and stop at any time.

    A run that repeats the rest of another one has no trace. `is_complete` says whether all were executed.
    """

    def __init__(self, run: TurnRunner, *, seed: int = 0) -> None:
        self._run, self._seed = run, seed
        self._path: list[_Node] = []
        self.runs = self.redundant = self.astray = self.cut = 0
        self.is_late = False
        self.doubts: dict[str, None] = {}

    @property
    def is_complete(self) -> bool:
        """Whether every schedule was executed, up to the order of independent turns."""
        return not self._path and self.runs > 0 and not self.faults

    @property
    def faults(self) -> list[str]:
        """Why runs may have been missed."""
        faults = [f"accesses may have been missed: {doubt}" for doubt in self.doubts]
        if self.cut:
            faults.append(f"{plural(self.cut, 'run')} met a limit")
        if self.astray:
            faults.append(f"{plural(self.astray, 'run')} did not follow the schedule: an input is not controlled")
        return faults

    @property
    def waiting(self) -> int:
        """The number of planned runs that are left; each may plan more."""
        return sum(len(node.left) for node in self._path) + bool(self._path)

    def __iter__(self) -> Iterator[RaceRun]:
        """Execute the planned runs."""
        plan: TurnPlan | None = TurnPlan(is_logged=True)
        while plan is not None:
            trace, facts = self._run(Control(seed=self._seed, turns=plan))
            self.runs += 1
            log = read_log(facts)
            self._note(log, trace)
            first = len(self._path)
            is_expected = self._extend(log)
            if is_expected:
                self._find_races(log, max(first - 1, 0))
            plan = self._next()
            yield RaceRun(log, None if log.is_redundant or not is_expected else trace)

    def _note(self, log: TurnLog, trace: Trace) -> None:
        self.redundant += log.is_redundant
        self.is_late = self.is_late or log.is_late
        has_ended = trace.outcome.kind in ENDED or trace.outcome.detail == "deadlock"
        if not log.is_redundant and not (log.is_whole and has_ended):
            self.cut += 1
        if log.doubt:
            self.doubts[log.doubt] = None
        self.doubts.update((_DOUBTS[note], None) for note in trace.notes if note in _DOUBTS)

    def _extend(self, log: TurnLog) -> bool:
        """Append the turns of a run to the path. Return False if it did not follow its schedule."""
        path, known = self._path, len(self._path)
        expected = [node.turn.thread for node in path]
        if log.is_astray or [turn.thread for turn in log.turns[:known]] != expected:
            self.astray += 1
            return False
        if known:  # its turn was planned, and has now been taken
            path[-1].turn = log.turns[known - 1]
        for turn in log.turns[known:]:
            asleep = set[int]()
            if path:
                last = path[-1]
                candidates = (last.asleep | last.done) - {last.turn.thread}
                asleep = {
                    number
                    for number in candidates
                    if number in last.turn.ready
                    and not is_dependent(last.turn.ready[number].entries, last.turn.entries)
                }
            path.append(_Node(turn, asleep, {turn.thread}))
        return True

    def _next(self) -> TurnPlan | None:
        """Plan the next run, from the deepest state with a thread that is still to be tried."""
        path = self._path
        while path and not path[-1].left:
            path.pop()
        if not path:
            return None
        node = path[-1]
        node.done.add(node.turn.thread)
        thread = min(node.left)
        node.turn = RaceTurn(thread, node.turn.ready, (), ())
        return TurnPlan(
            schedule=format_schedule(step.turn.thread for step in path),
            asleep=tuple(sorted(node.asleep | node.done)),
            is_logged=True,
        )

    # ---- races

    def _find_races(self, log: TurnLog, first: int) -> None:
        """Plan the other order of each race of the turns from `first` on, and of those that were not taken."""
        path = self._path
        last_of, starts = dict[int, int](), dict[int, int]()
        for i, node in enumerate(path):
            thread = node.turn.thread
            if i >= first:
                event = _Event(thread, node.turn.entries, _is_waiting(node.turn))
                node.clock = self._clock_and_races(event, i, last_of.get(thread), starts.get(thread))
                node.clock[thread] = i
            last_of[thread] = i
            starts.update((started, i) for started in node.turn.started)
        for number, upcoming in log.unended.items():
            event = _Event(number, upcoming.entries, upcoming.is_waiting)
            self._clock_and_races(event, len(path), last_of.get(number), starts.get(number))

    def _clock_and_races(self, event: _Event, at: int, last: int | None, started: int | None) -> Clock:
        """Return what happens before an event, by thread the newest turn; plan the other order of its races."""
        path = self._path
        own: Clock = {}
        for before in (last, started):
            if before is not None:
                _join(own, path[before].clock)
        # A lock that the event waits for may have been taken long before the turn that gave it back.
        clock, is_seeking = dict(own), event.is_waiting
        for i in range(at - 1, -1, -1):
            turn = path[i].turn
            if turn.thread == event.thread or not is_dependent(turn.entries, event.entries):
                continue
            is_known = clock.get(turn.thread, -1) >= i
            if is_known and (not is_seeking or own.get(turn.thread, -1) >= i):
                continue
            is_first = self._could_be_first(i, event, last)
            if not (is_seeking and _lets_continue(turn, event) and not is_first):
                self._plan_reversal(i, event, at, last)
                is_seeking = is_seeking and not is_first and not _takes_the_same(turn, event)
            _join(clock, path[i].clock)
        return clock

    def _could_be_first(self, i: int, event: _Event, last: int | None) -> bool:
        """Whether the event could have happened in the place of turn `i`, because its thread waited no longer."""
        return (last is None or last < i) and event.thread in self._path[i].turn.ready

    def _plan_reversal(self, i: int, event: _Event, at: int, last: int | None) -> None:
        """Plan a run in which the event happens before turn `i`: a thread that can begin it, unless one is planned."""
        path, node = self._path, self._path[i]
        between = [k for k in range(i + 1, at) if path[k].clock.get(node.turn.thread, -1) < i]
        initials, seen = set[int](), set[int]()
        for k in between:
            turn = path[k].turn
            if turn.thread not in seen:
                seen.add(turn.thread)
                clock = path[k].clock
                if not any(clock.get(path[m].turn.thread, -1) >= m for m in between if m < k):
                    initials.add(turn.thread)
        if event.thread not in seen:
            after_own = {} if last is None else path[last].clock
            if not any(
                after_own.get(path[m].turn.thread, -1) >= m or is_dependent(path[m].turn.entries, event.entries)
                for m in between
            ):
                initials.add(event.thread)
        if initials & (node.planned | node.done):
            return
        possible = [thread for thread in initials if thread in node.turn.ready]
        if event.thread in possible:
            node.planned.add(event.thread)
        elif possible:
            node.planned.add(min(possible))
        else:
            node.planned.update(node.turn.ready)


def _is_waiting(turn: RaceTurn) -> bool:
    """Whether the thread of a turn had to wait for something first."""
    upcoming = turn.ready.get(turn.thread)
    return upcoming is not None and upcoming.is_waiting


def _lets_continue(turn: RaceTurn, event: _Event) -> bool:
    """Whether the turn gave back what the event waits for, and had not taken it itself: the event had to come after."""
    taken = {key for key, _, mode in turn.entries if mode == "w"}
    released = tuple(entry for entry in turn.entries if entry[2] == "u" and entry[0] not in taken)
    return is_dependent(released, event.entries)


def _takes_the_same(turn: RaceTurn, event: _Event) -> bool:
    """Whether the turn waited too, and took what the event takes."""
    taken = {key for key, _, mode in turn.entries if mode == "w"}
    return _is_waiting(turn) and any(key and key in taken for key, _, mode in event.entries if mode == "w")


def _join(clock: Clock, other: Clock) -> None:
    for thread, at in other.items():
        if clock.get(thread, -1) < at:
            clock[thread] = at
