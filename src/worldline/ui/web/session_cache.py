"""The open runs, and a bounded cache of sessions of their samples.

A session is created when it is first needed. Sessions with branches hold a user's work and have a larger limit than
those without. Typed programs form the run `live`.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from worldline.codec.tokens import Tokenizer
from worldline.core.errors import UsageError
from worldline.ui.http.errors import Refusal
from worldline.ui.session.run_diff import RunDiff
from worldline.ui.session.session import OtherPrediction, Session
from worldline.ui.web.flips import match
from worldline.ui.web.index.index import RunIndex

LIVE = "live"
MAX_TEXT_BYTES = 8 << 20  # the rows of a text take about eighty times as much memory
BOUNDS = {"plain": (12, MAX_TEXT_BYTES), "worked": (32, 2 * MAX_TEXT_BYTES), LIVE: (64, 2 * MAX_TEXT_BYTES)}
"""Maximum number of sessions and of bytes of their texts: without branches, with branches, of typed programs."""
REUSE_SECONDS = 0.3  # how long the rows of a branch that is being written are reused: a page requests them in parts
SessionKey = tuple[str, int, str]
"""A run, a sample of it, and the run it is compared with (or an empty text)."""


@dataclass(frozen=True)
class CachedSession:
    """A session, and a lock so that its rows are computed only once."""

    key: SessionKey
    session: Session
    lock: threading.RLock = field(default_factory=threading.RLock)
    _recent: dict[tuple[int, str, str], tuple[float, RunDiff]] = field(default_factory=dict)

    def run_diff(self, branch: int = 0, left: str = "truth", right: str = "found") -> RunDiff:
        """Return two runs row by row. Hold the lock.

        The rows of a branch that is being written may be up to `REUSE_SECONDS` old.
        """
        key, now = (branch, left, right), time.monotonic()
        is_running = self.session.branch(branch).status == "running"
        created, known = self._recent.get(key, (0.0, None))
        if known is not None and is_running and now - created < REUSE_SECONDS:
            return known
        run_diff = self.session.run_diff(*key)
        self._recent.pop(key, None)
        if is_running:
            self._recent[key] = time.monotonic(), run_diff
        return run_diff

    @property
    def kind(self) -> str:
        """The key of its limits in `BOUNDS`."""
        return LIVE if self.key[0] == LIVE else "worked" if len(self.session.branches) > 1 else "plain"

    @property
    def is_running(self) -> bool:
        """Whether a model is writing a branch of it."""
        return any(branch.status == "running" for branch in self.session.branches)

    @property
    def weight(self) -> int:
        """The bytes of its texts."""
        branches = self.session.branches
        return sum(len(b.found.text) + (len(b.truth.text) if b.truth else 0) for b in branches)


class SessionCache:
    """The open runs and sessions."""

    def __init__(self, runs: Sequence[RunIndex], *, tokenizer: Tokenizer | None = None) -> None:
        self.runs, self._tokenizer = tuple(runs), tokenizer
        self._cached: OrderedDict[SessionKey, CachedSession] = OrderedDict()
        self._lock, self._making = threading.Lock(), dict[SessionKey, threading.Lock]()
        self._typed = 0

    def index(self, run: str) -> RunIndex:
        """Return an open run by its number.

        Raises:
            Refusal: There is no such run.
        """
        if not run.isdecimal() or int(run) >= len(self.runs):
            raise Refusal(404, f"there is no run {run}")
        return self.runs[int(run)]

    def typed(self) -> list[CachedSession]:
        """Return the typed programs in their order."""
        with self._lock:
            typed = [cached for cached in self._cached.values() if cached.key[0] == LIVE]
        return sorted(typed, key=lambda cached: cached.key)

    def add(self, session: Session) -> CachedSession:
        """Add a typed program."""
        with self._lock:
            self._typed += 1
            return self._store(CachedSession((LIVE, self._typed - 1, ""), session))

    def drop(self, cached: CachedSession) -> None:
        """Remove a session."""
        with self._lock:
            self._cached.pop(cached.key, None)

    def get(self, run: str, at: int, other: str = "") -> CachedSession:
        """Return the session of a sample; with `other`, of its root compared with that run's prediction.

        Raises:
            Refusal: There is no such sample.
        """
        if (known := self._known((run, at, other))) is not None:
            return known
        if run == LIVE:
            raise Refusal(404, f"there is no typed program {at}")
        with self._lock:
            making = self._making.setdefault((run, at, other), threading.Lock())
        with making:  # only requests for the same session wait
            try:
                return self._known((run, at, other)) or self._open(run, at, other)
            finally:
                self._making.pop((run, at, other), None)

    def has_same_program(self, run: str, at: int, other: str) -> bool:
        """Return whether another run has the same program, in the same notation."""
        if run == LIVE or other == run:
            return False
        index, other_index = self.index(run), self.index(other)
        partner = int(match(index, other_index).partner[_row(index, at)])
        if partner < 0:
            return False
        record = other_index.record(int(other_index.positions[partner]))
        return record.found.codec == index.record(at).found.codec

    def neighbours(self, run: str, at: int) -> tuple[int | None, int | None]:
        """Return the samples before and after one."""
        if run != LIVE:
            return self.index(run).neighbours(at)
        places = [cached.key[1] for cached in self.typed()]
        before, after = [place for place in places if place < at], [place for place in places if place > at]
        return before[-1] if before else None, after[0] if after else None

    def _known(self, key: SessionKey) -> CachedSession | None:
        with self._lock:
            if key in self._cached:
                self._cached.move_to_end(key)
            return self._cached.get(key)

    def _open(self, run: str, at: int, other: str) -> CachedSession:
        index = self.index(run)
        _row(index, at)
        record = index.record(at)
        if not other:
            session = Session.of_sample(record.sample(), name=record.name, model=index.model, tokenizer=self._tokenizer)
        else:
            if not self.has_same_program(run, at, other):
                raise Refusal(422, f"run {other} has no such sample to compare with")
            other_index, plain = self.index(other), self.get(run, at)
            second = other_index.record(at)
            session = plain.session.with_other(OtherPrediction(second.found, second.ask, other_index.model))
        with self._lock:
            return self._store(CachedSession((run, at, other), session))

    def _store(self, cached: CachedSession) -> CachedSession:
        """Add a session, and remove the oldest while there are too many."""
        self._cached[cached.key] = cached
        for kind, (max_count, max_weight) in BOUNDS.items():
            same = [other for other in self._cached.values() if other.kind == kind]
            count, weight = len(same), sum(other.weight for other in same)
            for oldest in same:
                if oldest is cached or (count <= max_count and weight <= max_weight):
                    break
                if not oldest.is_running:
                    del self._cached[oldest.key]
                    count, weight = count - 1, weight - oldest.weight
        return cached


def _row(index: RunIndex, at: int) -> int:
    try:
        return index.row(at)
    except UsageError as error:
        raise Refusal(404, str(error)) from None
