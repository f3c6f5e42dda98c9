"""One thread that owns the engine and writes every answer that is waited for, all of them together.

Between two passes through the net texts join, as far as there is room, and leave: when they are through, or when nobody
waits for them any more. What a text is does not depend on who else is written beside it.
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
class Load:
    """How many texts are being written, and how many wait for a place."""

    writing: int
    waiting: int


class EngineBatch:
    """The texts under way, `most` at once; they come and go while the others are written."""

    def __init__(self, engine: Engine, *, most: int) -> None:
        self._engine, self._most = engine, most
        self._prompts = PromptStates(engine)
        self._waiting: deque[Completion] = deque()
        self._members: list[Completion] = []
        self._changed, self._is_closing = threading.Condition(), False
        self._thread = threading.Thread(target=self._work, name="worldline-engine", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def join(self, completion: Completion) -> None:
        """A text is wanted: it gets the next place."""
        with self._changed:
            self._waiting.append(completion)
            self._changed.notify()

    def leave(self, completion: Completion) -> None:
        """Nobody waits for a text any more: its place is free behind the pass that is under way."""
        with self._changed:
            completion.finish = completion.finish or LEFT

    def load(self) -> Load:
        """How busy it is."""
        with self._changed:
            return Load(len(self._members), len(self._waiting))

    def close(self) -> None:
        """Stop behind the pass that is under way; nothing more is written."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while self._admit():
            self._pass()

    def _admit(self) -> bool:
        """Wait until there is something to write, and let in who has room; False at the end."""
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
            if joining.finish or not self._begins(
                joining
            ):  # it left before it had a place, or there is nothing to write
                self._settle()

    def _has_room(self) -> bool:
        """Whether one more may join: a lone one always may, however long its prompt."""
        if not self._waiting:
            return False
        held = sum(each.size for each in self._members)
        room = len(self._members) < self._most and held + self._waiting[0].size <= MAX_PROMPT_BYTES
        return room or not self._members

    def _begins(self, joining: Completion) -> bool:
        try:
            joining.begin(self._engine, self._prompts)
        except Exception:
            _log.exception("a prompt could not be read")
            joining.finish = BROKEN
        return not joining.finish

    def _pass(self) -> None:
        """One byte or more for each member; those that are through leave."""
        going = [(each, fresh) for each in self._members if (fresh := self._written(each))]
        try:
            if going:
                read(self._engine, [each.ahead for each, _ in going], [fresh for _, fresh in going])
        except Exception:
            _log.exception("the engine failed")
            for each, _ in going:
                each.finish = each.finish or BROKEN
        self._settle()

    def _written(self, member: Completion) -> bytes:
        """What the engine has to read of a text next; one that cannot be written costs no other."""
        try:
            return member.write()
        except Exception:
            _log.exception("a text could not be written")
            member.finish = BROKEN
            return b""

    def _settle(self) -> None:
        """Who is through leaves; who waits for a part of a text, or for its end, is told."""
        with self._changed:
            members = list(self._members)
            self._members = [each for each in members if not each.finish]
        for each in members:
            if each.finish or each.question.is_stream:
                each.tell()
