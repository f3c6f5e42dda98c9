"""The verbs that measure models: `bench` asks a model, `score` takes what was asked elsewhere.

No logic: every verb calls a room. What is done with runs that are there is `runs`'.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import (
    json_option,
    limited,
    limits_of,
    model_options,
    option,
    progress,
    settings,
    shard,
    spread,
    trusted,
    words,
    workshop_of,
)
from worldline.cli.suite_options import own
from worldline.core.errors import UsageError, WorldlineError

if TYPE_CHECKING:
    from worldline.storage.remote import Folder


@click.command()
@click.argument("suite")
@model_options
@option("--max-programs", "limit", type=click.IntRange(min=1), metavar="N", default_text="all")
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
@click.option(
    "--shard", metavar="K/N", callback=shard, help="Ask only for every N-th program, from the K-th on."
)
@option("--out", metavar="DIR", note="here the run, for compare and report; run again to go on")
@spread
@trusted
@json_option
def bench(
    suite: str, model: str, extras: dict[str, str], limit: int | None, force: list[str] | None,
    queries: int | None, scratchpad: list[str], samples: int, shard: Any, out: str | None, address: str | None,
    as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Let a model predict the runs of SUITE.

    Suites: permutation, composition, horizon, states, budget, branches, generated, stochastic, humaneval, crux,
    crux-input, humaneval-x, crux-x, repair; or a FILE.jsonl of your own programs: a `source` and a `call` a line,
    and if you like an `answer`, an `id` and a `language`.
    """
    import tempfile

    from worldline.evaluation import suites as suites
    from worldline.evaluation.run.directory import is_run
    from worldline.predict.models import load_model
    from worldline.storage.remote import place

    if options["reveal"] is not None and suite != "permutation" and options["of"] != "permutation":
        if len(options["reveal"]) != 1:
            raise UsageError("only the permutation suite takes several spacings")
        options["reveal"] = options["reveal"][0]
    if address is not None:
        _refuse_ray(suite, model, extras, samples > 1 or force is not None or scratchpad != ["none"])
    limits = limits_of(options)
    load = partial(_loaded, suite, limits, options)
    found = load()
    if suite == "stochastic" and not (model == "interpreter" or model.startswith(("replay:", "python:"))):
        extras = {"temperature": "1", **extras}  # a belief is what a model draws when it draws as it would
    predictor = _searcher(extras) if (suite, model) == ("crux-input", "search") else load_model(model, extras)
    if samples > 1:
        _refuse_samples(extras, suites.is_measured(suite) or force is not None or scratchpad != ["none"])
    if scratchpad != ["none"]:
        _refuse_scratchpads(suite, force)
    if shard is not None:
        is_other = samples > 1 or scratchpad != ["none"] or address is not None or out is None
        _refuse_shard(suite, extras, is_other)
    if queries is not None and force != ["queries"]:
        raise UsageError("--queries goes with --force queries")
    if suites.is_measured(suite):
        _measure(found, predictor, limit, force, out, as_json)
        return
    if force is not None:
        predictor = _forced(predictor, force, queries, found)
    if extras.get("by") == "order" and out is not None and is_run(out):
        raise UsageError(f"{out} is a run already: outputs that stand in order are read from the first on")
    given = {name: value for name, value in options.items() if value is not None}
    config = {
        "options": given,
        "extras": extras,
        "scheme": model,
        "weights": predictor.info.digest,
        **({"force": force, "queries": queries} if force else {}),
    }
    with (
        tempfile.TemporaryDirectory() as scratch,
        progress(limit or found.count or 0, "programs") as (advance, say),
    ):
        at = place(out or scratch)
        if samples > 1:
            many = [load_model(model, each) for each in _seeded(extras, samples)]
            _run_samples(load, many, _seeded(extras, samples), limit, at, config, (advance, say), as_json)
        elif scratchpad == ["none"]:
            shop = workshop_of(address)
            elsewhere = None if shop is None else (shop, partial(load_model, model, extras))
            _run(found, predictor, limit, at, config, (advance, say), as_json, shard, elsewhere)
        else:
            each = _scratchpads(scratchpad)
            _run_scratchpads(load, predictor, each, limit, at, config, (advance, say), as_json)


