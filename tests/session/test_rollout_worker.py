"""The thread that grows branches: one at a time, watched, stopped, refused and broken."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

import pytest

from worldline.core.errors import UsageError
from worldline.ui.session.rollout import RolloutProgress
from worldline.ui.session.rollout_worker import Act, IsStopped, RolloutController, RolloutWorker, Start


@pytest.fixture
def thread() -> Iterator[RolloutWorker]:
    """A thread of its own, which ends."""
    found = RolloutWorker()
    yield found
    found.end(10)
    assert not found.is_alive


def growing(branch: int, gate: threading.Event) -> Start:
    """A branch that grows until it is let go or stopped."""

    def start(is_stopped: IsStopped) -> Iterator[RolloutProgress]:
        yield RolloutProgress(branch, "truth")
        while not gate.wait(0.01) and not is_stopped():
            yield RolloutProgress(branch, "model")
        yield RolloutProgress(branch, "done", note="stopped" if is_stopped() else "")

    return start


def failing(error: Exception, *, at_once: bool) -> Start:
    """A branch that cannot be begun, or breaks."""

    def start(is_stopped: IsStopped) -> Iterator[RolloutProgress]:
        if not at_once:
            yield RolloutProgress(7, "truth")
        raise error

    return start


class Watcher:
    """Whoever looks at one branch at a time: what he is told, in the order in which he reads it."""

    def __init__(self, thread: RolloutWorker) -> None:
        self.posted: queue.SimpleQueue[Act] = queue.SimpleQueue()
        self.controller = RolloutController(thread, self.posted.put)
        self.told: list[str] = []

    def start(self, start: Start, *, broken: Callable[[str], None] | None = None) -> None:
        """Begins to look at another branch."""
        self.controller.start(
            start,
            begun=lambda branch: self.told.append(f"begun {branch}"),
            grew=lambda progress: self.told.append(
                f"{progress.branch} {progress.stage} {progress.note}".strip()
            ),
            refused=lambda why: self.told.append(f"refused {why}"),
            broken=broken,
        )

    def read_until(self, text: str) -> list[str]:
        """Reads what is posted until something is said."""
        while text not in self.told:
            self.posted.get(timeout=120)()
        return list(dict.fromkeys(self.told))


def test_a_branch_is_begun_by_who_asks_and_grown_by_the_thread(thread: RolloutWorker) -> None:
    gate = threading.Event()
    first, second = (thread.begin(growing(branch, gate)) for branch in (1, 2))
    assert (first.branch, second.branch) == (1, 2)
    assert second.latest == RolloutProgress(2, "truth")  # it waits for the first one
    assert not second.over.wait(0.05)
    first.stop()
    assert first.over.wait(10)
    assert first.latest == RolloutProgress(1, "done", note="stopped")
    gate.set()
    assert second.over.wait(10)
    assert second.latest == RolloutProgress(2, "done")


def test_what_cannot_be_begun_is_said_to_who_asks(thread: RolloutWorker) -> None:
    with pytest.raises(UsageError, match="no"):
        thread.begin(failing(UsageError("no"), at_once=True))


def test_a_fault_ends_one_branch_and_is_logged(
    thread: RolloutWorker, caplog: pytest.LogCaptureFixture
) -> None:
    assert thread.begin(failing(ZeroDivisionError("ours"), at_once=False)).over.wait(10)
    assert "ours" in caplog.text
    gate = threading.Event()
    gate.set()
    assert thread.begin(growing(1, gate)).over.wait(10)


def test_another_branch_stops_the_one_before(thread: RolloutWorker) -> None:
    watcher, gate = Watcher(thread), threading.Event()
    watcher.start(growing(1, gate))
    watcher.read_until("1 model")
    watcher.start(growing(2, gate))
    assert watcher.read_until("2 model") == [
        "begun 1", "1 truth", "1 model", "1 done stopped", "begun 2", "2 truth", "2 model",
    ]  # fmt: skip
    watcher.controller.stop()
    assert watcher.read_until("2 done stopped")[-1] == "2 done stopped"


def test_who_watches_is_told_why_there_is_no_branch_or_no_more_of_it(thread: RolloutWorker) -> None:
    watcher = Watcher(thread)
    watcher.start(failing(UsageError("no"), at_once=True))
    assert watcher.read_until("refused no") == ["refused no"]
    watcher.start(failing(KeyError("x"), at_once=False))
    assert watcher.read_until("refused KeyError: 'x'")[1:] == ["begun 7", "7 truth", "refused KeyError: 'x'"]
    watcher.start(
        failing(UsageError("later"), at_once=False), broken=lambda why: watcher.told.append(f"broken {why}")
    )
    assert watcher.read_until("broken later")[-1] == "broken later"


def test_other_work_is_done_in_its_turn(thread: RolloutWorker) -> None:
    gate, done = threading.Event(), threading.Event()
    rollout = thread.begin(growing(1, gate))
    thread.do(done.set)
    assert not done.wait(0.05)
    rollout.stop()
    assert done.wait(10)
