"""Players: random, by search, and OpenSpiel's bots. None sees more than its observations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from worldline.core.errors import UsageError
from worldline.plan.games.game import GameMove, GameState
from worldline.plan.play import beliefs
from worldline.plan.play.information_sets import SituationTree, search_situations
from worldline.plan.play.openspiel import TwinGame, pyspiel, twin_of
from worldline.plan.play.uct import EXPLORATION, StepFunction, execute_step, most_visited_move, search
from worldline.plan.search.node import SearchNode

PLAYER_NAMES = ("random", "search", "imagined", "mixed", "openspiel-mcts", "openspiel-random")
MAX_SHOWN_STATES = 8  # of a belief
OPENSPIEL_EXPLORATION = 2.0  # as in OpenSpiel's example


class Player(Protocol):
    """A player: gets the start of a play and its observations, and chooses moves."""

    name: str

    def begin(self, start: GameState, seat: int, seed: int, /) -> None:
        """Start a new play from this seat."""
        ...

    def see(self, seen: str, move: GameMove, /) -> None:
        """Observe one step. Only OpenSpiel's bots use `move`, to update their own state."""
        ...

    def choose(self, moves: Sequence[GameMove], /) -> GameMove:
        """Choose one of these moves."""
        ...


@dataclass
class RandomPlayer:
    """Chooses moves uniformly at random."""

    name: str = "random"
    _rng: Random = field(default_factory=lambda: Random(0), repr=False)

    def begin(self, start: GameState, seat: int, seed: int, /) -> None:
        """Seed a generator for this play."""
        self._rng = Random(f"random player {seat} {seed}")

    def see(self, seen: str, move: GameMove, /) -> None:
        """Ignore it."""

    def choose(self, moves: Sequence[GameMove], /) -> GameMove:
        """Choose at random."""
        return moves[int(self._rng.random() * len(moves))]


@dataclass
class SearchPlayer:
    """Searches from its belief: UCT if that is one state, IS-MCTS if it is several."""

    simulations: int
    name: str = "search"
    step: StepFunction = execute_step
    exploration: float = EXPLORATION
    tree: SearchNode | SituationTree | None = None  # of the last choice
    belief: beliefs.WeightedStates = field(default_factory=dict)
    _seat: int = 0
    _seed: int = 0

    def begin(self, start: GameState, seat: int, seed: int, /) -> None:
        """Start from the known initial state."""
        self.belief, self._seat, self._seed = beliefs.initial_belief(start), seat, seed

    def see(self, seen: str, move: GameMove, /) -> None:
        """Drop the states that do not fit."""
        self.belief = beliefs.update_belief(self.belief, self._seat, seen)

    def choose(self, moves: Sequence[GameMove], /) -> GameMove:
        """Return the most visited move of a search."""
        how: dict[str, Any] = {
            "simulations": max(self.simulations, len(moves)),
            "seed": self._seed,
            "step": self.step,
            "exploration": self.exploration,
        }
        self._seed += 1
        if len(self.belief) == 1:
            self.tree = search(next(iter(self.belief)), **how)
            return most_visited_move(self.tree)
        self.tree = search_situations(self.belief, **how)
        return most_visited_move(self.tree.root)

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return the belief, the likeliest states first, if there are several."""
        if len(self.belief) < 2:
            return ()
        mass = beliefs.as_distribution(self.belief).mass
        shown = (f"{state}: {weight}" for state, weight in list(mass.items())[:MAX_SHOWN_STATES])
        return (("belief", ", ".join(shown)),)


class OpenSpielPlayer:
    """A bot of OpenSpiel: UCT, IS-MCTS if cards are hidden, or random."""

    def __init__(
        self, kind: str, twin: TwinGame, *, simulations: int, exploration: float = OPENSPIEL_EXPLORATION
    ) -> None:
        self.name, self._kind, self._twin, self._simulations = f"openspiel-{kind}", kind, twin, simulations
        self._exploration = exploration
        self._state: Any = None
        self._bot: Any = None

    def begin(self, start: GameState, seat: int, seed: int, /) -> None:
        """Create a bot for this play."""
        self._state = self._twin.start()
        self._bot = self._make_bot(seat, seed)

    def see(self, seen: str, move: GameMove, /) -> None:
        """Update the bot's own state."""
        self._state.apply_action(self._twin.action(move))

    def choose(self, moves: Sequence[GameMove], /) -> GameMove:
        """Ask the bot."""
        return self._twin.move(list(moves), self._bot.step(self._state))

    def _make_bot(self, seat: int, seed: int) -> Any:
        """Create the bot with OpenSpiel's defaults: one rollout, proven states; exploration is scaled by the stakes."""
        spiel, game, many = pyspiel(), self._twin.game(), self._simulations
        if self._kind == "random":
            return spiel.make_uniform_random_bot(seat, seed)
        evaluator = spiel.RandomRolloutEvaluator(1, seed)
        if self._twin.hidden:
            most = spiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
            stakes = self._exploration * game.max_utility()
            return spiel.ISMCTSBot(seed, evaluator, stakes, many, -1, most, False, False)
        return spiel.MCTSBot(game, evaluator, self._exploration, many, 1_000, True, seed, False)


def make_player(
    name: str,
    game: str,
    *,
    simulations: int,
    world: Callable[[str], StepFunction] | None = None,
    openspiel_exploration: float = OPENSPIEL_EXPLORATION,
) -> Player:
    """Create the player of this name; `world` returns the rules of a predicting player."""
    if name == "random":
        return RandomPlayer()
    if name == "search":
        return SearchPlayer(simulations)
    if name in ("imagined", "mixed", "learned") and world is not None:
        return SearchPlayer(simulations, name, world(name))
    if name.startswith("openspiel-") and name in PLAYER_NAMES:
        pyspiel()
        kind = name.removeprefix("openspiel-")
        twin = twin_of(game)
        return OpenSpielPlayer(kind, twin, simulations=simulations, exploration=openspiel_exploration)
    raise UsageError(f"{name!r} is not a player: use one of {', '.join(PLAYER_NAMES)}")
