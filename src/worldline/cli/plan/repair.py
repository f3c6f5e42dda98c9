"""The verb that looks for a fix: `plan repair`. No logic: it calls `plan.repair`."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import click

from worldline.cli.options import MODELS, progress, settings, spread, trusted, workshop_of

ORACLES = (
    "none",
    "random",
    "prior",
    "imagined",
    "mixed",
)  # `plan.repair.order.ORACLES`, which `--help` need not load


@click.command()
@click.argument("file", type=click.Path())
@click.option(
    "--tests", required=True, metavar="FILE", help="Rows of [input, output] in JSON, or a Python test file."
)
@click.option(
    "--call", metavar="NAME", help="The function that rows are of [called like FILE, or the only one]."
)
@click.option(
    "--oracle", type=click.Choice(ORACLES), default="prior", help="In which order changes are tried [prior]."
)
@click.option(
    "--executions",
    type=click.IntRange(min=1),
    default=2_000,
    metavar="N",
    help="At most N tests run [2,000].",
)
@click.option(
    "--patches", type=click.IntRange(min=1), default=3, metavar="N", help="Stop after N patches [3]."
)
@click.option(
    "--imagine", type=click.IntRange(min=1), default=32, metavar="N", help="Candidates put to the model [32]."
)
@click.option("--model", default="default", metavar="M", help=MODELS)
@click.option("--propose", metavar="WHO", help="Who proposes too: server:URL#M or python:FILE.py:NAME.")
@click.option(
    "-M",
    "extras",
    multiple=True,
    metavar="KEY=VALUE",
    callback=settings,
    help="Options of the proposing server.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=0.2,
    help="Limit: CPU-seconds of a test [0.2].",
)
@click.option("--seed", type=int, default=0, help="With --oracle random: which order [0].")
@spread
@trusted
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object.")
def repair(
    file: str, tests: str, call: str | None, model: str, propose: str | None, extras: dict[str, str], imagine: int,
    address: str | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Look for small changes of FILE that make its tests pass; each that is shown was run, in the box."""
    from worldline.core.errors import UsageError
    from worldline.plan.repair.edits.proposer import Edits
    from worldline.plan.repair.proposers import load_proposer
    from worldline.plan.repair.rows import read_checks
    from worldline.plan.repair.search import RECORDED, RepairPlan
    from worldline.plan.repair.search import repair as search
    from worldline.predict.models import load_model
    from worldline.predict.predictor import WatchedPredictor
    from worldline.recording.calls import caller
    from worldline.recording.collect import collect
    from worldline.recording.recorder import record
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.plan.repair import print_repair

    if extras and propose is None:
        raise UsageError("-M goes with --propose")
    plan = RepairPlan(imagined=imagine, **options)
    program = collect(file)
    checks = read_checks(program, tests, function=call)
    proposers = [Edits()] if propose is None else [load_proposer(propose, extras), Edits()]
    imagining = load_model(model) if plan.imagines else None
    recorded = partial(record, limits=RECORDED)
    what = "candidates are imagined" if plan.imagines else "candidates are run"
    shop = workshop_of(address)
    with caller() as runs, progress(imagine if plan.imagines else 0, what) as (advance, _):
        predictor = WatchedPredictor(imagining, lambda: advance(1)) if imagining is not None else None
        found = search(
            program,
            checks,
            runs,
            recorded,
            proposers=proposers,
            plan=plan,
            predictor=predictor,
            workshop=shop,
        )
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        print_repair(terminal(), found)
    if found.failing and not found.patches:
        click.get_current_context().exit(1)
