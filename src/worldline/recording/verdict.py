"""Decide the outcome of a run: from its report, its end record, the limits hit and its wait status.

Pure functions without processes or files. A program cannot influence this code except by how it ends.
"""

from __future__ import annotations

import codecs
import os
import signal

from worldline.core.trace import Outcome
from worldline.recording.exchange import BEGUN
from worldline.recording.sandbox import SandboxRun

_OWN_ENDS = ("limit", "tampered", "unsupported")  # reported by the guest, not by the program


def judge(run: SandboxRun, end: Outcome | None, damage: int | None) -> Outcome:
    """Decide the outcome of a run.

    Success needs an explicit end record: an exit status alone is `exited`.

    Args:
        run: The raw result.
        end: The end record of the wire.
        damage: The offset of the first damaged byte of the wire.
    """
    if run.report != BEGUN.decode():
        return end or unbegun(run)  # the guest may end a run itself: an impossible change
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
        return Outcome("host-fault", run.fault or "the sandbox did not say how the program ended")
    return _by_status(run.status)


def unbegun(run: SandboxRun) -> Outcome:
    """Return why a program did not reach its first line. This is never caused by the program itself."""
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
    """Decode output as text: escape invalid UTF-8, and drop a character that the cap cut in two."""
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    return decoder.decode(data, final=len(data) < cap)
