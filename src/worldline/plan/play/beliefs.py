"""The belief of a player: every state that fits their observations, with its exact probability.

It applies Bayes' rule, one step of the play at a time. Chance has its own probabilities, other players are assumed to
move at random, and states that do not fit the next observation are dropped. `futures` explores the draws of a program
in the same way; here the game lists its chances, so nothing is executed. Weights are fractions, as in a `Distribution`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random

from worldline.core.errors import UsageError
from worldline.plan.futures.distribution import Distribution, from_weights
from worldline.plan.games.game import CHANCE, OVER, GameMove, GameState

WeightedStates = Mapping[GameState, Fraction]  # states, weights that sum to 1
MAX_STATES = 100_000  # of a belief


def initial_belief(start: GameState) -> WeightedStates:
    """Return the belief at the start."""
    return {start: Fraction(1)}


def update_belief(belief: WeightedStates, player: int, seen: str) -> WeightedStates:
    """Update a belief by one step, after which the player sees this."""
    weights: dict[GameState, Fraction] = {}
    for state, weight in belief.items():
        for move, share in _next_moves(state):
            after = state.step(move)
            if after.observation(player) == seen:
                weights[after] = weights.get(after, Fraction(0)) + weight * share
    whole = sum(weights.values(), Fraction(0))
    if not whole:
        raise UsageError(f"no state of this game fits what player {player} sees: {seen!r}")
    if len(weights) > MAX_STATES:
        raise UsageError(f"more than {MAX_STATES:,} states fit what player {player} has seen: too many to weigh")
    return {state: weight / whole for state, weight in weights.items()}


def _next_moves(state: GameState) -> list[tuple[GameMove, Fraction]]:
    """List what can happen next, with probabilities."""
    if state.player == OVER:
        return []
    if state.player == CHANCE:
        return [(move, Fraction(weight)) for move, weight in state.chances()]
    moves = state.moves()
    return [(move, Fraction(1, len(moves))) for move in moves]


def draw_state(belief: WeightedStates, rng: Random) -> GameState:
    """Draw one of the states by its weight."""
    at, state = rng.random(), None
    for state, weight in belief.items():
        at -= float(weight)
        if at < 0:
            return state
    assert state is not None
    return state


def as_distribution(belief: WeightedStates) -> Distribution:
    """Return the belief as a distribution."""
    return from_weights((repr(state), weight) for state, weight in belief.items())
