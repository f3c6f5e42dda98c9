"""The verb that tells what could happen: `futures`, the truth and what a model believes. No logic: it calls a room."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import MODELS, limited, limits_of, settings, trusted, under_way
from worldline.cli.programs import called_program, program_options
from worldline.core.errors import UsageError

if TYPE_CHECKING:
    from worldline.predict.predictor import Predictor


@click.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@program_options
@trusted
@limited
@click.option("--exact", is_flag=True, help="Walk every draw; what the budget leaves is bounded.")
@click.option("--samples", type=click.IntRange(min=1), metavar="N", help="Sample N runs, and walk nothing.")
@click.option(
    "--at", metavar="STEP|Lnn", help="Ask about step STEP, or about line nn when it last runs (L7)."
)
@click.option("--name", default="", metavar="NAME", help="Ask for the value of NAME there, or at the end.")
@click.option("--paths", is_flag=True, help="Ask which lines run, in their order.")
@click.option("--model", metavar="M", help="Also what a model believes: " + MODELS)
@click.option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, help="Options of the model."
)
@click.option("--texts", type=click.IntRange(min=0), default=64, help="Texts that the model writes [64].")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Where samples and texts begin [0].")
@click.option("--runs", type=click.IntRange(min=1), default=2_000, help="The most runs of a walk [2000].")
@click.option("--seconds", type=click.FloatRange(min=0), default=60, help="Time for all; 0: no end [60].")
@click.option(
    "--preemptions", type=click.IntRange(min=0), default=2, help="Of threads, in one schedule, at most [2]."
)
@click.option("--rows", type=click.IntRange(min=0), default=20, help="Rows of the table; 0 for all [20].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--html", metavar="FILE", help="Also write one self-contained page.")
def futures(
    file: str, args: tuple[str, ...], rows: int, as_json: bool, html: str | None, **asked: Any
) -> None:
    """Tell everything that FILE could do, how likely each is, and what a model believes.

    Draws are walked one by one where they are finite, and sampled where not; of threads, schedules are searched.
    """
    from worldline.plan.futures.outlook import Effort, outlook
    from worldline.plan.futures.world import boxed

    program, subject = called_program(file, args, asked), _subject(asked)
    model = _model(asked["model"], asked["extras"], asked["seed"])
    limits, until = limits_of(asked), time.monotonic() + (asked["seconds"] or float("inf"))
    with under_way() as tell, boxed(program, limits=limits) as world:
        effort = Effort(
            **{name: asked[name] for name in ("exact", "samples", "runs", "texts", "seed", "preemptions")},
            fresh=_fresh(asked["model"], asked["extras"], asked["seed"]),
            enough=lambda: time.monotonic() > until, tell=tell,
        )  # fmt: skip
        found = outlook(world, program, subject, effort=effort, model=model)
    if html is not None:
        from worldline.storage import files
        from worldline.ui.report.futures_page import page

        files.write(Path(html), page(found).encode("utf-8", "backslashreplace"))
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.futures import print_outlook

        print_outlook(terminal(), found, rows=rows)


def _subject(asked: Mapping[str, Any]) -> Any:
    """What is asked for."""
    from worldline.plan.futures.subject import Subject

    place = re.fullmatch(r"(L?)([0-9]{1,9})", asked["at"] or "")
    if asked["at"] is not None and place is None:
        raise UsageError(f"--at {asked['at']}: a step's number, such as 12, or a line's, such as L7")
    where = {} if place is None else {"line" if place[1] else "step": int(place[2])}
    return Subject(path=asked["paths"], name=asked["name"], **where)


def _model(scheme: str | None, extras: Mapping[str, str], seed: int) -> Predictor | None:
    """Who believes; those that draw do so as they would, at temperature 1."""
    from worldline.predict.models import load_model

    if scheme is None:
        return None
    own = scheme == "interpreter" or scheme.startswith(("replay:", "python:"))
    return load_model(scheme, extras if own else {"temperature": "1", "seed": str(seed), **extras})


def _fresh(scheme: str | None, extras: Mapping[str, str], seed: int) -> Callable[[int], Predictor] | None:
    """A server has one seed for all its texts: each text is asked for under another."""
    from worldline.predict.models import load_model

    if scheme is None or not scheme.startswith("server:"):
        return None
    return lambda number: load_model(scheme, {"temperature": "1", **extras, "seed": str(seed + number)})
