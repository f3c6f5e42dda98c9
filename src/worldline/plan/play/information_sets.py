"""Monte-Carlo tree search over what players know (IS-MCTS), a pure function as `uct` is.

Each simulation starts from a state drawn from the belief. A node is a situation: a player, and everything that this
player knows, so no choice depends on hidden information. The bound of a move uses how often the move
was available. Bounds are scaled by the largest return seen, because stakes are not always 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from random import Random
from typing import Any

from worldline.plan.games.game import CHANCE, OVER, GameMove
from worldline.plan.play.beliefs import WeightedStates, draw_state
from worldline.plan.play.uct import EXPLORATION, StepFunction, draw_chance, execute_step, playout

SituationKey = tuple[int, str]


class Arm:
    """One move in one situation: how often it was available, how often chosen, and its total return."""

    __slots__ = ("available", "total", "visits")

    def __init__(self) -> None:
        self.available, self.visits, self.total = 0, 0, 0.0


@dataclass
class Situation:
    """What one player knows when they move, and the moves from there; `above` is where it was first reached."""

    player: int
    seen: str
    above: tuple[SituationKey, GameMove] | None
    arms: dict[GameMove, Arm] = field(default_factory=dict)


@dataclass
class SituationTree:
    """A search: its situations by what is known, root first."""

    root: SituationKey
    situations: dict[SituationKey, Situation] = field(default_factory=dict)
    scale: float = 1.0


def search_situations(
    belief: WeightedStates,
    *,
    simulations: int,
    seed: int,
    step: StepFunction = execute_step,
    exploration: float = EXPLORATION,
) -> SituationTree:
    """Run N simulations, each from a state of the belief, and return the tree."""
    rng = Random(f"situations {seed}")
    first = next(iter(belief))
    tree = SituationTree((first.player, first.observation(first.player)))
    for _ in range(simulations):
        _simulate(tree, draw_state(belief, rng), step, rng, exploration)
    return tree


def _simulate(tree: SituationTree, state: Any, step: StepFunction, rng: Random, exploration: float) -> None:
    path: list[tuple[int, Arm]] = []
    above: tuple[SituationKey, GameMove] | None = None
    while state.player != OVER:
        if state.player == CHANCE:
            state = step(state, draw_chance(state, rng))
            continue
        key = (state.player, state.observation(state.player))
        node = tree.situations.get(key)
        if node is None:
            node = tree.situations[key] = Situation(*key, above)
        move, is_new = _choose(node, state.moves(), rng, exploration * tree.scale)
        path.append((node.player, node.arms[move]))
        above, state = (key, move), step(state, move)
        if is_new:
            break
    returns = playout(state, step, rng)
    tree.scale = max(tree.scale, *(abs(value) for value in returns))
    for player, arm in path:
        arm.visits += 1
        arm.total += returns[player]


def _choose(node: Situation, moves: Sequence[GameMove], rng: Random, exploration: float) -> tuple[GameMove, bool]:
    """Choose an untried move at random; else the one with the highest upper bound."""
    untried = [move for move in moves if move not in node.arms]
    if untried:
        move = untried[int(rng.random() * len(untried))]
        node.arms[move] = Arm()
    for available in moves:
        if available in node.arms:
            node.arms[available].available += 1
    if untried:
        return move, True

    def bound(move: GameMove) -> float:
        arm = node.arms[move]
        return arm.total / arm.visits + exploration * sqrt(log(arm.available) / arm.visits)

    return max(moves, key=bound), False


def most_visited_arm(tree: SituationTree) -> GameMove:
    """Return the most visited move at the root; ties go to the better one."""
    arms = tree.situations[tree.root].arms
    return max(arms, key=lambda move: (arms[move].visits, arms[move].total))
