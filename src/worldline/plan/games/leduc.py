"""Leduc poker: a card of six each (three ranks twice), a public card after the first of two rounds of betting.

Everybody pays one chip first. A raise is two chips in the first round and four in the second, and there are two a round
at most. A pair with the public card wins, else the higher rank; equal ranks share.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from worldline.plan.games.game import CHANCE, OVER

DECK = range(6)  # two cards of each rank: rank = card // 2
RAISES = (2, 4)
MOST = 2  # raises a round


@dataclass(frozen=True, slots=True)
class LeducPoker:
    """The cards dealt (the players', then the public one), and each round's moves by their first letters.

    A move is `fold`, `call` (also where nothing is to be met) or `raise`; a card falls.
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
        """Fold where there is something to meet, call, and raise where that is still allowed."""
        if self.player < 0:
            return []
        now = self.rounds[-1]
        found = ["fold", "call"] if now.endswith("r") else ["call"]
        return [*found, "raise"] if now.count("r") < MOST else found

    def chances(self) -> list[tuple[int, Fraction]]:
        """The cards that are left."""
        if self.player != CHANCE:
            return []
        left = [card for card in DECK if card not in self.cards]
        return [(card, Fraction(1, len(left))) for card in left]

    def step(self, move: str | int) -> LeducPoker:
        """A card is dealt, or a player moves; the first round's end begins the second."""
        if isinstance(move, int):
            return LeducPoker((*self.cards, move), self.rounds)
        now = self.rounds[-1] + move[0]
        rounds = (*self.rounds[:-1], now)
        return LeducPoker(self.cards, (now, "") if len(rounds) == 1 and _is_done(now) else rounds)

    def paid(self) -> tuple[int, int]:
        """The chips that each has put into the pot."""
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
        """The own card, how many are dealt, the public card, the moves by round, and at the end what it brought."""
        own = str(self.cards[player]) if player < len(self.cards) else "?"
        public = str(self.cards[2]) if len(self.cards) > 2 else "?"
        end = f" {self.returns()[player]:+g}" if self.player == OVER else ""
        return f"{own} {len(self.cards)} {public} {'/'.join(self.rounds)}{end}"


def _is_done(moves: str) -> bool:
    """Whether a round of betting is over: both have moved, and the last met what there was."""
    return len(moves) >= 2 and moves.endswith("c")
