"""The command `learn`: measure a model on drills, or adapt it to your own code."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from worldline.cli.options import json_option, limited, option, percent_of, progress, trusted
from worldline.core.errors import UsageError, WorldlineError


@click.command()
@option("--model", metavar="DIR", note="here a folder", default_text="the shipped one")
@option("--recipe", default="shipped", metavar="NAME", note="its programs are drilled")
@option("--recipe-function", default="data", metavar="NAME")
@click.option("--drills", type=click.IntRange(min=1), metavar="N", help="How many drills [300].")
@option("--seconds", type=click.FloatRange(min=0, min_open=True), note="instead of a number of drills")
@option("--seed", type=int, default=0, note="here of the drills")
@click.option("--start", metavar="FILE", help="A curriculum to go on from.")
@option(
    "--out",
    metavar="PATH",
    note="here the curriculum, for `train --curriculum`, or with --on and --journal the adapted model",
)
@click.option("--on", metavar="FOLDER", help="Adapt the model to the code in a folder instead.")
@option("--journal", metavar="DIR", note="adapt the model to what `ask --journal` had to run")
@option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    note="with --on and --journal",
    default_text="5",
)
@option("--train-steps", type=click.IntRange(min=1), note="with --on and --journal, not by the clock")
@partial(limited, steps=False)
@partial(trusted, told=True)
@json_option
def learn(
    on: str | None,
    journal: str | None,
    minutes: float | None,
    train_steps: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Measure a model on fresh drills, by kind of program and operation, and report what to train more.

    With --on FOLDER or --journal DIR, adapt it to the code there instead, and keep that only if it is better: else the
    exit code is 1.
    """
    if on is None and journal is None:
        if minutes or train_steps:
            raise UsageError("--minutes and --train-steps are for --on and --journal")
        _measured(as_json=as_json, **options)
        return
    if options["wall"] is not None:
        raise UsageError("--wall is for drills: calls that are learned from have the limits of `data mine`")
    shared = {name: options[name] for name in ("model", "out", "seed", "trust")}
    _adapted(on, journal=journal, minutes=minutes, train_steps=train_steps, as_json=as_json, **shared)


def _adapted(folder: str | None, *, as_json: bool, **options: Any) -> None:
    from worldline.learning.adapt import adapt
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.learning import print_adapted

    with percent_of("the training") as tell:
        done = adapt(folder, progress=tell, **options)
    if as_json:
        click.echo(json.dumps(done.as_json()))
    else:
        print_adapted(terminal(), done)
    if done.refused:
        raise click.exceptions.Exit(1)


def _measured(*, as_json: bool, drills: int | None, seconds: float | None, **options: Any) -> None:
    from worldline.learning.learn import DEFAULT_DRILLS
    from worldline.learning.learn import learn as run
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.learning import print_measured

    with progress(0 if seconds else drills or DEFAULT_DRILLS, "drills") as (advance, _):
        lesson = run(drills=drills, seconds=seconds, progress=advance, **options)
    if as_json:
        rows = [row.as_json() for row in lesson.rows]
        click.echo(json.dumps({"rows": rows, **lesson.curriculum.to_json()}))
    else:
        print_measured(terminal(), list(lesson.rows))
    if lesson.faults:
        raise WorldlineError(f"{lesson.faults:,} drills failed in the tool, in no rate")
