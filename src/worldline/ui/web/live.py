"""The models that the page can ask, and the branches that they grow: a few wait, and further requests are refused.

Whoever asks waits for nothing but the first word. Growing is `explore.growth`'s; who may watch is the server's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from worldline.predict.predictor import Predictor
from worldline.ui.http.errors import Refusal
from worldline.ui.session.rollout_worker import Rollout, RolloutWorker, Start
from worldline.ui.web.session_cache import SessionKey

WAITING = 8  # branches behind the one that grows
LEAVING = 2.0  # seconds that the one that grows has to end when the server does


class LiveBranches:
    """Branches that grow, by their scenes and numbers, and the models, each loaded when it is first asked for."""

    def __init__(self, models: Mapping[str, Callable[[], Predictor]]) -> None:
        self.models = tuple(models)
        self._loaders, self._loaded = dict(models), dict[str, Predictor]()
        self._rollouts: dict[tuple[SessionKey, int], Rollout] = {}
        self._lock, self._loading = threading.Lock(), threading.Lock()
        self._is_closed = False
        self._thread = RolloutWorker()

    def model(self, name: str) -> Predictor:
        """A model by its name; loaded once."""
        if name not in self._loaders:
            raise Refusal(422, f"no model {name[:100]!r}; there are {', '.join(self.models)}")
        with self._loading:
            if name not in self._loaded:
                self._loaded[name] = self._loaders[name]()
            return self._loaded[name]

    def begin(self, key: SessionKey, start: Start) -> Rollout:
        """Take on a branch: its first word is heard here, so that what cannot be is said at once."""
        with self._lock:
            growing = {name: one for name, one in self._rollouts.items() if not one.finished.is_set()}
            if self._is_closed or len(growing) > WAITING:
                raise Refusal(429, f"{WAITING} branches are waiting already: stop one, or wait")
            rollout = self._thread.begin(start)
            self._rollouts = {**growing, (key, rollout.branch): rollout}
        return rollout

    def rollout(self, key: SessionKey, branch: int) -> Rollout | None:
        """A branch of a scene while it grows; one that is over may be there as well."""
        return self._rollouts.get((key, branch))

    def ahead(self, rollout: Rollout) -> int:
        """How many branches come before one: 0 once it is its turn."""
        if rollout.is_started:
            return 0
        waiting = [one for one in self._rollouts.values() if not one.finished.is_set()]
        return waiting.index(rollout) if rollout in waiting else 0

    def close(self) -> None:
        """Stop everything, in its order: what is told to stop before it begins is over at once."""
        with self._lock:
            self._is_closed = True
            for rollout in self._rollouts.values():
                rollout.stop()
        self._thread.end(LEAVING)
