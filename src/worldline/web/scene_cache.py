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
from worldline.errors import UsageError
from worldline.explore.pair import Pair
from worldline.explore.scene import Scene
from worldline.web.flips import match
from worldline.web.http.errors import Refusal
from worldline.web.index.index import Index

LIVE = "live"
WEIGHT = 8 << 20  # bytes of texts; the rows that are made of them take some eighty times as much memory
BOUNDS = {"plain": (12, WEIGHT), "worked": (32, 2 * WEIGHT), LIVE: (64, 2 * WEIGHT)}
"""How many scenes without branches, with branches and of typed programs are kept, and the bytes of their texts."""
YOUNG = 0.3  # seconds that a pair of a growing branch is good for: its parts are asked for in turn
Key = tuple[str, int, str]
"""A run, a sample of it, and the run beside it, if any."""


@dataclass(frozen=True)
class Held:
    """A scene, and a lock for whoever makes its pairs: they take time, and one is enough."""

    key: Key
    scene: Scene
    lock: threading.RLock = field(default_factory=threading.RLock)
    _young: dict[tuple[int, str, str], tuple[float, Pair]] = field(default_factory=dict)

    def pair(self, branch: int = 0, left: str = "truth", right: str = "found") -> Pair:
        """Two sides row by row; of a branch that grows, perhaps as they were a moment ago. Ask with the lock."""
        key, now = (branch, left, right), time.monotonic()
        is_growing = self.scene.branch(branch).status == "running"
        made, known = self._young.get(key, (0.0, None))
        if known is not None and is_growing and now - made < YOUNG:
            return known
        found = self.scene.pair(*key)
        self._young.pop(key, None)
        if is_growing:
            self._young[key] = time.monotonic(), found
        return found

    @property
    def kind(self) -> str:
        """Which bound it counts in."""
        return LIVE if self.key[0] == LIVE else "worked" if len(self.scene.branches) > 1 else "plain"

    @property
    def is_growing(self) -> bool:
        """Whether a model is at it."""
        return any(branch.status == "running" for branch in self.scene.branches)

    @property
    def weight(self) -> int:
        """The bytes of its texts."""
        return sum(
            len(one.found.text) + (len(one.truth.text) if one.truth else 0) for one in self.scene.branches
        )


class Shelf:
    """What is open."""

    def __init__(self, runs: Sequence[Index], *, tokenizer: Tokenizer | None = None) -> None:
        self.runs, self._tokenizer = tuple(runs), tokenizer
        self._held: OrderedDict[Key, Held] = OrderedDict()
        self._lock, self._making = threading.Lock(), dict[Key, threading.Lock]()
        self._typed = 0

    def index(self, run: str) -> Index:
        """A run that was opened, by its number."""
        if not run.isdecimal() or int(run) >= len(self.runs):
            raise Refusal(404, f"there is no run {run}")
        return self.runs[int(run)]

    def typed(self) -> list[Held]:
        """The programs that were typed, in their order."""
        with self._lock:
            return sorted((one for one in self._held.values() if one.key[0] == LIVE), key=lambda one: one.key)

    def add(self, scene: Scene) -> Held:
        """Put a typed program on the shelf."""
        with self._lock:
            self._typed += 1
            return self._put(Held((LIVE, self._typed - 1, ""), scene))

    def drop(self, held: Held) -> None:
        """Take a scene off the shelf."""
        with self._lock:
            self._held.pop(held.key, None)

    def held(self, run: str, at: int, other: str = "") -> Held:
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
            and there.record(int(there.places[partner])).found.codec == index.record(at).found.codec
        )

    def neighbours(self, run: str, at: int) -> tuple[int | None, int | None]:
        """The samples before and behind one."""
        if run != LIVE:
            return self.index(run).beside(at)
        places = [one.key[1] for one in self.typed()]
        before, behind = [place for place in places if place < at], [place for place in places if place > at]
        return before[-1] if before else None, behind[0] if behind else None

    def _known(self, key: Key) -> Held | None:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def _made(self, run: str, at: int, other: str) -> Held:
        index = self.index(run)
        _row(index, at)
        record = index.record(at)
        if not other:
            scene = Scene.of_sample(
                record.sample(), name=record.name, model=index.model, tokenizer=self._tokenizer
            )
        else:
            if not self.has_beside(run, at, other):
                raise Refusal(422, f"run {other} has no such sample to put beside")
            there, plain = self.index(other), self.held(run, at)
            second = there.record(at)
            scene = plain.scene.beside(second.found, ask=second.ask, model=there.model)
        with self._lock:
            return self._put(Held((run, at, other), scene))

    def _put(self, held: Held) -> Held:
        """Keep one more, and let go of the oldest that are too many."""
        self._held[held.key] = held
        for kind, (most, heaviest) in BOUNDS.items():
            same = [one for one in self._held.values() if one.kind == kind]
            count, weight = len(same), sum(one.weight for one in same)
            for one in same:
                if one is held or (count <= most and weight <= heaviest):
                    break
                if not one.is_growing:
                    del self._held[one.key]
                    count, weight = count - 1, weight - one.weight
        return held


def _row(index: Index, at: int) -> int:
    try:
        return index.row(at)
    except UsageError as error:
        raise Refusal(404, str(error)) from None
