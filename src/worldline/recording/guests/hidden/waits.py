"""Swap the functions in which threads start, wait and end for ones that ask the scheduler.

Conditions, events, semaphores, barriers, queues, joins, timers and pools are written in Python on top
of these. A wait that does not block is the real one, and so is that of a thread the scheduler does not
know.
"""

from __future__ import annotations

import _thread
import builtins
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from ..turns.locks import giving_mode, taking_mode
from .schedule import Given, Scheduler, Thread
from .tape import Swap
from .virtual_clock import VirtualClock

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_Lock, _RLock = _thread.LockType, _thread.RLock
_locked, _shown = _Lock.locked, _RLock.__repr__
_MAX_TIMEOUT = _thread.TIMEOUT_MAX
_HANDLES = hasattr(_thread, "start_joinable_thread")
_ESCAPED = "Exception ignored in thread started by" + (" {!r}:" if _HANDLES else ": {!r}")


class _Real:
    """The original functions."""

    def __init__(self) -> None:
        self.ident: Callable[[], int] = _thread.get_ident
        self.acquire: Any = _Lock.acquire
        self.release: Any = _Lock.release
        self._new: Callable[[], Any] = _thread.allocate_lock

    def baton(self) -> Any:
        """Return a lock that is held."""
        lock = self._new()
        self.acquire(lock)
        return lock


def install(tape: Given, clock: VirtualClock, recorder: Any, swap: Swap, control: dict[str, Any]) -> Scheduler:
    """Schedule the threads of the program from now on."""
    real = _Real()
    scheduler = Scheduler(tape, clock, recorder, real, control)
    _swap_locks(scheduler, real, swap)
    (_swap_handles if _HANDLES else _swap_starts)(scheduler, real, swap)
    _swap_names(scheduler, real, swap)
    _swap_queue(scheduler, swap)
    clock.real_sleep = _swap_sleep(scheduler, swap)
    _swap_polls(scheduler, swap)
    if control.get("turns") is not None:
        _swap_touches(scheduler, swap)
    return scheduler


def _swap_touches(scheduler: Scheduler, swap: Swap) -> None:
    """Note which turns give locks and queues back: those that take them wait for that."""
    from _queue import SimpleQueue

    def noting(kind: Any, name: str) -> None:
        def act(thing: Any, *args: Any, **kwargs: Any) -> Any:
            scheduler.touch(thing, "u" if name == "_release_save" else giving_mode(thing))
            return original(thing, *args, **kwargs)

        original = swap(kind, name, act)

    for kind in (_Lock, _RLock):
        for name in ("release", "__exit__"):
            noting(kind, name)
    noting(_Lock, "release_lock")
    noting(_RLock, "_release_save")
    for name in ("put", "put_nowait"):
        noting(SimpleQueue, name)


def _swap_locks(scheduler: Scheduler, real: _Real, swap: Swap) -> None:
    def swap_wait(kind: Any, names: tuple[str, ...], is_free: Callable[[Any], bool]) -> Any:
        def acquire(lock: Any, blocking: Any = True, timeout: Any = -1) -> Any:
            scheduler.touch(lock, taking_mode(lock))
            if not scheduler.is_mine() or not blocking or not _is_time(timeout):
                return original(lock, blocking, timeout)
            if original(lock, False):
                return True
            until = None if timeout < 0 else scheduler.until(timeout)
            while not scheduler.is_over(until):
                scheduler.wait(lambda: is_free(lock), until)
                scheduler.touch(lock, taking_mode(lock))
                if original(lock, False):
                    return True
            return False

        def enter(lock: Any) -> Any:
            return acquire(lock)

        original = swap(kind, "acquire", acquire)
        for name in names:
            swap(kind, name, enter if name == "__enter__" else acquire)
        return original

    def is_unlocked(lock: Any) -> bool:
        return _shown(lock).startswith("<unlocked")  # the only way to ask, before 3.14

    def acquire_restore(lock: Any, state: Any, /) -> Any:
        while scheduler.is_mine() and not is_unlocked(lock):
            scheduler.wait(lambda: is_unlocked(lock), None)
        scheduler.touch(lock, taking_mode(lock))
        return restore(lock, state)

    real.acquire = swap_wait(_Lock, ("acquire_lock", "__enter__"), lambda lock: not _locked(lock))
    swap_wait(_RLock, ("__enter__",), is_unlocked)
    restore = swap(_RLock, "_acquire_restore", acquire_restore)


