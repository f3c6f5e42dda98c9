"""The commands that serve: `view` (the page), `dap` (the debug adapter) and `serve` (a model)."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from worldline.cli import options as opt
from worldline.cli.program_options import PROGRAM, program_of, program_options, scratchpad_option
from worldline.cli.shell.completers import complete_files, complete_models
from worldline.core.errors import UsageError
from worldline.core.text import plural, printable

if TYPE_CHECKING:
    from worldline.core.program import Program


# Options of `view` that a bundle has too.
VIEWED = ("model", "extras", "scratchpad", "tokenizer", "limits", "seed", "quiz", "questions")


def _existing(context: click.Context, parameter: click.Parameter, targets: tuple[str, ...]) -> tuple[str, ...]:
    """Check that each target is a URL or an existing path."""
    from worldline.storage.remote import is_url

    path = click.Path(exists=True)
    return tuple(target if is_url(target) else str(path.convert(target, parameter, context)) for target in targets)


@click.command()
@click.argument("targets", nargs=-1, metavar="[RUN|FILE]...", callback=_existing, shell_complete=complete_files)
@program_options
@opt.limit_options
@partial(opt.model_options, default=None, note="for programs, the prediction is shown beside the run")
@scratchpad_option
@opt.trust_option
@opt.option("--seed", type=opt.SEED, note="for random numbers, which are recorded")
@opt.add_option("--no-model", is_flag=True, help="Load no model, as for programs by default")
@opt.add_option(
    "--quiz", is_flag=True, help="Hide the next state of FILE and ask for it; with --model, compete with a model"
)
@opt.add_option("--questions", type=opt.POSITIVE, help="Maximum number of questions of a quiz", default_text="10")
@opt.option("--tokenizer", metavar="NAME|FILE", default_text="llama3, if installed")
@opt.add_option("--bundle", metavar="OUT", help="Write a folder or one .html that needs no server, and exit")
@opt.add_option("--max-samples", type=opt.COUNT, default=500, help="Maximum number of samples with steps in a bundle")
@opt.option("--host", default="127.0.0.1", note="another address needs --token")
@opt.option("--port", type=opt.PORT, default=8765, note="or the next free one", default_text="8765")
@opt.add_option("--token", help="Token that a browser must send", default_text="a new random one")
@opt.add_option("--open", "open_browser", is_flag=True, help="Open the page in the browser")
@opt.quiet_option
def view(targets: tuple[str, ...], bundle: str | None, max_samples: int, no_model: bool, **options: Any) -> None:
    """Show a run of FILE, or stored runs, on a page in the browser.

    FILE is a program, which is recorded; with `--call`, one call of it. RUN is a directory of `bench -o`; several are
    compared.
    """
    from worldline.evaluation.run.directory import is_run
    from worldline.ui.session.quiz.choose import DEFAULT_QUESTIONS
    from worldline.ui.web.start import AUTO
    from worldline.ui.web.start import view as run

    runs = [target for target in targets if is_run(target)]
    named = {name: options.pop(name) for name in PROGRAM}
    programs = [program_of(target, (), named) for target in targets if not is_run(target)]
    _check_combination(runs, programs, bundle=bundle, no_model=no_model, **options)
    model = None if no_model else options["model"] or AUTO
    options |= {
        "model": model,
        "limits": opt.limits_of(options),
        "questions": options["questions"] or DEFAULT_QUESTIONS,
    }
    if bundle is None:
        run(runs, programs, say=click.echo, **options)
        return
    shown = {name: options[name] for name in VIEWED}
    _bundle(bundle, runs, programs, max_samples=max_samples, **shown)


def _check_combination(
    runs: list[str], programs: list[Program], *, bundle: str | None, no_model: bool, **options: Any
) -> None:
    """Refuse options that would be ignored."""
    if options["quiz"] and not programs:
        raise UsageError("--quiz asks about the run of a program, and none is named: pass its FILE")
    if options["questions"] and not options["quiz"]:
        raise UsageError("--questions is the length of a quiz: pass --quiz too")
    if bundle is not None and not runs and not programs:
        raise UsageError("--bundle has nothing to write: name a program, or a directory of `bench -o`")
    if no_model and options["model"]:
        raise UsageError("--model and --no-model exclude each other: pass one of them")
    if options["extras"] and (no_model or (programs and not options["model"])):
        raise UsageError("-M is an option of the model, and none is loaded: pass --model M")
    if options["scratchpad"] and (no_model or (programs and not options["model"])):
        raise UsageError("--scratchpad is how a model predicts, and none is loaded: pass --model M")


def _bundle(out: str, runs: list[str], programs: list[Program], **options: Any) -> None:
    from worldline.ui.web.start import write_bundle

    with opt.spinner(f"writing {out}"):
        done = write_bundle(out, runs, programs, **options)
    contents = [plural(len(programs), "program") + (" as a quiz" if options["quiz"] else "")] if programs else []
    if runs:
        contents.append(f"{done.stepped:,} of {done.samples:,} samples with their steps")
    click.echo(f"{done.page}: {', '.join(contents)}, {done.bytes:,} bytes")
    for finding in done.damage:
        click.echo(f"finding: {printable(finding)}", err=True)
    if done.damage:
        raise click.exceptions.Exit(1)


@click.command()
@opt.option("--port", type=opt.PORT, note="instead of standard input and output")
@opt.option("--host", default="127.0.0.1", note="must be a loopback address")
@opt.add_option("--vsix", is_flag=True, help="Print the path of the VS Code extension, and exit")
@opt.trust_option
def dap(port: int | None, host: str, vsix: bool) -> None:
    """Serve the Debug Adapter Protocol for editors.

    An editor can then step through a prediction.
    """
    if vsix:
        from worldline.ui.dap.extension import vsix_path

        click.echo(vsix_path())
        return
    from worldline.ui.dap.server import serve_dap

    serve_dap(port, host=host, ready=lambda where: click.echo(f"listening on {host}:{where}"))


@click.command()
@click.argument("model", default="default", shell_complete=complete_models)
@opt.option("-M", "extras", multiple=True, metavar="KEY=VALUE", callback=opt.settings, note="threads and precision")
@opt.add_option("--served-name", default="", help="Name of the model for clients", default_text="its own name")
@opt.option("--host", default="127.0.0.1", note="another address needs --key-env")
@opt.option("--port", type=opt.PORT, default=8000, default_text="8000")
@opt.add_option("--batch", type=opt.POSITIVE, default=16, help="Maximum number of texts written at once")
@opt.add_option(
    "--queue-seconds", type=opt.SECONDS, default=60.0, help="Maximum time in the queue; then the answer is 503"
)
@opt.add_option(
    "--cache-bytes",
    type=opt.COUNT,
    default=512 << 20,
    help="Memory for the states of recent prompts, whose beginnings are read once; 0 for none",
)
@opt.add_option("--no-guide", is_flag=True, help="Allow bytes outside the grammar of the notation")
@opt.add_option("--key-env", metavar="NAME", help="Environment variable with the key that clients must send")
def serve(model: str, no_guide: bool, key_env: str | None, **options: Any) -> None:
    """Serve a local model behind OpenAI's completions protocol.

    MODEL is the shipped model or a folder.
    """
    from worldline.ui.serve.start import serve as run

    key = os.environ.get(key_env, "") if key_env else ""
    if key_env and not key:
        raise UsageError(f"no key: the environment variable {key_env} is not set")
    run(model, guide=not no_guide, key=key, say=click.echo, **options)
