"""A game's own `step` as a model imagines it: a world for a search, with a memory of what was imagined.

The model reads the game's source and a call such as `Nim((1, 2), 0, -1).step((0, 1))`, and writes the steps of that
run; the value that it returns is read as a state. A search over it runs nothing, or, `mixed`, what no gate vouches for:
the gate stands on the steps that were run so far, as that of `ask` does, and below 30 of them everything is run. What
cannot be read ends a line of thought.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldline.core.node import Value, text
from worldline.core.program import Program
from worldline.core.stats import Share
from worldline.core.value import parse
from worldline.plan.games.game import CHANCE, OVER, GameMove
from worldline.plan.gate import Gate, gate_of
from worldline.plan.imagined import PredictedAnswer, think, unsure
from worldline.plan.journal import JournalEntry, append, read_journal
from worldline.plan.ledger import LedgerEntry, model_of, telling
from worldline.plan.play.game_source import call_of
from worldline.plan.question import Question
from worldline.predict.predictor import Predictor

LIMIT = 4_096  # bytes of an imagined step
ASKED = Question(what="return")


@dataclass(frozen=True)
class LostState:
    """Where imagination could not be read: nobody moves, nobody has won."""

    players: int
    player: int = OVER

    def moves(self) -> list[GameMove]:
        """None."""
        return []

    def chances(self) -> list[tuple[GameMove, Any]]:
        """None."""
        return []

    def step(self, move: GameMove, /) -> LostState:
        """There is no way on."""
        return self

    def returns(self) -> list[float]:
        """Nothing for anybody."""
        return [0.0] * self.players

    def observation(self, player: int, /) -> str:
        """That it is lost."""
        return "lost"


@dataclass
class ImaginedRules:
    """The world of an imagining search; with `sure`, what is less sure than that by the gate is run instead.

    The gate is fitted on the `ledger`, which the `journal` begins where one is given, and which every step that is run
    adds to, with what was imagined before.
    """

    source: str
    predictor: Predictor
    sure: float | None = None
    journal: str | Path | None = None
    imagined: int = 0
    ran: int = 0
    bytes: int = 0
    memory: dict[tuple[Any, GameMove], Any] = field(default_factory=dict, repr=False)
    ledger: list[LedgerEntry] = field(default_factory=list, repr=False)
    _run: set[tuple[Any, GameMove]] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        if self.journal is not None:
            self.ledger += [entry.ledger for entry in read_journal(self.journal)]

    def __call__(self, state: Any, move: GameMove) -> Any:
        """The next state."""
        if (state, move) not in self.memory:
            self._imagine(state, _options(state) or [move])
        return self.memory[state, move]

    @property
    def model(self) -> str:
        """The weights as the ledger names them."""
        return model_of(self.predictor)

    def gate(self) -> Gate | None:
        """What tells how sure a step is; None while too few were run."""
        return gate_of(telling(self.ledger, what=ASKED.what, model=self.model))

    def _imagine(self, state: Any, moves: Sequence[GameMove]) -> None:
        """All moves of a state together: a search will want them, and they share what is read."""
        programs = [Program(source=self.source, call=call_of(state, move)) for move in moves]
        gate = self.gate() if self.sure is not None else None
        executed = list[JournalEntry]()
        for move, thought in zip(moves, think(self.predictor, programs, ASKED, limit=LIMIT), strict=True):
            after = read_state(thought.value or "", state)
            self.bytes += thought.spent.bytes
            self.imagined += 1
            if self.sure is not None:
                why = unsure(thought, gate, self.sure)
                why = why or ("what was imagined is no state" if isinstance(after, LostState) else None)
                if why is not None:
                    true = state.step(move)
                    executed.append(self._entry(thought, after, true, why, gate))
                    self._run.add((state, move))
                    after = true
            self.memory[state, move] = after
        self.ran += len(executed)
        self.ledger += [entry.ledger for entry in executed]
        if executed and self.journal is not None:
            append(self.journal, executed)

    def _entry(
        self, thought: PredictedAnswer, after: Any, true: Any, why: str, gate: Gate | None
    ) -> JournalEntry:
        """A step that was run: where the states are equal, what was imagined is what is true, in its own spelling."""
        score = thought.score
        return JournalEntry(
            program=thought.ask.program,
            question=ASKED,
            imagined=thought.value,
            why=why,
            model=self.model,
            score=score,
            true=thought.value if thought.value is not None and after == true else repr(true),
            probability=gate.probability(score) if gate is not None and score is not None else None,
        )

    def right(self) -> Share:
        """How many of the imagined steps are what the rules say: the rules are run for that, after the play."""
        predicted = [(key, after) for key, after in self.memory.items() if key not in self._run]
        return Share(sum(_is_true(*key, after) for key, after in predicted), len(predicted))


def _options(state: Any) -> list[GameMove]:
    return [move for move, _ in state.chances()] if state.player == CHANCE else list(state.moves())


def _is_true(state: Any, move: GameMove, after: Any) -> bool:
    try:
        return bool(state.step(move) == after)
    except Exception:  # an imagined state need not be one of the game's
        return False


def read_state(answer: str, like: Any) -> Any:
    """The state that an imagined answer is; lost where it is none that the game's own class takes."""
    parsed = parse(answer)
    if not isinstance(parsed, Value) or parsed.kind != "object" or parsed.atom != type(like).__name__:
        return LostState(like.players)
    try:
        state = type(like)(**{name: ast.literal_eval(text(value)) for name, value in parsed.fields})
        hash(state)
        _options(state)
        if state.player == OVER:
            state.returns()
        return state
    except Exception:  # the class is anybody's, and so is what was imagined
        return LostState(like.players)
