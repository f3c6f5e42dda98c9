"""The node of every search tree, the loop of one simulation, and the only backup.

The world, the evaluation and the selection enter as functions: `follow` goes one step down, `evaluate` values a leaf.
Nothing here knows what a state or an action is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

NOBODY = -1  # the actor of a node whose returns are not summed


class SearchNode:
    """What is known at one place of a search, and the action that led there.

    `actor` chose the action: `total` sums this actor's returns over `visits`. `available` counts how often the action
    could have been chosen, where that depends on hidden information. `untried` are the actions without a child; None
    before they are listed. `number` is the node's place in the order of creation, where a search keeps one.
    """

    __slots__ = ("action", "actor", "available", "children", "number", "parent", "state", "total", "untried", "visits")

    def __init__(
        self, state: Any, parent: SearchNode | None = None, action: Any = None, actor: int = 0, number: int = 0
    ) -> None:
        self.state, self.parent, self.action, self.actor, self.number = state, parent, action, actor, number
        self.children: dict[Any, SearchNode] = {}
        self.untried: list[Any] | None = None
        self.visits, self.available, self.total = 0, 0, 0.0

    @property
    def value(self) -> float:
        """The mean return of its actor; 0 before the first visit."""
        return self.total / self.visits if self.visits else 0.0

    def add_child(self, action: Any, state: Any, *, actor: int = 0, number: int = 0) -> SearchNode:
        """Add the node that an action leads to."""
        child = self.children[action] = SearchNode(state, self, action, actor, number)
        return child

    def lineage(self) -> Iterator[SearchNode]:
        """Yield this node, its parent, and so on up to the root."""
        node: SearchNode | None = self
        while node is not None:
            yield node
            node = node.parent

    def actions(self) -> list[Any]:
        """Return the actions from the root to this node."""
        return [node.action for node in self.lineage() if node.parent is not None][::-1]


# A node in, the next node of the descent out and whether it is a leaf; None where the descent ends.
FollowFunction = Callable[[SearchNode], tuple[SearchNode, bool] | None]
# A leaf in, one return per actor out.
EvaluateFunction = Callable[[SearchNode], Sequence[float]]


def simulate(root: SearchNode, follow: FollowFunction, evaluate: EvaluateFunction) -> None:
    """Descend from the root to a leaf, value it, and back its returns up along the path."""
    path, node, is_leaf = [root], root, False
    while not is_leaf and (step := follow(node)) is not None:
        node, is_leaf = step
        path.append(node)
    back_up(path, evaluate(node))


def back_up(path: Iterable[SearchNode], returns: Sequence[float]) -> None:
    """Count a visit of every node of a path, and add the return of the actor who chose it."""
    for node in path:
        node.visits += 1
        if node.actor >= 0:
            node.total += returns[node.actor]


def most_visited_child(node: SearchNode) -> SearchNode:
    """Return the most visited child; ties go to the better, then to the first."""
    return max(node.children.values(), key=lambda child: (child.visits, child.total))
