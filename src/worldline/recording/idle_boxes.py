"""Boxes that wait for their next program. Starting a box takes far longer than most programs run.

`take_box` and `put_back` stand where `open_box` and `Box.close` would. A program cannot tell whether its box is new:
each has a process, a network and a scratch folder of its own. A box ends with the thread that opened it, so only those
of the main thread are kept. One without walls (`--trust`) never is.
"""

from __future__ import annotations

import atexit
import os
from dataclasses import replace

from worldline.limits import Limits
from worldline.recording.box import BoxPlan
from worldline.recording.sandbox import Box, open_box

MOST = 4
_idle: dict[int, list[Box]] = {}  # by process, oldest first: what a forked child inherits is not its own


def take_box(plan: BoxPlan, limits: Limits) -> Box:
    """A box of this plan that waits, or a new one; NoSandbox where none can be had."""
    wanted = replace(plan, limits=limits)
    ours = _idle.get(os.getpid(), [])
    for box in ours:
        if box.is_ours and box.asked == wanted:
            ours.remove(box)
            if box.stands:
                return box
            box.close()
            break
    return open_box(plan, limits)


def put_back(box: Box) -> None:
    """Keep a box for the next program, or put it away; the one that has waited longest makes room."""
    if not (box.is_ours and box.plan.boxed and box.stands):
        box.close()
        return
    ours = _idle.setdefault(os.getpid(), [])
    ours.append(box)
    if len(ours) > MOST:
        ours.pop(0).close()


@atexit.register
def close_all() -> None:
    """Put every waiting box of this process away."""
    for box in _idle.pop(os.getpid(), []):
        box.close()
