"""The tape: every hidden input of a run in order, given or fresh, and reported to the recorder."""

from __future__ import annotations

import _random
import builtins
from collections.abc import Callable
from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

Swap = Callable[[Any, str, Callable[..., Any]], Any]
"""Replaces an attribute of an object by a function that hidden inputs pass through."""
_bytes_of = bytes.fromhex


class Tape:
    """Decides the hidden inputs of one run and reports them.

    A given input is used if it has the requested kind. From the first one that does not, all are fresh.
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
        """Draw bits from the seed without recording them."""
        value: int = self.getrandbits(self._source, count)
        return value

    def peek(self) -> tuple[int, str, Any] | None:
        """Return the next given input: step, kind, value."""
        if self._at == len(self._draws):
            return None
        step, kind, value = self._draws[self._at]
        return step, kind, value

    def take(self) -> None:
        """Use up the next given input."""
        self._at += 1

    def part(self) -> None:
        """Drop the given inputs, because they do not fit this run: from now on all are fresh."""
        self._draws, self._at = [], 0

    def draw(self, kind: str, fresh: Any) -> Any:
        """Return the next hidden input: the given one if it has this kind, else the fresh one."""
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
