"""Load games by name: a shipped one, or FILE.py:NAME, a user's class that is executed in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from traceback import walk_tb
from typing import Any

from worldline.core.errors import UsageError, WorldlineError
from worldline.plan.games.connect_four import ConnectFour
from worldline.plan.games.game import CHANCE, OVER, GameState
from worldline.plan.games.kuhn import KuhnPoker
from worldline.plan.games.leduc import LeducPoker
from worldline.plan.games.nim import Nim
from worldline.plan.games.pig import Pig
from worldline.plan.games.tic_tac_toe import TicTacToe
from worldline.predict.python_name import describe_error, find_object

SHIPPED: dict[str, Callable[[], GameState]] = {
    "tic-tac-toe": TicTacToe,
    "connect-four": ConnectFour,
    "nim": Nim,
    "small-nim": lambda: Nim((1, 2, 3)),
    "pig": Pig,
    "kuhn": KuhnPoker,
    "leduc": LeducPoker,
}


METHODS = ("moves", "chances", "step", "returns", "observation")
MAX_CHECKED_MOVES = 500  # of the checked play


def missing_parts(state: Any) -> list[str]:
    """List the members that a state lacks."""
    acts = [act for act in METHODS if not callable(getattr(state, act, None))]
    return acts + [part for part in ("player", "players") if not isinstance(getattr(state, part, None), int)]


def find_fault(start: Any) -> str:
    """Describe the first fault along one play, with the line of its method; empty without one."""
    state = start
    try:
        for turn in range(MAX_CHECKED_MOVES):
            if (wrong := _find_wrong_member(state)) or state.player == OVER:
                return wrong
            may = [move for move, _ in state.chances()] if state.player == CHANCE else state.moves()
            before, state = state, state.step(may[turn % len(may)])
            if lacks := missing_parts(state):
                reason = f"`step` returns {type(state).__name__}, which is not a state: it has no {', '.join(lacks)}"
                return reason + _place(before, "step")
    except Exception:  # exceptions of the user's class are reported elsewhere
        pass
    return ""


def _find_wrong_member(state: Any) -> str:
    """Describe the member of a state that has the wrong type; empty if all are right."""
    seen = [state.observation(player) for player in range(state.players)]
    won, may = state.returns(), state.moves()
    if not isinstance(may, Sequence):
        return f"`moves` returns {type(may).__name__}, not a list{_place(state, 'moves')}"
    if not isinstance(won, Sequence) or len(won) != state.players:
        expected = f"one number for each of {state.players} players"
        return f"`returns` returns {type(won).__name__}, not {expected}{_place(state, 'returns')}"
    odd = next((text for text in seen if not isinstance(text, str)), None)
    if odd is not None:
        return f"`observation` returns {type(odd).__name__}, not text{_place(state, 'observation')}"
    try:
        hash(state)
    except TypeError:
        return f"{type(state).__name__} is not hashable: use a frozen dataclass"
    return ""


def _place(state: Any, act: str) -> str:
    code = getattr(getattr(type(state), act, None), "__code__", None)
    return "" if code is None else f" ({Path(code.co_filename).name}:{code.co_firstlineno})"


def load_game(name: str) -> GameState:
    """Load the initial state of a game.

    Args:
        name: A shipped game, or `FILE.py:NAME`.

    Raises:
        UsageError: There is no such game, or it does not work as one.
    """
    if name in SHIPPED:
        return SHIPPED[name]()
    if ":" not in name:
        raise UsageError(f"{name!r} is not a game: use {', '.join(SHIPPED)}, or FILE.py:NAME for your own class")
    loaded = find_object(name)
    with guarded(name):
        start = loaded.value() if callable(loaded.value) else loaded.value
        _check(name, start)
    return start  # type: ignore[no-any-return]


@contextmanager
def guarded(name: str, start: GameState | None = None) -> Iterator[None]:
    """Turn an exception of a user's game into one UsageError with its line; exceptions of shipped games pass.

    If the exception comes from a player, one play from `start` is checked for what is wrong with the game.
    """
    try:
        yield
    except WorldlineError:
        raise
    except (Exception, SystemExit) as error:
        if name in SHIPPED:
            raise
        file = Path(name.rpartition(":")[0])
        files = {Path(frame.f_code.co_filename).name for frame, _ in walk_tb(error.__traceback__)}
        fault = find_fault(start) if start is not None and file.name not in files else ""
        raise UsageError(
            f"the game {name}{f': {fault}' if fault else f' failed: {describe_error(error, file)}'}"
        ) from error


def _check(name: str, start: Any) -> None:
    """Raise UsageError unless this is a valid initial state."""
    if missing := missing_parts(start):
        raise UsageError(
            f"the game {name} has no {', '.join(missing)}: see docs/how-to/plan.md for the interface of a game"
        )
    if isinstance(start.returns(), Sequence) and len(start.returns()) != start.players:
        raise UsageError(f"the game {name}: `returns` has {len(start.returns())} values for {start.players} players")
    if start.player == CHANCE and sum((Fraction(weight) for _, weight in start.chances()), Fraction(0)) != 1:
        raise UsageError(f"the game {name}: the chances at the start do not sum to 1")
    if start.player != OVER and start.player != CHANCE and not start.moves():
        raise UsageError(f"the game {name}: player {start.player} moves first and has no moves")
    if name not in SHIPPED and (fault := find_fault(start)):
        raise UsageError(f"the game {name}: {fault}")
