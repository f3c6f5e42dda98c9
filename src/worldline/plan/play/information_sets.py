"""Monte-Carlo tree search over what players know (IS-MCTS), a pure function as `uct` is.

Each simulation starts from a state drawn from the belief. The tree alternates situations and moves. A situation is a
player and everything that this player knows, so no choice depends on hidden information; it is one node, wherever it is
reached from. Bounds are scaled by the largest return seen, because stakes are not always 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from worldline.plan.games.game import CHANCE, OVER, GameMove
from worldline.plan.play.beliefs import WeightedStates, draw_state
from worldline.plan.play.uct import EXPLORATION, StepFunction, draw_chance, execute_step, playout
from worldline.plan.search.node import NOBODY, SearchNode, simulate
from worldline.plan.search.selection import ChildSelection, select_available

SituationKey = tuple[int, str]  # a player, and what they see: the state of a situation's node


@dataclass
class SituationTree:
    """A search: its situations by what is known, each below the move that first led to it, and the largest return."""

    root: SearchNode
    situations: dict[SituationKey, SearchNode] = field(default_factory=dict)
    scale: float = 1.0

    def situation(self, state: Any, above: SearchNode | None) -> SearchNode:
        """Return the node of what the player to move knows in a state, created if it is new."""
        key = _key(state)
        node = self.situations.get(key)
        if node is None:
            node = self.situations[key] = SearchNode(key, above, key, NOBODY)
        return node


def search_situations(
    belief: WeightedStates,
    *,
    simulations: int,
    seed: int,
    step: StepFunction = execute_step,
    select: ChildSelection = select_available,
    exploration: float = EXPLORATION,
) -> SituationTree:
    """Run N simulations, each from a state of the belief, and return the tree."""
    rng = Random(f"situations {seed}")
    key = _key(next(iter(belief)))
    root = SearchNode(key, actor=NOBODY)
    tree = SituationTree(root, {key: root})
    for _ in range(simulations):
        play = _Play(tree, draw_state(belief, rng), step, rng, select, exploration * tree.scale)
        if (start := play.situation(None)) is not None:
            simulate(start, play.follow, play.evaluate)
    return tree


@dataclass
class _Play:
    """One simulation: the true state that goes along with the descent."""

    tree: SituationTree
    state: Any
    step: StepFunction
    rng: Random
    select: ChildSelection
    exploration: float

    def follow(self, node: SearchNode) -> tuple[SearchNode, bool] | None:
        """Go from a situation to a move, and from a move to the next situation."""
        if node.actor == NOBODY:
            move, is_new = self._choose(node)
            self.state = self.step(self.state, move.action)
            return move, is_new
        situation = self.situation(node)
        return None if situation is None else (situation, False)

    def evaluate(self, _: SearchNode) -> Sequence[float]:
        """Play out at random, and remember the largest return."""
        returns = playout(self.state, self.step, self.rng)
        self.tree.scale = max(self.tree.scale, *(abs(value) for value in returns))
        return returns

    def situation(self, above: SearchNode | None) -> SearchNode | None:
        """Play chance, and return the next situation; None at the end."""
        while self.state.player == CHANCE:
            self.state = self.step(self.state, draw_chance(self.state, self.rng))
        return None if self.state.player == OVER else self.tree.situation(self.state, above)

    def _choose(self, node: SearchNode) -> tuple[SearchNode, bool]:
        """Choose an untried move at random; else the one that the selection prefers."""
        moves: Sequence[GameMove] = self.state.moves()
        untried = [move for move in moves if move not in node.children]
        if untried:
            new = untried[int(self.rng.random() * len(untried))]
            node.add_child(new, None, actor=self.state.player)
        for move in moves:
            if move in node.children:
                node.children[move].available += 1
        if untried:
            return node.children[new], True
        return self.select(node, [node.children[move] for move in moves], self.exploration), False


def _key(state: Any) -> SituationKey:
    return state.player, state.observation(state.player)
