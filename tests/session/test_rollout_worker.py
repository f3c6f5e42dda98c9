"""The rollout worker: one branch at a time, watched, stopped, refused and failing."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator

import pytest

from worldline.core.errors import UsageError
from worldline.ui.session.rollout import RolloutProgress
from worldline.ui.session.rollout_worker import (
    IsStopped,
    Job,
    RolloutCallbacks,
    RolloutController,
    RolloutWorker,
    Start,
)


@pytest.fixture
def thread() -> Iterator[RolloutWorker]:
    """A worker that is ended after the test."""
    worker = RolloutWorker()
    yield worker
    worker.end(10)
    assert not worker.is_alive


def endless(branch: int, gate: threading.Event) -> Start:
    """A rollout that runs until the gate opens or it is stopped."""

    def start(is_stopped: IsStopped) -> Iterator[RolloutProgress]:
        yield RolloutProgress(branch, "truth")
        while not gate.wait(0.01) and not is_stopped():
            yield RolloutProgress(branch, "model")
        yield RolloutProgress(branch, "done", note="stopped" if is_stopped() else "")

    return start


def failing(error: Exception, *, at_once: bool) -> Start:
    """A rollout that cannot start, or fails later."""

    def start(is_stopped: IsStopped) -> Iterator[RolloutProgress]:
        if not at_once:
            yield RolloutProgress(7, "truth")
        raise error

    return start


class Watcher:
    """A front end that shows one branch at a time, and logs its callbacks."""

    def __init__(self, thread: RolloutWorker) -> None:
        self.posted: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self.controller = RolloutController(thread, self.posted.put)
        self.log: list[str] = []

    def start(self, start: Start) -> None:
        """Start another rollout."""
        callbacks = RolloutCallbacks(
            on_start=lambda branch: self.log.append(f"started {branch}"),
            on_progress=lambda progress: self.log.append(f"{progress.branch} {progress.stage} {progress.note}".strip()),
            on_refusal=lambda why: self.log.append(f"refused {why}"),
            on_failure=lambda why: self.log.append(f"failed {why}"),
        )
        self.controller.start(start, callbacks)

    def read_until(self, text: str) -> list[str]:
        """Execute posted callbacks until this text is logged."""
        while text not in self.log:
            self.posted.get(timeout=120)()
        return list(dict.fromkeys(self.log))


def test_a_rollout_starts_in_the_caller_and_runs_on_the_worker(thread: RolloutWorker) -> None:
    gate = threading.Event()
    first, second = (thread.begin(endless(branch, gate)) for branch in (1, 2))
    assert (first.branch, second.branch) == (1, 2)
    assert second.latest == RolloutProgress(2, "truth")  # it waits for the first one
    assert not second.finished.wait(0.05)
    first.stop()
    assert first.finished.wait(10)
    assert first.latest == RolloutProgress(1, "done", note="stopped")
    gate.set()
    assert second.finished.wait(10)
    assert second.latest == RolloutProgress(2, "done")


def test_a_rollout_that_cannot_start_raises_in_the_caller(thread: RolloutWorker) -> None:
    with pytest.raises(UsageError, match="no"):
        thread.begin(failing(UsageError("no"), at_once=True))


def test_a_failure_ends_one_rollout_and_is_logged(thread: RolloutWorker, caplog: pytest.LogCaptureFixture) -> None:
    assert thread.begin(failing(ZeroDivisionError("ours"), at_once=False)).finished.wait(10)
    assert "ours" in caplog.text
    gate = threading.Event()
    gate.set()
    assert thread.begin(endless(1, gate)).finished.wait(10)


def test_starting_a_rollout_stops_the_previous_one(thread: RolloutWorker) -> None:
    watcher, gate = Watcher(thread), threading.Event()
    watcher.start(endless(1, gate))
    watcher.read_until("1 model")
    watcher.start(endless(2, gate))
    assert watcher.read_until("2 model") == [
        "started 1", "1 truth", "1 model", "1 done stopped", "started 2", "2 truth", "2 model",
    ]  # fmt: skip
    watcher.controller.stop()
    assert watcher.read_until("2 done stopped")[-1] == "2 done stopped"


def test_refusals_and_failures_are_reported_with_the_reason(thread: RolloutWorker) -> None:
    watcher = Watcher(thread)
    watcher.start(failing(UsageError("no"), at_once=True))
    assert watcher.read_until("refused no") == ["refused no"]
    watcher.start(failing(KeyError("x"), at_once=False))
    assert watcher.read_until("failed KeyError: 'x'")[1:] == ["started 7", "7 truth", "failed KeyError: 'x'"]
    watcher.start(failing(UsageError("later"), at_once=False))
    assert watcher.read_until("failed later")[-1] == "failed later"


def test_jobs_run_in_order(thread: RolloutWorker) -> None:
    gate, done = threading.Event(), threading.Event()
    rollout = thread.begin(endless(1, gate))
    thread.submit(done.set)
    assert not done.wait(0.05)
    rollout.stop()
    assert done.wait(10)