def _is_time(timeout: Any) -> bool:
    """Tell whether it is a valid timeout; the real function reports what is wrong with others."""
    return type(timeout) in (int, float) and (timeout == -1 or 0 < timeout <= _MAX_TIMEOUT)


def _run(function: Any, args: Any, kwargs: Any) -> None:
    """Run a bare thread as the interpreter does: report an exception without our own frames, and drop it."""
    try:
        function(*args, **kwargs)
    except SystemExit:
        pass
    except BaseException as error:
        traceback = error.__traceback__
        while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
            traceback = traceback.tb_next
        print(_ESCAPED.format(function), file=sys.stderr)
        sys.__excepthook__(type(error), error.with_traceback(traceback), traceback)


def _swap_starts(scheduler: Scheduler, real: _Real, swap: Swap) -> None:
    """Swap thread starts before 3.13: a lock is released when the interpreter has forgotten a thread."""

    def start_new_thread(function: Any, args: Any, kwargs: Any = None, /) -> int:
        arguments = (function, args) if kwargs is None else (function, args, kwargs)
        if not scheduler.is_mine() or not callable(function) or type(args) is not tuple:
            return int(start(*arguments))
        thread, _ = scheduler.begin(lambda body: start(body, ()), act_of(*arguments), daemon=True)
        return thread.number + 1

    def act_of(function: Any, args: Any, kwargs: Any = None) -> Callable[[], Any]:
        def act() -> Any:
            try:
                _run(function, args, kwargs or {})
            finally:
                if scheduler.running.is_gone is None:
                    set_sentinel()

        return act

    def set_sentinel() -> Any:
        lock = sentinel()

        def is_gone() -> None:
            real.acquire(lock)
            real.release(lock)

        if scheduler.is_mine():
            scheduler.running.is_gone = is_gone
            scheduler.running.end_marks.append(lock)
        return lock

    start: Any = swap(_thread, "start_new_thread", start_new_thread)
    swap(_thread, "start_new", start_new_thread)
    sentinel: Any = swap(_thread, "_set_sentinel", set_sentinel)


def _swap_handles(scheduler: Scheduler, real: _Real, swap: Swap) -> None:
    """Swap thread starts from 3.13 on: a thread has a handle that others can join."""

    def start_new_thread(function: Any, args: Any, kwargs: Any = None, /) -> int:
        arguments = (function, args) if kwargs is None else (function, args, kwargs)
        if not scheduler.is_mine() or not callable(function) or type(args) is not tuple:
            return int(start(*arguments))
        return begin(lambda: _run(function, args, kwargs or {}), True, None)[0].number + 1

    def start_joinable_thread(function: Any, daemon: Any = True, handle: Any = None) -> Any:
        if not scheduler.is_mine() or not callable(function):
            return joinable(function, daemon=daemon, handle=handle)
        return begin(function, daemon, handle)[1]

    def begin(act: Callable[[], Any], daemon: Any, handle: Any) -> tuple[Thread, Any]:
        thread, started = scheduler.begin(
            lambda body: joinable(body, daemon=daemon, handle=handle), act, daemon=bool(daemon)
        )
        thread.is_gone = lambda: wait(started)
        thread.end_marks.append(started)
        return thread, started

    def join(handle: Any, timeout: Any = None, /) -> Any:
        if not scheduler.is_mine():
            return wait(handle, timeout)
        until = None if timeout is None or timeout < 0 else scheduler.until(timeout)
        while not handle.is_done() and not scheduler.is_over(until):
            scheduler.wait(handle.is_done, until)
        scheduler.touch(handle, "w")
        return wait(handle) if handle.is_done() else None

    def shutdown() -> Any:
        def are_over() -> bool:
            return all(thread.ended or thread.daemon for thread in scheduler.threads[1:])

        while scheduler.is_mine() and not are_over():
            scheduler.wait(are_over, None)
            for thread in scheduler.threads[1:]:
                scheduler.touch(thread, "w")
        return end()

    saved_numbers: dict[int, int] = {}

    def forget_names() -> None:
        if scheduler.running.number:  # in the child `threading` compares its name with that of its handle
            saved_numbers.update(scheduler.numbers)
            scheduler.numbers.clear()

    thread_module: Any = _thread
    os.register_at_fork(before=forget_names, after_in_parent=lambda: scheduler.numbers.update(saved_numbers))
    start: Any = swap(_thread, "start_new_thread", start_new_thread)
    swap(_thread, "start_new", start_new_thread)
    joinable: Any = swap(_thread, "start_joinable_thread", start_joinable_thread)
    wait: Any = swap(thread_module._ThreadHandle, "join", join)
    end: Any = swap(_thread, "_shutdown", shutdown)


