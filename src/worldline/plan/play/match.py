"""A match: players take each seat in turn, the executed rules are the judge, and wins are counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.stats import Share
from worldline.plan.games.game import CHANCE, OVER, GameMove, GameState
from worldline.plan.play.players import Player
from worldline.plan.play.uct import MAX_MOVES, draw_chance


@dataclass(frozen=True, kw_only=True)
class PlayedGame:
    """One play: every move and chance outcome in order, and the return of each seat."""

    moves: tuple[GameMove, ...]
    returns: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class PlayerScore:
    """The score of a player in a match."""

    name: str
    won: Share
    drawn: int
    mean: float  # return a play

    def as_json(self) -> dict[str, Any]:
        """Return the counts, the rate with its interval, and the mean return."""
        return {"name": self.name, "won": self.won.as_json(), "drawn": self.drawn, "mean_return": self.mean}


@dataclass(frozen=True, kw_only=True)
class Match:
    """Several plays of one game between the same players."""

    game: str
    plays: tuple[PlayedGame, ...]
    standings: tuple[PlayerScore, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the match as `plan play --json` prints it."""
        plays = [{"moves": [_plain(m) for m in item.moves], "returns": list(item.returns)} for item in self.plays]
        return {"game": self.game, "players": [item.as_json() for item in self.standings], "plays": plays}


def _plain(move: GameMove) -> Any:
    return move if isinstance(move, int | str) else repr(move)


def play(start: GameState, seats: Sequence[Player], *, seed: int) -> PlayedGame:
    """Play one game; the seed decides the chances."""
    rng, state = Random(f"play {seed}"), start
    for seat, player in enumerate(seats):
        player.begin(start, seat, seed)
    done: list[GameMove] = []
    while state.player != OVER:
        move = draw_chance(state, rng) if state.player == CHANCE else _chosen(state, seats[state.player])
        state = state.step(move)
        done.append(move)
        for seat, player in enumerate(seats):
            player.see(state.observation(seat), move)
        if len(done) > MAX_MOVES:
            raise UsageError(f"a play of this game does not end within {MAX_MOVES:,} moves")
    return PlayedGame(moves=tuple(done), returns=tuple(float(value) for value in state.returns()))


def _chosen(state: GameState, player: Player) -> GameMove:
    moves = state.moves()
    move = player.choose(moves)
    if move not in moves:
        raise UsageError(f"{player.name} chose {move!r}, which is not a legal move")
    return move


def match(
    game: str,
    start: GameState,
    players: Sequence[Player],
    *,
    games: int,
    seed: int = 0,
    on_game: Callable[[], None] | None = None,
) -> Match:
    """Play N games; the seats rotate, so that each player has each seat equally often."""
    if len(players) != start.players:
        raise UsageError(f"{game} is for {start.players} players, not {len(players)}")
    plays, won = [], []
    for number in range(games):
        order = [(seat + number) % len(players) for seat in range(len(players))]
        plays.append(play(start, [players[at] for at in order], seed=seed * 1_000_003 + number))
        by_player = dict(zip(order, plays[-1].returns, strict=True))
        won.append([by_player[at] for at in range(len(players))])
        if on_game is not None:
            on_game()
    standings = [_standing(player, at, won) for at, player in enumerate(players)]
    return Match(game=game, plays=tuple(plays), standings=tuple(standings))


def _standing(player: Player, at: int, won: list[list[float]]) -> PlayerScore:
    """Score a player: a win is the highest return alone, a draw is the same return for all."""
    wins = sum(all(row[at] > other for i, other in enumerate(row) if i != at) for row in won)
    draws = sum(all(row[at] == other for other in row) for row in won)
    mean = sum(row[at] for row in won) / len(won) if won else 0.0
    return PlayerScore(name=player.name, won=Share(wins, len(won)), drawn=draws, mean=mean)
