"""Tic-tac-toe: three in a row on nine cells, numbered from the top left."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from worldline.plan.games.game import OVER

MARKS = "xo"
ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
# The rows through each cell, which a move there can complete.
THROUGH = tuple(tuple(row for row in ROWS if cell in row) for cell in range(9))


@dataclass(frozen=True, slots=True)
class TicTacToe:
    """A board of x, o and dots, and who moves. A move is a cell."""

    board: str = "........."
    player: int = 0
    winner: int = -1

    players = 2

    def moves(self) -> list[int]:
        """The empty cells."""
        if self.player == OVER:
            return []
        return [cell for cell, mark in enumerate(self.board) if mark == "."]

    def chances(self) -> list[tuple[int, Fraction]]:
        """Nothing is random."""
        return []

    def step(self, move: int) -> TicTacToe:
        """Set the mark; three in a row or a full board end the game."""
        mark = MARKS[self.player]
        board = self.board[:move] + mark + self.board[move + 1 :]
        for a, b, c in THROUGH[move]:
            if board[a] == board[b] == board[c]:
                return TicTacToe(board, OVER, self.player)
        return TicTacToe(board, 1 - self.player if "." in board else OVER)

    def returns(self) -> tuple[float, float]:
        """1 for the player with three in a row, -1 for the other."""
        return ((0.0, 0.0), (1.0, -1.0), (-1.0, 1.0))[self.winner + 1]

    def observation(self, player: int) -> str:
        """The board, and who moves: both players see everything."""
        return f"{self.board} {self.player}"
