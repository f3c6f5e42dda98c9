"""How a run ended: from its report, the end record, the limits that were hit, and the wait status, in that order.

Pure: no process, no file. A program cannot reach this code; it can only have died in one way or another.
"""

from __future__ import annotations

import codecs
import os
import signal

from worldline.core.trace import Outcome
from worldline.recording.exchange import BEGUN
from worldline.recording.sandbox import SandboxRun

_OWN_ENDS = ("limit", "tampered", "unsupported")  # said by the guest about the program, not by the program


def judge(run: SandboxRun, end: Outcome | None, damage: int | None) -> Outcome:
    """The outcome of a run. Success needs an explicit end record: an exit status alone is `exited`."""
    if run.report != BEGUN.decode():
        return end or unbegun(run)  # an end of the guest's own: the change that was asked for cannot be made
    if damage is not None:
        return Outcome("tampered", f"the wire is damaged at byte {damage}")
    if end is not None and end.kind in _OWN_ENDS:
        return end
    if run.hit and run.hit != "time":
        return Outcome("limit", run.hit)
    if run.disk_full:
        return Outcome("limit", "disk")
    if end is not None:
        return end
    if run.hit == "time":
        return Outcome("limit", "time")
    if run.fault or run.status is None:
        return Outcome("host-fault", run.fault or "the box did not say how the program ended")
    return _by_status(run.status)


def unbegun(run: SandboxRun) -> Outcome:
    """What kept a program from its first line, of which its wire says nothing: never the program's own doing."""
    kind, _, why = run.report.partition(" ")
    if kind in ("limit", "unsupported"):
        return Outcome(kind, why)
    if run.hit and run.hit != "time":
        return Outcome("limit", run.hit)
    if run.hit or run.status is None:
        why = why or run.fault or "the program was not set up in time"
    elif not why:
        ended = _by_status(run.status)
        why = f"the program was not set up: {ended.kind} {ended.detail}"
    return Outcome("host-fault", why)


def _by_status(status: int) -> Outcome:
    if not os.WIFSIGNALED(status):
        return Outcome("exited", str(os.WEXITSTATUS(status)))
    number = os.WTERMSIG(status)
    try:
        return Outcome("killed", signal.Signals(number).name)
    except ValueError:
        return Outcome("killed", f"SIGRT{number - signal.SIGRTMIN:+d}")


def readable(data: bytes, cap: int) -> str:
    """Output as text: bytes that are not UTF-8 are escaped; a character that the cap cut in two is left out."""
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    return decoder.decode(data, final=len(data) < cap)
