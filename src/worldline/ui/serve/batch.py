"""One thread that owns the engine: it reads the prompts and writes the texts of all clients together.

Each round admits texts while there is room, reads prompts for a short time, and makes one pass for the texts that are
being written. A long prompt therefore never stops the others, and a client that disconnects or a signal is heard
between two pieces. A text does not depend on the others in its batch.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from worldline.predict.guess import read
from worldline.predict.prompt_states import PromptStates
from worldline.predict.rollout import Engine
from worldline.ui.serve.completion import BROKEN, LATE, LEFT, Completion

PIECE_BYTES = 64  # of a prompt, between two looks at the clients: one pass through the net
MIN_PIECE_BYTES = 8  # far into a long prompt, while texts are being written
FAR_BYTES = 4096  # of a prompt, after which pieces shrink: a byte takes as long as all bytes before it
READ_SECONDS = 0.05  # that texts being written wait for prompts in a round; at least one piece is read
MAX_BATCH_PROMPT_BYTES = 1 << 17  # of all prompts in the batch; the shipped model's states take 4 KB per byte
DEFAULT_CACHE_BYTES = 512 << 20
DEFAULT_QUEUE_SECONDS = 60.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BatchLoad:
    """The number of texts that are being written, whose prompt is being read, and that wait for a place."""

    writing: int
    reading: int
    waiting: int


@dataclass(frozen=True)
class BatchCounts:
    """What a batch has done: bytes of prompts read and reused, bytes of cached states, ended texts by reason."""

    read_bytes: int
    reused_bytes: int
    cached_bytes: int
    ended: dict[str, int]


@dataclass(eq=False)
class _Queued:
    """The texts of one request that wait. Its deadline counts until the first of them has a place."""

    texts: deque[Completion]
    deadline: float
    has_place: bool = False


class EngineBatch:
    """The texts in progress, at most `max_members` at once."""

    def __init__(
        self,
        engine: Engine,
        *,
        max_members: int,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        queue_seconds: float = DEFAULT_QUEUE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine, self._max_members = engine, max_members
        self.queue_seconds, self._clock = queue_seconds, clock
        self._prompts = PromptStates(engine, max_bytes=cache_bytes)
        self._queue: deque[_Queued] = deque()
        self._members: list[Completion] = []
        self._readers: deque[Completion] = deque()  # members whose prompt is not read, the next one first
        self._ended: Counter[str] = Counter()
        self._changed, self._is_closing = threading.Condition(), False
        self._thread = threading.Thread(target=self._work, name="worldline-engine", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def join(self, texts: Sequence[Completion]) -> None:
        """Put the texts of a request in the queue for the next free places."""
        with self._changed:
            self._queue.append(_Queued(deque(texts), self._clock() + self.queue_seconds))
            self._changed.notify()

    def leave(self, completion: Completion) -> None:
        """Give up a text: its place is free after the current piece or pass."""
        with self._changed:
            completion.finish = completion.finish or LEFT

    def load(self) -> BatchLoad:
        """Return how busy the batch is."""
        with self._changed:
            reading = sum(not member.is_read for member in self._members)
            waiting = sum(len(queued.texts) for queued in self._queue)
            return BatchLoad(len(self._members) - reading, reading, waiting)

    def counts(self) -> BatchCounts:
        """Return what the batch has done since the start."""
        prompts = self._prompts
        with self._changed:
            return BatchCounts(prompts.read_bytes, prompts.reused_bytes, prompts.nbytes, dict(self._ended))

    def close(self) -> None:
        """Stop after the current piece or pass."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while self._admit():
            self._read()
            self._pass()

    def _admit(self) -> bool:
        """Wait until there is something to do, and admit texts while there is room. False: the batch closes."""
        with self._changed:
            while not (self._queue or self._members or self._is_closing):
                self._changed.wait()
            dropped = self._drop()
            joining = []
            while (queued := self._next()) is not None:
                text = queued.texts.popleft()
                queued.has_place = True
                self._members.append(text)
                joining.append(text)
            self._queue = deque(queued for queued in self._queue if queued.texts)
            is_open = not self._is_closing
        for text in dropped:
            text.notify()
        for text in joining:
            self._open(text)
        return is_open

    def _drop(self) -> list[Completion]:
        """Take the texts out of the queue that have ended, were given up, or whose request has waited too long."""
        now, dropped = self._clock(), list[Completion]()
        for queued in self._queue:
            is_late = not queued.has_place and now >= queued.deadline
            for text in queued.texts:
                text.finish = text.finish or (LATE if is_late else "")
            dropped += [text for text in queued.texts if text.finish]
            queued.texts = deque(text for text in queued.texts if not text.finish)
        self._ended.update(text.finish for text in dropped)
        return dropped

    def _next(self) -> _Queued | None:
        """Return the request whose next text joins: of those that fit, the first with the fewest texts in progress."""
        if len(self._members) >= self._max_members:
            return None
        sizes = {member.prompt: member.size for member in self._members}  # forks share the keys of a prompt
        room = MAX_BATCH_PROMPT_BYTES - sum(sizes.values())
        fitting = [
            queued
            for queued in self._queue
            if queued.texts and (not self._members or queued.texts[0].prompt in sizes or queued.texts[0].size <= room)
        ]
        running = Counter(id(member.request) for member in self._members)
        return min(fitting, key=lambda queued: running[id(queued.texts[0].request)], default=None)

    def _open(self, text: Completion) -> None:
        """Let the text read, after those that read the same beginning."""
        if text.finish:
            return
        try:
            text.open(self._prompts)
            for other in self._readers:
                text.reading.follow(other.reading)
            self._readers.append(text)
        except Exception:
            _log.exception("a prompt could not be opened")
            text.finish = BROKEN

    def _read(self) -> None:
        """Read prompts in turn, a piece each, for `READ_SECONDS`."""
        deadline = self._clock() + READ_SECONDS
        is_first = True
        while not self._is_closing and (is_first or self._clock() < deadline):
            self._readers = deque(text for text in self._readers if not (text.finish or text.is_read))
            # A text waits only for one that joined before it, so one of them can always go on.
            text = next((text for text in self._readers if not text.reading.is_waiting), None)
            if text is None:
                return
            self._readers.remove(text)
            self._readers.append(text)
            try:
                text.read(self._engine, self._piece_bytes(text))
            except Exception:
                _log.exception("a prompt could not be read")
                text.finish = BROKEN
            is_first = False

    def _piece_bytes(self, text: Completion) -> int:
        """Return how much of a prompt to read at once: less far into a long one, if texts wait for their next pass."""
        if not any(member.is_read and not member.finish for member in self._members):
            return PIECE_BYTES
        far = max(text.reading.position, FAR_BYTES)
        return max(MIN_PIECE_BYTES, PIECE_BYTES * FAR_BYTES // far)

    def _pass(self) -> None:
        """Write at least one byte of each text whose prompt is read; those that have ended leave."""
        ready = [member for member in self._members if member.is_read and not member.finish]
        going = [(member, fresh) for member in ready if (fresh := self._write(member))]
        try:
            if going:
                read(self._engine, [member.ahead for member, _ in going], [fresh for _, fresh in going])
        except Exception:
            _log.exception("the engine failed")
            for member, _ in going:
                member.finish = member.finish or BROKEN
        self._settle()

    def _write(self, member: Completion) -> bytes:
        """Return the bytes of a text that the engine must read next. A text that fails does not stop the others."""
        try:
            return member.write()
        except Exception:
            _log.exception("a text could not be written")
            member.finish = BROKEN
            return b""

    def _settle(self) -> None:
        """Remove members that have ended, and notify the clients that have something new to read."""
        with self._changed:
            members = list(self._members)
            self._members = [member for member in members if not member.finish]
            self._ended.update(member.finish for member in members if member.finish)
        for member in members:
            if member.finish:
                member.close()
            if member.finish or (member.request.is_stream and member.is_read):
                member.notify()
