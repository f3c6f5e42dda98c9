"""The verbs that are looked at and stepped through: `view` (the page) and `dap` (the debug adapter). No logic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import MODELS, limited, limits_of, settings, trusted
from worldline.cli.programs import program_of, program_options
from worldline.core.errors import UsageError
from worldline.core.text import printable

if TYPE_CHECKING:
    from worldline.codec.tokens import Tokenizer
    from worldline.diagnose.debug import Debugged
    from worldline.predict.predictor import Predictor
    from worldline.ui.web.service import Opening


def _existing(
    context: click.Context, parameter: click.Parameter, targets: tuple[str, ...]
) -> tuple[str, ...]:
    """The targets, each a URL or a path of something that is there."""
    there = click.Path(exists=True)
    from worldline.storage.remote import is_url

    return tuple(each if is_url(each) else str(there.convert(each, parameter, context)) for each in targets)


@click.command()
@click.argument("targets", nargs=-1, metavar="[RUN|FILE]...", callback=_existing)
@program_options
@limited
@click.option("--model", default="default", metavar="M", help=MODELS)
@click.option(
    "-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings, help="Options of the model."
)
@trusted
@click.option(
    "--seed", type=click.IntRange(min=0, max=(1 << 64) - 1), help="Randomness by this seed, recorded."
)
@click.option("--no-model", is_flag=True, help="Only show: no model is loaded, nothing can be tried.")
@click.option(
    "--tokenizer", metavar="NAME|FILE", help="What tokens are counted by [llama3, where it is there]."
)
@click.option("--bundle", metavar="OUT", help="Write a folder, or one .html, that needs no server; then end.")
@click.option(
    "--limit", type=click.IntRange(min=0), default=500, help="Samples of a run with steps in a bundle [500]."
)
@click.option("--host", default="127.0.0.1", help="Where to listen; another one than this needs --token.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8765, help="Or the next one that is free [8765]."
)
@click.option("--token", help="What a browser must show [drawn anew].")
@click.option("--open", "open_browser", is_flag=True, help="Open it in the browser.")
def view(
    targets: tuple[str, ...], bundle: str | None, limit: int, host: str, port: int, token: str | None,
    open_browser: bool, **asked: Any,
) -> None:  # fmt: skip
    """Show runs, or programs as a model imagines them, on a page; one can be typed there as well.

    RUN is a directory of `bench -o`, several are compared. FILE is a program, with `--call` one call of it.
    """
    opening = _opening(targets, asked)
    if bundle is not None:
        _bundle(opening, Path(bundle), limit)
        return
    _serve(opening, host=host, port=port, token=token, open_browser=open_browser)


def _opening(targets: tuple[str, ...], asked: Mapping[str, Any]) -> Opening:
    from worldline.core.hidden import Control
    from worldline.evaluation.run.directory import is_run
    from worldline.evaluation.run.stored import local
    from worldline.ui.web.service import Opening

    runs = tuple(local(target) for target in targets if is_run(target))
    files = [target for target in targets if not is_run(target)]
    if files and asked["no_model"]:
        raise UsageError(f"{files[0]} is shown as a model imagines it: not with --no-model")
    programs = tuple(program_of(file, (), asked) for file in files)
    models = {} if asked["no_model"] else {asked["model"]: _loader(asked["model"], asked["extras"])}
    tokenizer, limits = _tokenizer(asked["tokenizer"]), limits_of(dict(asked))
    control = None if asked["seed"] is None else Control(seed=asked["seed"])
    return Opening(
        runs=runs, programs=programs, models=models, tokenizer=tokenizer, limits=limits, control=control
    )


def _tokenizer(spec: str | None = None) -> Tokenizer | None:
    """What tokens are counted by; none where none is said and none is there."""
    from worldline.data import vocabularies

    return vocabularies.load(spec or "llama3") if spec or vocabularies.llama3_path() else None


def _loader(model: str, extras: Mapping[str, str]) -> Callable[[], Predictor]:
    from worldline.predict.models import load_model

    return cache(partial(load_model, model, extras))


def _serve(opening: Opening, **options: Any) -> None:
    try:
        from worldline.ui.web.server import serve
    except ImportError as error:
        raise UsageError(
            f"the page needs the extra `view`: pip install 'worldline[view]' ({error})"
        ) from None
    serve(opening, say=click.echo, **options)


def _bundle(opening: Opening, out: Path, limit: int) -> None:
    from worldline.ui.web.bundle.bundle import bundle, open_scenes

    found = bundle(open_scenes(opening), out, limit=limit)
    steps = f"{found.stepped:,} of {found.samples:,} samples with their steps"
    click.echo(f"{found.path}: {steps}, {found.bytes:,} bytes")
    for finding in found.damage:
        click.echo(f"finding: {printable(finding)}", err=True)
    if found.damage:
        raise click.exceptions.Exit(1)


def show_debugged(found: Debugged, predictor: Predictor) -> None:
    """The page on one program that was debugged."""
    from worldline.ui.session.scene import Scene
    from worldline.ui.web.service import Opening

    name = found.sample.ask.program.name
    scene = Scene.of_sample(
        found.sample, name=name, model=found.model, sure=found.confidences, wrong=found.branch, tokenizer=_tokenizer()
    )  # fmt: skip
    _serve(Opening(scenes=(scene,), models={found.model: lambda: predictor}))


@click.command()
@click.option("--port", type=click.IntRange(0, 65_535), help="Listen there instead of on standard input.")
@click.option("--host", default="127.0.0.1", help="An address of the loopback [127.0.0.1].")
@click.option("--vsix", is_flag=True, help="Print where the VS Code extension lies, and end.")
@trusted
def dap(port: int | None, host: str, vsix: bool) -> None:
    """Serve the Debug Adapter Protocol: editors step through what a model imagines."""
    if vsix:
        from worldline.ui.dap import extension

        click.echo(extension.vsix())
        return
    from worldline.ui.dap.server import serve_port, serve_stdio

    if port is None:
        serve_stdio()
    else:
        serve_port(port, host=host, ready=lambda where: click.echo(f"listening on {host}:{where}"))
