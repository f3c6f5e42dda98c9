"""Which frames stand on the stack at each step.

A frame's place on the stack is a node: the frame and the node beneath it. A generator that is resumed from elsewhere
gets a new node, so the chain of a step is what ran then, not who called first. It knows nothing of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS, RETURNING

NOBODY = -1


@dataclass
class Stacks:
    """The nodes as parallel columns, and the node of each step (`at`). To be read only."""

    frames: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    at: list[int] = field(default_factory=list)

    def chain(self, node: int) -> list[int]:
        """The nodes from the outermost to this one."""
        found = []
        while node != NOBODY:
            found.append(node)
            node = self.parents[node]
        return found[::-1]

    def _put(self, frame: int, parent: int) -> int:
        self.frames.append(frame)
        self.parents.append(parent)
        self.depths.append(self.depths[parent] + 1 if parent != NOBODY else 0)
        return len(self.frames) - 1

    def _holds(self, node: int, frame: int) -> bool:
        while node != NOBODY and self.frames[node] != frame:
            node = self.parents[node]
        return node != NOBODY


def stacks(events: Sequence[Event]) -> Stacks:
    """The stack of every step."""
    found = Stacks()
    newest: dict[int, int] = {}  # the node of each frame
    top = NOBODY
    for moment in events:
        node = newest.get(moment.frame, NOBODY)
        if node == NOBODY:
            node = found._put(moment.frame, newest.get(moment.parent, NOBODY))
        elif moment.event in ("call", "resume") and top != found.parents[node]:
            # It goes on under another frame; a text that resumes what runs already says nothing about where.
            node = node if found._holds(top, moment.frame) else found._put(moment.frame, top)
        newest[moment.frame] = node
        found.at.append(node)
        if moment.event not in CHANGELESS:
            top = found.parents[node] if moment.event in RETURNING else node
    return found
