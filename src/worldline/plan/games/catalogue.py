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
from worldline.plan.games.fault import fault_of, missing_parts
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
        raise UsageError(
            f"{name!r} is not a game: use {', '.join(SHIPPED)}, or FILE.py:NAME for your own class"
        )
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
        fault = fault_of(start) if start is not None and file.name not in files else ""
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
        raise UsageError(
            f"the game {name}: `returns` gives {len(start.returns())} for {start.players} players"
        )
    if start.player == CHANCE and sum((Fraction(weight) for _, weight in start.chances()), Fraction(0)) != 1:
        raise UsageError(f"the game {name}: the chances at the start do not sum to 1")
    if start.player != OVER and start.player != CHANCE and not start.moves():
        raise UsageError(f"the game {name}: player {start.player} moves first and has no moves")
    if name not in SHIPPED and (fault := fault_of(start)):
        raise UsageError(f"the game {name}: {fault}")