def _searcher(extras: dict[str, str]) -> Any:
    from worldline.plan.inputs.answerer import load_search

    return load_search(extras)


def _loaded(name: str, limits: Any, options: dict[str, Any]) -> Any:
    """A suite, its programs under these limits where some are given."""
    from dataclasses import replace

    from worldline.evaluation import suites as suites

    found = suites.load(name, **options)
    return found if limits is None else replace(found, limits=limits)


def _run(
    suite: Any, predictor: Any, limit: int | None, out: Folder, config: dict[str, Any], advance: Any, as_json: bool,
    shard: Any, elsewhere: Any,
) -> None:  # fmt: skip
    from worldline.evaluation import suites as suites
    from worldline.evaluation.run.directory import newest
    from worldline.evaluation.run.stored import local
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.suite_report import print_report, print_tables

    report = run_suite(suite, predictor, limit, out, config, advance, shard, elsewhere)
    records = list(newest(local(out)).values())
    tables = suites.tables(suite.name, records)
    if as_json:
        click.echo(json.dumps({**report.as_json(), "tables": [table.as_json() for table in tables]}))
    else:
        print_report(terminal(), report)
        print_tables(terminal(), tables)
    told = (f"{one.name}: {one.found.note}" for one in records if one.is_fault and one.found.note)
    refuse_faults(report.faults, next(told, ""))


def _refuse_ray(suite: str, model: str, extras: dict[str, str], is_other: bool) -> None:
    from worldline.evaluation import suites as suites

    if is_other or suites.is_measured(suite) or extras.get("by") == "order" or model == "search":
        raise UsageError(
            "--ray is for plain traces of a suite's programs: not with --samples, --force, --scratchpad, -M by=order, "
            "the model search, or a suite that is measured step by step"
        )


def _refuse_shard(suite: str, extras: dict[str, str], is_other: bool) -> None:
    from worldline.evaluation import suites as suites

    if is_other or suites.is_measured(suite) or "by" in extras:
        raise UsageError(
            "a shard is of a plain run, kept in --out: not with samples, scratchpads, states, -M by=, --ray"
        )


def _refuse_scratchpads(suite: str, force: list[str] | None) -> None:
    from worldline.evaluation import suites as suites

    if suites.is_measured(suite) or suite == "budget":
        raise UsageError(f"the suite {suite} is about how programs are written down: not with --scratchpad")
    if force is not None:
        raise UsageError("what is forced is the program's own truth: not with --scratchpad")


def _refuse_samples(extras: dict[str, str], is_other: bool) -> None:
    if is_other:
        raise UsageError(
            "several samples are of a plain trace: --samples goes with no forcing, scratchpad or states"
        )
    if not float(extras.get("temperature", "0")) > 0:
        raise UsageError("samples of temperature 0 are all the same: give -M temperature=T with --samples")


def _seeded(extras: dict[str, str], samples: int) -> list[dict[str, str]]:
    """The model's options of each sample: a seed of its own, from the one that was given on."""
    first = int(extras.get("seed", "0"))
    return [{**extras, "seed": str(first + k)} for k in range(samples)]


def _run_samples(
    load: Any, predictors: list[Any], extras: list[dict[str, str]], limit: int | None, out: Folder,
    config: dict[str, Any], advance: Any, as_json: bool,
) -> None:  # fmt: skip
    """The suite once for each seed, in a folder each, and summed up over all of them."""
    from worldline.evaluation.run.samples import pooled
    from worldline.evaluation.run.stored import local
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.suite_report import print_report

    reports, folders = [], [out / str(k) for k in range(1, len(predictors) + 1)]
    for predictor, each, at in zip(predictors, extras, folders, strict=True):
        reports.append(run_suite(load(), predictor, limit, at, {**config, "extras": each}, advance))
    whole = pooled(reports, list(map(local, folders)))
    if as_json:
        click.echo(json.dumps(whole.as_json()))
    else:
        print_report(terminal(), whole)
    refuse_faults(whole.faults)


