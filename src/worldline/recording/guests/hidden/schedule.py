"""Schedule the threads of a program: one baton, passed before lines and wherever a thread waits.

Exactly one thread of the program runs; the others wait for their batons. The choice of the next
thread is a hidden input, taken from the tape or drawn from the seed of the schedule. Without a seed a
thread runs until it waits; then the lowest ready number is next. A thread that runs for too long is
also interrupted, because it may be waiting for another one in a loop. If no thread is ready but one
waits for a time, the virtual clock jumps there. If none will ever be ready, the run ends as a deadlock.
"""

from __future__ import annotations

import builtins
import gc
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ..turns.footprint import EVERYTHING, WHOLE, Entry
from ..turns.turns import NextTurn, Turns
from .virtual_clock import VirtualClock

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_is_collecting, _hold_collector, _release_collector = gc.isenabled, gc.disable, gc.enable
_MASK = (1 << 64) - 1
_CHANCE = 8  # one line in so many is a choice
_TURN = 10_000  # steps for which a thread goes on where others could and nothing says who does
_GLANCE = 0.01  # seconds for which one of several that wait for the world outside is waited for


class Given(Protocol):
    """The hidden inputs on the tape."""

    def peek(self) -> tuple[int, str, Any] | None:
        """Return the next one: step, kind, value."""

    def take(self) -> None:
        """Use up the next one."""

    def part(self) -> None:
        """Stop using the tape, because it does not fit this run."""


class RealThreads(Protocol):
    """The original thread functions of the interpreter."""

    def ident(self) -> int:
        """Return the identity of the calling thread."""

    def baton(self) -> Any:
        """Return a lock that is held."""

    def acquire(self, lock: Any) -> Any:
        """Wait for a lock."""

    def release(self, lock: Any) -> None:
        """Release a lock."""


class Thread:
    """A thread of the program. It waits for `test` to hold, for a time, or only for its baton."""

    __slots__ = ("baton", "daemon", "end_marks", "ended", "ident", "is_gone", "number", "outside", "test", "until")

    def __init__(self, number: int, baton: Any) -> None:
        self.number, self.baton, self.ident, self.daemon, self.ended = number, baton, 0, False, False
        self.end_marks: list[Any] = []  # who waits for its end asks these
        self.test: Callable[[], Any] | None = None
        self.until: int | None = None
        self.outside: Callable[[float], Any] | None = None  # waits, for so many seconds, for what is not the program's
        self.is_gone: Callable[[], Any] | None = None  # waits until nothing of it runs any more

    def is_ready(self, now: int) -> bool:
        """Tell whether it can run."""
        if self.ended:
            return False
        if self.until is not None and self.until <= now:
            return True
        return bool(self.test()) if self.test is not None else self.until is None


def _is_of_threading(thing: Any) -> bool:
    """Tell whether `threading` guards its list of threads with this lock: its order shows in no result by itself."""
    module = sys.modules.get("threading")
    return module is not None and any(value is thing for value in module.__dict__.values())


