"""Turns of threads: each begins before an access to what threads may share, or where a thread waited; and their log.

The schedule says which thread has each turn, as text: `0:5,1:3` is five turns of thread 0, then three of thread 1.
Behind its end the running thread continues until it waits, then the lowest ready number. Threads that are asleep are
left out until a turn on which their own next one depends: another run has what they would do. The log is written to
the recording, one fact per turn: who had it, who could have had it with which footprint, and what the turn accessed.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .footprint import EVERYTHING, MAX_TURNS_IN_A_ROW, Entry, is_dependent, write_footprint
from .operands import Access, Numbers

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away


class NextTurn:
    """What a thread would do in its next turn: at most these accesses, after what it waits for.

    A call of a guarded object may take locks that only those hold who hold one of its own.
    """

    __slots__ = ("entries", "is_call", "is_waiting")

    def __init__(self, entries: Iterable[Entry], *, is_waiting: bool = False, is_call: bool = False) -> None:
        self.entries, self.is_waiting, self.is_call = tuple(entries), is_waiting, is_call

    def as_text(self) -> str:
        """Write it for the log."""
        return ("!" if self.is_waiting else "") + write_footprint(self.entries)


class Turns:
    """The schedule of one run and the log of its turns."""

    def __init__(self, plan: dict[str, Any], numbers: Numbers, recorder: Any) -> None:
        """Follow a plan.

        Args:
            plan: The schedule as pairs of thread and count, who is `asleep` behind it, and whether to `log`.
            numbers: The numbers of objects.
            recorder: Where the log goes.
        """
        self.numbers = numbers
        self._plan: list[list[int]] = [[thread, count] for thread, count in plan["turns"]]
        self._plan.reverse()
        self._asleep, self._is_logged, self._recorder = set(plan["asleep"]), plan["log"], recorder
        self._is_behind = not self._plan  # behind the plan
        self._next: dict[int, NextTurn] = {}
        self._count, self._row, self._facts = 0, 0, 0
        self._current: tuple[int, str] | None = None  # the turn that runs: thread, who could have had it
        self._entries: list[Entry] = []
        self._started: list[int] = []
        self._is_late = False  # the clock jumped
        self.doubts: dict[str, None] = {}  # why accesses may have been missed

    def prepare(self, number: int, upcoming: NextTurn) -> None:
        """Note what a thread would do next."""
        self._next[number] = upcoming

    def start(self, number: int) -> None:
        """Note that the running thread started another one."""
        self._started.append(number)
        self.prepare(number, NextTurn(EVERYTHING))

    def covers(self, thing: Any) -> bool:
        """Tell whether the current turn was expected to access this object."""
        upcoming = self._next.get(self._current[0]) if self._current is not None else None
        if upcoming is None:
            return True
        number = self.numbers.of(thing)
        return upcoming.is_call or any(key in (0, number) for key, _, _ in upcoming.entries)

    def touch(self, entries: Iterable[Entry]) -> None:
        """Note what the current turn accesses."""
        self._entries.extend(entries)

    def touch_object(self, thing: Any, mode: str) -> None:
        """Note that the current turn accesses an object."""
        self._entries.append((self.numbers.of(thing), 0, mode))

    def jump(self) -> None:
        """Note that time passed: whoever continues depends on all that did not happen before."""
        self._is_late = True
        self._fact("late", "1")

    def choose(self, running: int, ready: Sequence[int]) -> int | None:
        """Choose who has the next turn; None if all are asleep, so that another run has the rest of this one."""
        self._write()
        planned = self._planned(ready)
        if planned is None:
            awake = [number for number in ready if number not in self._asleep] if self._is_behind else list(ready)
            if not awake:
                self._fact("redundant", "1")
                return None
            others = [number for number in awake if number != running]
            is_long = self._row >= MAX_TURNS_IN_A_ROW and others
            behind = [number for number in others if number > running]
            planned = (behind or others)[0] if is_long else running if running in awake else awake[0]
        self._row = self._row + 1 if planned == running else 0
        could = ",".join([f"{number}={self._text(number)}" for number in ready])
        self._current = planned, could
        self._entries = list(EVERYTHING) if self._is_late else []
        self._is_late = False
        return planned

    def _text(self, number: int) -> str:
        upcoming = self._next.get(number)
        return "" if upcoming is None else upcoming.as_text()

    def _planned(self, ready: Sequence[int]) -> int | None:
        if not self._plan:
            self._is_behind = True
            return None
        entry = self._plan[-1]
        if entry[0] not in ready:
            self._fact("astray", f"{self._count}")
            self._plan.clear()
            self._is_behind = True
            return None
        entry[1] -= 1
        if entry[1] <= 0:
            self._plan.pop()
        self._is_behind = not self._plan
        return entry[0]

    def _write(self) -> None:
        """Write the turn that has just ended, and wake who depends on it."""
        if self._current is None:
            return
        thread, could = self._current
        self._fact(f"turn {self._count}", f"{thread};{could};{write_footprint(self._entries)};{self._list()}")
        self._count += 1
        self._started = []
        if self._is_behind:
            self._asleep.discard(thread)
            entries = tuple(self._entries)
            slept = [number for number in self._asleep if number in self._next]
            self._asleep = {number for number in slept if not is_dependent(self._next[number].entries, entries)}
        self._current = None

    def _list(self) -> str:
        return " ".join(map(str, self._started))

    def finish(self, unended: Sequence[int]) -> None:
        """Write the last turn and what the threads that have not ended would have done."""
        self._write()
        self._fact("waiting", ",".join([f"{number}={self._text(number)}" for number in unended]))
        if self.doubts:
            self._fact("doubt", "; ".join(self.doubts))

    def _fact(self, key: str, value: str) -> None:
        if self._is_logged:
            self._recorder.meta(key, value)


class Observer:
    """Lets another thread run before each access of the program's own code."""

    def __init__(self, table: Callable[[Any], Any], read: Callable[[Any, Any], Access | None], scheduler: Any) -> None:
        self._table, self._read, self._scheduler = table, read, scheduler
        self._calls: dict[int, list[tuple[int, tuple[Entry, ...]]]] = {}  # by thread: frames whose library call goes on

    def before(self, frame: Any, offset: int) -> bool:
        """Handle that an instruction is about to run. Return whether it may be an access."""
        what = self._table(frame.f_code).get(offset)
        if what is None:
            return False
        scheduler = self._scheduler
        if scheduler.turns is None or not scheduler.takes_turns():
            return True
        scheduler.hold()
        try:
            self._access(frame, what, scheduler.running.number)
        finally:
            scheduler.release()
        return True

    def _access(self, frame: Any, what: Any, number: int) -> None:
        access = self._read(frame, what)
        if access is None:
            return
        around = self._around(frame, number)
        entries = EVERYTHING if access.is_open else (*access.entries, *around)
        upcoming = NextTurn(entries, is_waiting=access.test is not None, is_call=access.is_call)
        self._scheduler.take_turn(upcoming, access.test)
        again = self._read(frame, what)  # what another thread has changed meanwhile
        self._scheduler.turns.touch((*access.entries, *(again.entries if again is not None else ()), *around))
        if access.is_call:
            self._calls.setdefault(number, []).append((id(frame), tuple(access.entries)))

    def _around(self, frame: Any, number: int) -> tuple[Entry, ...]:
        """Return what the libraries access that have called this code, and have not returned."""
        calls = self._calls.get(number)
        if not calls:
            return ()
        callers, real = set[int](), frame.f_back
        while real is not None:
            callers.add(id(real))
            real = real.f_back
        while calls and calls[-1][0] not in callers:
            calls.pop()
        return tuple(entry for _, entries in calls for entry in entries)

    def current(self, number: int) -> tuple[Entry, ...]:
        """Return what the innermost call of a library by a thread accesses."""
        calls = self._calls.get(number)
        return calls[-1][1] if calls else ()
