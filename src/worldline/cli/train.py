"""The commands that make a world model: `train`, `data build` and `data mine`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import limited, option, pool_of, progress, spread, trusted
from worldline.codec.names import NOTATIONS
from worldline.core.errors import WorldlineError

if TYPE_CHECKING:
    from worldline.data.build.build import BuildProgress
    from worldline.data.mine.mine import MiningCounts
    from worldline.parallel.ray_pool import RayPool


@click.command()
@click.argument("recipe")
@option("--recipe-function", default="training", metavar="NAME")
@option("--out", required=True, metavar="DIR", note="here the run: checkpoints, metrics, configuration")
@click.option("--device", type=click.Choice(["cpu", "cuda"]), help="Where; a GPU if there is one.")
@option("--train-steps", type=click.IntRange(min=1), note="not the recipe's")
@option("--minutes", type=click.FloatRange(min=0, min_open=True), note="not the recipe's")
@click.option("--curriculum", metavar="FILE", help="What the recipe's tutor begins with: `learn -o FILE`.")
@click.option("--sharded", is_flag=True, help="Deal the weights among the trainers (FSDP2).")
@click.option(
    "--nodes", metavar="N", help="torchrun's --nnodes: machines, each of which is given this command."
)
@click.option("--nproc-per-node", metavar="N", help="torchrun's: trainers on each machine, or `gpu`.")
@click.option("--rdzv-endpoint", metavar="HOST:PORT", help="torchrun's: where several machines meet.")
@click.option(
    "--store", metavar="URL", help="Where checkpoints are put too; an empty DIR goes on from the newest."
)
@click.option("--fresh", is_flag=True, help="Begin anew even if DIR has a checkpoint.")
def train(recipe: str, out: str, **options: Any) -> None:
    """Train a model by RECIPE, a file or a name in recipes/. Run it again to resume; SIGTERM saves a checkpoint."""
    from worldline.model.train.by_recipe import train as run

    click.echo(run(recipe, out, **options))


@click.group()
def data() -> None:
    """Programs to learn from: `build` a dataset by a recipe, `mine` real functions out of packages."""


@data.command()
@click.argument("recipe")
@option("--out", required=True, metavar="DIR", note="repeat the command to resume")
@click.option("--count", type=click.IntRange(min=1), default=10_000, help="Documents [10,000].")
@option("--workers", type=click.IntRange(min=0), default=0, note="0 for one a core")
@option("--seed", type=int, default=0, note="here of the documents")
@click.option("--unit", type=click.IntRange(min=1), default=1024, help="Documents made at a time [1,024].")
@option("--format", type=click.Choice(NOTATIONS), default_text="the recipe's")
@limited
@spread
@partial(trusted, told=True)
def build(recipe: str, out: str, count: int, address: str | None, steps: int | None, **options: Any) -> None:
    """Generate, record and encode the programs of RECIPE, without duplicates, split, with a table of coverage."""
    from worldline.data.build.build import build_dataset

    shop = pool_of(address)
    with progress(count, "documents") as (advance, say):
        seen = 0

        def tell(now: BuildProgress) -> None:
            nonlocal seen
            advance(now.documents - seen)
            seen = now.documents
            say(f"{now.rate:,.0f}/s, coverage {now.covered:.1%}{f', {shop.summary}' if shop else ''}")

        done = build_dataset(recipe, out, count=count, max_steps=steps, progress=tell, pool=shop, **options)
    click.echo(
        f"{done.documents:,} documents, {done.size:,} bytes, {done.duplicates:,} duplicates left out, "
        f"coverage {done.covered:.1%}, in {out}"
    )
    if done.faults:
        raise WorldlineError(f"{done.faults:,} programs failed in the tool and were left out")


@data.command()
@click.argument("places", nargs=-1)
@option("--out", required=True, metavar="FILE", note="here the mined calls, as compressed JSON lines")
@option("--recipe", metavar="NAME", note="also the places of its quarry()")
@click.option("--clones", metavar="DIR", help="Where the clones of the quarry's repositories are [~/quarry].")
@click.option(
    "--leave-out",
    multiple=True,
    metavar="FILE",
    help="A benchmark's programs: what is like them is left out.",
)
@click.option(
    "--documents", metavar="FILE", help="Also training documents of the calls, by the recipe's data()."
)
@option("--python", metavar="PATH", note="it finds the packages")
@option("--workers", type=click.IntRange(min=1), default=1)
@option("--seed", type=int, default=0, note="here of the arguments that are tried")
@click.option(
    "--max-functions",
    type=click.IntRange(min=0),
    default=0,
    help="Stop after so many functions; 0 for all [0].",
)
@click.option(
    "--path-seconds",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    help="Look so long, a function, for branches that its calls miss [0].",
)
@click.option(
    "--known", is_flag=True, help="Try nothing: write what one that goes on, or was killed, has found."
)
@limited
@spread
@partial(trusted, told=True)
def mine(
    places: tuple[str, ...],
    out: str,
    path_seconds: float,
    address: str | None,
    steps: int | None,
    **options: Any,
) -> None:
    """Find callable functions in PLACES (packages, `stdlib`, folders, files) and call them in the sandbox."""
    from worldline.data.mine.by_recipe import mine_calls
    from worldline.plan.paths.search import MissingBranchSearch

    reach = MissingBranchSearch(seconds=path_seconds, trust=options["trust"]) if path_seconds else None
    shop = pool_of(address)
    say = partial(click.echo, err=True)
    done = mine_calls(
        places, out, max_steps=steps, reach=reach, progress=_tell(shop), say=say, pool=shop, **options
    )
    counts = done.counts
    click.echo(
        f"{counts.functions:,} functions, {counts.calls:,} calls, {counts.shown:,} of them written by people, "
        f"from {counts.files:,} files, {counts.failed:,} failed, in {out}"
    )
    checked = f"{counts.left_out:,} left out: like one of a benchmark's; see {out}.report.json"
    is_checked = bool(options["leave_out"])
    click.echo(checked if is_checked else "no benchmark was given to --leave-out: nothing was checked")
    if done.documents is not None:
        click.echo(f"{done.documents:,} documents in {options['documents']}")


def _tell(shop: RayPool | None) -> Callable[[MiningCounts], None]:
    """A line on stderr for every hundred files of a mining."""

    def tell(now: MiningCounts) -> None:
        if now.files % 100 == 0:
            where = f"; {shop.summary}" if shop else ""
            click.echo(
                f"{now.files:,} files, {now.functions:,} functions, {now.calls:,} calls{where}", err=True
            )

    return tell
