"""What can be observed of a game without its source: transitions from an observation and a move to the next.

A transition is written as a run of a program whose rules are hidden: the model reads a `step` that looks up its answer
elsewhere, and predicts the answer. The answer is a change: which characters of the observation differ, who moves, which
moves were removed and added; at the end, the whole text and the returns. Changes are short and repeat between states,
so a model can learn them from few plays.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from worldline.codec.compact.prompt import prompt
from worldline.codec.compact.writer import encode_steps
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.plan.games.game import CHANCE, OVER, GameMove, GameState
from worldline.recording.recorder import record_many

SOURCE = "from seen import change\ndef step(text, move):\n    return change[text, move]\n"
MAX_WATCHED_MOVES = 100_000
MAX_JUDGED = 32  # transitions predicted before and after training


@dataclass(frozen=True)
class Moment:
    """An observed state: its text, who moves, the moves, and the returns (empty before the end)."""

    text: str
    player: int
    legal: tuple[GameMove, ...]
    won: tuple[float, ...] = ()


@dataclass(frozen=True)
class Transition:
    """An observed move: before and after."""

    before: Moment
    move: GameMove
    after: Moment


def observe(state: GameState) -> Moment:
    """Observe a state; UsageError if players see different texts, or chance moves."""
    texts = {state.observation(player) for player in range(state.players)}
    if state.player == CHANCE or len(texts) > 1:
        raise UsageError("--learned needs a game without chance and without hidden information")
    won = tuple(float(value) for value in state.returns()) if state.player == OVER else ()
    return Moment(texts.pop(), state.player, sort_moves(state.moves()), won)


def sort_moves(moves: Iterable[GameMove]) -> tuple[GameMove, ...]:
    """Sort moves, so that the order of a game does not matter."""
    return tuple(sorted(moves, key=repr))


def watch(start: GameState, *, plays: int, seed: int) -> list[Transition]:
    """Collect the distinct transitions of N random plays, in random order."""
    rng, transitions = Random(f"watched {seed}"), dict[tuple[str, GameMove], Transition]()
    moves = 0
    for _ in range(plays):
        state, now = start, observe(start)
        while now.legal:
            move = now.legal[int(rng.random() * len(now.legal))]
            state = state.step(move)
            then = observe(state)
            transitions.setdefault((now.text, move), Transition(now, move, then))
            now, moves = then, moves + 1
            if moves > MAX_WATCHED_MOVES:
                raise UsageError(f"{plays:,} plays of this game do not end within {MAX_WATCHED_MOVES:,} moves")
    shuffled = list(transitions.values())
    rng.shuffle(shuffled)
    return shuffled


def build_program(text: str, move: GameMove) -> Program:
    """Build the program for a model: the step, with its rules hidden."""
    return Program(source=SOURCE, call=f"step({text!r}, {move!r})")


def write_change(seen: Transition) -> str:
    """Write the change of a transition, as the program returns it."""
    before, after = seen.before, seen.after
    changed: object = after.text
    if len(before.text) == len(after.text):
        pairs = enumerate(zip(before.text, after.text, strict=True))
        changed = {at: new for at, (old, new) in pairs if old != new}
    if after.player == OVER:
        return repr((after.text, after.won))
    gone = tuple(move for move in before.legal if move not in after.legal)
    come = tuple(move for move in after.legal if move not in before.legal)
    return repr((changed, after.player, gone, come))


def documents(seen: Sequence[Transition]) -> list[tuple[bytes, bytes]]:
    """Write transitions as training documents: recorded in the sandbox, with the answers in a hidden file."""
    programs = [build_program(transition.before.text, transition.move) for transition in seen]
    hidden = [
        replace(program, files=(("seen.py", _table(transition)),))
        for program, transition in zip(programs, seen, strict=True)
    ]
    return [
        (prompt(program), encode_steps(trace)) for program, trace in zip(programs, record_many(hidden), strict=True)
    ]


def _table(transition: Transition) -> str:
    return f"change = {{{(transition.before.text, transition.move)!r}: {write_change(transition)}}}\n"


def read_change(answer: str, before: Moment, players: int) -> Moment | None:
    """Apply a predicted change; None if it is not valid."""
    try:
        change = ast.literal_eval(answer)
        if len(change) == 2:
            text, won = change
            end = Moment(text, OVER, (), tuple(map(float, won)))
            return end if isinstance(text, str) and len(end.won) == players else None
        changed, player, gone, come = change
        if not set(gone) <= set(before.legal) or player not in range(players):
            return None
        legal = sort_moves((set(before.legal) - set(gone)) | set(come))
        return Moment(_apply_change(before.text, changed), player, legal) if legal else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, LookupError, AttributeError):
        return None


def _apply_change(text: str, changed: object) -> str:
    """Return a text with some characters changed, or another text; ValueError otherwise."""
    if isinstance(changed, str):
        return changed
    characters = list(text)
    for at, new in dict(changed).items():  # type: ignore[call-overload]
        if type(at) is not int or at < 0 or not isinstance(new, str) or len(new) != 1:
            raise ValueError("not a change of one character")
        characters[at] = new
    return "".join(characters)


def split_transitions(
    seen: Iterable[Transition], known: int
) -> tuple[list[Transition], list[Transition], list[Transition]]:
    """Split transitions into training (at most `known`), validation (at most 8) and test (at most 32)."""
    transitions = list(seen)
    cut = len(transitions) // 4
    back = min(8, len(transitions) // 8)
    if not back:
        raise UsageError(f"{len(transitions)} different moves were observed, which is too few to train and test on")
    return transitions[cut + back :][:known], transitions[cut : cut + back], transitions[:cut][:MAX_JUDGED]
