"""Idle sandboxes, kept for the next program: starting one takes far longer than most programs run.

Call `take_sandbox` and `release_sandbox` instead of `open_sandbox` and `Sandbox.close`. A program cannot tell whether
its sandbox is new, because each program has its own process, network and scratch folder. A sandbox dies with the thread
that opened it, so only those of the main thread are kept. Processes without a sandbox (`--trust`) are never kept.
"""

from __future__ import annotations

import atexit
import os
from dataclasses import replace

from worldline.core.limits import Limits
from worldline.recording.sandbox import Sandbox, open_sandbox
from worldline.recording.sandbox_plan import SandboxPlan

MAX_IDLE_BOXES = 4
# Oldest first, by process: a forked child must not use the sandboxes of its parent.
_idle: dict[int, list[Sandbox]] = {}


def take_sandbox(plan: SandboxPlan, limits: Limits) -> Sandbox:
    """Return an idle sandbox that was opened with the same plan and limits, or open a new one.

    Raises:
        NoSandbox: This machine cannot start one.
    """
    wanted = replace(plan, limits=limits)
    sandboxes = _idle.get(os.getpid(), [])
    for sandbox in sandboxes:
        if sandbox.is_of_main_thread and sandbox.requested_plan == wanted:
            sandboxes.remove(sandbox)
            if sandbox.is_usable:
                return sandbox
            sandbox.close()
            break
    return open_sandbox(plan, limits)


def release_sandbox(sandbox: Sandbox) -> None:
    """Keep a sandbox for the next program, or close it. Beyond `MAX_IDLE_BOXES` the oldest is closed."""
    if not (sandbox.is_of_main_thread and sandbox.plan.sandboxed and sandbox.is_usable):
        sandbox.close()
        return
    sandboxes = _idle.setdefault(os.getpid(), [])
    sandboxes.append(sandbox)
    if len(sandboxes) > MAX_IDLE_BOXES:
        sandboxes.pop(0).close()


def discard_sandbox(sandbox: Sandbox | None) -> None:
    """Kill a sandbox that may be broken, and close the idle ones, so that the next attempt gets a new one."""
    if sandbox is None:
        return
    sandbox.kill()
    if sandbox.is_of_main_thread:
        close_idle_sandboxes()


def close_idle_sandboxes_with(tools: str) -> None:
    """Close the idle sandboxes that show this folder of tools. An overlay does not show files replaced below it."""
    sandboxes = _idle.get(os.getpid(), [])
    for sandbox in sandboxes.copy():
        if sandbox.plan.tools == tools:
            sandboxes.remove(sandbox)
            sandbox.close()


@atexit.register
def close_idle_sandboxes() -> None:
    """Close every idle sandbox of this process."""
    for sandbox in _idle.pop(os.getpid(), []):
        sandbox.close()
