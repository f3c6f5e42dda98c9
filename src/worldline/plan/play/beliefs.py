"""What a player can know of the state: every state that fits what they have seen, with its exact weight.

It is Bayes' rule, one step of the play at a time: chance weighs what it weighs, others are taken to move at random, and
what does not fit the player's next observation falls away. `futures` walks the draws of a program under control in the
same way, one branch a value; here the game itself says what can fall, so nothing needs to be run. The weights are held
as that room holds masses: as fractions, in a `Distribution`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random

from worldline.core.errors import UsageError
from worldline.plan.futures.distribution import Distribution, weighed
from worldline.plan.games.game import CHANCE, OVER, GameMove, GameState

WeightedStates = Mapping[GameState, Fraction]  # states, weights that sum to 1
MOST = 100_000  # states that a belief may hold


def certain(start: GameState) -> WeightedStates:
    """Before anything has happened."""
    return {start: Fraction(1)}


def updated(belief: WeightedStates, player: int, seen: str) -> WeightedStates:
    """The belief one step of the play later, when the player sees this."""
    weights: dict[GameState, Fraction] = {}
    for state, weight in belief.items():
        for move, share in _followed(state):
            after = state.step(move)
            if after.observation(player) == seen:
                weights[after] = weights.get(after, Fraction(0)) + weight * share
    whole = sum(weights.values(), Fraction(0))
    if not whole:
        raise UsageError(f"no state of this game can look as player {player} sees it: {seen!r}")
    if len(weights) > MOST:
        raise UsageError(f"more than {MOST:,} states fit what player {player} has seen: too many to weigh")
    return {state: weight / whole for state, weight in weights.items()}


def _followed(state: GameState) -> list[tuple[GameMove, Fraction]]:
    """What can happen next, and how likely it is."""
    if state.player == OVER:
        return []
    if state.player == CHANCE:
        return [(move, Fraction(weight)) for move, weight in state.chances()]
    moves = state.moves()
    return [(move, Fraction(1, len(moves))) for move in moves]


def drawn(belief: WeightedStates, rng: Random) -> GameState:
    """One of the states, as likely as it is."""
    at, state = rng.random(), None
    for state, weight in belief.items():
        at -= float(weight)
        if at < 0:
            return state
    assert state is not None
    return state


def as_distribution(belief: WeightedStates) -> Distribution:
    """The belief as `futures` writes masses."""
    return weighed((repr(state), weight) for state, weight in belief.items())
