"""Selection functions: which child a descent goes to, and which candidate a best-first search takes next.

Every formula is stated with its source. Ties go to the first candidate, so a search is the same for the same seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from math import log, sqrt
from random import Random
from typing import Any, Generic, Protocol, TypeVar

from worldline.plan.search.node import SearchNode

ItemT = TypeVar("ItemT")

# What a node is worth before its first visit.
EstimateFunction = Callable[[SearchNode], float]


# Items in order of cost, a generator and a rate in, one of the items out.
RankSelection = Callable[[Sequence[ItemT], Random, float], ItemT]


class ChildSelection(Protocol):
    """Chooses the child that a descent goes to."""

    def __call__(self, node: SearchNode, children: Iterable[SearchNode], exploration: float, /) -> SearchNode:
        """Return one of some children of a node; a larger `exploration` prefers rarely visited ones."""
        ...


def upper_bound(value: float, trials: float, visits: float, exploration: float) -> float:
    """Return `value + exploration * sqrt(ln trials / visits)`: UCB1 (Auer, Cesa-Bianchi and Fischer, 2002)."""
    return value + exploration * sqrt(log(trials) / visits)


def select_uct(node: SearchNode, children: Iterable[SearchNode], exploration: float) -> SearchNode:
    """UCT (Kocsis and Szepesvari, 2006): UCB1 over the visits of the node."""
    trials = node.visits
    return max(children, key=lambda child: upper_bound(child.total / child.visits, trials, child.visits, exploration))


def select_available(_: SearchNode, children: Iterable[SearchNode], exploration: float) -> SearchNode:
    """IS-MCTS (Cowling, Powley and Whitehouse, 2012): UCB1 over how often the child was available."""
    return max(
        children, key=lambda child: upper_bound(child.total / child.visits, child.available, child.visits, exploration)
    )


def estimated_uct(estimate: EstimateFunction) -> ChildSelection:
    """Return UCT with add-one counts, which allows unvisited children: they are worth their estimate."""

    def select(node: SearchNode, children: Iterable[SearchNode], exploration: float) -> SearchNode:
        def bound(child: SearchNode) -> float:
            value = child.value if child.visits else estimate(child)
            return upper_bound(value, 1 + node.visits, 1 + child.visits, exploration)

        return max(children, key=bound)

    return select


def estimated_puct(estimate: EstimateFunction, prior: EstimateFunction) -> ChildSelection:
    """Return PUCT (AlphaZero, Silver et al., 2017): `value + exploration * prior * sqrt(N) / (1 + n)`."""

    def select(node: SearchNode, children: Iterable[SearchNode], exploration: float) -> SearchNode:
        def bound(child: SearchNode) -> float:
            value = child.value if child.visits else estimate(child)
            return value + exploration * prior(child) * sqrt(node.visits) / (1 + child.visits)

        return max(children, key=bound)

    return select


def draw_by_rank(ranked: Sequence[ItemT], rng: Random, rate: float) -> ItemT:
    """Draw from items in order of cost, `exp(-rate * rank)` each: exponential ranking (Blickle and Thiele, 1996)."""
    return ranked[min(int(rng.expovariate(rate)), len(ranked) - 1)]


class Frontier(Generic[ItemT]):
    """The waiting candidates of a best-first search: the cheapest leaves first, then the one that came first."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Any, int, ItemT]] = []
        self._added = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, item: ItemT, cost: Any = 0.0) -> None:
        """Add a candidate; of equal costs, the frontier is a queue."""
        heappush(self._waiting, (cost, self._added, item))
        self._added += 1

    def take(self) -> ItemT:
        """Remove and return the cheapest candidate."""
        return heappop(self._waiting)[2]
