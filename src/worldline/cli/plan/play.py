"""The verb that plays games: `plan play`. No logic: it calls `plan.play`."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import MODELS, progress, settings
from worldline.core.errors import UsageError

if TYPE_CHECKING:
    from worldline.plan.games.game import GameState
    from worldline.plan.play.players import Player
    from worldline.plan.play.uct import Step


@click.command()
@click.argument("game")
@click.option("--players", metavar="A,B", help="Who plays, by name [search,random].")
@click.option("--games", type=click.IntRange(min=1), default=20, help="Plays; the seats go round [20].")
@click.option("--simulations", type=click.IntRange(min=1), default=200, help="Of a search, for a move [200].")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Which plays [0].")
@click.option("--model", default="default", metavar="M", help="Who imagines: " + MODELS)
@click.option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, help="Options of the model."
)
@click.option(
    "--learned", is_flag=True, help="The first player has only watched: a model is fitted to random plays."
)
@click.option(
    "--minutes", type=click.FloatRange(min=0, min_open=True), help="--learned: train for so long [3]."
)
@click.option("--steps", type=click.IntRange(min=1), help="--learned: train for so many steps instead.")
@click.option(
    "--sure",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=0.95,
    help="The player `mixed` runs a step that is less sure, by the steps that were run before [0.95].",
)
@click.option(
    "--journal", metavar="DIR", help="Steps that `mixed` ran of this game so far; added to, and made."
)
@click.option("--html", metavar="FILE", help="Also write the tree of the last search as one page.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def play(
    game: str, players: str | None, games: int, seed: int, html: str | None, as_json: bool, **how: Any
) -> None:
    """Let players play GAME against each other: a shipped game, or FILE.py:NAME, a class of your own.

    A player is random, search, imagined, mixed, openspiel-mcts, openspiel-random or, with --learned, learned.
    """
    from worldline.plan.games.catalogue import guarded, load_game
    from worldline.plan.play.match import match

    start = load_game(game)
    names = [
        each.strip() for each in (players or f"{'learned' if how['learned'] else 'search'},random").split(",")
    ]
    if how["learned"] != ("learned" in names):
        raise UsageError("--learned and a player `learned` go together")
    if how["journal"] is not None and "mixed" not in names:
        raise UsageError("--journal is of the player `mixed`, and none plays")
    worlds: dict[str, Any] = {}
    seated = _players(names, game, start, worlds, {**how, "seed": seed})
    with guarded(game, start), progress(games, "plays") as (advance, say):
        _watch(seated, say)
        found = match(game, start, seated, games=games, seed=seed, tell=lambda: advance(1))
    if html is not None:
        _write_tree(html, game, seated)
    imagined = {name: _told(world) for name, world in worlds.items()}
    if as_json:
        asked = {"simulations": how["simulations"], "seed": seed, "imagined": imagined}
        click.echo(json.dumps({**found.as_json(), **asked}))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.plan.play import print_match

        print_match(terminal(), found, imagined)


def _players(
    names: list[str], game: str, start: GameState, worlds: dict[str, Any], how: dict[str, Any]
) -> list[Player]:
    from worldline.plan.play.players import make_player

    def world(name: str) -> Step:
        from worldline.plan.play.game_source import source_of
        from worldline.plan.play.imagined_rules import ImaginedRules
        from worldline.predict.models import load_model

        sure = how["sure"] if name == "mixed" else None
        worlds[name] = ImaginedRules(
            source_of(start), load_model(how["model"], how["extras"]), sure, how["journal"] if sure else None
        )
        made: Step = worlds[name]
        return made

    many = how["simulations"]
    return [
        _learned(game, start, worlds, how)
        if name == "learned"
        else make_player(name, game, simulations=many, world=world)
        for name in names
    ]


def _watch(players: list[Player], say: Callable[[str], None]) -> None:
    """Says how many steps are imagined, as they are: a play of an imagining player takes its time."""
    from worldline.plan.play.imagined_rules import ImaginedRules
    from worldline.plan.play.learned import SeenWorld
    from worldline.predict.predictor import WatchedPredictor

    heard = count(1)
    for one in players:
        for world in (getattr(one, "step", None), getattr(one, "world", None)):
            if isinstance(world, ImaginedRules | SeenWorld):
                world.predictor = WatchedPredictor(
                    world.predictor, lambda: say(f"({next(heard):,} steps imagined)")
                )


def _learned(game: str, start: GameState, worlds: dict[str, Any], how: dict[str, Any]) -> Player:
    from worldline.plan.games.catalogue import guarded
    from worldline.plan.play.learned import LearnedPlayer, SeenWorld, learn_world

    if how["minutes"] and how["steps"]:
        raise UsageError("either --minutes or --steps")
    folder = None if how["model"] == "default" else Path(how["model"])
    with guarded(game, start), progress(100, "of the training") as (advance, say):
        told = 0

        def tell(share: float, text: str) -> None:
            nonlocal told
            advance(max(0, int(100 * share) - told))
            told = max(told, int(100 * share))
            say(text)

        fitted = worlds["learned"] = learn_world(
            start,
            minutes=how["minutes"] or 3.0,
            steps=how["steps"] or 0,
            seed=how["seed"],
            model=folder,
            tell=tell,
        )
    return LearnedPlayer(SeenWorld(fitted.predictor, start.players, fitted.limit), how["simulations"])


def _told(world: Any) -> dict[str, Any]:
    from worldline.plan.play.learned import LearnedWorld

    if isinstance(world, LearnedWorld):
        return world.as_json()
    return {
        "steps": world.imagined, "run": world.ran, "bytes": world.bytes, "right": world.right().as_json()
    }  # fmt: skip


def _write_tree(html: str, game: str, players: list[Player]) -> None:
    from worldline.plan.play.learned import LearnedPlayer
    from worldline.plan.play.players import SearchPlayer
    from worldline.plan.play.tree import as_search_tree
    from worldline.storage import files
    from worldline.ui.report.tree_page import page

    searched = [one for one in players if isinstance(one, SearchPlayer | LearnedPlayer) and one.tree]
    if not searched:
        raise UsageError("--html shows a search, and none of these players has searched")
    one = searched[0]
    assert one.tree is not None
    facts = (
        ("player", one.name),
        ("simulations", f"{one.simulations:,}"),
        *(one.facts() if isinstance(one, SearchPlayer) else ()),
    )
    tree = as_search_tree(one.tree, f"{game}: the last search of the match", facts=facts)
    files.write(Path(html), page(tree).encode("utf-8", "backslashreplace"))
