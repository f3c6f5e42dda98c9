"""The targets of stepping over a call and out of a frame.

Over: the next step of the same frame or of one that encloses it. Out: the next step of an enclosing frame. Backwards
the same, with the steps in reverse order. Every step waits for its target, so all targets together take linear time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from worldline.ui.session.stacks import NOBODY, Stacks


def targets(stacks: Stacks, order: Iterable[int]) -> tuple[list[int], list[int]]:
    """Find the targets of all steps.

    Args:
        stacks: The stack of every step.
        order: The steps in the direction of travel.

    Returns:
        For each step the target of stepping over and the target of stepping out; `NOBODY` if there is none.
    """
    search = _Search(stacks, [NOBODY] * len(stacks.at), [NOBODY] * len(stacks.at))
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
        above = NOBODY
        while node != NOBODY:
            known = self.waiting.get(node)
            waiting = known or self.waiting.setdefault(node, _Waiting())
            if above != NOBODY:
                waiting.inner.add(above)
            if known is not None:
                return
            self.nodes.setdefault(self.stacks.frames[node], set()).add(node)
            above, node = node, self.stacks.parents[node]