def _scratchpads(named: list[str]) -> list[str]:
    from worldline.predict.scratchpad import MODES

    strange = [mode for mode in named if mode not in (*MODES, "all")]
    if strange:
        raise UsageError(f"a scratchpad is one of {', '.join(MODES)}, or all, not {strange[0]!r}")
    return [mode for mode in MODES if mode in named or "all" in named]


def _run_scratchpads(
    load: Any, predictor: Any, modes: list[str], limit: int | None, out: Folder, config: dict[str, Any], advance: Any,
    as_json: bool,
) -> None:  # fmt: skip
    """The suite once in each mode; of several, in a folder each, and side by side at the end."""
    from worldline.evaluation.scratchpads import side_by_side
    from worldline.predict.scratchpad import Scratchpad
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.suite_report import print_report, print_tables

    reports = {}
    for mode in modes:
        told = config if mode == "none" else {**config, "scratchpad": mode}
        at = out if len(modes) == 1 else out / mode
        suite = load() if mode == "none" else load().for_scratchpads()
        reports[mode] = run_suite(suite, Scratchpad(predictor, mode), limit, at, told, advance)
    table = side_by_side(reports)
    if as_json:
        whole = {mode: report.as_json() for mode, report in reports.items()}
        click.echo(json.dumps({"scratchpads": whole, "tables": [table.as_json()]}))
    else:
        for report in reports.values():
            print_report(terminal(), report)
        print_tables(terminal(), [table] if len(reports) > 1 else [])
    refuse_faults(sum(report.faults for report in reports.values()))


def run_suite(
    suite: Any, predictor: Any, limit: int | None, out: Folder, config: dict[str, Any], advance: Any,
    shard: Any = None, elsewhere: Any = None,
) -> Any:  # fmt: skip
    """What came of a suite, which is kept in a folder; `advance` is a bar's: how to move it, what to say beside it.

    `elsewhere` is a workshop that asks and judges, and how the predictor is loaded there.
    """
    from worldline.evaluation.run.run import run
    from worldline.evaluation.run.spread import spread as spread_rows

    move, say = advance

    def judged(verdict: Any) -> None:
        move(1)
        if elsewhere:
            say(elsewhere[0].summary)

    return run(
        suite, predictor, limit=limit, each=judged, out=out, config=config,
        known=lambda count: say(f"({count:,} recorded)"), shard=shard,
        rows=spread_rows(elsewhere[0], elsewhere[1], predictor.info.notation) if elsewhere else None,
    )  # fmt: skip


def _forced(predictor: Any, force: list[str], queries: int | None, suite: Any) -> Any:
    from worldline.evaluation.forced import QUERIES, Forced

    if len(force) != 1:
        raise UsageError("one thing is forced at a time; the suite states takes several")
    return Forced(predictor, force[0], queries=QUERIES if queries is None else queries, limits=suite.limits)


def _measure(
    suite: Any, predictor: Any, limit: int | None, force: list[str] | None, out: str | None, as_json: bool
) -> None:
    """A suite that is no run of traces: what it finds is printed and not kept."""
    from worldline.evaluation import suites as suites
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.suite_report import print_measured

    if out is not None:
        raise UsageError(
            f"the suite {suite.name} is measured step by step and leaves no run to keep in --out"
        )
    with progress(limit or suite.count or 0, "programs begun") as (advance, _):
        measured = suites.measure(suite.name, suite.told(advance), predictor, limit=limit, force=force)
    if as_json:
        click.echo(json.dumps(measured.as_json()))
    else:
        print_measured(terminal(), measured)
    refuse_faults(measured.faults)


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
    """Judge PREDICTIONS, made elsewhere, of the tasks of SUITE: JSON lines with an id and a text each."""
    from worldline.evaluation.external.scored import score as run
    from worldline.storage.remote import place
    from worldline.ui.terminal.console import terminal
    from worldline.ui.terminal.suite_report import print_report

    shop = workshop_of(address)
    with progress(0, "samples") as (_, say):
        report = run(
            suite, Path(predictions), out=place(out) if out else None, fields=fields, limits=limits_of(options),
            each=lambda done, of: say(f"{done:,} of {of:,}{f', {shop.summary}' if shop else ''}"), workshop=shop,
            **options,
        )  # fmt: skip
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        print_report(terminal(), report)
    refuse_faults(report.faults)
