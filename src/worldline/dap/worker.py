"""One thread for what takes long: loading models, recording, decoding. One thing after the other.

What comes of it goes back to whoever asked through a queue that he reads; nothing here touches a session.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

Act = Callable[[], None]


class Worker:
    """A thread that does what it is given, in order, until it is told to end."""

    def __init__(self) -> None:
        self._acts: queue.SimpleQueue[Act | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="worldline-dap-worker", daemon=True)
        self._thread.start()

    def do(self, act: Act) -> None:
        """Put something at the end of the line. It must not raise."""
        self._acts.put(act)

    def end(self, seconds: float) -> None:
        """No more is to come; waits a while for what is under way."""
        self._acts.put(None)
        self._thread.join(seconds)

    def _work(self) -> None:
        while (act := self._acts.get()) is not None:
            act()
