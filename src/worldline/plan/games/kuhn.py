"""Kuhn poker: one of three cards and one chip per player, at most one bet; the higher card wins."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from worldline.plan.games.game import CHANCE, OVER

CARDS = (0, 1, 2)
# Ends of a play: both passed, a bet was not met, a bet was met.
ENDS = ("pp", "bp", "pbp", "bb", "pbb")


@dataclass(frozen=True, slots=True)
class KuhnPoker:
    """The cards dealt, and the moves since: p (pass) and b (bet). A move is `pass` or `bet`."""

    cards: tuple[int, ...] = ()
    bets: str = ""

    players = 2

    @property
    def player(self) -> int:
        """Chance deals two cards; then the players take turns."""
        if len(self.cards) < 2:
            return CHANCE
        return OVER if self.bets in ENDS else len(self.bets) % 2

    def moves(self) -> list[str]:
        """Pass or bet; after a bet they mean fold and meet."""
        return ["pass", "bet"] if self.player >= 0 else []

    def chances(self) -> list[tuple[int, Fraction]]:
        """The cards that are left."""
        if len(self.cards) == 2:
            return []
        left = [card for card in CARDS if card not in self.cards]
        return [(card, Fraction(1, len(left))) for card in left]

    def step(self, move: str | int) -> KuhnPoker:
        """Deal a card, or apply a move."""
        if isinstance(move, int):
            return KuhnPoker((*self.cards, move), self.bets)
        return KuhnPoker(self.cards, self.bets + move[0])

    def returns(self) -> tuple[float, float]:
        """The chips won: one, or two if a bet was met."""
        if self.player != OVER:
            return 0.0, 0.0
        if self.bets in ("bp", "pbp"):
            first = 1.0 if self.bets == "bp" else -1.0
        else:
            first = (2.0 if "b" in self.bets else 1.0) * (1 if self.cards[0] > self.cards[1] else -1)
        return first, -first

    def observation(self, player: int) -> str:
        """The player's card, the number of cards dealt, and the moves."""
        own = str(self.cards[player]) if player < len(self.cards) else "?"
        return f"{own} {len(self.cards)} {self.bets}"
