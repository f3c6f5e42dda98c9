"""Leduc poker: one of six cards (three ranks, twice) per player, and a public card between two betting rounds.

Each player pays one chip first. A raise is two chips in the first round, four in the second; at most two per round.
A pair with the public card wins, else the higher rank; equal ranks share.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from worldline.plan.games.game import CHANCE, OVER

DECK = range(6)  # two cards of each rank: rank = card // 2
RAISES = (2, 4)
MAX_RAISES = 2  # per round


@dataclass(frozen=True, slots=True)
class LeducPoker:
    """The cards dealt (the players', then the public one), and each round's moves by their first letters.

    A move is `fold`, `call` (also if there is nothing to meet) or `raise`.
    """

    cards: tuple[int, ...] = ()
    rounds: tuple[str, ...] = ("",)

    players = 2

    @property
    def player(self) -> int:
        """Chance deals; the first player opens both rounds, and then they take turns."""
        now = self.rounds[-1]
        if now.endswith("f"):
            return OVER
        if len(self.cards) < 1 + len(self.rounds):
            return CHANCE
        if _is_done(now):
            return OVER
        return len(now) % 2

    def moves(self) -> list[str]:
        """Fold if there is a raise to meet, call, and raise if that is still allowed."""
        if self.player < 0:
            return []
        now = self.rounds[-1]
        moves = ["fold", "call"] if now.endswith("r") else ["call"]
        return [*moves, "raise"] if now.count("r") < MAX_RAISES else moves

    def chances(self) -> list[tuple[int, Fraction]]:
        """The cards that are left."""
        if self.player != CHANCE:
            return []
        left = [card for card in DECK if card not in self.cards]
        return [(card, Fraction(1, len(left))) for card in left]

    def step(self, move: str | int) -> LeducPoker:
        """Deal a card, or apply a move; the end of the first round starts the second."""
        if isinstance(move, int):
            return LeducPoker((*self.cards, move), self.rounds)
        now = self.rounds[-1] + move[0]
        rounds = (*self.rounds[:-1], now)
        return LeducPoker(self.cards, (now, "") if len(rounds) == 1 and _is_done(now) else rounds)

    def paid(self) -> tuple[int, int]:
        """The chips that each player has put into the pot."""
        chips = [1, 1]
        for stake, moves in zip(RAISES, self.rounds, strict=False):
            for at, move in enumerate(moves):
                if move in "cr":
                    chips[at % 2] = max(chips) + (stake if move == "r" else 0)
        return chips[0], chips[1]

    def returns(self) -> tuple[float, float]:
        """The chips won."""
        if self.player != OVER:
            return 0.0, 0.0
        chips, now = self.paid(), self.rounds[-1]
        winner = len(now) % 2 if now.endswith("f") else self._better()
        if winner is None:
            return 0.0, 0.0
        won = float(chips[1 - winner])
        return (won, -won) if winner == 0 else (-won, won)

    def _better(self) -> int | None:
        one, other, public = (card // 2 for card in self.cards)
        if one == other:
            return None
        if public in (one, other):
            return 0 if one == public else 1
        return 0 if one > other else 1

    def observation(self, player: int) -> str:
        """The player's card, the cards dealt, the public card, the moves by round, and at the end the return."""
        own = str(self.cards[player]) if player < len(self.cards) else "?"
        public = str(self.cards[2]) if len(self.cards) > 2 else "?"
        end = f" {self.returns()[player]:+g}" if self.player == OVER else ""
        return f"{own} {len(self.cards)} {public} {'/'.join(self.rounds)}{end}"


def _is_done(moves: str) -> bool:
    """Whether a round of betting is over: both have moved, and the last move is a call."""
    return len(moves) >= 2 and moves.endswith("c")
