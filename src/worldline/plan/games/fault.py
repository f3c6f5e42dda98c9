"""What is wrong with a user's game that raised nothing itself: one play is looked at, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.plan.games.game import CHANCE, OVER

ACTS = ("moves", "chances", "step", "returns", "observation")
MOST = 500  # moves that are looked at


def missing_parts(state: Any) -> list[str]:
    """What a state lacks that every game's has."""
    acts = [act for act in ACTS if not callable(getattr(state, act, None))]
    return acts + [part for part in ("player", "players") if not isinstance(getattr(state, part, None), int)]


def fault_of(start: Any) -> str:
    """What along a play is not what a game's is, with the line of the method that gave it; nothing where all is."""
    state = start
    try:
        for turn in range(MOST):
            if (wrong := _wrong(state)) or state.player == OVER:
                return wrong
            may = [move for move, _ in state.chances()] if state.player == CHANCE else state.moves()
            before, state = state, state.step(may[turn % len(may)])
            if lacks := missing_parts(state):
                reason = (
                    f"`step` gives {type(state).__name__}, which is no state: it has no {', '.join(lacks)}"
                )
                return reason + _at(before, "step")
    except Exception:  # the class is anybody's; what it raises itself was told before
        pass
    return ""


def _wrong(state: Any) -> str:
    """Which part of a state is of another kind than a game's is."""
    seen = [state.observation(player) for player in range(state.players)]
    won, may = state.returns(), state.moves()
    if not isinstance(may, Sequence):
        return f"`moves` gives {type(may).__name__}, and not a list{_at(state, 'moves')}"
    if not isinstance(won, Sequence) or len(won) != state.players:
        expected = f"one number for each of {state.players} players"
        return f"`returns` gives {type(won).__name__}, and not {expected}{_at(state, 'returns')}"
    odd = next((text for text in seen if not isinstance(text, str)), None)
    if odd is not None:
        return f"`observation` gives {type(odd).__name__}, and not a text{_at(state, 'observation')}"
    try:
        hash(state)
    except TypeError:
        return f"{type(state).__name__} does not hash: a frozen dataclass does"
    return ""


def _at(state: Any, act: str) -> str:
    code = getattr(getattr(type(state), act, None), "__code__", None)
    return "" if code is None else f" ({Path(code.co_filename).name}:{code.co_firstlineno})"
