"""The commands for runs that are there: `merge` puts shards together, `compare` takes two, `intervene` tests causes.

Each parses its options, calls one function of the public API and prints its result.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, Literal

import click

from worldline.cli.options import (
    json_option,
    limited,
    limits_of,
    model_options,
    option,
    progress_bar,
    trusted,
    words,
)
from worldline.cli.suites import print_result, refuse_faults


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@option("--out", metavar="DIR", required=True, note="here the whole run")
@json_option
def merge(runs: tuple[str, ...], out: str, as_json: bool) -> None:
    """Merge all shards of one run of `bench --shard`."""
    from worldline.evaluation.runs import merge as run

    print_result(run(runs, out), as_json)


@click.command()
@click.argument("first", metavar="RUN", type=click.Path())
@click.argument("second", metavar="RUN", type=click.Path())
@json_option
def compare(first: str, second: str, as_json: bool) -> None:
    """Compare two runs of one suite, sample by sample: what flipped, why, and whether it is significant."""
    from worldline.evaluation.runs import compare as run
    from worldline.ui.terminal.compare import print_comparison
    from worldline.ui.terminal.console import terminal

    comparison = run(first, second)
    if as_json:
        click.echo(json.dumps(comparison.as_json()))
    else:
        print_comparison(terminal(), comparison)
    refuse_faults(comparison.faults)


@click.command()
@click.argument("run", type=click.Path())
@partial(model_options, default=None, note="that RUN is of, where it was scored or is elsewhere now")
@click.option("--interventions", metavar="NAME,...", callback=words, help="Only these interventions.")
@option(
    "--max-programs",
    type=click.IntRange(min=1),
    metavar="N",
    note="here that failed",
    default_text="all",
)
@click.option(
    "--by", type=click.Choice(["answer", "trace"]), default="answer", help="What counts as right [answer]."
)
@option("--seed", type=int, default=0, note="here of the samples that are chosen")
@limited
@trusted
@json_option
def intervene(
    run: str, model: str | None, extras: dict[str, str], interventions: list[str] | None, max_programs: int | None,
    by: Literal["answer", "trace"], seed: int, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Repeat the failed samples of RUN, and as many passing ones, under each intervention. Stored in RUN."""
    from worldline.evaluation.runs import intervene as act
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.trials import print_trials

    with progress_bar("samples") as update:
        result = act(
            run, model=model, extras=extras, interventions=interventions, max_programs=max_programs, by=by, seed=seed,
            limits=limits_of(options), progress=lambda intervention, done, total: update(done, total, intervention),
        )  # fmt: skip
    if as_json:
        click.echo(json.dumps(result.as_json()))
    else:
        print_trials(terminal(), result.trials)
    refuse_faults(result.faults)
