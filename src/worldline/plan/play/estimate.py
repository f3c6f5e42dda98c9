"""How long a match with predicted rules takes at most: seconds of one predicted step, times the steps of the search."""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random
from statistics import mean
from typing import Any

from worldline.plan.games.game import CHANCE, OVER, GameState
from worldline.plan.play.imagined_rules import ImaginedRules, options_of
from worldline.plan.play.uct import MAX_MOVES, draw_chance

MAX_COUNTED = 50_000  # steps of a small game, which are counted
SAMPLED_GAMES = 20  # random, for the length of a game
LONG_MINUTES = 10.0


@dataclass(frozen=True, kw_only=True)
class MatchEstimate:
    """The most predicted steps of a match, and seconds of one, timed on the moves of the start."""

    steps: int
    seconds_per_step: float

    @property
    def minutes(self) -> float:
        """The longest time of all predictions."""
        return self.steps * self.seconds_per_step / 60

    def describe(self) -> str:
        """Say how long the match takes, and how to make it shorter if it takes long."""
        text = f"predicts {self.steps:,} steps at most, {self.seconds_per_step:.1f} s each: up to {_time(self.minutes)}"
        if self.minutes <= LONG_MINUTES:
            return text
        return f"{text}. For a shorter match pass fewer --games or --simulations, or let the player `search` execute"


def _time(minutes: float) -> str:
    if minutes < 1:
        return f"{max(1, round(60 * minutes))} s"
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.0f} hours"


def estimate_match(rules: ImaginedRules, start: GameState, *, simulations: int, games: int) -> MatchEstimate:
    """Predict the first steps and extrapolate; the predictions are kept for the match."""
    began, before = time.monotonic(), rules.imagined
    rules.prepare(start)
    timed = rules.imagined - before
    seconds = (time.monotonic() - began) / max(timed, 1)
    most = _count_steps(start)
    if most is None:
        lengths = [_random_length(start, Random(f"estimate {number}")) for number in range(SAMPLED_GAMES)]
        # Every simulation predicts a play to its end; a state is predicted with all its moves.
        width = max(len(options_of(start)), 1)
        most = round(mean(lengths) * games * simulations * mean(lengths) * width)
    return MatchEstimate(steps=most, seconds_per_step=seconds)


def _count_steps(start: GameState) -> int | None:
    """Count the steps of all reachable states; None if there are more than `MAX_COUNTED`."""
    seen, waiting, steps = {start}, [start], 0
    while waiting:
        state = waiting.pop()
        for move in options_of(state):
            steps += 1
            after: Any = state.step(move)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
        if steps > MAX_COUNTED:
            return None
    return steps


def _random_length(start: GameState, rng: Random) -> int:
    state: Any = start
    for length in range(MAX_MOVES):
        if state.player == OVER:
            return length
        move = draw_chance(state, rng) if state.player == CHANCE else rng.choice(state.moves())
        state = state.step(move)
    return MAX_MOVES
