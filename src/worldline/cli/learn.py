"""The verb that learns from failures: `learn`. No logic: it calls the room."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import click

from worldline.cli.options import limited, limits_of, progress, trusted
from worldline.core.errors import UsageError, WorldlineError


@click.command()
@click.option("--model", metavar="DIR", help="The model that is measured, a folder; the shipped one without.")
@click.option("--recipe", default="shipped", metavar="NAME", help="Whose data() is drilled [shipped].")
@click.option("--function", default="data", metavar="NAME", help="The recipe's function [data].")
@click.option("--drills", type=click.IntRange(min=1), metavar="N", help="How many drills [300].")
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), help="Drill for so long, not for a number."
)
@click.option("--seed", type=int, default=0, help="Which drills [0].")
@click.option("--start", metavar="FILE", help="A curriculum to go on from.")
@click.option(
    "-o",
    "--out",
    metavar="PATH",
    help="Where the curriculum goes, for `train --curriculum`; of --on and --journal, the adapted model.",
)
@click.option("--on", metavar="FOLDER", help="Adapt the model to the code in a folder instead.")
@click.option("--journal", metavar="DIR", help="Adapt it to what `ask --journal` had to run instead.")
@click.option(
    "--minutes", type=click.FloatRange(min=0, min_open=True), help="--on, --journal: train for so long [5]."
)
@click.option(
    "--steps", type=click.IntRange(min=1), help="--on, --journal: train for so many steps, not by the clock."
)
@partial(limited, steps=False)
@partial(trusted, told=True)
@click.option("--json", "as_json", is_flag=True, help="Print the rows as one JSON object.")
def learn(
    model: str | None,
    on: str | None,
    journal: str | None,
    out: str | None,
    minutes: float | None,
    steps: int | None,
    seed: int,
    trust: bool,
    as_json: bool,
    **how: Any,
) -> None:
    """Measure a model on fresh drills, by kind of program and by operation, and say what it should see more of.

    With --on FOLDER or --journal DIR, adapt it to the code there instead, and keep that only if it is better: else the
    exit code is 1.
    """
    if on is not None or journal is not None:
        if how["wall"] is not None:
            raise UsageError(
                "--wall is for drills: calls that are learned from have the limits of `data mine`"
            )
        given = {"folder": on, "journal": journal, "model": model, "seed": seed, "trust": trust}
        _adapted(given, out, minutes=minutes, steps=steps, as_json=as_json)
        return
    if minutes or steps:
        raise UsageError("--minutes and --steps are for --on and --journal")
    _measured(model, out, seed=seed, trust=trust, as_json=as_json, **how)


def _adapted(
    given: dict[str, Any], out: str | None, *, minutes: float | None, steps: int | None, as_json: bool
) -> None:  # fmt: skip
    from worldline.learning.adapt import adapt
    from worldline.ui.terminal.adapted import print_adapted
    from worldline.ui.terminal.console import terminal

    if out is None:
        raise UsageError("--on and --journal need -o DIR, where the adapted model goes")
    if minutes and steps:
        raise UsageError("either --minutes or --steps")
    budget = {"steps": steps} if steps else {"minutes": minutes} if minutes else {}
    with progress(100, "of the training") as (advance, say):
        told = 0

        def tell(share: float, text: str) -> None:
            nonlocal told
            percent = int(100 * share)
            advance(max(0, percent - told))
            told = max(told, percent)
            say(text)

        done = adapt(out=out, tell=tell, **given, **budget)
    if as_json:
        click.echo(json.dumps(done.as_json()))
    else:
        print_adapted(terminal(), done)
    if done.refused:
        raise click.exceptions.Exit(1)


def _measured(
    model: str | None, out: str | None, *, recipe: str, function: str, drills: int | None, seconds: float | None,
    seed: int, start: str | None, trust: bool, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    from dataclasses import replace

    from worldline.data.mixture import Mixture
    from worldline.data.recipe import load_config
    from worldline.learning.drills import DrillBook
    from worldline.learning.measure import measure
    from worldline.learning.tutor import read_curriculum, write_curriculum
    from worldline.model.checkpoint import open_model
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.learn import print_measured

    if drills and seconds:
        raise UsageError("either --drills or --seconds")
    count = 0 if seconds else drills or 300
    before = read_curriculum(Path(start)) if start else None
    mixture = load_config(recipe, function, Mixture)
    mixture = replace(mixture, limits=limits_of(options, mixture.limits))
    book = DrillBook(mixture, seed=seed, split="test", trust=trust)
    try:
        with progress(count, "drills") as (advance, _):
            engine = open_model(Path(model) if model else None)
            now, rows = measure(
                engine, book, count=count, seconds=seconds or 0.0, before=before, progress=advance
            )
    finally:
        book.close()
    if out:
        write_curriculum(Path(out), now)
    if as_json:
        click.echo(json.dumps({"rows": [row.as_json() for row in rows], **now.to_json()}))
    else:
        print_measured(terminal(), rows)
    if book.faults:
        raise WorldlineError(f"{book.faults:,} drills failed in the tool, in no rate")
