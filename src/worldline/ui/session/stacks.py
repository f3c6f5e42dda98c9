"""The frames on the stack at each step, and the targets of stepping over a call and out of a frame.

A node is a frame and the node below it. A generator that another frame resumes gets a new node, so the chain of a step
is what ran then, not who called first. Stepping over leads to the next step of the same or an enclosing frame, stepping
out to that of an enclosing frame. Every step waits for its targets, so all of them together take linear time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from worldline.codec.reading import Event
from worldline.core.events import CHANGELESS, RETURNING

ABSENT = -1  # no node, frame or step


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
        while node != ABSENT:
            chain.append(node)
            node = self.parents[node]
        return chain[::-1]

    def _put(self, frame: int, parent: int) -> int:
        self.frames.append(frame)
        self.parents.append(parent)
        self.depths.append(self.depths[parent] + 1 if parent != ABSENT else 0)
        return len(self.frames) - 1

    def _holds(self, node: int, frame: int) -> bool:
        while node != ABSENT and self.frames[node] != frame:
            node = self.parents[node]
        return node != ABSENT


def stacks(events: Sequence[Event]) -> Stacks:
    """Build the stack of every step."""
    result = Stacks()
    newest: dict[int, int] = {}  # the node of each frame
    top = ABSENT
    for moment in events:
        node = newest.get(moment.frame, ABSENT)
        if node == ABSENT:
            node = result._put(moment.frame, newest.get(moment.parent, ABSENT))
        elif moment.event in ("call", "resume") and top != result.parents[node]:
            # It resumes under another frame. If it is on the stack already, the text does not say where.
            node = node if result._holds(top, moment.frame) else result._put(moment.frame, top)
        newest[moment.frame] = node
        result.at.append(node)
        if moment.event not in CHANGELESS:
            top = result.parents[node] if moment.event in RETURNING else node
    return result


def targets(stacks: Stacks, order: Iterable[int]) -> tuple[list[int], list[int]]:
    """Return the targets of stepping over and out, for each step; `ABSENT` if there is none."""
    search = _Search(stacks, [ABSENT] * len(stacks.at), [ABSENT] * len(stacks.at))
    for step in order:
        search.reach(step)
    return search.over, search.out


@dataclass
class _Waiting:
    """Steps of one node that wait for their own or an enclosing frame (`over`), or for an enclosing one (`out`)."""

    over: list[int] = field(default_factory=list)
    out: list[int] = field(default_factory=list)
    # Nodes directly above this one with waiting steps, or with waiting steps above them.
    inner: set[int] = field(default_factory=set)


@dataclass
class _Search:
    stacks: Stacks
    over: list[int]
    out: list[int]
    waiting: dict[int, _Waiting] = field(default_factory=dict)
    nodes: dict[int, set[int]] = field(default_factory=dict)  # by frame, the nodes that are in `waiting`

    def reach(self, step: int) -> None:
        """Answer the steps that wait for the frame of this step, and let this step wait."""
        node = self.stacks.at[step]
        for known in self.nodes.get(self.stacks.frames[node], ()):
            waiting = self.waiting[known]
            for waiter in waiting.over:
                self.over[waiter] = step
            waiting.out += waiting.over
            waiting.over = []
            self._leave(waiting, step)
        self._know(node)
        self.waiting[node].over.append(step)

    def _leave(self, waiting: _Waiting, step: int) -> None:
        """Answer all steps that wait above a node."""
        pending, waiting.inner = list(waiting.inner), set()
        while pending:
            node = pending.pop()
            gone = self.waiting.pop(node)
            self.nodes[self.stacks.frames[node]].discard(node)
            pending += gone.inner
            for waiter in gone.over:
                self.over[waiter] = self.out[waiter] = step
            for waiter in gone.out:
                self.out[waiter] = step

    def _know(self, node: int) -> None:
        """Register a node with the frames of its chain."""
        above = ABSENT
        while node != ABSENT:
            known = self.waiting.get(node)
            waiting = known or self.waiting.setdefault(node, _Waiting())
            if above != ABSENT:
                waiting.inner.add(above)
            if known is not None:
                return
            self.nodes.setdefault(self.stacks.frames[node], set()).add(node)
            above, node = node, self.stacks.parents[node]
