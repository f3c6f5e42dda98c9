"""The verbs that make a world model: `data` and `train`. No logic: every verb calls a room."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from worldline.cli.options import limited, limits_of, progress, spread, trusted, workshop_of
from worldline.core.errors import UsageError, WorldlineError


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
def train(
    recipe: str,
    function: str,
    out: str,
    device: str | None,
    steps: int | None,
    minutes: float | None,
    curriculum: str | None,
    sharded: bool,
    nodes: str | None,
    nproc_per_node: str | None,
    rdzv_endpoint: str | None,
    store: str | None,
    fresh: bool,
) -> None:
    """Train a model by RECIPE, a file or a name in recipes/. Run again to go on; SIGTERM saves."""
    from worldline.data.recipe import load_config

    if steps is not None and minutes is not None:
        raise UsageError("either --steps or --minutes")
    try:
        from worldline.model.train.config import Training, with_changes, with_curriculum
        from worldline.model.train.loop import train as run
        from worldline.model.train.ranks import torchrun_command
        from worldline.model.train.store import require_disk
    except ModuleNotFoundError as error:
        raise UsageError(f"training needs {error.name}: pip install 'worldline[train]'") from None
    folder = require_disk(out)
    config = load_config(recipe, function, Training)
    if steps is not None or minutes is not None:
        config = with_changes(config, steps=steps or 0, minutes=minutes or 0.0)
    if curriculum is not None:
        config = with_curriculum(config, curriculum)
    if sharded:
        config = with_changes(config, sharded=True)
    if nodes or nproc_per_node or rdzv_endpoint:
        given: dict[str, Any] = {
            "recipe": recipe,
            "function": function,
            "out": out,
            "device": device,
            "steps": steps,
        }
        given |= {"minutes": minutes, "curriculum": curriculum, "store": store}
        words = [
            word for name, value in given.items() if value is not None for word in (f"--{name}", str(value))
        ]
        words += [f"--{name}" for name, wanted in (("sharded", sharded), ("fresh", fresh)) if wanted]
        command = torchrun_command(words, nodes=nodes, processes=nproc_per_node, endpoint=rdzv_endpoint)
        os.execv(command[0], command)
    click.echo(run(config, folder, resume=not fresh, device=device, store_url=store))


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
@click.option("--format", type=click.Choice(["compact", "cwm"]), help="Ours, or Meta's [the recipe's].")
@limited
@spread
@partial(trusted, told=True)
def build(recipe: str, out: str, count: int, address: str | None, **options: Any) -> None:
    """Generate, record and encode the programs of RECIPE, without duplicates, split, with a table of coverage."""
    from dataclasses import replace

    from worldline.data.build.build import build as run
    from worldline.data.mixture import Mixture
    from worldline.data.recipe import load_config

    mixture = load_config(recipe, "data", Mixture)
    mixture = replace(mixture, limits=limits_of(options, mixture.limits))
    shop = workshop_of(address)
    with progress(count, "documents") as (advance, say):
        seen = 0

        def told(now: Any) -> None:
            nonlocal seen
            advance(now.documents - seen)
            seen = now.documents
            say(f"{now.rate:,.0f}/s, coverage {now.covered:.1%}{f', {shop.summary}' if shop else ''}")

        done = run(mixture, out, count=count, progress=told, workshop=shop, **options)
    click.echo(
        f"{done.documents:,} documents, {done.size:,} bytes, {done.duplicates:,} duplicates left out, "
        f"coverage {done.covered:.1%}, in {out}"
    )
    if done.faults:
        raise WorldlineError(f"{done.faults:,} programs failed in the tool and were left out")


@data.command()
@click.argument("places", nargs=-1)
@click.option("-o", "--out", required=True, metavar="FILE", help="The mined calls, as compressed JSON lines.")
@click.option("--recipe", metavar="NAME", help="Also the places of a recipe's quarry().")
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
@click.option("--python", metavar="PATH", help="The interpreter that finds the packages.")
@click.option("--workers", type=click.IntRange(min=1), default=1, help="Boxes side by side [1].")
@click.option("--seed", type=int, default=0, help="Which arguments are tried [0].")
@click.option(
    "--most", type=click.IntRange(min=0), default=0, help="Stop after so many functions; 0 for all [0]."
)
@click.option(
    "--paths",
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
    recipe: str | None,
    clones: str | None,
    leave_out: tuple[str, ...],
    documents: str | None,
    paths: float,
    trust: bool,
    address: str | None,
    **how: Any,
) -> None:
    """Find functions in PLACES (packages, `stdlib`, folders, files) that can be called, and call them, boxed."""
    from dataclasses import replace

    from worldline.data.mine.calls import MINING_LIMITS
    from worldline.data.mine.mine import mine as run
    from worldline.data.mine.mined import write_mined_documents
    from worldline.data.mixture import Mixture
    from worldline.data.recipe import load_config
    from worldline.plan.paths.reach import Reaching

    if documents and not recipe:
        raise UsageError("--documents needs --recipe: its data() says how calls are written")
    named = [*places, *(_quarried(recipe, clones) if recipe else ())]
    if not named:
        raise UsageError("name packages, `stdlib`, folders or files, or a --recipe that does")
    bounds = {name: how.pop(name) for name in ("steps", "wall")}
    limits = limits_of(dict(bounds), MINING_LIMITS) or MINING_LIMITS
    reach = Reaching(seconds=paths, trust=trust) if paths else None
    shop = workshop_of(address)
    done = run(
        named, out=out, limits=limits, leave_out=leave_out, trust=trust, progress=_told(shop), reach=reach,
        workshop=shop, **how,
    )  # fmt: skip
    click.echo(
        f"{done.functions:,} functions, {done.calls:,} calls, {done.shown:,} of them written by people, "
        f"from {done.files:,} files, {done.failed:,} failed, in {out}"
    )
    checked = f"{done.left_out:,} left out: like one of a benchmark's; see {out}.report.json"
    click.echo(checked if leave_out else "no benchmark was given to --leave-out: nothing was checked")
    if recipe and documents:
        mixture = load_config(recipe, "data", Mixture)
        mixture = replace(mixture, limits=limits_of(bounds, mixture.limits))
        count = write_mined_documents(
            out, documents, mixture=mixture, times=2, trust=trust, workers=how["workers"]
        )
        click.echo(f"{count:,} documents in {documents}")


def _quarried(recipe: str, clones: str | None) -> list[str]:
    """The places of a recipe's quarry; clones that are not there are told of."""
    from dataclasses import replace

    from worldline.data.mine.mining_source import MiningSource
    from worldline.data.recipe import load_config

    quarry: MiningSource = load_config(recipe, "quarry", MiningSource)
    found, missing = (replace(quarry, clones=clones) if clones else quarry).here()
    if missing:
        click.echo(f"no clone in {clones or quarry.clones}, left out: {', '.join(missing)}", err=True)
    return found


def _told(shop: Any) -> Callable[[Any], None]:
    """A line on stderr for every hundred files of a mining."""

    def tell(now: Any) -> None:
        if now.files % 100 == 0:
            where = f"; {shop.summary}" if shop else ""
            click.echo(
                f"{now.files:,} files, {now.functions:,} functions, {now.calls:,} calls{where}", err=True
            )

    return tell
