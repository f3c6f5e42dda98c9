"""The commands that measure models: `bench` asks a model, `score` judges predictions made elsewhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import (
    COUNT,
    POSITIVE,
    add_all,
    add_option,
    json_option,
    limit_options,
    limits_of,
    model_options,
    note_ray,
    option,
    progress_bar,
    ray_option,
    settings,
    trust_option,
    whole_numbers,
    words,
)
from worldline.core.errors import WorldlineError
from worldline.core.text import plural

if TYPE_CHECKING:
    from worldline.evaluation.scratchpads import BenchResult

calls_option = add_option(
    "--calls", type=COUNT, help="humaneval, humaneval-x: calls per problem; 0 for all", default_text="3"
)


def suite_options(command: Any) -> Any:
    """Add the options that belong to single suites."""
    return add_all(
        command,
        option("--data", metavar="FILE", note="humaneval, crux, repair"),
        option(
            "--language", metavar="NAME", note="humaneval-x, crux-x, generated: js, ts, java, c, cpp, rust"
        ),
        option("--seed", type=int, default=0, note="for the programs and their order"),
        add_option(
            "--length", metavar="N,...", callback=whole_numbers, help="permutation: lines; horizon: steps"
        ),
        option("--reveal", metavar="N,...", callback=whole_numbers, default_text="1"),
        add_option(
            "--delta",
            type=click.Choice(["whole", "element"]),
            help="composition, horizon: how changes are shown",
        ),
        option("--hidden", type=click.Choice(["predicted", "given", "blind"])),
        add_option(
            "--names", type=click.IntRange(min=2), help="permutation: number of names", default_text="5"
        ),
        add_option(
            "--arbitrary", is_flag=True, default=None, help="permutation: any permutation per line, not swaps"
        ),
        add_option("--pair", is_flag=True, default=None, help="permutation: only lines that write two names"),
        add_option(
            "--depth", metavar="N,...", callback=whole_numbers, help="composition: functions in a chain"
        ),
        add_option("--kind", type=click.Choice(["string", "other"]), help="composition: only these values"),
        add_option(
            "--lines", is_flag=True, default=None, help="composition: one call per line, not nested calls"
        ),
        add_option(
            "--world", metavar="NAME,...", callback=words, help="horizon, stochastic: only these worlds"
        ),
        add_option(
            "--of",
            metavar="SUITE",
            help="states, budget: the programs of this suite",
            default_text="generated",
        ),
        add_option("--formats", metavar="NAME,...", callback=words, help="budget: only these formats"),
        calls_option,
        add_option(
            "--functions",
            type=POSITIVE,
            help="generated: functions per file, one of which is called",
            default_text="1",
        ),
    )


@click.command()
@click.argument("suite")
@model_options
@option("--max-programs", type=POSITIVE, default_text="all")
@add_option(
    "--samples", type=POSITIVE, default=1, metavar="K", help="Ask K times, each time with another seed"
)
@limit_options
@suite_options
@add_option("--force", metavar="NAME,...", callback=words, help="Force: actions, states, guard or queries")
@add_option("--queries", type=COUNT, help="With --force queries: number of true steps", default_text="8")
@option(
    "--scratchpad",
    metavar="MODE,...",
    callback=words,
    default="none",
    note="none, flatten, chars, auto, several of them, or all",
)
@add_option("--shard", metavar="K/N", help="Only every N-th program, starting with the K-th")
@option("--out", metavar="DIR", note="the run, for compare and report; repeat the command to resume")
@ray_option
@trust_option
@json_option
def bench(
    suite: str, model: str, scratchpad: list[str], address: str | None, as_json: bool, **options: Any
) -> None:
    """Measure a model on SUITE.

    Suites: permutation, composition, horizon, states, budget, branches, generated, stochastic, humaneval, crux,
    crux-input, humaneval-x, crux-x, repair; or a FILE.jsonl of your own programs: one per line, with `source` and
    `call`, and optionally `answer`, `id` and `language`.
    """
    from worldline.evaluation.bench import bench as run

    options |= {"limits": limits_of(options), "ray": address, "notify": note_ray}
    modes = "none" if scratchpad == ["none"] else scratchpad
    with progress_bar("programs") as update:
        options["progress"] = lambda now: update(now.done, now.total, now.note)
        result: BenchResult = run(suite, model, scratchpad=modes, **options)
    print_result(result, as_json)


def print_result(result: BenchResult, as_json: bool) -> None:
    """Print the result of a suite; raise WorldlineError if the tool failed on part of it."""
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
    """Raise WorldlineError if the tool failed on some samples, after the result of the others was printed."""
    if faults:
        count = f"{plural(faults, 'prediction')} failed in the tool and {'is' if faults == 1 else 'are'} not counted"
        raise WorldlineError(count + (f"; the first, {first}" if first else ""))


@click.command()
@click.argument("suite")
@click.argument("predictions", type=click.Path())
@option("--data", metavar="FILE", note="humaneval, crux and their -x")
@option("--language", metavar="NAME", note="humaneval-x, crux-x: js, ts, java, cpp, rust")
@option("--seed", type=int, default=0, note="for the programs, if the suite generates them")
@calls_option
@add_option(
    "--field",
    "fields",
    multiple=True,
    metavar="ROLE=NAME",
    callback=settings,
    help="Name of a field in the file; repeatable",
)
@limit_options
@option("--out", metavar="DIR", note="the run, for compare and report")
@ray_option
@trust_option
@json_option
def score(suite: str, predictions: str, address: str | None, as_json: bool, **options: Any) -> None:
    """Judge predictions that were made elsewhere.

    PREDICTIONS are JSON lines with an id and a text, for the programs of SUITE.
    """
    from worldline.evaluation.runs import score as run

    options |= {"limits": limits_of(options), "ray": address, "notify": note_ray}
    with progress_bar("samples") as update:
        report = run(suite, predictions, progress=lambda done, total: update(done, total, ""), **options)
    print_result(report, as_json)
