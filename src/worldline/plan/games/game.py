"""What a game is: the state of a play, which says who moves and what follows. No search, no players.

A state is never changed: `step` gives the next. States are equal and hash by what they are, so that beliefs can hold
them. A class that is made without arguments gives the state that a play begins with.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol

CHANCE, OVER = -1, -2  # who moves where nobody does: a die or a deck; nobody, it is over

GameMove = Any  # a number, a word, a tuple of them: whatever hashes and can be written down


class GameState(Protocol):
    """A play at one moment."""

    @property
    def players(self) -> int:
        """How many play."""
        ...

    @property
    def player(self) -> int:
        """Who moves: 0, 1 and so on, CHANCE, or OVER."""
        ...

    def moves(self) -> Sequence[GameMove]:
        """What the one who moves may do; none where chance moves, or nobody."""
        ...

    def chances(self) -> Sequence[tuple[GameMove, Fraction]]:
        """Where chance moves, what can fall and how likely each is; they sum to 1."""
        ...

    def step(self, move: GameMove, /) -> GameState:
        """The state after a move, or after what fell."""
        ...

    def returns(self) -> Sequence[float]:
        """What each player has won when it is over; 0 each before."""
        ...

    def observation(self, player: int, /) -> str:
        """All that a player knows at this moment, and nothing else: equal texts are one situation to them."""
        ...
