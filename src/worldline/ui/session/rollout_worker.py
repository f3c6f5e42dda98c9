"""Rollouts on a worker thread, one at a time, while other threads watch.

A `RolloutWorker` executes jobs in order. A `Rollout` is one branch being written, which any thread may read or stop. A
`RolloutController` serves a front end that shows one branch at a time: it posts its callbacks to the front end's queue.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from worldline.core.errors import WorldlineError
from worldline.ui.session.rollout import RolloutProgress

Job = Callable[[], None]
Post = Callable[[Job], None]
IsStopped = Callable[[], bool]
Start = Callable[[IsStopped], Iterator[RolloutProgress]]
"""Starts a rollout and yields its progress. It receives a function that says whether to stop."""
_log = logging.getLogger(__name__)


class Rollout:
    """One branch being written: its latest progress (None before the first), and whether it is finished."""

    def __init__(self, start: Start) -> None:
        self.latest: RolloutProgress | None = None
        self.finished = threading.Event()
        self.is_started = False  # False while it waits for its turn
        self._stopping = threading.Event()
        self._progress = self._start(start)

    def _start(self, start: Start) -> Iterator[RolloutProgress]:
        yield from start(self._stopping.is_set)

    @property
    def branch(self) -> int:
        """The number of the branch, known from the first progress on."""
        assert self.latest is not None
        return self.latest.branch

    def stop(self) -> None:
        """Stop the model. What it has written stays."""
        self._stopping.set()

    def begin(self) -> None:
        """Wait for the first progress. Raises if the rollout cannot start."""
        self.latest = next(self._progress)

    def run(self, watch: Callable[[RolloutProgress], None], fail: Callable[[Exception], None]) -> None:
        """Run to the end. `watch` gets each progress before it becomes the latest, `fail` an exception."""
        self.is_started = True
        try:
            for progress in self._progress:
                watch(progress)
                self.latest = progress
        except Exception as error:  # the thread must survive for the next rollout
            fail(error)
        finally:
            self.finished.set()


class RolloutWorker:
    """A thread that executes jobs in order: rollouts, and other work that takes long."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="worldline-rollout", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether the thread is running."""
        return self._thread.is_alive()

    def submit(self, job: Job) -> None:
        """Add a job, which must not raise, to the end of the queue."""
        self._jobs.put(job)

    def begin(self, start: Start) -> Rollout:
        """Add a rollout to the end of the queue.

        Its first progress is awaited here, so that an impossible rollout raises in the caller. It continues if nobody
        watches.
        """
        rollout = Rollout(start)
        rollout.begin()
        self.submit(partial(rollout.run, lambda progress: None, _log_failure))
        return rollout

    def end(self, seconds: float) -> None:
        """Accept no more jobs, and wait at most this long for the current ones."""
        self._jobs.put(None)
        self._thread.join(seconds)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def _log_failure(error: Exception) -> None:
    """A rollout never raises because of a program or a model: this is a bug."""
    _log.error("a branch failed", exc_info=error)


@dataclass(frozen=True, kw_only=True)
class RolloutCallbacks:
    """What a front end does when a rollout starts, progresses, cannot start, or fails later."""

    on_start: Callable[[int], None]
    on_progress: Callable[[RolloutProgress], None]
    on_refusal: Callable[[str], None]
    on_failure: Callable[[str], None]


class RolloutController:
    """Rollouts for a front end that shows one branch at a time: starting one stops the previous one."""

    def __init__(self, thread: RolloutWorker, post: Post) -> None:
        self.thread, self.post = thread, post
        self._current: Rollout | None = None

    def stop(self) -> None:
        """Stop the current rollout. What it has written stays."""
        if self._current is not None:
            self._current.stop()

    def start(self, start: Start, callbacks: RolloutCallbacks) -> None:
        """Stop the current rollout and start another one."""
        self.stop()
        self._current = rollout = Rollout(start)

        def watch(progress: RolloutProgress) -> None:
            if rollout.latest is None:
                self.post(partial(callbacks.on_start, progress.branch))
            self.post(partial(callbacks.on_progress, progress))

        def fail(error: Exception) -> None:
            why = str(error) if isinstance(error, WorldlineError) else f"{type(error).__name__}: {error}"
            self.post(partial(callbacks.on_refusal if rollout.latest is None else callbacks.on_failure, why))

        self.thread.submit(partial(rollout.run, watch, fail))
