"""The frames on the stack at each step.

A node is a frame and the node below it. A generator that another frame resumes gets a new node, so the chain of a step
is what ran then, not who called first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS, RETURNING

NOBODY = -1


@dataclass
class Stacks:
    """The nodes as parallel columns, and the node of each step (`at`). Read only."""

    frames: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    at: list[int] = field(default_factory=list)

    def chain(self, node: int) -> list[int]:
        """Return the nodes from the outermost to this one."""
        chain = []
        while node != NOBODY:
            chain.append(node)
            node = self.parents[node]
        return chain[::-1]

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
    """Build the stack of every step."""
    result = Stacks()
    newest: dict[int, int] = {}  # the node of each frame
    top = NOBODY
    for moment in events:
        node = newest.get(moment.frame, NOBODY)
        if node == NOBODY:
            node = result._put(moment.frame, newest.get(moment.parent, NOBODY))
        elif moment.event in ("call", "resume") and top != result.parents[node]:
            # It resumes under another frame. If it is on the stack already, the text does not say where.
            node = node if result._holds(top, moment.frame) else result._put(moment.frame, top)
        newest[moment.frame] = node
        result.at.append(node)
        if moment.event not in CHANGELESS:
            top = result.parents[node] if moment.event in RETURNING else node
    return result
