"""How a run ended: from the end record, the limits that were hit, and the wait status, in that order of trust.

Pure: no process, no file. A program cannot reach this code; it can only have died in one way or another.
"""

from __future__ import annotations

import codecs
import os
import re
import signal

from worldline.core.trace import Outcome
from worldline.recording.sandbox import SandboxRun

_NO_SPACE = re.compile(r"OSError\((?:27|28|122),")  # file too large, no space, quota: raised in its own tmpfs
_NO_THREAD = """RuntimeError("can't start new thread")"""
_OWN_ENDS = ("limit", "tampered", "unsupported")  # said by the guest about the program, not by the program


def judge(run: SandboxRun, end: Outcome | None, damage: int | None) -> Outcome:
    """The outcome of a run. Success needs an explicit end record: an exit status alone is `exited`."""
    if damage is not None:
        return Outcome("tampered", f"the wire is damaged at byte {damage}")
    if end is not None and end.kind in _OWN_ENDS:
        return end
    if run.hit and run.hit != "time":
        return Outcome("limit", run.hit)
    if run.disk_full:
        return Outcome("limit", "disk")
    if end is not None:
        return _unless_starved(run, end)
    if run.hit == "time":
        return Outcome("limit", "time")
    if run.fault or run.status is None:
        return Outcome("host-fault", run.fault or "the box did not say how the program ended")
    return _by_status(run.status)


def _unless_starved(run: SandboxRun, end: Outcome) -> Outcome:
    """An exception that only a limit can have raised is that limit."""
    if end.kind == "raised" and _NO_SPACE.match(end.detail):
        return Outcome("limit", "disk")
    if end.kind == "raised" and run.address_bound and end.detail.startswith("MemoryError("):
        return Outcome("limit", "memory")
    if end.kind == "raised" and run.address_bound and end.detail == _NO_THREAD:
        return Outcome("limit", "processes")
    return end


def _by_status(status: int) -> Outcome:
    if not os.WIFSIGNALED(status):
        return Outcome("exited", str(os.WEXITSTATUS(status)))
    number = os.WTERMSIG(status)
    if number == signal.SIGXCPU:
        return Outcome("limit", "time")
    if number == signal.SIGXFSZ:
        return Outcome("limit", "disk")
    try:
        return Outcome("killed", signal.Signals(number).name)
    except ValueError:
        return Outcome("killed", f"SIGRT{number - signal.SIGRTMIN:+d}")


def readable(data: bytes, cap: int) -> str:
    """Output as text: bytes that are not UTF-8 are escaped; a character that the cap cut in two is left out."""
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    return decoder.decode(data, final=len(data) < cap)
