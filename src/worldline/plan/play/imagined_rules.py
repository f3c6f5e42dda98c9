"""A game's own `step` as a model predicts it: the rules for a search, with a cache of predictions.

The model reads the game's source and a call such as `Nim((1, 2), 0, -1).step((0, 1))`, and predicts its trace; the
returned value is read as a state. The search executes nothing, or, if `mixed`, the steps that the gate is not confident
of. The gate is fitted on the steps executed so far, as in `ask`; below 30 every step is executed. A prediction that
cannot be read ends its line of play.
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
from worldline.plan.gate import Gate, fit_gate
from worldline.plan.imagined import PredictedAnswer, explain_doubt, predict_answers
from worldline.plan.journal import JournalEntry, append, read_journal
from worldline.plan.ledger import LedgerEntry, calibration_entries, model_name
from worldline.plan.play.game_source import call_of
from worldline.plan.question import Question
from worldline.predict.predictor import Predictor

MAX_STEP_BYTES = 4_096
RETURN_QUESTION = Question(what="return")


@dataclass(frozen=True)
class LostState:
    """A prediction that could not be read: the game is over, and nobody has won."""

    players: int
    player: int = OVER

    def moves(self) -> list[GameMove]:
        """Return an empty list."""
        return []

    def chances(self) -> list[tuple[GameMove, Any]]:
        """Return an empty list."""
        return []

    def step(self, move: GameMove, /) -> LostState:
        """Return itself."""
        return self

    def returns(self) -> list[float]:
        """Return 0 for each player."""
        return [0.0] * self.players

    def observation(self, player: int, /) -> str:
        """Return a fixed text."""
        return "lost"


@dataclass
class ImaginedRules:
    """The predicted rules of a search; with `sure`, steps of lower confidence are executed instead.

    The gate is fitted on the `ledger`, which starts with the entries of the optional `journal`; every executed step is
    added with its prediction.
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
        """Return the next state, predicted or executed."""
        if (state, move) not in self.memory:
            self._imagine(state, options_of(state) or [move])
        return self.memory[state, move]

    def prepare(self, state: Any) -> None:
        """Predict every move of a state, before a search needs them."""
        options = options_of(state)
        if options and (state, options[0]) not in self.memory:
            self._imagine(state, options)

    @property
    def model(self) -> str:
        """The name of the weights in the ledger."""
        return model_name(self.predictor)

    def gate(self) -> Gate | None:
        """Return the gate; None if too few steps were executed."""
        return fit_gate(calibration_entries(self.ledger, what=RETURN_QUESTION.what, model=self.model))

    def _imagine(self, state: Any, moves: Sequence[GameMove]) -> None:
        """Predict all moves of a state together: a search needs them, and they share a prompt."""
        programs = [Program(source=self.source, call=call_of(state, move)) for move in moves]
        gate = self.gate() if self.sure is not None else None
        executed = list[JournalEntry]()
        for move, predicted in zip(
            moves, predict_answers(self.predictor, programs, RETURN_QUESTION, limit=MAX_STEP_BYTES), strict=True
        ):
            after = read_state(predicted.value or "", state)
            self.bytes += predicted.spent.bytes
            self.imagined += 1
            if self.sure is not None:
                why = explain_doubt(predicted, gate, self.sure)
                why = why or ("the prediction is not a state" if isinstance(after, LostState) else None)
                if why is not None:
                    true = state.step(move)
                    executed.append(self._entry(predicted, after, true, why, gate))
                    self._run.add((state, move))
                    after = true
            self.memory[state, move] = after
        self.ran += len(executed)
        self.ledger += [entry.ledger for entry in executed]
        if executed and self.journal is not None:
            append(self.journal, executed)

    def _entry(self, predicted: PredictedAnswer, after: Any, true: Any, why: str, gate: Gate | None) -> JournalEntry:
        """Build the entry of an executed step; equal states count as right, however they are spelled."""
        return JournalEntry(
            program=predicted.ask.program,
            question=RETURN_QUESTION,
            imagined=predicted.value,
            why=why,
            model=self.model,
            score=predicted.score,
            true=predicted.value if predicted.value is not None and after == true else repr(true),
            probability=predicted.probability(gate),
        )

    def right(self) -> Share:
        """Count the predicted steps that are right, by executing the rules after the play."""
        predicted = [(key, after) for key, after in self.memory.items() if key not in self._run]
        return Share(sum(_is_true(*key, after) for key, after in predicted), len(predicted))


def options_of(state: Any) -> list[GameMove]:
    """Return the moves or chance outcomes of a state; none if the game is over."""
    if state.player == OVER:
        return []
    return [move for move, _ in state.chances()] if state.player == CHANCE else list(state.moves())


def _is_true(state: Any, move: GameMove, after: Any) -> bool:
    try:
        return bool(state.step(move) == after)
    except Exception:  # a predicted state need not be valid
        return False


def read_state(answer: str, like: Any) -> Any:
    """Read a predicted answer as a state; lost if the class does not accept it, or it has no next move."""
    parsed = parse(answer)
    if not isinstance(parsed, Value) or parsed.kind != "object" or parsed.atom != type(like).__name__:
        return LostState(like.players)
    try:
        state = type(like)(**{name: ast.literal_eval(text(value)) for name, value in parsed.fields})
        hash(state)
        is_over = state.player == OVER
        has_result = is_over and len(state.returns()) == like.players
        has_moves = not is_over and bool(options_of(state)) and state.player < like.players
        return state if has_result or has_moves else LostState(like.players)
    except Exception:  # neither a user's class nor a prediction can be trusted
        return LostState(like.players)
