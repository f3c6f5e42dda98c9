"""Where stepping over a call and out of a frame leads: the next step of a frame that stands on the stack.

Over: the next step of the frame itself or of one around it, so that it never enters another. Out: the next one of a
frame around it. Backwards the same, the steps being gone through from the end. Each step waits until it is reached,
so that all of them together take time linear in the steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from worldline.ui.session.stacks import NOBODY, Stacks


def targets(stacks: Stacks, order: Iterable[int]) -> tuple[list[int], list[int]]:
    """For each step, the step that it leads over to and the one that it leads out to, NOBODY where none comes."""
    search = _Search(stacks, [NOBODY] * len(stacks.at), [NOBODY] * len(stacks.at))
    for step in order:
        search.come(step)
    return search.over, search.out


@dataclass
class _Waiting:
    """The steps of one node that wait for their chain (`over`) or for a frame around theirs alone (`out`)."""

    over: list[int] = field(default_factory=list)
    out: list[int] = field(default_factory=list)
    # The nodes upon this one on which, or above which, steps wait.
    inner: set[int] = field(default_factory=set)


@dataclass
class _Search:
    stacks: Stacks
    over: list[int]
    out: list[int]
    waiting: dict[int, _Waiting] = field(default_factory=dict)
    nodes: dict[int, set[int]] = field(default_factory=dict)  # those of each frame that are in `waiting`

    def come(self, step: int) -> None:
        """A step is there: whatever waited for its frame has its answer, and the step itself waits."""
        node = self.stacks.at[step]
        for known in self.nodes.get(self.stacks.frames[node], ()):
            here = self.waiting[known]
            for each in here.over:
                self.over[each] = step
            here.out += here.over
            here.over = []
            self._leave(here, step)
        self._know(node)
        self.waiting[node].over.append(step)

    def _leave(self, here: _Waiting, step: int) -> None:
        """All that waits above a node comes out with this step."""
        pending, here.inner = list(here.inner), set()
        while pending:
            node = pending.pop()
            gone = self.waiting.pop(node)
            self.nodes[self.stacks.frames[node]].discard(node)
            pending += gone.inner
            for each in gone.over:
                self.over[each] = self.out[each] = step
            for each in gone.out:
                self.out[each] = step

    def _know(self, node: int) -> None:
        """Lets the frames of a node's chain find it."""
        above = NOBODY
        while node != NOBODY:
            known = self.waiting.get(node)
            here = known or self.waiting.setdefault(node, _Waiting())
            if above != NOBODY:
                here.inner.add(above)
            if known is not None:
                return
            self.nodes.setdefault(self.stacks.frames[node], set()).add(node)
            above, node = node, self.stacks.parents[node]
