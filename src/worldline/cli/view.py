"""The commands `view` (the page) and `dap` (the debug adapter)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import limited, limits_of, model_options, option, trusted
from worldline.cli.programs import program_of, program_options
from worldline.core.text import printable

if TYPE_CHECKING:
    from worldline.core.program import Program


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
@model_options
@trusted
@option("--seed", type=click.IntRange(min=0, max=(1 << 64) - 1), note="here of random numbers, recorded")
@click.option("--no-model", is_flag=True, help="Only show: no model is loaded, nothing can be tried.")
@option("--tokenizer", metavar="NAME|FILE", default_text="llama3, where it is there")
@click.option("--bundle", metavar="OUT", help="Write a folder, or one .html, that needs no server; then end.")
@click.option(
    "--max-samples",
    type=click.IntRange(min=0),
    default=500,
    help="Samples of a run with steps in a bundle [500].",
)
@option("--host", default="127.0.0.1", note="another one than this needs --token")
@option(
    "--port", type=click.IntRange(0, 65_535), default=8765, note="or the next free one", default_text="8765"
)
@click.option("--token", help="What a browser must show [drawn anew].")
@click.option("--open", "open_browser", is_flag=True, help="Open it in the browser.")
def view(
    targets: tuple[str, ...], bundle: str | None, max_samples: int, no_model: bool, **options: Any
) -> None:
    """Show runs, or predictions for programs, on a page in the browser.

    RUN is a directory of `bench -o`, several are compared. FILE is a program, with `--call` one call of it.
    """
    from worldline.evaluation.run.directory import is_run
    from worldline.ui.web.start import view as run

    runs = [target for target in targets if is_run(target)]
    named = {name: options.pop(name) for name in ("call", "entry", "stdin", "data")}
    programs = [program_of(target, (), named) for target in targets if not is_run(target)]
    options["model"], options["limits"] = None if no_model else options["model"], limits_of(options)
    if bundle is None:
        run(runs, programs, say=click.echo, **options)
        return
    shown = {name: options[name] for name in ("model", "extras", "tokenizer", "limits", "seed")}
    _bundle(bundle, runs, programs, max_samples=max_samples, **shown)


def _bundle(out: str, runs: list[str], programs: list[Program], **options: Any) -> None:
    from worldline.ui.web.start import write_bundle

    done = write_bundle(out, runs, programs, **options)
    steps = f"{done.stepped:,} of {done.samples:,} samples with their steps"
    click.echo(f"{done.path}: {steps}, {done.bytes:,} bytes")
    for finding in done.damage:
        click.echo(f"finding: {printable(finding)}", err=True)
    if done.damage:
        raise click.exceptions.Exit(1)


@click.command()
@option("--port", type=click.IntRange(0, 65_535), note="instead of standard input and output")
@option("--host", default="127.0.0.1", note="of the loopback")
@click.option("--vsix", is_flag=True, help="Print where the VS Code extension lies, and end.")
@trusted
def dap(port: int | None, host: str, vsix: bool) -> None:
    """Serve the Debug Adapter Protocol, so that editors step through a prediction."""
    if vsix:
        from worldline.ui.dap.extension import vsix_path

        click.echo(vsix_path())
        return
    from worldline.ui.dap.server import serve_dap

    serve_dap(port, host=host, ready=lambda where: click.echo(f"listening on {host}:{where}"))