def _swap_names(scheduler: Scheduler, real: _Real, swap: Swap) -> None:
    """Number threads from 1, because their real identities are memory addresses."""

    def get_ident() -> int:
        ident = real.ident()
        number = scheduler.numbers.get(ident)
        return ident if number is None else number + 1

    def get_native_id() -> int:
        number = scheduler.numbers.get(real.ident())
        return native() if number is None else number + 1

    def get_main() -> int:
        return 1 if scheduler.numbers else int(main_ident())

    real.ident = swap(_thread, "get_ident", get_ident)
    native: Any = swap(_thread, "get_native_id", get_native_id)
    if hasattr(_thread, "_get_main_thread_ident"):
        main_ident: Any = swap(_thread, "_get_main_thread_ident", get_main)
    threading: Any = sys.modules.get("threading")
    if threading is not None:
        main = threading.main_thread()
        threading._active.pop(main._ident, None)
        main._ident, main._native_id = 1, 1
        threading._active[1] = main


def _swap_queue(scheduler: Scheduler, swap: Swap) -> None:
    from _queue import SimpleQueue  # not before: a program without control does not find it loaded

    empty = SimpleQueue.empty

    def get(queue: Any, block: Any = True, timeout: Any = None) -> Any:
        if not scheduler.is_mine() or not block or not (timeout is None or _is_time(timeout)):
            return original(queue, block, timeout)
        until = None if timeout is None else scheduler.until(timeout)
        scheduler.touch(queue, "w")
        while empty(queue) and not scheduler.is_over(until):
            scheduler.wait(lambda: not empty(queue), until)
            scheduler.touch(queue, "w")
        return original(queue, False)

    original = swap(SimpleQueue, "get", get)


def _swap_sleep(scheduler: Scheduler, swap: Swap) -> Any:
    def sleep(seconds: Any, /) -> None:
        if not scheduler.is_mine() or not isinstance(seconds, (int, float)) or not 0 <= seconds <= _MAX_TIMEOUT:
            original(seconds)
        else:
            scheduler.wait(None, scheduler.until(seconds))

    original = swap(time, "sleep", sleep)
    return original


def _swap_polls(scheduler: Scheduler, swap: Swap) -> None:
    """Swap what an event loop waits in. If it watches only its own wake-up, nothing outside can end the wait."""
    import select

    def waiting(look: Callable[[float], Any], seconds: Any, *, outside: bool) -> Any:
        ready = look(0)
        if ready or seconds == 0:
            return ready
        until = None if seconds is None or seconds < 0 else scheduler.until(seconds)
        while not ready and not scheduler.is_over(until):
            scheduler.wait(lambda: look(0), until, look if outside else None)
            ready = look(0)
        return ready

    def epoll_poll(self: Any, timeout: Any = None, maxevents: Any = -1) -> Any:
        if not scheduler.is_mine():
            return epoll(self, timeout, maxevents)
        return waiting(lambda seconds: epoll(self, seconds, maxevents), timeout, outside=maxevents != 1)

    def poll_poll(self: Any, timeout: Any = None, /) -> Any:
        if not scheduler.is_mine():
            return poll(self, timeout)
        seconds = None if timeout is None else timeout / 1000
        return waiting(lambda seconds: poll(self, seconds * 1000), seconds, outside=True)

    def select_select(rlist: Any, wlist: Any, xlist: Any, timeout: Any = None, /) -> Any:
        def look(seconds: float) -> Any:
            ready = selects(*lists, seconds)
            return ready if any(ready) else ()

        if not scheduler.is_mine():
            return selects(rlist, wlist, xlist, timeout)
        lists = tuple(rlist), tuple(wlist), tuple(xlist)
        return waiting(look, timeout, outside=any(lists)) or ([], [], [])

    epoll: Any = swap(select.epoll, "poll", epoll_poll)
    poll: Any = swap(type(select.poll()), "poll", poll_poll)
    selects: Any = swap(select, "select", select_select)
