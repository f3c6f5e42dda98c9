"""The commands that measure models: `bench` asks a model, `score` judges predictions made elsewhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from worldline.cli import options as opt
from worldline.cli.faults import samples_fault
from worldline.cli.shell.completers import complete_suites

if TYPE_CHECKING:
    from worldline.evaluation.scratchpads import BenchResult

calls_option = opt.add_option(
    "--calls",
    type=opt.COUNT,
    help="humaneval, humaneval-x: calls per problem; repository: calls per function; 0 for all",
    default_text="3, repository 1",
)


def suite_options(command: Any) -> Any:
    """Add the options that belong to single suites."""
    return opt.add_all(
        command,
        opt.option(
            "--data",
            metavar="FILE",
            note="humaneval, crux, their variants, livecodebench, reval, branches, repair, repository",
        ),
        opt.language_option("humaneval-x, crux-x, generated: js, ts, java, c, cpp, rust, go"),
        opt.option("--seed", type=int, default=0, note="for the programs and their order"),
        opt.add_option(
            "--length", metavar="N,...", callback=opt.whole_numbers, help="permutation: lines; horizon: steps"
        ),
        opt.option("--reveal", metavar="N,...", callback=opt.whole_numbers, default_text="1"),
        opt.add_option(
            "--delta", type=click.Choice(["whole", "element"]), help="composition, horizon: how changes are shown"
        ),
        opt.option("--hidden", type=click.Choice(["predicted", "given", "blind"])),
        opt.add_option("--names", type=click.IntRange(min=2), help="permutation: number of names", default_text="5"),
        opt.add_option(
            "--arbitrary", is_flag=True, default=None, help="permutation: any permutation per line, not swaps"
        ),
        opt.add_option("--pair", is_flag=True, default=None, help="permutation: only lines that write two names"),
        opt.add_option(
            "--depth", metavar="N,...", callback=opt.whole_numbers, help="composition: functions in a chain"
        ),
        opt.add_option("--kind", type=click.Choice(["string", "other"]), help="composition: only these values"),
        opt.add_option("--lines", is_flag=True, default=None, help="composition: one call per line, not nested calls"),
        opt.add_option(
            "--world", metavar="NAME,...", callback=opt.words, help="horizon, stochastic: only these worlds"
        ),
        opt.add_option(
            "--of", metavar="SUITE", help="states, budget: the programs of this suite", default_text="generated"
        ),
        opt.add_option("--formats", metavar="NAME,...", callback=opt.words, help="budget: only these formats"),
        calls_option,
        opt.add_option(
            "--split",
            type=click.Choice(["test", "all"]),
            help="repository: only functions that training never takes, or all",
            default_text="test",
        ),
        opt.add_option(
            "--functions",
            type=opt.POSITIVE,
            help="generated: functions per file, one of which is called",
            default_text="1",
        ),
    )


@click.command()
@click.argument("suite", shell_complete=complete_suites)
@opt.model_options
@opt.option("--max-programs", type=opt.POSITIVE, default_text="all")
@opt.vote_options
@opt.add_option(
    "--repeats", type=opt.POSITIVE, default=1, metavar="K", help="Run the suite K times, with different seeds"
)
@opt.limit_options
@suite_options
@opt.add_option(
    "--force", metavar="NAME,...", callback=opt.words, help="Teacher forcing: actions, states, guard or queries"
)
@opt.add_option("--queries", type=opt.COUNT, help="With --force queries: number of true steps", default_text="8")
@opt.option(
    "--scratchpad",
    metavar="MODE,...",
    callback=opt.words,
    note="none, flatten, chars, auto, several of them, or all",
    default_text="auto, if it applies",
)
@opt.add_option("--keep-going", is_flag=True, help="Do not stop if none of the first 8 answers can be read")
@opt.add_option("--shard", metavar="K/N", help="Only every N-th program, starting with the K-th")
@opt.option("--out", metavar="DIR", note="the run, for compare and report; repeat the command to resume")
@opt.ray_option
@opt.library_option
@opt.trust_option
@opt.json_option
@opt.quiet_option
def bench(
    suite: str, model: str, scratchpad: list[str] | None, address: str | None, as_json: bool, **options: Any
) -> None:
    """Measure a model on SUITE.

    Suites: permutation, composition, horizon, states, budget, branches, generated, stochastic, humaneval, crux,
    crux-input, livecodebench, reval, humaneval-x, crux-x, repair, repository; or a FILE.jsonl of your own programs: one
    per line, with `source`, with `call` unless it is a script, and optionally `answer`, `id` and `language`.
    """
    from worldline.evaluation.bench import bench as run

    options |= {"limits": opt.limits_of(options), "ray": address, "notify": opt.note_ray}
    modes = "none" if scratchpad == ["none"] else scratchpad
    with opt.progress_bar("programs") as update:
        options["progress"] = lambda now: update(now.done, now.total, now.note)
        result: BenchResult = run(suite, model, scratchpad=modes, **options)
    print_result(result, as_json)


def print_result(result: BenchResult, as_json: bool) -> None:
    """Print the result of a suite; raise WorldlineError if the tool failed on part of it, or no output is a trace."""
    from worldline.evaluation.conclusion import check_is_readable
    from worldline.evaluation.scratchpads import ScratchpadReports
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
    for report in result.reports.values() if isinstance(result, ScratchpadReports) else [result]:
        if isinstance(report, Report):
            check_is_readable(report)


def refuse_faults(faults: int, first: str = "") -> None:
    """Raise an error if some samples were not predicted, after the result of the others was printed."""
    if faults:
        raise samples_fault(faults, first)


@click.command()
@click.argument("suite", shell_complete=complete_suites)
@click.argument("predictions", type=click.Path())
@opt.option("--data", metavar="FILE", note="humaneval, crux and their -x")
@opt.language_option("humaneval-x, crux-x: js, ts, java, cpp, rust, go")
@opt.option("--seed", type=int, default=0, note="for the programs, if the suite generates them")
@calls_option
@opt.add_option(
    "--field",
    "fields",
    multiple=True,
    metavar="ROLE=NAME",
    callback=opt.settings,
    help="Name of a field in the file; repeatable",
)
@opt.limit_options
@opt.option("--out", metavar="DIR", note="the run, for compare and report")
@opt.ray_option
@opt.trust_option
@opt.json_option
@opt.quiet_option
def score(suite: str, predictions: str, address: str | None, as_json: bool, **options: Any) -> None:
    """Judge predictions that were made elsewhere.

    PREDICTIONS are JSON lines with an id and a text, for the programs of SUITE.
    """
    from worldline.evaluation.runs import score as run

    options |= {"limits": opt.limits_of(options), "ray": address, "notify": opt.note_ray}
    with opt.progress_bar("samples") as update:
        report = run(suite, predictions, progress=lambda done, total: update(done, total, ""), **options)
    print_result(report, as_json)
