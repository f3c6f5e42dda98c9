"""The command `plan play`: players of a game against each other."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any, TypeVar

import click

from worldline.cli import options as opt
from worldline.core.errors import UsageError

Opened = TypeVar("Opened")


@click.command()
@click.argument("game")
@opt.add_option(
    "--players", metavar="A,B", callback=opt.words, help="Names of the players", default_text="search,random"
)
@opt.add_option("--games", type=opt.POSITIVE, default=20, help="Number of games; players change seats after each")
@opt.option("--simulations", type=opt.POSITIVE, default=200, note="per move")
@opt.option("--seed", type=opt.COUNT, default=0, note="for the games")
@opt.model_options
@opt.add_option("--learned", is_flag=True, help="The first player has only a model fitted to random games")
@opt.option("--minutes", type=opt.SECONDS, metavar="N", note="of training, with --learned", default_text="3")
@opt.option("--train-steps", type=opt.POSITIVE, note="with --learned, instead of --minutes")
@opt.option("--sure", type=opt.PROBABILITY, default=0.95, metavar="P", note="the player `mixed` executes other steps")
@opt.option("--journal", metavar="DIR", note="steps that `mixed` executes are added; created if it is new")
@opt.option("--html", metavar="FILE", note="the tree of the last search")
@opt.json_option
@opt.quiet_option
def play(game: str, players: list[str] | None, games: int, html: str | None, as_json: bool, **options: Any) -> None:
    """Let players play GAME against each other.

    GAME is a shipped game, or FILE.py:NAME, a class of your own. A player is random, search, imagined, mixed,
    openspiel-mcts, openspiel-random or, with --learned, learned.
    """
    from worldline.plan.play.playing import play_match
    from worldline.ui.terminal.plan import print_match

    with ExitStack() as bars:
        training = _once(bars, lambda: opt.percent_of("the training"))
        plays = _once(bars, lambda: opt.progress(games, "plays"))
        report = play_match(
            game,
            players=players or (),
            games=games,
            on_training=lambda share, text: training()(share, text),
            on_game=lambda: plays()[0](1),
            on_estimate=opt.note,
            on_prediction=lambda count: plays()[1](f"({count:,} steps predicted)"),
            **options,
        )
    if html is not None:
        _write_tree(html, report.tree)
    opt.show(report, as_json, lambda console, done: print_match(console, done.match, done.predicted))


def _once(bars: ExitStack, make: Callable[[], AbstractContextManager[Opened]]) -> Callable[[], Opened]:
    """Return a function that opens a bar on its first call, in place of the one before it."""
    opened: list[Opened] = []

    def bar() -> Opened:
        if not opened:
            bars.close()
            opened.append(bars.enter_context(make()))
        return opened[0]

    return bar


def _write_tree(html: str, tree: Any) -> None:
    from worldline.ui.report.tree_page import page

    if tree is None:
        raise UsageError("--html shows a search tree, but none of these players searches")
    opt.write_page(html, page(tree))
