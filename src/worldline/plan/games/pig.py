"""Pig: a die is rolled as often as the player wants; a 1 loses the points of the turn, and 100 points win."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from worldline.plan.games.game import CHANCE, OVER

SIDES, GOAL = 6, 100
LONGEST = 1_000  # then the game is over, and nobody has won
_FALLS = tuple((side, Fraction(1, SIDES)) for side in range(1, SIDES + 1))


@dataclass(frozen=True, slots=True)
class Pig:
    """Both scores, the points of this turn, whose turn it is, and who moves. A move is `roll` or `stop`."""

    scores: tuple[int, int] = (0, 0)
    total: int = 0
    turn: int = 0
    player: int = 0
    decisions: int = 0

    players = 2

    def moves(self) -> list[str]:
        """Roll or stop; only stop if that wins."""
        if self.player < 0:
            return []
        return ["stop"] if self.scores[self.turn] + self.total >= GOAL else ["roll", "stop"]

    def chances(self) -> tuple[tuple[int, Fraction], ...]:
        """The sides of the die."""
        return _FALLS if self.player == CHANCE else ()

    def step(self, move: str | int) -> Pig:
        """Apply a decision or a side of the die."""
        turn, count = self.turn, self.decisions
        if move == "roll":
            over = count + 1 >= LONGEST
            return Pig(self.scores, self.total, turn, OVER if over else CHANCE, count + 1)
        if move == "stop":
            return self._stopped(count + 1)
        if move == 1:
            return Pig(self.scores, 0, 1 - turn, 1 - turn, count)
        assert isinstance(move, int)
        return Pig(self.scores, self.total + move, turn, turn, count)

    def _stopped(self, count: int) -> Pig:
        one, other = self.scores
        scores = (one + self.total, other) if self.turn == 0 else (one, other + self.total)
        over = max(scores) >= GOAL or count >= LONGEST
        return Pig(scores, 0, 1 - self.turn, OVER if over else 1 - self.turn, count)

    def returns(self) -> tuple[float, float]:
        """1 for 100 points, -1 if the other player has them."""
        if self.scores[0] >= GOAL:
            return 1.0, -1.0
        return (-1.0, 1.0) if self.scores[1] >= GOAL else (0.0, 0.0)

    def observation(self, player: int) -> str:
        """The scores, the turn's total, whose turn it is, who moves, and the decisions so far."""
        return f"{self.scores[0]} {self.scores[1]} +{self.total} {self.turn} {self.player} {self.decisions}"
