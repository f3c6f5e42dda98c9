"""An idle sandbox is reused, unless it died, another thread opened it or it belongs to another process."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import asdict

import pytest

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.recording.idle_sandboxes import (
    MAX_IDLE_BOXES,
    close_idle_sandboxes,
    discard_sandbox,
    release_sandbox,
    take_sandbox,
)
from worldline.recording.recorder import prepare, record
from worldline.recording.sandbox import Sandbox

LIMITS = Limits()


@pytest.fixture(autouse=True)
def _start_without_idle_sandboxes(sandbox: None) -> Iterator[None]:
    close_idle_sandboxes()
    yield
    close_idle_sandboxes()


def _take(limits: Limits = LIMITS, *, trust: bool = False) -> Sandbox:
    return take_sandbox(prepare(limits=limits, python=None, core="auto", trust=trust).plan, limits)


def _runs(sandbox: Sandbox) -> bool:
    spec = {"name": "a.py", "source": "pass", "call": None, "argv": [], "files": {}, "limits": asdict(LIMITS)}
    return sandbox.run({**spec, "change": None, "control": None}, b"").report == "begun"


def test_an_idle_box_is_reused() -> None:
    first = _take()
    release_sandbox(first)
    assert _take() is first
    assert _runs(first)
    first.close()


def test_other_limits_need_another_box() -> None:
    first = _take()
    release_sandbox(first)
    other = _take(Limits(steps=7))
    assert other is not first
    assert other.limits.steps == 7
    other.close()


def test_a_box_that_died_while_idle_is_replaced() -> None:
    first = _take()
    release_sandbox(first)
    os.kill(first._process.pid, 9)
    first._process.wait()
    second = _take()
    assert second is not first
    assert _runs(second)
    second.close()


def test_after_a_broken_box_the_next_one_is_new() -> None:
    idle, broken = _take(), _take()
    release_sandbox(idle)
    discard_sandbox(broken)
    fresh = _take()
    assert fresh is not idle
    assert not idle.alive
    assert _runs(fresh)
    fresh.close()
    broken.close()


def test_the_oldest_is_closed_when_there_are_too_many() -> None:
    sandboxes = [_take(Limits(steps=steps)) for steps in range(1, MAX_IDLE_BOXES + 2)]
    for sandbox in sandboxes:
        release_sandbox(sandbox)
    assert [sandbox.alive for sandbox in sandboxes] == [False] + [True] * MAX_IDLE_BOXES


def test_a_process_without_a_sandbox_is_not_kept() -> None:
    sandbox = _take(trust=True)
    release_sandbox(sandbox)
    assert not sandbox.alive


def test_a_box_of_another_thread_is_not_kept() -> None:
    opened: list[Sandbox] = []
    thread = threading.Thread(target=lambda: opened.append(_take()))
    thread.start()
    thread.join()
    release_sandbox(opened[0])
    assert not opened[0].alive


def test_another_thread_opens_its_own_box() -> None:
    kept = _take()
    release_sandbox(kept)
    taken: list[bool] = []

    def take() -> None:
        sandbox = _take()
        taken.append(sandbox is kept)
        sandbox.close()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    assert taken == [False]
    assert kept.alive


def test_a_forked_child_opens_its_own_box() -> None:
    kept = _take()
    release_sandbox(kept)
    child = os.fork()
    if child == 0:
        try:
            sandbox = _take()
            os._exit(0 if sandbox is not kept and _runs(sandbox) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert _take() is kept
    assert _runs(kept)
    kept.close()


def test_a_program_leaves_nothing_for_the_next() -> None:
    leaving = """
import os, subprocess, sys
for folder in (".", "/tmp", "/dev/shm"):
    open(os.path.join(folder, "left"), "w").write("here")
os.environ["LEFT"] = "1"
sys.modules["left"] = sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
"""
    looking = """
import os, sys
found = [os.path.exists(os.path.join(folder, "left")) for folder in (".", "/tmp", "/dev/shm")]
print(any(found), os.environ.get("LEFT"), "left" in sys.modules, sorted(filter(str.isdigit, os.listdir("/proc"))))
"""
    alone = record(Program(source=looking)).output
    record(Program(source=leaving))
    assert record(Program(source=looking)).output == alone
    assert alone.startswith("False None False")
