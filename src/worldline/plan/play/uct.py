"""Monte-Carlo tree search of a game as a pure function: a state and a seed go in, a tree comes out.

The rules are one callable, `step`: executed or predicted. Every player maximises their own return; chance is sampled.
A leaf is valued by one random playout. The same seed gives the same tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from worldline.core.errors import UsageError
from worldline.plan.games.game import CHANCE, OVER, GameMove, GameState
from worldline.plan.search.node import SearchNode, most_visited_child, simulate
from worldline.plan.search.selection import ChildSelection, select_uct

StepFunction = Callable[[Any, GameMove], Any]  # a state and a move in, the next state out
EXPLORATION = 1.0  # for returns between -1 and 1
MAX_MOVES = 20_000  # of one play


def execute_step(state: Any, move: GameMove) -> Any:
    """Execute the rules."""
    return state.step(move)


def search(
    root: GameState,
    *,
    simulations: int,
    seed: int,
    step: StepFunction = execute_step,
    select: ChildSelection = select_uct,
    exploration: float = EXPLORATION,
) -> SearchNode:
    """Run N simulations, each of which tries at most one new move, and return the tree."""
    rng = Random(f"uct {seed}")
    tree = SearchNode(root, actor=root.player)

    def follow(node: SearchNode) -> tuple[SearchNode, bool] | None:
        player = node.state.player
        if player == OVER:
            return None
        if player == CHANCE:
            return _child(node, draw_chance(node.state, rng), step), False
        if node.untried is None:
            node.untried = _shuffle(node.state.moves(), rng)
        if node.untried:
            return _child(node, node.untried.pop(), step), True
        return select(node, node.children.values(), exploration), False

    for _ in range(simulations):
        simulate(tree, follow, lambda leaf: playout(leaf.state, step, rng))
    return tree


def _child(node: SearchNode, move: GameMove, step: StepFunction) -> SearchNode:
    """Return the child of a move, created if it is new. A chance outcome counts for the player who moved before."""
    child = node.children.get(move)
    if child is None:
        player = node.state.player
        child = node.add_child(move, step(node.state, move), actor=node.actor if player == CHANCE else player)
    return child


def _shuffle(moves: Sequence[GameMove], rng: Random) -> list[GameMove]:
    """Shuffle with `random()` alone, which is the same in every version of Python."""
    shuffled = list(moves)
    for last in range(len(shuffled) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
    return shuffled


def draw_chance(state: Any, rng: Random) -> GameMove:
    """Draw a chance outcome."""
    falls, at = state.chances(), rng.random()
    for move, weight in falls:
        at -= float(weight)
        if at < 0:
            return move
    return falls[-1][0]


def playout(state: Any, step: StepFunction, rng: Random) -> Sequence[float]:
    """Return the result of a random continuation."""
    random = rng.random
    for _ in range(MAX_MOVES):
        player = state.player
        if player == OVER:
            returns: Sequence[float] = state.returns()
            return returns
        if player == CHANCE:
            move = draw_chance(state, rng)
        else:
            moves = state.moves()
            if not moves:
                raise UsageError(f"a game that is not over leaves player {player} no move")
            move = moves[int(random() * len(moves))]
        state = step(state, move)
    raise UsageError(f"a play of this game does not end within {MAX_MOVES:,} moves")


def most_visited_move(tree: SearchNode) -> GameMove:
    """Return the most visited move; ties go to the better, then to the first."""
    return most_visited_child(tree).action
