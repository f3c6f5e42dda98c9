"""The commands that create a world model: `train`, `data build`, `data mine` and `data publish`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from worldline.cli import options as opt
from worldline.cli.shell.completers import complete_files, complete_recipes
from worldline.codec.names import NOTATIONS
from worldline.core.errors import WorldlineError

if TYPE_CHECKING:
    from worldline.data.build.build import BuildProgress
    from worldline.data.mine.mine import MiningCounts
    from worldline.parallel.ray_pool import RayPool


@click.command()
@click.argument("recipe", shell_complete=complete_recipes)
@opt.option("--recipe-function", default="training", metavar="NAME")
@opt.option("--out", required=True, metavar="DIR", note="the run: checkpoints, metrics, configuration")
@opt.add_option(
    "--device", type=click.Choice(["cpu", "cuda"]), help="Device to train on", default_text="a GPU if there is one"
)
@opt.option("--train-steps", type=opt.POSITIVE, default_text="the recipe's")
@opt.option("--minutes", type=opt.SECONDS, metavar="N", note="of training", default_text="the recipe's")
@opt.add_option("--curriculum", metavar="FILE", help="First curriculum of the recipe's tutor, from `learn -o FILE`")
@opt.add_option("--sharded", is_flag=True, help="Shard the weights over the trainers (FSDP2)")
@opt.add_option("--nodes", metavar="N", help="torchrun's --nnodes: number of machines; run this command on each")
@opt.add_option("--nproc-per-node", metavar="N", help="torchrun's: trainers per machine, or `gpu`")
@opt.add_option("--rdzv-endpoint", metavar="HOST:PORT", help="torchrun's: where several machines meet")
@opt.add_option("--store", metavar="URL", help="Also store checkpoints here; an empty DIR resumes from the newest one")
@opt.add_option("--fresh", is_flag=True, help="Start from the beginning even if DIR has a checkpoint")
def train(recipe: str, out: str, **options: Any) -> None:
    """Train a model from a recipe.

    RECIPE is a file, or a name in recipes/. Run the command again to resume; SIGTERM saves a checkpoint.
    """
    from worldline.model.train.by_recipe import train as run

    click.echo(run(recipe, out, **options))


@click.group()
def data() -> None:
    """Build and publish datasets, and mine functions to learn from."""


@data.command()
@click.argument("recipe", shell_complete=complete_recipes)
@opt.option("--out", required=True, metavar="DIR", note="repeat the command to resume")
@opt.add_option("--count", type=opt.POSITIVE, default=10_000, help="Number of documents")
@opt.option("--workers", type=opt.COUNT, default=0, note="0 for one per core")
@opt.option("--seed", type=int, default=0, note="for the documents")
@opt.add_option("--unit", type=opt.POSITIVE, default=1024, help="Documents per unit of work")
@opt.option("--format", type=click.Choice(NOTATIONS), default_text="the recipe's")
@opt.limit_options
@opt.ray_option
@partial(opt.trust_option, is_passed=True)
@opt.quiet_option
def build(recipe: str, out: str, count: int, address: str | None, steps: int | None, **options: Any) -> None:
    """Build a dataset from a recipe.

    Generates, records and encodes the programs of RECIPE, removes duplicates, splits them, and measures coverage.
    A dataset of `record --pytest` instead of a RECIPE stands for its calls that are not held out.
    """
    from worldline.data.build.build import build_dataset

    pool = opt.pool_of(address)
    with opt.progress(count, "documents") as (advance, say):
        seen = 0

        def update(now: BuildProgress) -> None:
            nonlocal seen
            advance(now.documents - seen)
            seen = now.documents
            say(f"{now.rate:,.0f}/s, coverage {now.covered:.1%}{f', {pool.summary}' if pool else ''}")

        done = build_dataset(recipe, out, count=count, max_steps=steps, progress=update, pool=pool, **options)
    click.echo(
        f"{done.documents:,} documents, {done.size:,} bytes, {done.duplicates:,} duplicates left out, "
        f"coverage {done.covered:.1%}, in {out}"
    )
    if done.faults:
        raise WorldlineError(f"{done.faults:,} programs failed in the tool and were left out")


@data.command()
@click.argument("places", nargs=-1, shell_complete=complete_files)
@opt.option("--out", required=True, metavar="FILE", note="the mined calls; .xz and .gz are compressed")
@opt.option("--recipe", metavar="NAME", note="also mine the places of its quarry()")
@opt.add_option(
    "--clones", metavar="DIR", help="Folder with clones of the quarry's repositories", default_text="~/quarry"
)
@opt.add_option(
    "--leave-out",
    multiple=True,
    metavar="FILE",
    help="Programs of a benchmark; functions similar to them are left out; repeatable",
)
@opt.add_option("--documents", metavar="FILE", help="Also write training documents, by the recipe's data()")
@opt.option("--python", metavar="PATH", note="its packages are mined")
@opt.option("--workers", type=opt.POSITIVE, default=1)
@opt.option("--seed", type=int, default=0, note="for the arguments")
@opt.add_option("--max-functions", type=opt.COUNT, default=0, help="Maximum number of functions; 0 for all")
@opt.add_option(
    "--path-seconds",
    type=opt.SECONDS_OR_0,
    default=0.0,
    help="Time per function to search for branches that its calls do not reach",
)
@opt.add_option("--known", is_flag=True, help="Call nothing: write what another or an interrupted command has found")
@opt.limit_options
@opt.ray_option
@partial(opt.trust_option, is_passed=True)
@opt.quiet_option
def mine(
    places: tuple[str, ...], out: str, path_seconds: float, address: str | None, steps: int | None, **options: Any
) -> None:
    """Find functions in packages and call them in the sandbox.

    PLACES are packages, `stdlib`, folders, files, or datasets of `record --pytest`, whose calls are tried first.
    """
    from worldline.data.mine.by_recipe import mine_calls
    from worldline.plan.paths.search import MissingBranchSearch

    reach = MissingBranchSearch(seconds=path_seconds, trust=options["trust"]) if path_seconds else None
    pool = opt.pool_of(address)
    with opt.spinner("reading the places") as update:
        watch = _describe_counts(update, pool)
        done = mine_calls(places, out, max_steps=steps, reach=reach, progress=watch, say=opt.note, pool=pool, **options)
    counts = done.counts
    click.echo(
        f"{counts.functions:,} functions, {counts.calls:,} calls, {counts.shown:,} of them written by people, "
        f"from {counts.files:,} files, {counts.failed:,} failed, in {out}"
    )
    checked = f"{counts.left_out:,} left out as similar to a benchmark; see {out}.report.json"
    is_checked = bool(options["leave_out"])
    click.echo(checked if is_checked else "not checked against a benchmark: pass --leave-out FILE")
    if counts.held_out:
        click.echo(f"{counts.held_out:,} held out for `bench repository`")
    if done.documents is not None:
        click.echo(f"{done.documents:,} documents in {options['documents']}")
    if counts.failed:
        raise WorldlineError(
            f"{counts.failed:,} of the files and functions failed in the tool; the first: {counts.failures[0]}. "
            f"The calls of all others are in {out}. {out}.report.json says what failed and why (`failures`); "
            "the same command tries only that again"
        )


@data.command()
@click.argument("dataset", shell_complete=complete_files)
@opt.option("--out", required=True, metavar="DIR", note="parquet files and a card")
@opt.add_option(
    "--licences", metavar="FILE", help="Licences of mined sources, for the card", default_text="recipes/quarry.txt"
)
@opt.quiet_option
def publish(dataset: str, out: str, licences: str | None) -> None:
    """Lay a dataset out as the Hub expects it.

    DATASET is a folder of `data build`, `record -o` or `record --pytest`. `datasets.load_dataset(DIR)` reads the
    result.
    """
    from worldline.data.publish.publish import publish_dataset

    with opt.spinner(f"publishing {dataset}"):
        done = publish_dataset(dataset, out, licences=licences)
    for (config, split), rows in done.rows.items():
        click.echo(f"{config}, {split}: {rows:,} rows")
    click.echo(f"{done.files:,} files and a card in {out}; read README.md before you upload it")


def _describe_counts(update: Callable[[str], None], pool: RayPool | None) -> Callable[[MiningCounts], None]:
    """Return a function that shows the counts after every file."""

    def show(now: MiningCounts) -> None:
        where = f"; {pool.summary}" if pool else ""
        update(f"{now.files:,} files, {now.functions:,} functions, {now.calls:,} calls{where}")

    return show
