"""Swap every clock in place: it reads the virtual clock under a seed, or the machine when live.

A reading is a hidden input `clock`, in nanoseconds. The virtual clock advances only with waits and
readings. A reading takes a microsecond, and more if nobody waits in between, so that a loop that
waits for a time ends.
"""

from __future__ import annotations

import builtins
import posix
import resource
import time
from _warnings import warn
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .. import behavior
from .tape import Swap, Tape
from .virtual_clock import VirtualClock

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_datetime: Any = import_module("_datetime")
_UTC = _datetime.timezone.utc
_DEPRECATED = (
    "datetime.datetime.utcnow() is deprecated and scheduled for removal in a future version. Use timezone-aware "
    "objects to represent datetimes in UTC: datetime.datetime.now(datetime.UTC)."
)
_SECOND, _DAY = 10**9, 86_400
_START = 1_767_225_600  # 2026-01-01, in seconds of the epoch
_READING, _PATIENCE = 1000, 10  # nanoseconds of a reading, and readings in a row until they take longer
_WALL, _STEADY, _BUSY = "time_ns", "monotonic_ns", "process_time_ns"
_CLOCKS = {
    time.CLOCK_REALTIME: _WALL,
    time.CLOCK_MONOTONIC: _STEADY,
    time.CLOCK_MONOTONIC_RAW: _STEADY,
    time.CLOCK_BOOTTIME: _STEADY,
    time.CLOCK_PROCESS_CPUTIME_ID: _BUSY,
    time.CLOCK_THREAD_CPUTIME_ID: _BUSY,
}
_NAMES = {"time": _WALL, "monotonic": _STEADY, "perf_counter": _STEADY, "process_time": _BUSY, "thread_time": _BUSY}


class Clocks:
    """The readings of each clock, through the tape."""

    def __init__(self, tape: Tape, clock: VirtualClock, seed: int | None) -> None:
        self._tape, self._clock = tape, clock
        self.begin = {_WALL: (_START + (seed or 0) % _DAY) * _SECOND, _STEADY: 1000 * _SECOND, _BUSY: _SECOND // 50}
        self._busy = self._row = 0
        self._last = -1
        self.real: dict[str, Callable[[], int]] = {}

    def read(self, which: str, real: Callable[[], int] | None = None) -> int:
        """Read a clock in nanoseconds. `real` replaces the real clock to ask."""
        fresh = (real or self.real[which])() if self._tape.live else self.virtual(which)
        value: int = self._tape.draw("clock", fresh)
        if value != fresh:
            self.begin[which] += value - fresh  # so that it does not go back when nothing is given any more
        return value

    def virtual(self, which: str) -> int:
        """Read the virtual clock without recording it."""
        now = self._clock.now()
        self._row = self._row + 1 if now == self._last else 0
        took = _READING * (1 + self._row // _PATIENCE)
        self._clock.jump(now + took)
        self._busy, self._last = self._busy + took, now + took
        return self.begin[which] + (self._busy if which == _BUSY else now + took)


def install(tape: Tape, clock: VirtualClock, swap: Swap, seed: int | None) -> tuple[int, int]:
    """Swap every clock. Return when the virtual clock started, and the real time."""
    clocks = Clocks(tape, clock, seed)
    _swap_numbers(clocks, swap)
    clock.real_now = clocks.real[_STEADY]
    _swap_calendar(clocks, swap)
    _swap_dates(clocks, swap)
    _swap_usage(clocks, tape, swap)
    return clocks.begin[_WALL], clocks.real[_WALL]()


def _swap_numbers(clocks: Clocks, swap: Swap) -> None:
    def swap_pair(name: str, which: str) -> None:
        def in_nanoseconds() -> int:
            return clocks.read(which, real)

        def in_seconds() -> float:
            return clocks.read(which, real) / 1e9

        real = swap(time, f"{name}_ns", in_nanoseconds)
        clocks.real.setdefault(which, real)
        swap(time, name, in_seconds)

    def clock_gettime(number: Any, /) -> Any:
        which = _CLOCKS.get(number) if type(number) is int else None
        return seconds(number) if which is None else clocks.read(which, lambda: nanoseconds(number)) / 1e9

    def clock_gettime_ns(number: Any, /) -> Any:
        which = _CLOCKS.get(number) if type(number) is int else None
        return nanoseconds(number) if which is None else clocks.read(which, lambda: nanoseconds(number))

    for name, which in _NAMES.items():
        swap_pair(name, which)
    seconds: Any = swap(time, "clock_gettime", clock_gettime)
    nanoseconds: Any = swap(time, "clock_gettime_ns", clock_gettime_ns)


def _swap_calendar(clocks: Clocks, swap: Swap) -> None:
    """Swap the functions of `time` that use the present if they get no time."""

    def swap_present(name: str) -> Any:
        def present(*args: Any) -> Any:
            return original(*args) if args and args[0] is not None else original(clocks.read(_WALL) // _SECOND)

        original = swap(time, name, present)
        return original

    def asctime(*args: Any) -> Any:
        return shown(*args) if args else shown(localtime(clocks.read(_WALL) // _SECOND))

    def strftime(*args: Any) -> Any:
        return formatted(*args) if len(args) != 1 else formatted(*args, localtime(clocks.read(_WALL) // _SECOND))

    localtime: Any = swap_present("localtime")
    swap_present("gmtime")
    swap_present("ctime")
    shown: Any = swap(time, "asctime", asctime)
    formatted: Any = swap(time, "strftime", strftime)


def _swap_dates(clocks: Clocks, swap: Swap) -> None:
    """Swap `now` and `utcnow`. `date.today` and `datetime.today` call `time.time` themselves."""
    kind: Any = _datetime.datetime
    by_time, replaced = kind.__dict__["fromtimestamp"], kind.replace

    def now(cls: Any, tz: Any = None) -> Any:
        return by_time.__get__(None, cls)(clocks.read(_WALL) // 1000 / 1e6, tz)

    def utcnow(cls: Any) -> Any:
        if behavior.UTCNOW_IS_DEPRECATED:
            warn(_DEPRECATED, DeprecationWarning, 2)
        return replaced(now(cls, _UTC), tzinfo=None)

    swap(kind, "now", now)
    swap(kind, "utcnow", utcnow)


def _swap_usage(clocks: Clocks, tape: Tape, swap: Swap) -> None:
    """Swap the functions that report the resource usage of the process."""
    as_times: Any = posix.times_result
    as_usage: Any = resource.struct_rusage

    def ticks(which: str) -> float:
        return clocks.virtual(which) // 10**7 / 100

    def times() -> Any:
        fresh = tuple(times_()) if tape.live else (ticks(_BUSY), 0.0, 0.0, 0.0, ticks(_STEADY))
        return as_times(tape.draw("times", fresh))

    def getrusage(*args: Any) -> Any:
        fresh = tuple(usage(*args))
        if not tape.live:
            fresh = (ticks(_BUSY), 0.0, *(0,) * (len(fresh) - 2))
        return as_usage(tape.draw("usage", fresh))

    times_: Any = swap(posix, "times", times)
    usage: Any = swap(resource, "getrusage", getrusage)
