"""The commands that measure models: `bench` asks a model, `score` judges predictions made elsewhere.

Each parses its options, calls one function of the public API and prints its result.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import (
    json_option,
    limited,
    limits_of,
    model_options,
    note_ray,
    option,
    progress_bar,
    settings,
    spread,
    trusted,
    words,
)
from worldline.cli.suite_options import own
from worldline.core.errors import WorldlineError

if TYPE_CHECKING:
    from worldline.evaluation.scratchpads import BenchResult


@click.command()
@click.argument("suite")
@model_options
@option("--max-programs", type=click.IntRange(min=1), metavar="N", default_text="all")
@click.option(
    "--samples", type=click.IntRange(min=1), default=1, metavar="K", help="Ask K times, each with a seed [1]."
)
@limited
@own
@click.option(
    "--force", metavar="NAME,...", callback=words, help="What is forced: actions, states, guard, queries."
)
@click.option("--queries", type=click.IntRange(min=0), help="With --force queries: how many true steps [8].")
@option(
    "--scratchpad",
    metavar="MODE,...",
    callback=words,
    default="none",
    note="none, flatten, chars, auto, several, or all",
)
@click.option("--shard", metavar="K/N", help="Ask only for every N-th program, from the K-th on.")
@option("--out", metavar="DIR", note="here the run, for compare and report; repeat the command to resume")
@spread
@trusted
@json_option
def bench(
    suite: str, model: str, extras: dict[str, str], max_programs: int | None, force: list[str] | None,
    queries: int | None, scratchpad: list[str], samples: int, shard: str | None, out: str | None, address: str | None,
    as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Measure a model on SUITE.

    Suites: permutation, composition, horizon, states, budget, branches, generated, stochastic, humaneval, crux,
    crux-input, humaneval-x, crux-x, repair; or a FILE.jsonl of your own programs: a `source` and a `call` a line,
    and if you like an `answer`, an `id` and a `language`.
    """
    from worldline.evaluation.bench import bench as run

    limits = limits_of(options)
    with progress_bar("programs") as update:
        result = run(
            suite, model, extras=extras, max_programs=max_programs, samples=samples, force=force, queries=queries,
            shard=shard, scratchpad="none" if scratchpad == ["none"] else scratchpad, out=out, ray=address,
            limits=limits, progress=lambda now: update(now.done, now.total, now.note), notify=note_ray, **options,
        )  # fmt: skip
    print_result(result, as_json)


def print_result(result: BenchResult, as_json: bool) -> None:
    """Print what a suite came to; WorldlineError where the tool failed on a part of it."""
    from worldline.evaluation.summary import Report
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.suite_report import print_bench

    if as_json:
        printed = result.as_json()
        if isinstance(result, Report) and not result.samples:
            printed.setdefault("tables", [])
        click.echo(json.dumps(printed))
    else:
        print_bench(terminal(), result)
    refuse_faults(result.faults, result.first_fault)


def refuse_faults(faults: int, first: str = "") -> None:
    """The tool failed on some: what came of the others is printed, and this is said."""
    if faults:
        one, some = (
            "1 prediction failed in the tool; it is",
            f"{faults:,} predictions failed in the tool; they are",
        )
        raise WorldlineError(
            f"{one if faults == 1 else some} in no rate" + (f"; the first, {first}" if first else "")
        )


@click.command()
@click.argument("suite")
@click.argument("predictions", type=click.Path())
@option("--data", metavar="FILE", note="for humaneval, crux and their -x")
@option("--language", metavar="NAME", note="humaneval-x, crux-x: js, ts, java, cpp, rust")
@option("--seed", type=int, default=0, note="here of the programs, where the suite makes them")
@click.option(
    "--calls", type=click.IntRange(min=0), help="humaneval, humaneval-x: calls of a problem; 0: all [3]."
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="ROLE=NAME",
    callback=settings,
    help="What the file calls a role.",
)
@limited
@option("--out", metavar="DIR", note="here the run, for compare and report")
@spread
@trusted
@json_option
def score(
    suite: str, predictions: str, fields: dict[str, str], out: str | None, address: str | None, as_json: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Judge PREDICTIONS for SUITE that were made elsewhere: JSON lines with an id and a text."""
    from worldline.evaluation.runs import score as run

    with progress_bar("samples") as update:
        report = run(
            suite, predictions, out=out, fields=fields, limits=limits_of(options), ray=address, notify=note_ray,
            progress=lambda done, total: update(done, total, ""), **options,
        )  # fmt: skip
    print_result(report, as_json)
