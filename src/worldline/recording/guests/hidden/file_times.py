"""Swap `stat`: a file that this run has touched has the time at which the virtual clock started.

The times of the kernel depend on its last tick, so a virtual time could not follow them. When live,
they are the real ones. They are a hidden input `stat` if the code of the program asks for them.
Devices are numbered in order of first use.
"""

from __future__ import annotations

import builtins
import posix
from collections.abc import Container
from sys import _getframe
from typing import Any

from .tape import Swap, Tape

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_ASKERS = ("getmtime", "getatime", "getctime", "stat", "lstat")  # of libraries, on behalf of the program
_SECOND, _RECENT = 10**9, 60 * 10**9
_NAMES = ("st_atime", "st_mtime", "st_ctime")


def install(tape: Tape, swap: Swap, files: Container[str], began: int, real_now: int) -> None:
    """Swap the functions that read the times of files."""

    devices: dict[int, int] = {}

    def settled(stat_result: Any) -> Any:
        device = devices.setdefault(stat_result.st_dev, len(devices) + 1)
        times = tuple(getattr(stat_result, name + "_ns") for name in _NAMES)
        if max(times[1:]) < real_now - _RECENT:
            return _with(stat_result, device, times)  # of the system's own
        fresh = times if tape.live else tuple(began if time >= real_now - _RECENT else time for time in times)
        code = _getframe(2).f_code
        is_asked = code.co_filename in files or code.co_name in _ASKERS
        return _with(stat_result, device, tape.draw("stat", fresh) if is_asked else fresh)

    def swap_stat(owner: Any, name: str) -> None:
        def act(*args: Any, **kwargs: Any) -> Any:
            stat_result = original(*args, **kwargs)
            if _getframe(1).f_code.co_filename.startswith("<frozen importlib"):
                return stat_result  # by which it sees that a folder has changed
            return settled(stat_result)

        original = swap(owner, name, act)

    for name in ("stat", "lstat", "fstat"):
        swap_stat(posix, name)
    swap_stat(posix.DirEntry, "stat")


def _with(stat_result: Any, device: int, times: tuple[int, ...]) -> Any:
    kind, (shown, more) = stat_result.__reduce__()
    for name, time in zip(_NAMES, times, strict=True):
        more |= {name: time // _SECOND + 1e-9 * (time % _SECOND), name + "_ns": time}
    return kind((*shown[:2], device, *shown[3:7], *(time // _SECOND for time in times)), more)
