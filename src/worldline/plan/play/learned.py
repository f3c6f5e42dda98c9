"""Playing a game without its rules: fit a world model to the transitions of random plays, and search in it.

The player never steps the game: the rules only judge the match. Predictions are cached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.stats import Share
from worldline.plan.futures.subject import Subject, read_from_prediction
from worldline.plan.games.game import OVER, GameMove, GameState
from worldline.plan.play.imagined_rules import LostState
from worldline.plan.play.seen import (
    Moment,
    Transition,
    build_program,
    documents,
    read_change,
    sort_moves,
    split_transitions,
    watch,
)
from worldline.plan.play.uct import most_visited_move, search
from worldline.plan.search.node import SearchNode
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor, WatchedPredictor

MAX_STEP_BYTES = 512  # of a predicted step
EXTRA_BYTES = 32  # beyond the longest observed text
DEFAULT_PLAYS = 40  # watched
MAX_LESSONS = 64  # transitions to train on
MAX_MOVES = 200  # of one predicted play: a model may predict a game that never ends


@dataclass
class SeenWorld:
    """The game as a model predicts it from observations alone, with a cache of its predictions."""

    predictor: Predictor
    players: int
    limit: int = MAX_STEP_BYTES
    memory: dict[tuple[str, GameMove], str] = field(default_factory=dict)  # predicted changes
    bytes: int = 0

    def after(self, moves: Sequence[tuple[Moment, GameMove]]) -> list[Moment | None]:
        """Return the moment after each move; new ones are predicted in one batch."""
        keys = [(now.text, move) for now, move in moves]
        new = [key for key in dict.fromkeys(keys) if key not in self.memory]
        asks = [PredictionRequest(program=build_program(*key), limit=self.limit) for key in new]
        for key, ask, prediction in zip(new, asks, self.predictor.predict(asks) if asks else (), strict=True):
            self.bytes += len(prediction.text)
            self.memory[key] = read_from_prediction(Subject(), ask, prediction)
        return [read_change(self.memory[now.text, move], now, self.players) for now, move in moves]


@dataclass(frozen=True)
class SeenState:
    """A predicted state of a game."""

    now: Moment
    world: SeenWorld = field(compare=False, repr=False)
    depth: int = field(default=0, compare=False)

    @property
    def players(self) -> int:
        """The number of players."""
        return self.world.players

    @property
    def player(self) -> int:
        """The player who moves next."""
        return self.now.player

    def moves(self) -> Sequence[GameMove]:
        """The legal moves."""
        return self.now.legal if self.now.player != OVER else ()

    def chances(self) -> list[tuple[GameMove, Any]]:
        """A learned game has no chance moves."""
        return []

    def step(self, move: GameMove, /) -> SeenState | LostState:
        """Return the next state; all moves are predicted in one batch. A play that is too long is lost."""
        if self.depth >= MAX_MOVES:
            return LostState(self.players)
        self.world.after([(self.now, legal_move) for legal_move in self.now.legal])
        (after,) = self.world.after([(self.now, move)])
        return LostState(self.players) if after is None else SeenState(after, self.world, self.depth + 1)

    def returns(self) -> Sequence[float]:
        """The predicted returns."""
        return self.now.won or (0.0,) * self.players

    def observation(self, player: int, /) -> str:
        """The predicted observation."""
        return self.now.text


@dataclass
class LearnedPlayer:
    """Searches in a world learned from observations. It sees observations and legal moves, but no rules."""

    world: SeenWorld
    simulations: int
    name: str = "learned"
    tree: SearchNode | None = None
    _text: str = ""
    _seat: int = 0
    _seed: int = 0

    def begin(self, start: GameState, seat: int, seed: int, /) -> None:
        """Start a play; only the observation is kept."""
        self._text, self._seat, self._seed = start.observation(seat), seat, seed

    def see(self, seen: str, move: GameMove, /) -> None:
        """Take the current observation."""
        self._text = seen

    def choose(self, moves: Sequence[GameMove], /) -> GameMove:
        """Return the most visited move of a search in the predicted world."""
        root = SeenState(Moment(self._text, self._seat, sort_moves(moves)), self.world)
        self._seed += 1
        self.tree = search(root, simulations=max(self.simulations, len(moves)), seed=self._seed)
        return most_visited_move(self.tree)


def limit_of(lessons: Sequence[tuple[bytes, bytes]]) -> int:
    """Return the most bytes to predict per step: slightly more than the longest document."""
    return min(MAX_STEP_BYTES, max((len(steps) for _, steps in lessons), default=MAX_STEP_BYTES) + EXTRA_BYTES)


def right(predictor: Predictor, seen: Sequence[Transition], players: int, *, limit: int = MAX_STEP_BYTES) -> Share:
    """Return how many transitions are predicted exactly as they were observed."""
    world = SeenWorld(predictor, players, limit)
    predicted = world.after([(transition.before, transition.move) for transition in seen])
    return Share(sum(moment == transition.after for moment, transition in zip(predicted, seen, strict=True)), len(seen))


@dataclass(frozen=True, kw_only=True)
class LearnedWorld:
    """A learned world: the model, the number of lessons, and its accuracy on held-back transitions."""

    predictor: Predictor
    lessons: int
    before: Share
    after: Share
    cpu_seconds: float
    steps: int
    limit: int = MAX_STEP_BYTES

    def as_json(self) -> dict[str, Any]:
        """Everything but the model."""
        training = {"lessons": self.lessons, "steps": self.steps, "cpu_seconds": self.cpu_seconds}
        return {**training, "before": self.before.as_json(), "after": self.after.as_json()}


def learn_world(
    start: GameState,
    *,
    minutes: float = 3.0,
    steps: int = 0,
    plays: int = DEFAULT_PLAYS,
    lessons: int = MAX_LESSONS,
    seed: int = 0,
    model: Path | None = None,
    progress: Callable[[float, str], None] | None = None,
) -> LearnedWorld:
    """Watch random plays, fit low-rank changes of a model to most transitions, and judge it on the rest."""
    from worldline.model import checkpoint
    from worldline.model.engine.native import open_engine
    from worldline.model.low_rank import merge_changes
    from worldline.predict.local import Local

    try:
        from worldline.model.train.low_rank import AdaptationConfig, train_changes
    except ModuleNotFoundError as error:
        raise UsageError(f"training needs {error.name}: pip install 'worldline[train]'") from None
    taught, back, judged = split_transitions(watch(start, plays=plays, seed=seed), lessons)
    shape, weights = checkpoint.read_weights(checkpoint.resolve(model))
    shown = documents(taught)
    limit = limit_of(shown)

    def judge(model: Predictor, share: float, when: str) -> Share:
        numbers = count(1)

        def report() -> None:
            if progress is not None:
                progress(share, f"{next(numbers)} of {len(judged)} predicted {when} training")

        return right(WatchedPredictor(model, report), judged, start.players, limit=limit)

    before = judge(Local(open_engine(shape, weights), name="before"), 0.0, "before")
    changes = train_changes(
        shape,
        weights,
        shown,
        held_back=documents(back),
        progress=progress,
        how=AdaptationConfig(minutes=minutes, steps=steps, seed=seed),
    )
    fitted = Local(open_engine(shape, merge_changes(weights, changes.tensors)), name="learned")
    after = judge(fitted, 1.0, "after")
    return LearnedWorld(
        predictor=fitted,
        lessons=len(taught),
        before=before,
        after=after,
        cpu_seconds=changes.cpu_seconds,
        steps=changes.steps,
        limit=limit,
    )
