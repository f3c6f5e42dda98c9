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
from worldline.plan.futures.subject import Subject, of_prediction
from worldline.plan.games.game import OVER, GameMove, GameState
from worldline.plan.play.imagined_rules import LostState
from worldline.plan.play.seen import (
    Moment,
    Transition,
    asked,
    documents,
    in_order,
    read_change,
    shares,
    watch,
)
from worldline.plan.play.uct import PlayNode, chosen, search
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor, WatchedPredictor

LIMIT = 512  # bytes of an imagined step, at most
ROOM = 32  # bytes more than the longest text that was seen
PLAYS = 40  # that are watched
LESSONS = 64  # transitions that are learned from, at most
DEEPEST = 200  # moves of one imagined play: a model may imagine a game that goes in circles


@dataclass
class SeenWorld:
    """The world as a model imagines it from observations alone, and the memory of what it said."""

    predictor: Predictor
    players: int
    limit: int = LIMIT
    memory: dict[tuple[str, GameMove], str] = field(default_factory=dict)  # what was said to change
    bytes: int = 0

    def after(self, moves: Sequence[tuple[Moment, GameMove]]) -> list[Moment | None]:
        """What comes of each move; those not asked before are imagined together."""
        keys = [(now.text, move) for now, move in moves]
        new = [key for key in dict.fromkeys(keys) if key not in self.memory]
        asks = [PredictionRequest(program=asked(*key), limit=self.limit) for key in new]
        for key, ask, prediction in zip(new, asks, self.predictor.predict(asks) if asks else (), strict=True):
            self.bytes += len(prediction.text)
            self.memory[key] = of_prediction(Subject(), ask, prediction)
        return [read_change(self.memory[now.text, move], now, self.players) for now, move in moves]


@dataclass(frozen=True)
class SeenState:
    """A game's state as it is imagined: a moment, in a world that gives the next."""

    now: Moment
    world: SeenWorld = field(compare=False, repr=False)
    depth: int = field(default=0, compare=False)

    @property
    def players(self) -> int:
        """How many play."""
        return self.world.players

    @property
    def player(self) -> int:
        """Who is imagined to move."""
        return self.now.player

    def moves(self) -> Sequence[GameMove]:
        """What is imagined to be allowed."""
        return self.now.legal if self.now.player != OVER else ()

    def chances(self) -> list[tuple[GameMove, Any]]:
        """Nothing falls by chance."""
        return []

    def step(self, move: GameMove, /) -> SeenState | LostState:
        """The next moment; all moves of this one are imagined together. A play without an end is lost."""
        if self.depth >= DEEPEST:
            return LostState(self.players)
        self.world.after([(self.now, legal_move) for legal_move in self.now.legal])
        (after,) = self.world.after([(self.now, move)])
        return LostState(self.players) if after is None else SeenState(after, self.world, self.depth + 1)

    def returns(self) -> Sequence[float]:
        """What is imagined to be won."""
        return self.now.won or (0.0,) * self.players

    def observation(self, player: int, /) -> str:
        """The imagined text."""
        return self.now.text


@dataclass
class LearnedPlayer:
    """Searches in what it has learned by watching: it is told what is seen and what may be done, and no rule."""

    world: SeenWorld
    simulations: int
    name: str = "learned"
    tree: PlayNode | None = None
    _text: str = ""
    _seat: int = 0
    _seed: int = 0

    def begin(self, start: GameState, seat: int, seed: int, /) -> None:
        """Only what is seen of the beginning is kept."""
        self._text, self._seat, self._seed = start.observation(seat), seat, seed

    def see(self, seen: str, move: GameMove, /) -> None:
        """What is seen now."""
        self._text = seen

    def choose(self, moves: Sequence[GameMove], /) -> GameMove:
        """The most visited move of a search in imagination."""
        root = SeenState(Moment(self._text, self._seat, in_order(moves)), self.world)
        self._seed += 1
        self.tree = search(root, simulations=max(self.simulations, len(moves)), seed=self._seed)
        return chosen(self.tree)


def limit_of(lessons: Sequence[tuple[bytes, bytes]]) -> int:
    """How many bytes of a step are imagined: a little more than the longest text among the documents."""
    return min(LIMIT, max((len(steps) for _, steps in lessons), default=LIMIT) + ROOM)


def right(predictor: Predictor, seen: Sequence[Transition], players: int, *, limit: int = LIMIT) -> Share:
    """How many transitions are imagined exactly as they were seen."""
    world = SeenWorld(predictor, players, limit)
    predicted = world.after([(transition.before, transition.move) for transition in seen])
    return Share(
        sum(moment == transition.after for moment, transition in zip(predicted, seen, strict=True)), len(seen)
    )


@dataclass(frozen=True, kw_only=True)
class LearnedWorld:
    """What came of watching: the model, how much it was shown, and how much of what it was not shown it gets right."""

    predictor: Predictor
    lessons: int
    before: Share
    after: Share
    cpu_seconds: float
    steps: int
    limit: int = LIMIT

    def as_json(self) -> dict[str, Any]:
        """All but the model."""
        training = {"lessons": self.lessons, "steps": self.steps, "cpu_seconds": self.cpu_seconds}
        return {**training, "before": self.before.as_json(), "after": self.after.as_json()}


def learn_world(
    start: GameState,
    *,
    minutes: float = 3.0,
    steps: int = 0,
    plays: int = PLAYS,
    lessons: int = LESSONS,
    seed: int = 0,
    model: Path | None = None,
    tell: Callable[[float, str], None] | None = None,
) -> LearnedWorld:
    """Watch random plays, fit low-rank changes of a model to most of what was seen, and judge it by the rest."""
    from worldline.model import checkpoint
    from worldline.model.engine.native import open_engine
    from worldline.model.low_rank import merge_changes
    from worldline.predict.local import Local

    try:
        from worldline.model.train.low_rank import AdaptationConfig, train_changes
    except ModuleNotFoundError as error:
        raise UsageError(f"training needs {error.name}: pip install 'worldline[train]'") from None
    taught, back, judged = shares(watch(start, plays=plays, seed=seed), lessons)
    shape, weights = checkpoint.read_weights(checkpoint.resolve(model))
    shown = documents(taught)
    limit = limit_of(shown)

    def asked_of(model: Predictor, share: float, when: str) -> Share:
        heard = count(1)

        def hear() -> None:
            if tell is not None:
                tell(share, f"{next(heard)} of {len(judged)} imagined {when} it")

        return right(WatchedPredictor(model, hear), judged, start.players, limit=limit)

    before = asked_of(Local(open_engine(shape, weights), name="before"), 0.0, "before")
    changes = train_changes(
        shape,
        weights,
        shown,
        held_back=documents(back),
        progress=tell,
        how=AdaptationConfig(minutes=minutes, steps=steps, seed=seed),
    )
    fitted = Local(open_engine(shape, merge_changes(weights, changes.tensors)), name="learned")
    after = asked_of(fitted, 1.0, "after")
    return LearnedWorld(
        predictor=fitted,
        lessons=len(taught),
        before=before,
        after=after,
        cpu_seconds=changes.cpu_seconds,
        steps=changes.steps,
        limit=limit,
    )
