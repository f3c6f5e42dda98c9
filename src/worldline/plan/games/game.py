"""The interface of a game: the state of a play, which knows who moves and what follows.

A state is immutable: `step` returns the next one. States are equal and hashable by value, so that beliefs can hold
them. A class called without arguments returns the initial state.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

CHANCE, OVER = -1, -2  # values of `player` if chance moves, and if the game is over

GameMove = Any  # any hashable value with a repr: a number, a word, a tuple


class GameState(Protocol):
    """The state of one play."""

    @property
    def players(self) -> int:
        """The number of players."""
        ...

    @property
    def player(self) -> int:
        """Who moves: 0, 1 and so on, CHANCE, or OVER."""
        ...

    def moves(self) -> Sequence[GameMove]:
        """List the legal moves; empty if chance moves, or the game is over."""
        ...

    def chances(self) -> Sequence[tuple[GameMove, Fraction]]:
        """List the chance outcomes with their probabilities, which sum to 1."""
        ...

    def step(self, move: GameMove, /) -> GameState:
        """Return the state after a move or a chance outcome."""
        ...

    def returns(self) -> Sequence[float]:
        """Return what each player has won; 0 each before the end."""
        ...

    def observation(self, player: int, /) -> str:
        """Return everything that a player knows; equal texts are one situation for that player."""
        ...
