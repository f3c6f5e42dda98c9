"""What can be seen of a game without its source: plays, as transitions from one observation and move to the next.

A transition is told as a run of a program whose rules lie elsewhere: the model reads a `step` that looks its answer up
in what it is not shown, and writes what came back. That is told by what has changed: which characters of what is seen
are others now, who moves, which moves are gone and which have come; of an end, the whole text and what was won. A
change is short, and mostly the same in states that differ elsewhere: so something can be learned from few plays.
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
ENDLESS = 100_000  # moves that are watched at most
JUDGED = 32  # of them, at most: each is imagined twice, before the training and after


@dataclass(frozen=True)
class Moment:
    """A state as it is seen: its text, who moves, the moves, and what was won, which is nothing before the end."""

    text: str
    player: int
    legal: tuple[GameMove, ...]
    won: tuple[float, ...] = ()


@dataclass(frozen=True)
class Transition:
    """A move that was seen, and what came of it."""

    before: Moment
    move: GameMove
    after: Moment


def moment(state: GameState) -> Moment:
    """What is seen of a state; UsageError where that is not the same for everybody, or chance moves."""
    texts = {state.observation(player) for player in range(state.players)}
    if state.player == CHANCE or len(texts) > 1:
        raise UsageError("--learned is for games in which nothing falls by chance and nothing is hidden")
    won = tuple(float(value) for value in state.returns()) if state.player == OVER else ()
    return Moment(texts.pop(), state.player, in_order(state.moves()), won)


def in_order(moves: Iterable[GameMove]) -> tuple[GameMove, ...]:
    """Moves in one order, whatever a game lists them in."""
    return tuple(sorted(moves, key=repr))


def watch(start: GameState, *, plays: int, seed: int) -> list[Transition]:
    """The transitions of so many random plays, each once, in random order."""
    rng, transitions = Random(f"watched {seed}"), dict[tuple[str, GameMove], Transition]()
    moves = 0
    for _ in range(plays):
        state, now = start, moment(start)
        while now.legal:
            move = now.legal[int(rng.random() * len(now.legal))]
            state = state.step(move)
            then = moment(state)
            transitions.setdefault((now.text, move), Transition(now, move, then))
            now, moves = then, moves + 1
            if moves > ENDLESS:
                raise UsageError(f"{plays:,} plays of this game do not end within {ENDLESS:,} moves")
    shuffled = list(transitions.values())
    rng.shuffle(shuffled)
    return shuffled


def asked(text: str, move: GameMove) -> Program:
    """What a model is asked: the step, its rules not shown."""
    return Program(source=SOURCE, call=f"step({text!r}, {move!r})")


def written(seen: Transition) -> str:
    """What came of a move, as the program returns it: what has changed."""
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
    """Transitions as documents to learn from: recorded in the box, with the answers in a file that is not shown."""
    programs = [asked(transition.before.text, transition.move) for transition in seen]
    hidden = [
        replace(program, files=(("seen.py", _table(transition)),))
        for program, transition in zip(programs, seen, strict=True)
    ]
    return [
        (prompt(program), encode_steps(trace))
        for program, trace in zip(programs, record_many(hidden), strict=True)
    ]


def _table(transition: Transition) -> str:
    return f"change = {{{(transition.before.text, transition.move)!r}: {written(transition)}}}\n"


def read_change(answer: str, before: Moment, players: int) -> Moment | None:
    """The moment behind a change that was imagined; None where it is none."""
    try:
        change = ast.literal_eval(answer)
        if len(change) == 2:
            text, won = change
            end = Moment(text, OVER, (), tuple(map(float, won)))
            return end if isinstance(text, str) and len(end.won) == players else None
        changed, player, gone, come = change
        if not set(gone) <= set(before.legal) or player not in range(players):
            return None
        legal = in_order((set(before.legal) - set(gone)) | set(come))
        return Moment(_changed(before.text, changed), player, legal) if legal else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, LookupError, AttributeError):
        return None


def _changed(text: str, changed: object) -> str:
    """A text with some of its characters changed, or another one; ValueError of what is neither."""
    if isinstance(changed, str):
        return changed
    characters = list(text)
    for at, new in dict(changed).items():  # type: ignore[call-overload]
        if type(at) is not int or at < 0 or not isinstance(new, str) or len(new) != 1:
            raise ValueError("no change of a character")
        characters[at] = new
    return "".join(characters)


def shares(
    seen: Iterable[Transition], known: int
) -> tuple[list[Transition], list[Transition], list[Transition]]:
    """Transitions to learn from, at most so many, to stop by (eight at most), and to be judged by (32 at most)."""
    transitions = list(seen)
    cut = len(transitions) // 4
    back = min(8, len(transitions) // 8)
    if not back:
        raise UsageError(
            f"{len(transitions)} different moves were seen: too few to learn from and to be judged by"
        )
    return transitions[cut + back :][:known], transitions[cut : cut + back], transitions[:cut][:JUDGED]
