"""Nim: a player takes any number of items from one heap; the player who takes the last item loses."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from worldline.plan.games.game import OVER

HEAPS = (1, 3, 5, 7)


@dataclass(frozen=True, slots=True)
class Nim:
    """The heaps, and who moves. A move is a heap, counted from 0, and the number of items to take."""

    heaps: tuple[int, ...] = HEAPS
    player: int = 0
    winner: int = -1

    players = 2

    def moves(self) -> list[tuple[int, int]]:
        """Any number of items of any heap."""
        if self.player == OVER:
            return []
        return [(heap, take) for heap, size in enumerate(self.heaps) for take in range(1, size + 1)]

    def chances(self) -> list[tuple[tuple[int, int], Fraction]]:
        """Nothing is random."""
        return []

    def step(self, move: tuple[int, int]) -> Nim:
        """Take the items; the player who takes the last one loses."""
        heap, take = move
        heaps = (*self.heaps[:heap], self.heaps[heap] - take, *self.heaps[heap + 1 :])
        other = 1 - self.player
        return Nim(heaps, other) if any(heaps) else Nim(heaps, OVER, other)

    def returns(self) -> tuple[float, float]:
        """1 for the player who did not take the last item, -1 for the other."""
        return ((0.0, 0.0), (1.0, -1.0), (-1.0, 1.0))[self.winner + 1]

    def observation(self, player: int) -> str:
        """The heaps, and who moves, or who has won: both players see everything."""
        now = f"won by {self.winner}" if self.player == OVER else str(self.player)
        return f"{' '.join(map(str, self.heaps))} {now}"
