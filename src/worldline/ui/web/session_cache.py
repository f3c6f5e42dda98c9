"""The runs that were opened at the start, and the scenes that were taken out of them: found by number, kept in bounds.

A scene is made when it is first asked for. Of those without branches only the newest are kept; those with branches are
somebody's work, and are kept up to a bound of their own. Programs that were typed are the run `live`.
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
WEIGHT = 8 << 20  # bytes of texts; the rows that are made of them take some eighty times as much memory
BOUNDS = {"plain": (12, WEIGHT), "worked": (32, 2 * WEIGHT), LIVE: (64, 2 * WEIGHT)}
"""How many scenes without branches, with branches and of typed programs are kept, and the bytes of their texts."""
YOUNG = 0.3  # seconds that a pair of a growing branch is good for: its parts are asked for in turn
SessionKey = tuple[str, int, str]
"""A run, a sample of it, and the run beside it, if any."""


@dataclass(frozen=True)
class CachedSession:
    """A scene, and a lock for whoever makes its pairs: they take time, and one is enough."""

    key: SessionKey
    session: Session
    lock: threading.RLock = field(default_factory=threading.RLock)
    _young: dict[tuple[int, str, str], tuple[float, RunDiff]] = field(default_factory=dict)

    def run_diff(self, branch: int = 0, left: str = "truth", right: str = "found") -> RunDiff:
        """Two sides row by row; of a branch that grows, perhaps as they were a moment ago. Ask with the lock."""
        key, now = (branch, left, right), time.monotonic()
        is_running = self.session.branch(branch).status == "running"
        made, known = self._young.get(key, (0.0, None))
        if known is not None and is_running and now - made < YOUNG:
            return known
        found = self.session.run_diff(*key)
        self._young.pop(key, None)
        if is_running:
            self._young[key] = time.monotonic(), found
        return found

    @property
    def kind(self) -> str:
        """Which bound it counts in."""
        return LIVE if self.key[0] == LIVE else "worked" if len(self.session.branches) > 1 else "plain"

    @property
    def is_running(self) -> bool:
        """Whether a model is at it."""
        return any(branch.status == "running" for branch in self.session.branches)

    @property
    def weight(self) -> int:
        """The bytes of its texts."""
        return sum(
            len(one.found.text) + (len(one.truth.text) if one.truth else 0) for one in self.session.branches
        )


class SessionCache:
    """What is open."""

    def __init__(self, runs: Sequence[RunIndex], *, tokenizer: Tokenizer | None = None) -> None:
        self.runs, self._tokenizer = tuple(runs), tokenizer
        self._cached: OrderedDict[SessionKey, CachedSession] = OrderedDict()
        self._lock, self._making = threading.Lock(), dict[SessionKey, threading.Lock]()
        self._typed = 0

    def index(self, run: str) -> RunIndex:
        """A run that was opened, by its number."""
        if not run.isdecimal() or int(run) >= len(self.runs):
            raise Refusal(404, f"there is no run {run}")
        return self.runs[int(run)]

    def typed(self) -> list[CachedSession]:
        """The programs that were typed, in their order."""
        with self._lock:
            return sorted(
                (one for one in self._cached.values() if one.key[0] == LIVE), key=lambda one: one.key
            )

    def add(self, session: Session) -> CachedSession:
        """Take in a typed program."""
        with self._lock:
            self._typed += 1
            return self._put(CachedSession((LIVE, self._typed - 1, ""), session))

    def drop(self, cached: CachedSession) -> None:
        """Let go of a scene."""
        with self._lock:
            self._cached.pop(cached.key, None)

    def get(self, run: str, at: int, other: str = "") -> CachedSession:
        """The scene of a sample; with `other`, of its root alone, beside what that run says of the same program."""
        if (known := self._known((run, at, other))) is not None:
            return known
        if run == LIVE:
            raise Refusal(404, f"there is no typed program {at}")
        with self._lock:
            making = self._making.setdefault((run, at, other), threading.Lock())
        with making:  # one makes it, who else wants it waits, and nobody besides
            try:
                return self._known((run, at, other)) or self._made(run, at, other)
            finally:
                self._making.pop((run, at, other), None)

    def has_beside(self, run: str, at: int, other: str) -> bool:
        """Whether another run has the same program, in the same notation."""
        if run == LIVE or other == run:
            return False
        index, there = self.index(run), self.index(other)
        row = _row(index, at)
        partner = int(match(index, there).partner[row])
        return (
            partner >= 0
            and there.record(int(there.positions[partner])).found.codec == index.record(at).found.codec
        )

    def neighbours(self, run: str, at: int) -> tuple[int | None, int | None]:
        """The samples before and behind one."""
        if run != LIVE:
            return self.index(run).beside(at)
        places = [one.key[1] for one in self.typed()]
        before, behind = [place for place in places if place < at], [place for place in places if place > at]
        return before[-1] if before else None, behind[0] if behind else None

    def _known(self, key: SessionKey) -> CachedSession | None:
        with self._lock:
            if key in self._cached:
                self._cached.move_to_end(key)
            return self._cached.get(key)

    def _made(self, run: str, at: int, other: str) -> CachedSession:
        index = self.index(run)
        _row(index, at)
        record = index.record(at)
        if not other:
            session = Session.of_sample(
                record.sample(), name=record.name, model=index.model, tokenizer=self._tokenizer
            )
        else:
            if not self.has_beside(run, at, other):
                raise Refusal(422, f"run {other} has no such sample to put beside")
            there, plain = self.index(other), self.get(run, at)
            second = there.record(at)
            session = plain.session.with_other(OtherPrediction(second.found, second.ask, there.model))
        with self._lock:
            return self._put(CachedSession((run, at, other), session))

    def _put(self, cached: CachedSession) -> CachedSession:
        """Keep one more, and let go of the oldest that are too many."""
        self._cached[cached.key] = cached
        for kind, (most, heaviest) in BOUNDS.items():
            same = [one for one in self._cached.values() if one.kind == kind]
            count, weight = len(same), sum(one.weight for one in same)
            for one in same:
                if one is cached or (count <= most and weight <= heaviest):
                    break
                if not one.is_running:
                    del self._cached[one.key]
                    count, weight = count - 1, weight - one.weight
        return cached


def _row(index: RunIndex, at: int) -> int:
    try:
        return index.row(at)
    except UsageError as error:
        raise Refusal(404, str(error)) from None
