"""Which line a text means: a stack of scopes that calls push and returns pop, generators waiting beside it.

The first answer is control flow within the scope; then a line of the same code object; then of the source. More than
one answer stays more than one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from worldline.codec.cwm_scope import WIDEST, Place, Position, Scope, moved
from worldline.codec.cwm_text import Listing
from worldline.codec.flow import Flow

WAITING = 8  # generators compared when a call may be a resumption
_CLASS = re.compile(r"([^\W\d][\w.]*)(?:#\d+)?\(")


@dataclass
class Scopes:
    """The scopes of one prediction, fed a frame at a time."""

    lines: Listing
    flows: tuple[Flow, ...]
    entry: int | None
    bases: Mapping[str, frozenset[str]] = field(default_factory=dict)
    every: list[Scope] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    stack: list[Scope] = field(default_factory=list)
    waiting: dict[str, list[Scope]] = field(default_factory=dict)
    by_text: dict[str, list[int]] = field(default_factory=dict)
    by_call: dict[str, list[Flow]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, text in enumerate(self.lines.lines):
            if number:
                self.by_text.setdefault(text, []).append(number)
        for flow in self.flows:
            self.by_call.setdefault(self.lines.text(flow.line), []).append(flow)

    def place(self, event: str, text: str, names: Mapping[str, str]) -> Place | None:
        """Where a frame stands; None where no scope is open for it."""
        if event == "call":
            place = self._call(text, names)
        elif not self.stack:
            return None
        else:
            place = self._move(event, text)
        place.scope.places.append(place)
        self.places.append(place)
        if event == "return":
            self._suspend(self.stack.pop(), text)
        return place

    def _move(self, event: str, text: str) -> Place:
        """A frame of the innermost scope, or of the one around it when an exception has just left the innermost."""
        scope = self.stack[-1]
        lines = self._numbers(text)
        found = moved(scope.last, event, lines)
        if not found and scope.last.event == "raise" and len(self.stack) > 1 and event != "return":
            outer = moved(self.stack[-2].last, event, lines)
            if outer:
                self.stack.pop()
                return Place(self.stack[-1], event, outer)
        if found:
            return Place(scope, event, found)
        return Place(scope, event, self._anywhere(scope, lines), allowed=False)

    def _numbers(self, text: str) -> list[int]:
        return self.by_text.get(text, [])[: WIDEST + 1]

    def _anywhere(self, scope: Scope, lines: list[int]) -> list[Position]:
        """The text's lines in the scope's own code, else anywhere."""
        flows = list(dict.fromkeys(flow for flow, _ in scope.last.positions))
        own = [(flow, line) for flow in flows for line in lines if line in flow.next or line in flow.start]
        return own or [(flow, line) for line in lines for flow in self._at(line)]
