"""The verb that tells what a script would touch: `rehearse`, in the box over a copy of a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import MODELS, settings
from worldline.cli.programs import given_stdin
from worldline.core.errors import NoSandbox, UsageError

if TYPE_CHECKING:
    from worldline.plan.rehearse.rehearse import Rehearsal, Staging
    from worldline.predict.predictor import Predictor


@click.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@click.option("--folder", metavar="DIR", help="Where it runs: a copy of DIR [the current folder].")
@click.option(
    "--leave-out", multiple=True, metavar="NAME", help="Names that are not copied, such as .venv; repeatable."
)
@click.option(
    "--stdin", metavar="TEXT|@FILE|-", default="", help="What it reads from its stdin; -: what is piped."
)
@click.option(
    "--env", "environment", multiple=True, metavar="NAME=VALUE", callback=settings,
    help="A variable of its environment; repeatable. Yours is not in the box.",
)  # fmt: skip
@click.option("--python", metavar="PATH", help="Interpreter that runs the script (3.11 to 3.13).")
@click.option("--wall", type=click.FloatRange(min=0, min_open=True), help="Limit: seconds of the run.")
@click.option("--no-run", is_flag=True, help="Run nothing, not even in the box: read the text and imagine.")
@click.option("--model", default="default", metavar="M", help="Who imagines where it cannot run: " + MODELS)
@click.option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, help="Options of the model."
)
@click.option(
    "--limit", type=click.IntRange(min=0), default=2048, metavar="BYTES",
    help="The most bytes imagined; 0: the text alone [2048].",
)  # fmt: skip
@click.option(
    "--rows", type=click.IntRange(min=0), default=200, help="Lines of diffs shown; 0 for all [200]."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def rehearse(file: str, args: tuple[str, ...], rows: int, as_json: bool, **asked: Any) -> None:
    """Tell what the script FILE would read, write, delete, start or send: no promise that it is safe.

    It runs in the box, without a network, over a copy of a folder; the folder itself is not touched.
    """
    found = _found(Path(file), _staging(args, asked), asked)
    if as_json:
        click.echo(json.dumps(found.as_json()))
        return
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.plan.rehearse import print_rehearsal

    print_rehearsal(terminal(), found, rows=rows)


def _staging(args: tuple[str, ...], asked: dict[str, Any]) -> Staging:
    from worldline.plan.rehearse.rehearse import Staging

    return Staging(
        folder=Path(asked["folder"] or "."), leave_out=asked["leave_out"], argv=args,
        stdin=given_stdin(asked["stdin"]), environment=tuple(asked["environment"].items()), python=asked["python"],
    )  # fmt: skip


def _found(file: Path, staging: Staging, asked: dict[str, Any]) -> Rehearsal:
    """Run where it can be run; imagined, and labelled so, where not."""
    from dataclasses import replace

    from worldline.core.limits import Limits
    from worldline.plan.rehearse.imagine import completed, imagined
    from worldline.plan.rehearse.rehearse import rehearse as run
    from worldline.plan.rehearse.rehearse import runs

    def instead(why: str) -> Rehearsal:
        return imagined(file, staging, _predictor(asked), why=why, limit=asked["limit"])

    why_not = "--no-run" if asked["no_run"] else runs(file)
    if why_not:
        return instead(why_not)
    limits = Limits() if asked["wall"] is None else replace(Limits(), wall=asked["wall"])
    try:
        found = run(file, staging, limits=limits)
    except NoSandbox as error:
        return instead(f"there is no box: {error}")
    if found.outcome and found.outcome.kind == "unsupported":
        raise UsageError(f"{file} is no script that can be run: {found.outcome.detail}")
    lacks_module = found.outcome and found.outcome.detail.startswith(("ModuleNotFoundError(", "ImportError("))
    who = _predictor(asked) if lacks_module else None
    return completed(found, staging, who, limit=asked["limit"]) if found.is_cut else found


def _predictor(asked: dict[str, Any]) -> Predictor | None:
    """Who imagines; nobody, where nothing may be."""
    from worldline.predict.models import load_model

    return load_model(asked["model"], asked["extras"]) if asked["limit"] else None
