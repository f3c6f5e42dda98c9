"""Set up and play a match: the players' models and rules, and what they predicted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.plan.games.catalogue import guarded, load_game
from worldline.plan.games.game import OVER, GameMove, GameState
from worldline.plan.play.estimate import estimate_match
from worldline.plan.play.game_source import source_of
from worldline.plan.play.imagined_rules import ImaginedRules
from worldline.plan.play.information_sets import SituationTree
from worldline.plan.play.learned import LearnedPlayer, LearnedWorld, SeenWorld, learn_world
from worldline.plan.play.match import Match, match
from worldline.plan.play.players import Player, SearchPlayer, make_player
from worldline.plan.play.uct import StepFunction, most_visited_move
from worldline.plan.search.node import SearchNode
from worldline.plan.search_tree import SearchTree, TreeNode
from worldline.predict.models import DEFAULT, load_model
from worldline.predict.predictor import WatchedPredictor

VALUE_FACT = ("value", "the mean return of the player who chose the move")


def as_search_tree(
    tree: SearchNode | SituationTree, title: str, *, facts: tuple[tuple[str, str], ...] = ()
) -> SearchTree:
    """Return the tree, level by level, with facts about it."""
    nodes = _state_nodes(tree) if isinstance(tree, SearchNode) else _situation_nodes(tree)
    return SearchTree(title=title, nodes=tuple(nodes), facts=(*facts, VALUE_FACT))


def _state_nodes(root: SearchNode) -> list[TreeNode]:
    nodes: list[TreeNode] = []
    waiting: deque[tuple[int, SearchNode, bool]] = deque([(-1, root, True)])
    while waiting:
        parent, node, is_chosen = waiting.popleft()
        label = "now" if parent < 0 else _move_text(node.action)
        note = "over" if node.state.player == OVER else ""
        value = node.value if parent >= 0 else None
        nodes.append(TreeNode(parent=parent, label=label, visits=node.visits, value=value, note=note, chosen=is_chosen))
        best = most_visited_move(node) if is_chosen and node.children and node.state.player >= 0 else None
        at = len(nodes) - 1
        waiting.extend((at, child, is_chosen and child.action == best) for child in node.children.values())
    return nodes


def _situation_nodes(tree: SituationTree) -> list[TreeNode]:
    """Alternate situations and moves; a situation is below the move that first led to it."""
    best = most_visited_move(tree.root)
    nodes = [TreeNode(parent=-1, label=tree.root.state[1], visits=tree.root.visits, note="known now", chosen=True)]
    places: dict[SearchNode, int] = {}
    for (player, seen), situation in tree.situations.items():
        at = 0
        if situation.parent is not None:
            note, at = f"player {player} knows", len(nodes)
            above = places[situation.parent]
            nodes.append(TreeNode(parent=above, label=seen, visits=situation.visits, note=note))
        for move, child in situation.children.items():
            is_chosen = situation is tree.root and move == best
            places[child] = len(nodes)
            label = _move_text(move)
            nodes.append(TreeNode(parent=at, label=label, visits=child.visits, value=child.value, chosen=is_chosen))
    return nodes


def _move_text(move: GameMove) -> str:
    return move if isinstance(move, str) else repr(move)


LEARNED_PLAYER = "learned"
DEFAULT_MINUTES = 3.0


@dataclass(frozen=True, kw_only=True)
class MatchReport:
    """A match, the predictions by player, and the tree of the last search, if there was one."""

    match: Match
    simulations: int
    seed: int
    predicted: Mapping[str, Mapping[str, Any]]
    tree: SearchTree | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the object that `plan play --json` prints."""
        settings = {"simulations": self.simulations, "seed": self.seed, "imagined": dict(self.predicted)}
        return {**self.match.as_json(), **settings}


@dataclass(frozen=True, kw_only=True)
class _Setting:
    """The settings that all players of a match share."""

    game: str
    start: GameState
    simulations: int
    seed: int
    model: str
    extras: Mapping[str, str]
    sure: float
    journal: str | Path | None
    minutes: float | None
    train_steps: int | None
    worlds: dict[str, ImaginedRules | LearnedWorld] = field(default_factory=dict)


