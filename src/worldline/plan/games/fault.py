"""Find what is wrong with a user's game that raised nothing itself: check one play, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.plan.games.game import CHANCE, OVER

ACTS = ("moves", "chances", "step", "returns", "observation")
MAX_MOVES = 500  # of the play that is checked


def missing_parts(state: Any) -> list[str]:
    """List the members that a state lacks."""
    acts = [act for act in ACTS if not callable(getattr(state, act, None))]
    return acts + [part for part in ("player", "players") if not isinstance(getattr(state, part, None), int)]


def fault_of(start: Any) -> str:
    """Describe the first fault along one play, with the line of its method; empty if there is none."""
    state = start
    try:
        for turn in range(MAX_MOVES):
            if (wrong := _wrong(state)) or state.player == OVER:
                return wrong
            may = [move for move, _ in state.chances()] if state.player == CHANCE else state.moves()
            before, state = state, state.step(may[turn % len(may)])
            if lacks := missing_parts(state):
                reason = (
                    f"`step` gives {type(state).__name__}, which is not a state: it has no {', '.join(lacks)}"
                )
                return reason + _at(before, "step")
    except Exception:  # what a user's class raises itself is reported elsewhere
        pass
    return ""


def _wrong(state: Any) -> str:
    """Describe the member of a state that has the wrong type; empty if all are right."""
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
        return f"{type(state).__name__} is not hashable: use a frozen dataclass"
    return ""


def _at(state: Any, act: str) -> str:
    code = getattr(getattr(type(state), act, None), "__code__", None)
    return "" if code is None else f" ({Path(code.co_filename).name}:{code.co_firstlineno})"
