"""Connect four: stones fall into seven columns of six, four in a row win.

Each player's stones are one integer: column c has the bits 7c to 7c + 5 from the bottom up, and bit 7c + 6 stays
free, so that a line cannot wrap into the next column.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from worldline.plan.games.game import OVER

COLUMNS, HEIGHT = 7, 6
BOTTOM = tuple(1 << 7 * column for column in range(COLUMNS))
TOP = tuple(1 << 7 * column + HEIGHT - 1 for column in range(COLUMNS))
WHOLE = tuple((1 << HEIGHT) - 1 << 7 * column for column in range(COLUMNS))
FULL = sum(WHOLE)


@dataclass(frozen=True, slots=True)
class ConnectFour:
    """Both players' stones, and who moves. A move is a column."""

    stones: tuple[int, int] = (0, 0)
    player: int = 0
    winner: int = -1

    players = 2

    def moves(self) -> list[int]:
        """The columns that are not full."""
        if self.player == OVER:
            return []
        taken = self.stones[0] | self.stones[1]
        return [column for column in range(COLUMNS) if not taken & TOP[column]]

    def chances(self) -> list[tuple[int, Fraction]]:
        """Nothing is random."""
        return []

    def step(self, move: int) -> ConnectFour:
        """Drop a stone; four in a line or a full board end the game."""
        one, other = self.stones
        taken = one | other
        stone = (taken + BOTTOM[move]) & WHOLE[move]
        if self.player == 0:
            own = one = one | stone
        else:
            own = other = other | stone
        if _is_line(own):
            return ConnectFour((one, other), OVER, self.player)
        return ConnectFour((one, other), OVER if taken | stone == FULL else 1 - self.player)

    def returns(self) -> tuple[float, float]:
        """1 for the player with four in a line, -1 for the other."""
        return ((0.0, 0.0), (1.0, -1.0), (-1.0, 1.0))[self.winner + 1]

    def observation(self, player: int) -> str:
        """The board from the top, row by row, and who moves: both players see everything."""
        rows = ("".join(self._mark(7 * c + height) for c in range(COLUMNS)) for height in reversed(range(HEIGHT)))
        return f"{'/'.join(rows)} {self.player}"

    def _mark(self, bit: int) -> str:
        return "x" if self.stones[0] >> bit & 1 else "o" if self.stones[1] >> bit & 1 else "."


def _is_line(stones: int) -> bool:
    """Whether four stones are in a line: vertical, horizontal or diagonal."""
    for apart in (1, 7, 6, 8):
        pairs = stones & stones >> apart
        if pairs & pairs >> 2 * apart:
            return True
    return False
