"""The verbs that make a world model and measure it: `data`, `train`, `bench`. No logic: every verb calls a room."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from worldline.errors import UsageError, WorldlineError


def whole_numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> list[int] | None:
    """`8` or `8,16,32`."""
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a number or several, such as 8,64,512") from None


def settings(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """`key=value`, several times."""
    pairs = [each.partition("=") for each in given]
    for name, equals, _ in pairs:
        if not equals or not name.isidentifier():
            raise click.BadParameter(f"{name}{equals} is not key=value")
    return {name: text for name, _, text in pairs}


@click.command()
@click.argument("suite")
@click.option(
    "--model", default="default", metavar="M", help="default, a checkpoint's folder, or interpreter."
)
@click.option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, help="Options of the model."
)
@click.option("--data", metavar="FILE", help="The benchmark's own file, for humaneval and crux.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask for N programs only.")
@click.option("--seed", type=int, default=0, help="Which programs, in which order [0].")
@click.option("--length", metavar="N,...", callback=whole_numbers, help="permutation: lines that permute.")
@click.option(
    "--reveal", metavar="N,...", callback=whole_numbers, help="The state is shown every N steps [1]."
)
@click.option(
    "--arbitrary", is_flag=True, default=None, help="permutation: any permutation a line, not swaps."
)
@click.option("--calls", type=click.IntRange(min=0), help="humaneval: calls of a problem; 0 for all [3].")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
def bench(
    suite: str, model: str, extras: dict[str, str], limit: int | None, as_json: bool, **options: Any
) -> None:
    """Let a model predict the runs of SUITE: permutation, generated, humaneval or crux."""
    from worldline import bench as suites
    from worldline.bench.run import run
    from worldline.predict.models import load_model
    from worldline.view.bench import print_report
    from worldline.view.terminal import terminal

    if suite != "permutation" and options["reveal"] is not None:
        if len(options["reveal"]) != 1:
            raise UsageError("only the permutation suite takes several spacings")
        options["reveal"] = options["reveal"][0]
    found = suites.load(suite, **options)
    with _progress(limit or found.count or 0, "programs") as (advance, _):
        report = run(found, load_model(model, extras), limit=limit, each=lambda verdict: advance(1))
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        print_report(terminal(), report)
    if report.faults:
        raise WorldlineError(f"{report.faults:,} predictions failed in the tool; they are in no rate")


@click.command()
@click.argument("recipe")
@click.option("--function", default="training", metavar="NAME", help="The recipe's function [training].")
@click.option(
    "-o", "--out", required=True, metavar="DIR", help="The run: checkpoints, metrics, configuration."
)
@click.option("--device", type=click.Choice(["cpu", "cuda"]), help="Where; a GPU if there is one.")
@click.option("--steps", type=click.IntRange(min=1), help="Train for so many steps, not the recipe's.")
@click.option(
    "--minutes", type=click.FloatRange(min=0, min_open=True), help="Train for so long, not the recipe's."
)
@click.option("--fresh", is_flag=True, help="Begin anew even if DIR has a checkpoint.")
def train(
    recipe: str,
    function: str,
    out: str,
    device: str | None,
    steps: int | None,
    minutes: float | None,
    fresh: bool,
) -> None:
    """Train a model by RECIPE, a file or a name in recipes/. Run again to go on; SIGTERM saves."""
    from worldline.data.recipe import load_config

    if steps is not None and minutes is not None:
        raise UsageError("either --steps or --minutes")
    try:
        from worldline.model.train import train as run
        from worldline.model.train_config import Training, changed
    except ModuleNotFoundError as error:
        raise UsageError(f"training needs {error.name}: pip install 'worldline[train]'") from None
    config = load_config(recipe, function, Training)
    if steps is not None or minutes is not None:
        config = changed(config, steps=steps or 0, minutes=minutes or 0.0)
    click.echo(run(config, Path(out), resume=not fresh, device=device))


@click.group()
def data() -> None:
    """Programs to learn from: `build` a dataset by a recipe, `mine` real functions out of packages."""


@data.command()
@click.argument("recipe")
@click.option("-o", "--out", required=True, metavar="DIR", help="Where; run again to go on.")
@click.option("--count", type=click.IntRange(min=1), default=10_000, help="Documents [10,000].")
@click.option("--workers", type=click.IntRange(min=0), default=0, help="Processes; 0 for one a core [0].")
@click.option("--seed", type=int, default=0, help="Which documents [0].")
@click.option("--unit", type=click.IntRange(min=1), default=1024, help="Documents made at a time [1,024].")
@click.option("--trust", is_flag=True, help="Record generated programs without a box.")
def build(recipe: str, out: str, count: int, **options: Any) -> None:
    """Generate, record and encode the programs of RECIPE, without duplicates, split, with a table of coverage."""
    from worldline.data.build import build as run

    with _progress(count, "documents") as (advance, say):
        seen = 0

        def told(now: Any) -> None:
            nonlocal seen
            advance(now.documents - seen)
            seen = now.documents
            say(f"{now.rate:,.0f}/s, coverage {now.covered:.1%}")

        done = run(recipe, out, count=count, progress=told, **options)
    click.echo(
        f"{done.documents:,} documents, {done.size:,} bytes, {done.duplicates:,} duplicates left out, "
        f"coverage {done.covered:.1%}, in {out}"
    )


@data.command()
@click.argument("places", nargs=-1)
@click.option("-o", "--out", required=True, metavar="FILE", help="The mined calls, as compressed JSON lines.")
@click.option("--recipe", metavar="NAME", help="Also the places of a recipe's quarry().")
@click.option(
    "--documents", metavar="FILE", help="Also training documents of the calls, by the recipe's data()."
)
@click.option("--python", metavar="PATH", help="The interpreter that finds the packages.")
@click.option("--workers", type=click.IntRange(min=1), default=1, help="Boxes side by side [1].")
@click.option("--seed", type=int, default=0, help="Which arguments are tried [0].")
@click.option(
    "--most", type=click.IntRange(min=0), default=0, help="Stop after so many functions; 0 for all [0]."
)
def mine(
    places: tuple[str, ...],
    out: str,
    recipe: str | None,
    documents: str | None,
    python: str | None,
    **how: Any,
) -> None:
    """Find functions in PLACES (packages, `stdlib`, folders, files) that can be called, and call them, boxed."""
    from worldline.data.mine import Quarry, written_out
    from worldline.data.mine import mine as run
    from worldline.data.mixture import Mixture
    from worldline.data.recipe import load_config

    if documents and not recipe:
        raise UsageError("--documents needs --recipe: its data() says how calls are written")
    places += load_config(recipe, "quarry", Quarry).places if recipe else ()
    if not places:
        raise UsageError("name packages, `stdlib`, folders or files, or a --recipe that does")
    done = run(places, out=out, python=python, **how)
    click.echo(
        f"{done.functions:,} functions, {done.calls:,} calls, from {done.files:,} files, "
        f"{done.failed:,} failed, in {out}"
    )
    if recipe and documents:
        count = written_out(out, documents, mixture=load_config(recipe, "data", Mixture), times=2)
        click.echo(f"{count:,} documents in {documents}")


@contextmanager
def _progress(total: int, what: str) -> Iterator[tuple[Callable[[int], None], Callable[[str], None]]]:
    """A bar on stderr where that is a terminal: how to advance it, and how to say something beside it."""
    if not sys.stderr.isatty():
        yield (lambda count: None), (lambda text: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield (
            lambda count: progress.advance(task, count),
            lambda text: progress.update(task, description=f"{what} {text}"),
        )
