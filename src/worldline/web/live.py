"""Work that takes a while: branches that a model grows, one at a time on one thread, while others watch.

Whoever asks waits for nothing but the first word. A job goes on when nobody watches; it ends by itself, when it is
stopped, or with the server. What a branch is, is `explore`'s; who may watch is the server's.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from queue import SimpleQueue

from worldline.explore.grow import Progress
from worldline.predict.predictor import Predictor
from worldline.web.http.errors import Refusal
from worldline.web.scene_cache import Key

WAITING = 8  # jobs behind the one that is at work
LEAVING = 2.0  # seconds that the one at work has to end when the server does
_log = logging.getLogger(__name__)


@dataclass
class Job:
    """A branch that is growing: how far it is, and how to stop it."""

    key: Key
    branch: int
    steps: Iterator[Progress]
    latest: Progress
    halt: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


class Live:
    """The thread that does the jobs, and the models that it asks, each loaded when it is first asked for."""

    def __init__(self, models: Mapping[str, Callable[[], Predictor]]) -> None:
        self.models = tuple(models)
        self._loaders, self._loaded = dict(models), dict[str, Predictor]()
        self._jobs: OrderedDict[tuple[Key, int], Job] = OrderedDict()
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._lock, self._loading = threading.Lock(), threading.Lock()
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="worldline-live", daemon=True)
        self._thread.start()

    def model(self, name: str) -> Predictor:
        """A model by its name; loaded once."""
        if name not in self._loaders:
            raise Refusal(422, f"no model {name[:100]!r}; there are {', '.join(self.models)}")
        with self._loading:
            if name not in self._loaded:
                self._loaded[name] = self._loaders[name]()
            return self._loaded[name]

    def begin(self, key: Key, grow: Callable[[Callable[[], bool]], Iterator[Progress]]) -> Job:
        """Take on a job: its first word is heard here, so that what cannot be is said at once."""
        with self._lock:
            if self._is_closed or sum(not job.over.is_set() for job in self._jobs.values()) > WAITING:
                raise Refusal(429, f"{WAITING} branches are waiting already: stop one, or wait")
            halt = threading.Event()
            steps = iter(grow(halt.is_set))
            first = next(steps)
            job = Job(key, first.branch, steps, first, halt)
            self._jobs[key, job.branch] = job
            self._forget()
        self._queue.put(job)
        return job

    def job(self, key: Key, branch: int) -> Job | None:
        """The job of a branch, as long as it is not over."""
        return self._jobs.get((key, branch))

    def close(self) -> None:
        """Stop everything, in its order: what is told to stop before it begins is over at once."""
        with self._lock:
            self._is_closed = True
            for job in self._jobs.values():
                job.halt.set()
        self._queue.put(None)
        self._thread.join(LEAVING)

    def _forget(self) -> None:
        for name in [name for name, job in self._jobs.items() if job.over.is_set()]:
            del self._jobs[name]

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            try:
                for progress in job.steps:
                    job.latest = progress
            except Exception:
                _log.exception(
                    "a branch failed"
                )  # a fault of ours: growing never raises for a program or a model
            finally:
                job.over.set()