def play_match(
    game: str,
    *,
    players: Sequence[str] = (),
    games: int = 20,
    simulations: int = 200,
    seed: int = 0,
    model: str = DEFAULT,
    extras: Mapping[str, str] | None = None,
    learned: bool = False,
    minutes: float | None = None,
    train_steps: int | None = None,
    sure: float = 0.95,
    journal: str | Path | None = None,
    on_training: Callable[[float, str], None] | None = None,
    on_game: Callable[[], None] | None = None,
    on_prediction: Callable[[int], None] | None = None,
    on_estimate: Callable[[str], None] | None = None,
) -> MatchReport:
    """Let players play a game against each other; the executed rules are the judge.

    Args:
        game: A shipped game, or `FILE.py:NAME`, a class of your own.
        players: The players: random, search, imagined, mixed, openspiel-mcts, openspiel-random, or, with `learned`,
            learned. By default `search` against `random`.
        games: How many games; the seats rotate.
        simulations: Simulations per move.
        seed: The seed of the games.
        model: The name of the model that predicts.
        extras: Options of the model.
        learned: The first player uses a model that is trained on random games.
        minutes: With `learned`: train for this many minutes.
        train_steps: With `learned`: train for this many steps instead.
        sure: The confidence below which the player `mixed` executes a step.
        journal: The folder with the steps that `mixed` has executed; created if missing, and added to.
        on_training: Called with the share of the training that is done, and a text.
        on_game: Called after each game.
        on_prediction: Called with the number of predicted steps so far.
        on_estimate: Called before the first game with a line for each player that predicts: how long it takes at most.

    Returns:
        The standings, the predictions, and the tree of the last search.

    Raises:
        UsageError: There is no such game or player, or arguments exclude each other.
    """
    start = load_game(game)
    names = [name.strip() for name in players] or [LEARNED_PLAYER if learned else "search", "random"]
    if learned != (LEARNED_PLAYER in names):
        raise UsageError("--learned needs a player `learned`, and the other way round")
    if journal is not None and "mixed" not in names:
        raise UsageError("--journal needs a player `mixed`")
    setting = _Setting(
        game=game,
        start=start,
        simulations=simulations,
        seed=seed,
        model=model,
        extras=extras or {},
        sure=sure,
        journal=journal,
        minutes=minutes,
        train_steps=train_steps,
    )
    seated = [_player(name, setting, on_training) for name in names]
    if on_prediction is not None:
        _watch(seated, on_prediction)
    with guarded(game, start):
        if on_estimate is not None:
            _estimate(setting, games, on_estimate)
        done = match(game, start, seated, games=games, seed=seed, on_game=on_game)
    predicted = {name: _facts(world) for name, world in setting.worlds.items()}
    return MatchReport(
        match=done, simulations=simulations, seed=seed, predicted=predicted, tree=_last_tree(game, seated)
    )


def _player(name: str, setting: _Setting, on_training: Callable[[float, str], None] | None) -> Player:
    def world(player: str) -> StepFunction:
        sure = setting.sure if player == "mixed" else None
        predictor = load_model(setting.model, setting.extras)
        journal = None if setting.journal is None or sure is None else str(setting.journal)
        rules = setting.worlds[player] = ImaginedRules(source_of(setting.start), predictor, sure, journal)
        return rules

    if name == LEARNED_PLAYER:
        return _learned(setting, on_training)
    return make_player(name, setting.game, simulations=setting.simulations, world=world)


def _learned(setting: _Setting, on_training: Callable[[float, str], None] | None) -> Player:
    if setting.minutes and setting.train_steps:
        raise UsageError("use either --minutes or --train-steps")
    with guarded(setting.game, setting.start):
        fitted = setting.worlds[LEARNED_PLAYER] = learn_world(
            setting.start,
            minutes=setting.minutes or DEFAULT_MINUTES,
            steps=setting.train_steps or 0,
            seed=setting.seed,
            model=None if setting.model == DEFAULT else Path(setting.model),
            progress=on_training,
        )
    return LearnedPlayer(SeenWorld(fitted.predictor, setting.start.players, fitted.limit), setting.simulations)


def _estimate(setting: _Setting, games: int, on_estimate: Callable[[str], None]) -> None:
    """Report how long each predicting player takes at most."""
    for name, rules in setting.worlds.items():
        if isinstance(rules, ImaginedRules):
            estimate = estimate_match(rules, setting.start, simulations=setting.simulations, games=games)
            on_estimate(f"{name}: {estimate.describe()}")


def _watch(players: Sequence[Player], on_prediction: Callable[[int], None]) -> None:
    """Report predicted steps, because a game of a predicting player takes long."""
    numbers = count(1)
    for player in players:
        for world in (getattr(player, "step", None), getattr(player, "world", None)):
            if isinstance(world, ImaginedRules | SeenWorld):
                world.predictor = WatchedPredictor(world.predictor, lambda: on_prediction(next(numbers)))


def _facts(world: ImaginedRules | LearnedWorld) -> dict[str, Any]:
    if isinstance(world, LearnedWorld):
        return world.as_json()
    return {"steps": world.imagined, "run": world.ran, "bytes": world.bytes, "right": world.right().as_json()}


def _last_tree(game: str, players: Sequence[Player]) -> SearchTree | None:
    for player in players:
        if isinstance(player, SearchPlayer | LearnedPlayer) and player.tree is not None:
            facts = (
                ("player", player.name),
                ("simulations", f"{player.simulations:,}"),
                *(player.facts() if isinstance(player, SearchPlayer) else ()),
            )
            return as_search_tree(player.tree, f"{game}: the last search of the match", facts=facts)
    return None
