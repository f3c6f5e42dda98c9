"""OpenSpiel for comparison: the twin of each shipped game, and the rules compared move by move.

It comes with the extra `games`. None of its code is copied here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from worldline.core.errors import UsageError
from worldline.plan.games.catalogue import load_game
from worldline.plan.games.game import CHANCE, OVER, GameMove, GameState

MAX_DIFFERENCES = 20  # reported
ObservationText = Callable[[Any, int], str]


def _same_number(move: GameMove) -> int:
    return int(move)


def _nim_action(piles: int) -> Callable[[GameMove], int]:
    return lambda move: int(move[0] + (move[1] - 1) * piles)


def _pig_action(move: GameMove) -> int:
    return {"roll": 0, "stop": 1}[move] if isinstance(move, str) else int(move) - 1


def _poker_action(*words: str) -> Callable[[GameMove], int]:
    return lambda move: words.index(move) if isinstance(move, str) else int(move)


def _board(state: Any, player: int) -> str:
    return str(state.observation_string(player))


def _known(state: Any, player: int) -> str:
    return str(state.information_state_string(player))


def _counted(state: Any, player: int) -> str:
    """Add the number of decisions, which Pig's text lacks and which end the game."""
    return f"{state} {sum(item.player >= 0 for item in state.full_history())}"


@dataclass(frozen=True)
class TwinGame:
    """The same game in OpenSpiel: its name, its action for each of our moves, and the text of what a player knows."""

    name: str
    action: Callable[[GameMove], int]
    known: ObservationText = _board
    hidden: bool = False

    def start(self) -> Any:
        """Return the initial state."""
        return self.game().new_initial_state()

    def game(self) -> Any:
        """Load the game."""
        return _load_game(self.name)

    def move(self, moves: list[GameMove], action: int) -> GameMove:
        """Return the move of ours that an action stands for."""
        return next(move for move in moves if self.action(move) == action)


TWINS = {
    "tic-tac-toe": TwinGame("tic_tac_toe", _same_number),
    "connect-four": TwinGame("connect_four", _same_number),
    "nim": TwinGame("nim", _nim_action(4)),
    "small-nim": TwinGame("nim(pile_sizes=1;2;3)", _nim_action(3)),
    "pig": TwinGame("pig", _pig_action, _counted),
    "kuhn": TwinGame("kuhn_poker", _poker_action("pass", "bet"), _known, hidden=True),
    "leduc": TwinGame("leduc_poker", _poker_action("fold", "call", "raise"), _known, hidden=True),
}


def twin_of(name: str) -> TwinGame:
    """Return the OpenSpiel twin of a shipped game; UsageError if it has none."""
    if name not in TWINS:
        raise UsageError(f"OpenSpiel has no twin of {name}: its players play {', '.join(TWINS)}")
    return TWINS[name]


@cache
def _load_game(name: str) -> Any:
    return pyspiel().load_game(name)


def pyspiel() -> Any:
    """Import OpenSpiel; UsageError if it is not installed."""
    try:
        import pyspiel as module
    except ImportError:
        raise UsageError("OpenSpiel is not installed: pip install 'worldline[games]'") from None
    return module


@dataclass(frozen=True, kw_only=True)
class RuleCheck:
    """How far a game and its twin were compared, and their first differences in words."""

    game: str
    plays: int
    moves: int
    situations: int
    differences: tuple[str, ...]


def compare_rules(name: str, *, plays: int, seed: int = 0) -> RuleCheck:
    """Play both with the same random moves, and compare players, moves, chances, observations and returns."""
    twin, rng = twin_of(name), Random(f"rules of {name} {seed}")
    names: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    differences: list[str] = []
    moves = 0
    for play in range(plays):
        state, other = load_game(name), twin.start()
        past: list[GameMove] = []
        while True:
            differences += [
                f"play {play} after {past}: {difference}" for difference in _compare_states(state, other, twin, names)
            ]
            if state.player == OVER or differences:
                break
            options = [move for move, _ in state.chances()] if state.player == CHANCE else state.moves()
            move = options[int(rng.random() * len(options))]
            state = state.step(move)
            other.apply_action(twin.action(move))
            past.append(move)
            moves += 1
        if len(differences) >= MAX_DIFFERENCES:
            break
    return RuleCheck(
        game=name, plays=plays, moves=moves, situations=len(names[0]), differences=tuple(differences[:MAX_DIFFERENCES])
    )


def _compare_states(
    state: GameState, other: Any, twin: TwinGame, names: tuple[dict[Any, Any], dict[Any, Any]]
) -> list[str]:
    """List the differences between a state and its twin."""
    who = OVER if other.is_terminal() else CHANCE if other.is_chance_node() else other.current_player()
    differences = _difference("who moves", state.player, who)
    if differences:
        return differences
    differences += _difference("returns", list(state.returns()), list(other.returns()))
    if who == CHANCE:
        falls = sorted((twin.action(move), float(weight)) for move, weight in state.chances())
        return differences + _difference("chances", falls, sorted(other.chance_outcomes()))
    differences += _difference("moves", sorted(map(twin.action, state.moves())), other.legal_actions())
    for player in range(state.players):
        ours, theirs = (player, state.observation(player)), (player, twin.known(other, player))
        # Both must distinguish the same situations, so texts map to each other one to one.
        differences += _difference("observation", names[0].setdefault(ours, theirs), theirs)
        differences += _difference("observation", names[1].setdefault(theirs, ours), ours)
    return differences


def _difference(aspect: str, ours: Any, theirs: Any) -> list[str]:
    return [] if ours == theirs else [f"{aspect}: {ours}, OpenSpiel: {theirs}"]
