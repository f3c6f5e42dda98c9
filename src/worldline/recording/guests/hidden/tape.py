"""The tape: every hidden input of a run, in order; each is a given one, or a fresh one, and is told to the recorder."""

from __future__ import annotations

import _random
import builtins
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_bytes_of = bytes.fromhex


class Tape:
    """Who decides the hidden inputs of one run, and whom they are told.

    A given one is taken if it is of the kind that is asked for; from the first that is not on, all are fresh.
    """

    def __init__(self, control: dict[str, Any], recorder: Any) -> None:
        self.live = control["seed"] is None
        self.quiet = 0  # inside a draw that is told as a whole
        self._draws: list[list[Any]] = control["given"]
        self._at, self._recorder = 0, recorder
        # Its methods may be swapped by now, but they are those of the type: see `bits`.
        self._source = _random.Random(0 if self.live else control["seed"])
        self.getrandbits: Any = _random.Random.getrandbits

    def bits(self, count: int) -> int:
        """So many bits of the seed's own, told to nobody."""
        value: int = self.getrandbits(self._source, count)
        return value

    def peek(self) -> tuple[int, str, Any] | None:
        """The next given one: step, kind, value."""
        if self._at == len(self._draws):
            return None
        step, kind, value = self._draws[self._at]
        return step, kind, value

    def take(self) -> None:
        """The next given one is used up."""
        self._at += 1

    def part(self) -> None:
        """What is given does not fit this run: from now on all are fresh."""
        self._draws, self._at = [], 0

    def draw(self, kind: str, fresh: Any) -> Any:
        """The next hidden input: the given one if it is of this kind, else the fresh one."""
        if self.quiet:
            return fresh
        value = fresh
        if self._at < len(self._draws):
            _, was, instead = self._draws[self._at]
            if was == kind:
                self._at += 1
                value = _bytes_of(instead) if type(fresh) is bytes else type(fresh)(instead)
            else:
                self.part()
        self._recorder.draw(kind, self._recorder.render(value))
        return value
