"""The verbs for runs that are there: `merge` puts shards together, `compare` takes two, `intervene` tests the causes.

No logic: every verb calls a room.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from worldline.cli.options import (
    json_option,
    limited,
    limits_of,
    model_options,
    option,
    progress,
    trusted,
    words,
)
from worldline.cli.suites import refuse_faults
from worldline.core.errors import UsageError


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@option("--out", metavar="DIR", required=True, note="here the whole run")
@json_option
def merge(runs: tuple[str, ...], out: str, as_json: bool) -> None:
    """Put the runs of `bench --shard`, all shards of one run, together as that run."""
    from worldline.evaluation.run.merge import merge as run
    from worldline.evaluation.run.stored import local
    from worldline.storage.remote import place
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.suite_report import print_report

    report = run([local(each) for each in runs], place(out))
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        print_report(terminal(), report)
    refuse_faults(report.faults)


@click.command()
@click.argument("first", metavar="RUN", type=click.Path())
@click.argument("second", metavar="RUN", type=click.Path())
@json_option
def compare(first: str, second: str, as_json: bool) -> None:
    """Compare two runs of one suite, sample by sample: what flipped, why, and whether that is more than chance."""
    from worldline.evaluation.compare import compare as run
    from worldline.evaluation.run.stored import local
    from worldline.ui.terminal.compare import print_comparison
    from worldline.ui.terminal.console import terminal

    found = run(local(first), local(second))
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        print_comparison(terminal(), found)
    refuse_faults(found.faults)


@click.command()
@click.argument("run", type=click.Path())
@partial(model_options, default=None, note="that RUN is of, where it was scored or is elsewhere now")
@click.option("--cures", metavar="NAME,...", callback=words, help="Only these cures.")
@option(
    "--max-programs",
    "limit",
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
    run: str, model: str | None, extras: dict[str, str], cures: list[str] | None, limit: int | None, by: str, seed: int,
    as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Ask the failed samples of RUN again, and as many passing ones, under each cure; keep the result in RUN."""
    from worldline.evaluation.interventions import intervened
    from worldline.evaluation.run.stored import local
    from worldline.predict.models import load_model
    from worldline.storage import remote
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.trials import print_trials

    if extras and model is None:
        raise UsageError("-M goes with --model: a run's own model has its options in the run")
    with progress(0, "samples") as (_, say):
        found, at = intervened(
            local(run), load_model, model=model, extras=extras, cures=cures, limit=limit, by=by, seed=seed,
            limits=limits_of(options), progress=lambda cure, done, of: say(f"{cure} {done:,} of {of:,}"),
        )  # fmt: skip
    told = {**found.as_json(), "at": at}
    remote.write(remote.place(run) / "interventions.json", json.dumps(told).encode())
    if as_json:
        click.echo(json.dumps(told))
    else:
        print_trials(terminal(), found)
    refuse_faults(sum(one.status == "fault" for one in found.tried))
