"""One thread that owns the engine and writes the texts of all clients together.

Between two passes through the network, texts join while there is room, and leave when they have ended or their client
has disconnected. A text does not depend on the others in its batch.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from dataclasses import dataclass

from worldline.predict.guess import read
from worldline.predict.local import MAX_PROMPT_BYTES
from worldline.predict.prompt_states import PromptStates
from worldline.predict.rollout import Engine
from worldline.ui.serve.completion import BROKEN, LEFT, Completion

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BatchLoad:
    """The number of texts that are being written, and that wait for a place."""

    writing: int
    waiting: int


class EngineBatch:
    """The texts that are being written, at most `max_members` at once."""

    def __init__(self, engine: Engine, *, max_members: int) -> None:
        self._engine, self._max_members = engine, max_members
        self._prompts = PromptStates(engine)
        self._waiting: deque[Completion] = deque()
        self._members: list[Completion] = []
        self._changed, self._is_closing = threading.Condition(), False
        self._thread = threading.Thread(target=self._work, name="worldline-engine", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def join(self, completion: Completion) -> None:
        """Put a text in the queue for the next free place."""
        with self._changed:
            self._waiting.append(completion)
            self._changed.notify()

    def leave(self, completion: Completion) -> None:
        """Give up a text: its place is free after the current pass."""
        with self._changed:
            completion.finish = completion.finish or LEFT

    def load(self) -> BatchLoad:
        """Return how busy the batch is."""
        with self._changed:
            return BatchLoad(len(self._members), len(self._waiting))

    def close(self) -> None:
        """Stop after the current pass."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while self._admit():
            self._pass()

    def _admit(self) -> bool:
        """Wait until there is something to write, and admit texts while there is room. False: the batch closes."""
        while True:
            with self._changed:
                while not (self._waiting or self._members or self._is_closing):
                    self._changed.wait()
                if self._is_closing:
                    return False
                if not self._has_room():
                    return True
                joining = self._waiting.popleft()
                self._members.append(joining)
            if joining.finish or not self._start_text(joining):
                self._settle()

    def _has_room(self) -> bool:
        """Whether one more text may join. The first always may, whatever the length of its prompt."""
        if not self._waiting:
            return False
        size = sum(member.size for member in self._members)
        has_room = len(self._members) < self._max_members and size + self._waiting[0].size <= MAX_PROMPT_BYTES
        return has_room or not self._members

    def _start_text(self, joining: Completion) -> bool:
        try:
            joining.begin(self._engine, self._prompts)
        except Exception:
            _log.exception("a prompt could not be read")
            joining.finish = BROKEN
        return not joining.finish

    def _pass(self) -> None:
        """Write at least one byte of each member; those that have ended leave."""
        going = [(member, fresh) for member in self._members if (fresh := self._write(member))]
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
        for member in members:
            if member.finish or member.request.is_stream:
                member.notify()
