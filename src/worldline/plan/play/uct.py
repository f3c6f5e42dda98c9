"""Monte-Carlo tree search (UCT) as a pure function: a state and a seed go in, a tree comes out.

The rules are one callable, `step`: executed or predicted. Every player maximises their own return; chance is sampled.
A leaf is valued by one random playout. The same seed gives the same tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log, sqrt
from random import Random
from typing import Any

from worldline.core.errors import UsageError
from worldline.plan.games.game import CHANCE, OVER, GameMove, GameState

StepFunction = Callable[[Any, GameMove], Any]  # a state and a move in, the next state out
EXPLORATION = 1.0  # for returns between -1 and 1
MAX_MOVES = 20_000  # of one play


class PlayNode:
    """One node: its state, the move that led to it, who chose it, its visits, and the chooser's total return."""

    __slots__ = ("children", "chooser", "move", "player", "state", "total", "untried", "visits")

    def __init__(self, state: Any, move: GameMove, chooser: int) -> None:
        self.state, self.move, self.chooser = state, move, chooser
        self.player: int = state.player
        self.untried: list[GameMove] | None = None
        self.children: dict[GameMove, PlayNode] = {}
        self.visits, self.total = 0, 0.0

    @property
    def value(self) -> float | None:
        """The mean return of the player who chose it."""
        return self.total / self.visits if self.visits else None


def execute_step(state: Any, move: GameMove) -> Any:
    """Execute the rules."""
    return state.step(move)


def search(
    root: GameState, *, simulations: int, seed: int, step: StepFunction = execute_step, exploration: float = EXPLORATION
) -> PlayNode:
    """Run N simulations, each of which adds at most one node, and return the tree."""
    rng = Random(f"uct {seed}")
    tree = PlayNode(root, None, root.player)
    for _ in range(simulations):
        simulate(tree, step, rng, exploration)
    return tree


def simulate(tree: PlayNode, step: StepFunction, rng: Random, exploration: float) -> None:
    """Descend to a leaf, play out once, and add the returns to every node on the path."""
    path, node = [tree], tree
    while node.player != OVER:
        if node.player == CHANCE:
            node = _child(node, draw_chance(node.state, rng), step)
        else:
            if node.untried is None:
                node.untried = _shuffle(node.state.moves(), rng)
            if node.untried:
                path.append(_child(node, node.untried.pop(), step))
                break
            node = _best_child(node, exploration)
        path.append(node)
    returns = playout(path[-1].state, step, rng)
    for node in path:
        node.visits += 1
        if node.chooser >= 0:
            node.total += returns[node.chooser]


def _child(node: PlayNode, move: GameMove, step: StepFunction) -> PlayNode:
    """Return the child of a move, created if it is new. A chance outcome counts for the player who moved before."""
    child = node.children.get(move)
    if child is None:
        chooser = node.chooser if node.player == CHANCE else node.player
        child = node.children[move] = PlayNode(step(node.state, move), move, chooser)
    return child


def _best_child(node: PlayNode, exploration: float) -> PlayNode:
    """Return the child with the highest upper bound; ties go to the first."""
    known, best, most = log(node.visits), None, -1e300
    for child in node.children.values():
        bound = child.total / child.visits + exploration * sqrt(known / child.visits)
        if bound > most:
            best, most = child, bound
    assert best is not None
    return best


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


def most_visited_move(tree: PlayNode) -> GameMove:
    """Return the most visited move; ties go to the better, then to the first."""
    return max(tree.children.values(), key=lambda child: (child.visits, child.total)).move
