"""Reads prompts piece by piece, and caches engine states so that a shared beginning is read once.

Prompts repeat often, in whole or in part: another sample, another call of the same source, one more true step. The
cache holds states after whole prompts, after every `SNAPSHOT_BYTES` of long ones, and where two prompts diverge.
The C engine gives the same logits, to the bit, however the bytes were split, so the cache changes no text.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from worldline.predict.rollout import Engine, Logits

DEFAULT_CACHE_BYTES = 64 << 20  # a state of the shipped model takes 4 KB per byte of its prompt, and 1.4 MB
SNAPSHOT_BYTES = 1024  # between two states of a long prompt
INTERRUPTIBLE_BYTES = 64  # read at once, far into a long prompt in half a second: Ctrl-C is heard in between
MIN_SHARED_BYTES = 64  # a shorter common beginning is not worth a state


@dataclass(eq=False)
class PromptSnapshot:
    """A cached state after a prefix. `parent` is the snapshot whose keys it shares; `nbytes` is what it adds."""

    prefix: bytes
    state: Any
    logits: Logits
    parent: PromptSnapshot | None
    nbytes: int
    children: int = 0
    is_cached: bool = True


class PromptStates:
    """The states after recent prompts and prefixes, up to `max_bytes` of memory; the least recently used go first."""

    def __init__(self, engine: Engine, *, max_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self._engine, self._max_bytes = engine, max_bytes
        self._snapshots: OrderedDict[bytes, PromptSnapshot] = OrderedDict()
        self._empty_bytes: int = getattr(engine.start(), "nbytes", 0)
        self._shares_keys: bool = getattr(engine, "shares_keys", False)
        self.nbytes = 0  # held
        self.read_bytes = self.reused_bytes = 0  # of prompts, since the start

    def after(self, prompt: bytes) -> tuple[Any, Logits]:
        """Return a new state that has read the prompt, and the logits after it."""
        reading = self.open(prompt)
        while not reading.is_done:
            reading.advance(INTERRUPTIBLE_BYTES)
        return reading.result()

    def open(self, prompt: bytes) -> PromptReading:
        """Start to read a prompt, from the longest prefix that is cached."""
        return PromptReading(self, self._engine, prompt)

    def longest(self, prompt: bytes) -> PromptSnapshot | None:
        """Return the longest cached prefix of a prompt."""
        prefixes = [prefix for prefix in self._snapshots if prompt.startswith(prefix)]
        return self._snapshots[max(prefixes, key=len)] if prefixes else None

    def divergence(self, prompt: bytes) -> int:
        """Return the size of the longest beginning that a prompt shares with a cached prefix."""
        return max((shared_size(prompt, prefix) for prefix in self._snapshots), default=0)

    def touch(self, snapshot: PromptSnapshot) -> None:
        """Mark a snapshot, and those it grew from, as used."""
        link: PromptSnapshot | None = snapshot
        while link is not None:
            if link.is_cached:
                self._snapshots.move_to_end(link.prefix)
            link = link.parent

    def add(self, prefix: bytes, state: Any, logits: Logits, parent: PromptSnapshot | None) -> PromptSnapshot | None:
        """Cache a copy of a state; None if it is cached already, cannot be copied or measured, or does not fit."""
        if prefix in self._snapshots or not (hasattr(state, "fork") and hasattr(state, "nbytes")):
            return None
        parent = parent if parent is not None and parent.is_cached else None
        shared = parent.state.nbytes - self._empty_bytes if parent is not None and self._shares_keys else 0
        nbytes = int(state.nbytes) - shared
        if parent is not None:
            self.touch(parent)
            parent.children += 1
        if not self._make_room(nbytes):
            if parent is not None:
                parent.children -= 1
            return None
        snapshot = PromptSnapshot(prefix, state.fork(), logits.copy(), parent, nbytes)
        self._snapshots[prefix] = snapshot
        self.nbytes += nbytes
        return snapshot

    def _make_room(self, nbytes: int) -> bool:
        """Drop snapshots, never one whose keys another shares; False if that does not suffice."""
        while self.nbytes + nbytes > self._max_bytes:
            oldest = next((snapshot for snapshot in self._snapshots.values() if not snapshot.children), None)
            if oldest is None or nbytes > self._max_bytes:
                return False
            del self._snapshots[oldest.prefix]
            self.nbytes -= oldest.nbytes
            oldest.is_cached = False
            if oldest.parent is not None:
                oldest.parent.children -= 1
        return True


class PromptReading:
    """A prompt that is being read. `position` bytes have been read or were cached."""

    def __init__(self, states: PromptStates, engine: Engine, prompt: bytes) -> None:
        self._states, self._engine, self._prompt = states, engine, prompt
        self._state: Any = None
        self._logits: Logits | None = None
        self._snapshot: PromptSnapshot | None = None  # the newest that the state grew from
        diverges = states.divergence(prompt)
        self._stops = {len(prompt), *([diverges] if diverges >= MIN_SHARED_BYTES else [])}  # where to add a snapshot
        self._leader: PromptReading | None = None
        self._shared = 0
        self._is_closed = False
        self.position = 0
        self._reuse()

    @property
    def is_done(self) -> bool:
        """Whether all of the prompt has been read."""
        return self.position == len(self._prompt)

    @property
    def is_waiting(self) -> bool:
        """Whether another prompt is just reading the beginning of this one."""
        leader = self._leader
        return leader is not None and not leader._is_closed and leader.position < self._shared

    def follow(self, other: PromptReading) -> None:
        """Let another prompt read the shared beginning, if it has not read past it."""
        shared = shared_size(self._prompt, other._prompt)
        is_ahead = other.position < shared and not other._is_closed
        if is_ahead and shared >= self.position + MIN_SHARED_BYTES and shared > self._shared:
            self._leader, self._shared = other, shared
            other._stops.add(shared)

    def advance(self, max_bytes: int) -> int:
        """Read at most `max_bytes` more, up to the next place for a snapshot, and return how many were read."""
        self._reuse()
        if self.is_done:
            return 0
        ends = [stop for stop in self._stops if stop > self.position]
        end = min(*ends, self.position + max_bytes, self.position - self.position % SNAPSHOT_BYTES + SNAPSHOT_BYTES)
        if self._state is None:
            self._state = self._engine.start()
        self._logits = self._engine.feed(self._state, self._prompt[self.position : end], pin=True)
        count, self.position = end - self.position, end
        self._states.read_bytes += count
        if end in self._stops or end % SNAPSHOT_BYTES == 0:
            added = self._states.add(self._prompt[:end], self._state, self._logits, self._snapshot)
            self._snapshot = added or self._snapshot
        return count

    def result(self) -> tuple[Any, Logits]:
        """Return the state after the prompt, which belongs to the caller, and the logits there."""
        assert self.is_done
        assert self._logits is not None
        return self._state, self._logits

    def close(self) -> None:
        """Give up: whoever waits for this prompt reads by itself."""
        self._is_closed = True

    def _reuse(self) -> None:
        """Continue from a cached prefix that is longer than what has been read."""
        snapshot = self._states.longest(self._prompt)
        if snapshot is None or len(snapshot.prefix) <= self.position:
            return
        self._states.touch(snapshot)
        self._states.reused_bytes += len(snapshot.prefix) - self.position
        self._snapshot, self.position = snapshot, len(snapshot.prefix)
        self._state, self._logits = snapshot.state.fork(), snapshot.logits.copy()


def shared_size(left: bytes, right: bytes) -> int:
    """Return the size of the longest common prefix."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
