"""Branches while they grow: one at a time, in the worker's thread, stopped when another one is wanted.

It tells whoever gave it the work, by posting calls to that one's queue; what a stop or a branch means to a debugger is
not known here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from worldline.dap.worker import Act, Worker
from worldline.errors import WorldlineError
from worldline.explore.grow import Progress

Stop = Callable[[], bool]
Post = Callable[[Act], None]


@dataclass
class Growth:
    """What grows now, and how it is stopped."""

    worker: Worker
    post: Post
    _stopping: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """Whatever grows now stays as it is."""
        self._stopping.set()

    def start(
        self,
        begin: Callable[[Stop], Iterator[Progress]],
        *,
        begun: Callable[[int], None],
        grew: Callable[[Progress], None],
        refused: Callable[[str], None],
        broken: Callable[[str], None] | None = None,
    ) -> None:
        """Stops what grows and begins something else: `begun` is told its branch, `grew` each report.

        `refused` is told why it cannot be begun, `broken`, or else `refused`, why it did not end well.
        """
        self.stop()
        self._stopping = stopping = threading.Event()
        self.worker.do(lambda: self._grow(begin, stopping, begun, grew, refused, broken or refused))

    def _grow(
        self,
        begin: Callable[[Stop], Iterator[Progress]],
        stopping: threading.Event,
        begun: Callable[[int], None],
        grew: Callable[[Progress], None],
        refused: Callable[[str], None],
        broken: Callable[[str], None],
    ) -> None:
        is_begun = False
        try:
            for progress in begin(stopping.is_set):
                if not is_begun:
                    self.post(partial(begun, progress.branch))
                    is_begun = True
                self.post(partial(grew, progress))
        except Exception as error:  # the thread must live: the next branch is grown by it
            told = str(error) if isinstance(error, WorldlineError) else f"{type(error).__name__}: {error}"
            self.post(partial(broken if is_begun else refused, told))
