"""Branches that grow on a thread of their own, one at a time, while others watch.

A `RolloutWorker` does one thing after the other; a `Rollout` is one branch under way, which anybody may look at or stop;
a `RolloutController` is for somebody who looks at one branch at a time, and is told of it by calls that are posted to his queue.
How a branch grows is `grow`'s, what a stop or a branch means to a front end is not known here.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator
from functools import partial

from worldline.core.errors import WorldlineError
from worldline.ui.session.rollout import RolloutProgress

Act = Callable[[], None]
Post = Callable[[Act], None]
IsStopped = Callable[[], bool]
Start = Callable[[IsStopped], Iterator[RolloutProgress]]
"""What begins a branch; it is told how to ask whether it should stop, and gives its reports."""
_log = logging.getLogger(__name__)


class Rollout:
    """One branch under way: its newest report (None before the first), how it is stopped, and whether it is over."""

    def __init__(self, start: Start) -> None:
        self.latest: RolloutProgress | None = None
        self.over = threading.Event()
        self.is_begun = False  # whether it is its turn
        self._stopping = threading.Event()
        self._reports = self._begun(start)

    def _begun(self, start: Start) -> Iterator[RolloutProgress]:
        yield from start(self._stopping.is_set)

    @property
    def branch(self) -> int:
        """The number of the branch; there is one once there is a report."""
        assert self.latest is not None
        return self.latest.branch

    def stop(self) -> None:
        """What is written by now stays."""
        self._stopping.set()

    def begin(self) -> None:
        """Wait for the first report; what cannot be begun says so by an error."""
        self.latest = next(self._reports)

    def run(self, watch: Callable[[RolloutProgress], None], fail: Callable[[Exception], None]) -> None:
        """Grow to the end; `watch` gets each report before it is the newest, `fail` a bad end before it is over."""
        self.is_begun = True
        try:
            for progress in self._reports:
                watch(progress)
                self.latest = progress
        except Exception as error:  # the thread must live: the next branch is grown by it
            fail(error)
        finally:
            self.over.set()


class RolloutWorker:
    """A thread that does what it is given, in order: branches that grow, and what else takes long."""

    def __init__(self) -> None:
        self._acts: queue.SimpleQueue[Act | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="worldline-growth", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether it has not come to its end."""
        return self._thread.is_alive()

    def do(self, act: Act) -> None:
        """Put something at the end of the line. It must not raise."""
        self._acts.put(act)

    def begin(self, start: Start) -> Rollout:
        """A branch at the end of the line. Its first report is waited for here, so that what cannot be is said at once.

        It goes on when nobody looks; it ends by itself, or when it is stopped.
        """
        rollout = Rollout(start)
        rollout.begin()
        self.do(partial(_grow_alone, rollout))
        return rollout

    def end(self, seconds: float) -> None:
        """No more is to come; waits a while for what is under way."""
        self._acts.put(None)
        self._thread.join(seconds)

    def _work(self) -> None:
        while (act := self._acts.get()) is not None:
            act()


def _grow_alone(rollout: Rollout) -> None:
    def fail(error: Exception) -> None:
        # Our fault: growing never raises for a program or a model.
        _log.error("a branch failed", exc_info=error)

    rollout.run(lambda progress: None, fail)


class RolloutController:
    """Branches for somebody who looks at one at a time: what grows is stopped when another one is wanted."""

    def __init__(self, thread: RolloutWorker, post: Post) -> None:
        self.thread, self.post = thread, post
        self._current: Rollout | None = None

    def stop(self) -> None:
        """Whatever grows now stays as it is."""
        if self._current is not None:
            self._current.stop()

    def start(
        self,
        start: Start,
        *,
        begun: Callable[[int], None],
        grew: Callable[[RolloutProgress], None],
        refused: Callable[[str], None],
        broken: Callable[[str], None] | None = None,
    ) -> None:
        """Stops what grows and begins something else: `begun` is told its branch, `grew` each report.

        `refused` is told why it cannot be begun, `broken`, or else `refused`, why it did not end well.
        """
        self.stop()
        self._current = rollout = Rollout(start)
        self.thread.do(lambda: self._grow(rollout, begun, grew, refused, broken or refused))

    def _grow(
        self,
        rollout: Rollout,
        begun: Callable[[int], None],
        grew: Callable[[RolloutProgress], None],
        refused: Callable[[str], None],
        broken: Callable[[str], None],
    ) -> None:
        def watch(progress: RolloutProgress) -> None:
            if rollout.latest is None:
                self.post(partial(begun, progress.branch))
            self.post(partial(grew, progress))

        def fail(error: Exception) -> None:
            why = str(error) if isinstance(error, WorldlineError) else f"{type(error).__name__}: {error}"
            self.post(partial(refused if rollout.latest is None else broken, why))

        rollout.run(watch, fail)
