"""Idle sandboxes, kept for the next program: starting one takes far longer than most programs run.

Call `take_box` and `release_box` instead of `open_box` and `Box.close`. A program cannot tell whether its sandbox is
new, because each program has its own process, network and scratch folder. A sandbox dies with the thread that opened
it, so only those of the main thread are kept. Processes without a sandbox (`--trust`) are never kept.
"""

from __future__ import annotations

import atexit
import os
from dataclasses import replace

from worldline.core.limits import Limits
from worldline.recording.box import BoxPlan
from worldline.recording.sandbox import Box, open_box

MAX_IDLE_BOXES = 4
# Oldest first, by process: a forked child must not use the sandboxes of its parent.
_idle: dict[int, list[Box]] = {}


def take_box(plan: BoxPlan, limits: Limits) -> Box:
    """Return an idle sandbox that was opened with the same plan and limits, or open a new one.

    Raises:
        NoSandbox: This machine cannot start one.
    """
    wanted = replace(plan, limits=limits)
    boxes = _idle.get(os.getpid(), [])
    for box in boxes:
        if box.is_of_main_thread and box.requested_plan == wanted:
            boxes.remove(box)
            if box.is_usable:
                return box
            box.close()
            break
    return open_box(plan, limits)


def release_box(box: Box) -> None:
    """Keep a sandbox for the next program, or close it. Beyond `MAX_IDLE_BOXES` the oldest is closed."""
    if not (box.is_of_main_thread and box.plan.boxed and box.is_usable):
        box.close()
        return
    boxes = _idle.setdefault(os.getpid(), [])
    boxes.append(box)
    if len(boxes) > MAX_IDLE_BOXES:
        boxes.pop(0).close()


def discard_box(box: Box | None) -> None:
    """Kill a sandbox that may be broken, and close the idle ones, so that the next attempt gets a new one."""
    if box is None:
        return
    box.kill()
    if box.is_of_main_thread:
        close_idle_boxes()


@atexit.register
def close_idle_boxes() -> None:
    """Close every idle sandbox of this process."""
    for box in _idle.pop(os.getpid(), []):
        box.close()