class Scheduler:
    """Decides which thread runs, and knows what each other thread waits for."""

    def __init__(
        self, tape: Given, clock: VirtualClock, recorder: Any, real: RealThreads, control: dict[str, Any]
    ) -> None:
        self._tape, self._clock, self._recorder, self._real = tape, clock, recorder, real
        self._seed, self._whole = control["schedule"], control["whole"]
        self._source = self._seed or 0
        self._choice_steps = [step for step, kind, _ in control["given"] if kind.startswith("thread ")]
        self._choice_steps.reverse()
        main = Thread(0, real.baton())
        main.ident = real.ident()
        self.threads, self.running = [main], main
        self._live, self.numbers = 1, {main.ident: 0}
        self._ending: Thread | None = None
        self._recorded_kind = ""  # the kind of a choice that is replayed, as it was recorded
        self._collecting = True
        self.active, self.entering = True, False  # entering: a thread begins to be recorded
        self.turns: Turns | None = None  # threads switch at accesses instead of lines
        self.current_call: Callable[[int], Iterable[Entry]] = lambda number: ()
        recorder.schedule(self._before_line)
        os.register_at_fork(after_in_child=self.stop)

    def is_mine(self) -> bool:
        """Tell whether the calling thread is the running one and may wait."""
        return self.active and self._real.ident() == self.running.ident and not self.running.ended

    def stop(self) -> None:
        """Stop scheduling: no other thread runs any more."""
        self.active = False
        self._recorder.ask_at(None)

    # ---- threads begin, wait and end

    def begin(
        self, start: Callable[[Callable[[], Any]], Any], act: Callable[[], Any], *, daemon: bool
    ) -> tuple[Thread, Any]:
        """Start a thread that waits for its baton.

        Args:
            start: Starts a real thread with a body.
            act: What the thread does.
            daemon: Whether it is a daemon thread.

        Returns:
            The thread, and the result of `start`.
        """
        thread, arrived = Thread(len(self.threads), self._real.baton()), self._real.baton()
        thread.daemon = daemon

        def body() -> Any:
            thread.ident = self._real.ident()
            self._real.release(arrived)
            self._await(thread)
            try:
                return act()
            finally:
                self._end(thread)

        handle = start(body)
        self._real.acquire(arrived)
        self.numbers[thread.ident] = thread.number
        self.threads.append(thread)
        self._live += 1
        if self.turns is not None:
            self.turns.start(thread.number)
        self._recorder.at()  # what was written until now is, with and without a seed, written before its first step
        self._arm()
        return thread, handle

    def wait(
        self, test: Callable[[], Any] | None, until: int | None, outside: Callable[[float], Any] | None = None
    ) -> None:
        """Let the running thread wait until `test` holds, or for a time. Others run meanwhile."""
        self.hold()
        me = self.running
        me.test, me.until, me.outside = test, until, outside
        if self.turns is not None:
            self.turns.prepare(me.number, NextTurn(EVERYTHING, is_waiting=True))
        try:
            to = self._who(me)
            if to is not me:
                self._hand(to)
                self._await(me)
            if self.turns is not None:
                self.turns.touch(self.current_call(me.number))
        finally:
            me.test = me.until = me.outside = None
            self.release()

    def takes_turns(self) -> bool:
        """Tell whether the calling thread runs by turns, because there has been another one."""
        return len(self.threads) > 1 and self.is_mine()

    def touch(self, thing: Any, mode: str) -> None:
        """Note that the running thread accesses a lock, a queue or a thread; in a turn of its own if that is new."""
        if self.turns is not None and self.takes_turns() and not _is_of_threading(thing):
            if not self.turns.covers(thing):
                self.hold()
                self.take_turn(NextTurn(EVERYTHING), None)
                self.release()
            self.turns.touch_object(thing, mode)

    def take_turn(self, upcoming: NextTurn, test: Callable[[], Any] | None) -> None:
        """Let the running thread have a turn as soon as `test` holds. Others may be first."""
        assert self.turns is not None
        self.turns.prepare(self.running.number, upcoming)
        me = self.running
        me.test = test
        try:
            to = self._who(me)
            if to is not me:
                self._hand(to)
                self._await(me)
                self.hold()
        finally:
            me.test = None

    def finish(self) -> None:
        """Let other threads run before the program ends, and close the log of the turns."""
        if self.turns is not None and self.takes_turns():
            self.hold()
            if any(not thread.ended for thread in self.threads[1:]):
                self.take_turn(NextTurn(EVERYTHING), None)
                self.turns.touch(EVERYTHING)
            self.turns.finish([thread.number for thread in self.threads[1:] if not thread.ended])
            self.release()

    def until(self, seconds: float) -> int:
        """Return the time after this many seconds."""
        return self._clock.now() + int(seconds * 1e9)

    def is_over(self, until: int | None) -> bool:
        """Tell whether that time has come."""
        return until is not None and self._clock.now() >= until

    def _end(self, thread: Thread) -> None:
        """End a thread: another one waits until it is gone, and then chooses the next."""
        if not self.active or thread is not self.running:
            return
        self.hold()
        if self.turns is not None:
            marks = [(self.turns.numbers.of(mark), WHOLE, "u") for mark in (thread, *thread.end_marks)]
            self.take_turn(NextTurn(marks), None)
            self.turns.touch(marks)
        self.hold()
        self._recorder.quit()
        self._recorder.ask_at(None)  # its last finalisers run until they are through
        thread.ended = True
        self._live -= 1
        self._ending = thread
        self._real.release(next(other for other in self.threads if not other.ended).baton)

    def _await(self, me: Thread) -> None:
        """Wait for the baton of this thread, or choose the next thread in place of one that ended."""
        raised: BaseException | None = None
        while True:
            try:
                self._real.acquire(me.baton)
            except BaseException as error:  # of a signal's handler
                raised = error
                continue
            if self._ending is None:
                break
            ended, self._ending = self._ending, None
            if ended.is_gone is not None:
                ended.is_gone()
            to = self._who(ended)
            self._hand(to)
            if to is me:
                self._real.acquire(me.baton)
                break
        self.entering = True
        self._recorder.enter(me.number)
        self.entering = False
        self.release()
        if raised is not None:
            raise raised

    # ---- choices

    def _before_line(self) -> None:
        """Choose whether another thread runs before a line of the program."""
        self.hold()
        me, step, ready = self.running, self._recorder.at(), self._ready()
        to = None
        if self._tape.peek() is not None:
            to = self._thread_on_tape(step, ready) if self._choice_steps and self._choice_steps[-1] <= step else None
        elif self._seed is not None and len(ready) > 1:
            to = ready[self._below(len(ready))]
        elif self._seed is None and not self._whole:
            others = [thread for thread in ready if thread is not me]
            to = next((thread for thread in others if thread.number > me.number), next(iter(others), None))
        self._arm()
        if to is not None and to is not me:
            self._record(to, ready)
            self._hand(to)
            self._await(me)
        else:
            self.release()

    def _who(self, me: Thread) -> Thread:
        """Choose the next thread when `me` waits or has ended, and record a real choice."""
        ready = self._ready()
        while not ready:
            self._pass_time()
            ready = self._ready()
        if self.turns is not None:
            return self._choose_turn(self.turns, me, ready)
        if ready == [me]:
            return me
        step = self._recorder.at()
        to = self._thread_on_tape(step, ready) or self._choose_thread(me, ready)
        self._record(to, ready)
        self._arm()
        return to

    def _choose_turn(self, turns: Turns, me: Thread, ready: list[Thread]) -> Thread:
        number = turns.choose(me.number, [thread.number for thread in ready])
        if number is None:
            self._recorder.leave("limit", "redundant")
        to = next(thread for thread in ready if thread.number == number)
        if to is not me:
            draw, kind = self._tape.peek(), "thread " + " ".join([str(thread.number) for thread in ready])
            if draw == (self._recorder.at(), kind, to.number):
                self._tape.take()
            elif draw is not None and (self._whole or draw[1].startswith("thread ")):
                self._tape.part()
            self._record(to, ready)
        return to

    def _ready(self) -> list[Thread]:
        now = self._clock.now()
        return [thread for thread in self.threads if thread.is_ready(now)]

    def _pass_time(self) -> None:
        """Handle that no thread is ready: jump the clock, wait for something outside, or report a deadlock."""
        live = [thread for thread in self.threads if not thread.ended]
        times = [thread.until for thread in live if thread.until is not None]
        outside = [thread.outside for thread in live if thread.outside is not None]
        if outside:
            left = (min(times) - self._clock.now()) / 1e9 if times else 3600.0
            for look in outside:
                if look(left if len(outside) == 1 else min(left, _GLANCE)):
                    return
            if len(outside) > 1 and left > _GLANCE:
                return
        if times:
            self._clock.jump(min(times))
            if self.turns is not None:
                self.turns.jump()
        elif not outside:
            if self.turns is not None:
                self.turns.finish([thread.number for thread in live])
            self._recorder.note("deadlock")
            self._recorder.leave("limit", "deadlock")

    def _thread_on_tape(self, step: int, ready: list[Thread]) -> Thread | None:
        """Return the thread that the tape names for this choice; None if there is none, or it cannot run."""
        draw = self._tape.peek()
        if draw is None:
            return None
        at, kind, value = draw
        if not kind.startswith("thread ") or at > step:
            if self._whole:
                self._tape.part()
            return None
        thread = next((candidate for candidate in ready if candidate.number == value), None)
        if thread is None and self._whole:
            thread = self._wake_late_thread(value)
        if thread is None or at != step:
            self._tape.part()
            return None
        live = {str(candidate.number) for candidate in self.threads if not candidate.ended}
        if self._whole and live.issuperset(kind.split()[1:]):
            self._recorded_kind = kind  # others could have gone on too where the clock was the machine's
        self._tape.take()
        self._choice_steps.pop()
        return thread

    def _wake_late_thread(self, number: int) -> Thread | None:
        """Wake a thread that waits for a time, which had come when the run was recorded."""
        waiting = [thread for thread in self.threads if thread.number == number and not thread.ended]
        if not waiting or waiting[0].until is None:
            return None
        self._clock.jump(waiting[0].until)
        return waiting[0]

    def _choose_thread(self, me: Thread, ready: list[Thread]) -> Thread:
        if self._seed is not None and self._tape.peek() is None:
            return ready[self._below(len(ready))]
        return next((thread for thread in ready if thread is not me), me)

    def _record(self, to: Thread, ready: list[Thread]) -> None:
        kind = self._recorded_kind or "thread " + " ".join([str(thread.number) for thread in ready])
        self._recorder.switch(to.number, kind)
        self.running, self._recorded_kind = to, ""

    def _hand(self, to: Thread) -> None:
        self._real.release(to.baton)

    def _arm(self) -> None:
        """Tell the recorder before which step to ask."""
        if self._live < 2 or self.turns is not None:
            step = None
        elif self._choice_steps and self._tape.peek() is not None:
            step = self._choice_steps[-1]
        elif self._seed is None:
            step = None if self._whole else self._recorder.at() + _TURN
        else:
            step = self._recorder.at() + 1
            while self._below(_CHANCE):
                step += 1
        self._recorder.ask_at(step)

    def _below(self, n: int) -> int:
        """Draw a number from the seed of the schedule (splitmix64); `random` belongs to the program."""
        self._source = (self._source + 0x9E3779B97F4A7C15) & _MASK
        z = self._source
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return (z ^ (z >> 31)) % n

    # ---- the collector: finalisers of the program would run unseen, inside our own work

    def hold(self) -> None:
        """Keep the collector from running."""
        self._collecting = _is_collecting()
        _hold_collector()

    def release(self) -> None:
        """Let the collector run again, if the program does."""
        if self._collecting:
            _release_collector()
