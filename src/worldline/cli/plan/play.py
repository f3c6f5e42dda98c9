"""The command `plan play`: players of a game against each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, TypeVar

import click

from worldline.cli.options import json_option, model_options, option, percent_of, progress, words
from worldline.core.errors import UsageError

Opened = TypeVar("Opened")


@click.command()
@click.argument("game")
@click.option("--players", metavar="A,B", callback=words, help="Who plays, by name [search,random].")
@click.option("--games", type=click.IntRange(min=1), default=20, help="Plays; the seats go round [20].")
@option("--simulations", type=click.IntRange(min=1), default=200, note="here for a move")
@option("--seed", type=click.IntRange(min=0), default=0, note="here of the plays")
@model_options
@click.option(
    "--learned", is_flag=True, help="The first player has only watched: a model is fitted to random plays."
)
@option("--minutes", type=click.FloatRange(min=0, min_open=True), note="with --learned", default_text="3")
@option("--train-steps", type=click.IntRange(min=1), note="with --learned, instead of minutes")
@option(
    "--sure",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=0.95,
    note="the player `mixed` runs a step that is less sure",
)
@option("--journal", metavar="DIR", note="here of steps that `mixed` ran; added to, and made")
@option("--html", metavar="FILE", note="here the tree of the last search")
@json_option
def play(
    game: str, players: list[str] | None, games: int, html: str | None, as_json: bool, **options: Any
) -> None:
    """Let players play GAME against each other: a shipped game, or FILE.py:NAME, a class of your own.

    A player is random, search, imagined, mixed, openspiel-mcts, openspiel-random or, with --learned, learned.
    """
    from worldline.plan.play.playing import play_match

    with ExitStack() as bars:
        training = _once(bars, lambda: percent_of("the training"))
        plays = _once(bars, lambda: progress(games, "plays"))
        report = play_match(
            game,
            players=players or (),
            games=games,
            on_training=lambda share, text: training()(share, text),
            on_game=lambda: plays()[0](1),
            on_prediction=lambda count: plays()[1](f"({count:,} steps imagined)"),
            **options,
        )
    if html is not None:
        _write_tree(html, report.tree)
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.plan import print_match

        print_match(terminal(), report.match, report.predicted)


def _once(bars: ExitStack, make: Callable[[], AbstractContextManager[Opened]]) -> Callable[[], Opened]:
    """A bar that opens when it is first needed, and then takes the place of the one before it."""
    opened: list[Opened] = []

    def bar() -> Opened:
        if not opened:
            bars.close()
            opened.append(bars.enter_context(make()))
        return opened[0]

    return bar


def _write_tree(html: str, tree: Any) -> None:
    from worldline.storage import files
    from worldline.ui.report.tree_page import page

    if tree is None:
        raise UsageError("--html shows a search, and none of these players has searched")
    files.write(Path(html), page(tree).encode("utf-8", "backslashreplace"))
