"""Options that several commands share, each defined once, and the progress bars of commands.

An option name means one thing in every command: `MEANINGS` says what, and `option` adds the default of a command and
what is special there. tests/architecture/test_api.py compares them with every command.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from worldline.core.limits import Limits
    from worldline.parallel.ray_pool import RayPool

Verb = TypeVar("Verb", bound=Callable[..., Any])

MODELS = "default, a folder, server:URL[,URL]#M, hub:NAME, replay:FILE, python:FILE.py:NAME or interpreter."

MEANINGS = {
    "--call": "One call to execute, such as \"f('ab', 3)\", not the script",
    "--conditions": "Write the outcome of each test that decided a step",
    "--data": "The benchmark's own file or folder",
    "--executions": "Maximum number of executions",
    "--format": "Notation: compact, or Meta's (cwm)",
    "--function": "Function of FILE",
    "--goal": "Goal to reach",
    "--hidden": "Hidden inputs: predicted in the steps, also given in the prompt, or left out",
    "--host": "Address to listen on",
    "--html": "Also write one self-contained HTML page",
    "--journal": "Journal of what was executed of this code so far",
    "--json": "Print one JSON object",
    "--language": "Language of the programs",
    "--max-bytes": "Maximum number of bytes to predict",
    "--max-programs": "Maximum number of programs",
    "--max-steps": "Limit: steps recorded of one run",
    "--minutes": "Train for N minutes",
    "--model": "Model: " + MODELS.removesuffix("."),
    "--out": "Where to write the result",
    "--port": "Port to listen on; 0 for any free one",
    "--python": "Python interpreter to use (3.11 to 3.13)",
    "--recipe": "Recipe: a file, or a name in recipes/",
    "--recipe-function": "Function of the recipe to call",
    "--reveal": "Show the state every N steps",
    "--rows": "Rows to print; 0 for all",
    "--scratchpad": "Easier form in which the model predicts",
    "--seconds": "Time for everything, in seconds",
    "--seed": "Seed: the same number gives the same result",
    "--simulations": "Maximum number of simulations",
    "--sure": "Probability from which a prediction counts",
    "--tokenizer": "Tokenizer: bytes, llama3, a `tokenizers` JSON or a tiktoken file",
    "--train-steps": "Train for N steps",
    "--wall": "Limit: seconds of wall time of one run",
    "--way": "Search strategy",
    "--workers": "Number of processes",
    "-M": "Option of the model; repeatable",
}

SCRATCHPADS = ("none", "flatten", "chars", "auto")  # `predict.scratchpad.MODES`, which `--help` need not load


def option(
    name: str, *more: str, note: str = "", default_text: str = "", **details: Any
) -> Callable[[Verb], Verb]:
    """Define an option that several commands have.

    Args:
        name: The name whose text is in `MEANINGS`.
        more: Other spellings, and the name of the parameter.
        note: What this command adds to the meaning.
        default_text: What the help shows in brackets; the default itself unless given.
        details: Everything else that `click.option` takes.

    Returns:
        The decorator.
    """
    default = default_text or _default_text(details.get("default"))
    text = MEANINGS[name] + (f"; {note}" if note else "") + (f" [{default}]" if default else "") + "."
    names = ("-o", "--out") if name == "--out" else (name,)
    return click.option(*names, *more, help=text, **details)


def _default_text(default: object) -> str:
    if default is None or default == "" or isinstance(default, bool):
        return ""
    if isinstance(default, int):
        return f"{default:,}"
    return f"{default:g}" if isinstance(default, float) else str(default)


def json_option(verb: Verb) -> Verb:
    """`--json`, the result as one JSON object."""
    return option("--json", "as_json", is_flag=True)(verb)


def trusted(verb: Verb, *, told: bool = False) -> Verb:
    """`--trust`, of every verb that runs programs: said once, and for all that it runs; `told` verbs pass it on."""
    text = "Execute programs without a sandbox, as your user. Only for programs you trust."
    return click.option("--trust", is_flag=True, expose_value=told, callback=_trust, help=text)(verb)


def _trust(context: click.Context, parameter: click.Parameter, is_trusted: bool) -> bool:
    if is_trusted:
        from worldline.recording.recorder import without_boxes

        click.echo("note[trusted]: the program runs as you, without a box", err=True)
        context.with_resource(without_boxes())
    return is_trusted


def spread(verb: Verb) -> Verb:
    """`--ray [ADDRESS]`, of every verb whose work goes out in units."""
    text = "Run on a Ray cluster: at ADDRESS, or a running one, or a new one on this machine."
    return click.option("--ray", "address", is_flag=False, flag_value="auto", metavar="[ADDRESS]", help=text)(
        verb
    )


def pool_of(address: str | None) -> RayPool | None:
    """The cluster that was asked for, joined; None where nobody asked for one."""
    if address is None:
        return None
    from worldline.parallel.ray_pool import join_ray

    return join_ray(address, say=note_ray)


def note_ray(text: str) -> None:
    """Say what was done about a cluster."""
    click.echo(f"note[ray]: {text}", err=True)


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


def words(context: click.Context, parameter: click.Parameter, text: str | None) -> list[str] | None:
    """`free` or `free,actions`."""
    return None if text is None else [part.strip() for part in text.split(",")]


def limited(verb: Verb, *, steps: bool = True) -> Verb:
    """How long a program may run: the limits of `record` that matter to every verb that runs programs.

    Without `steps` where a command records no whole run.
    """
    verb = option("--wall", type=click.FloatRange(min=0, min_open=True))(verb)
    if steps:
        verb = option("--max-steps", "steps", type=click.IntRange(min=1))(verb)
    return verb


def model_options(verb: Verb, *, default: str | None = "default", note: str = "") -> Verb:
    """`--model` and `-M`, of every command that asks a model."""
    verb = option("-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings)(verb)
    return option("--model", metavar="M", default=default, note=note)(verb)


def limits_of(options: dict[str, Any], usual: Limits | None = None) -> Limits | None:
    """Takes `steps` and `wall` out of the options: the usual limits with those that are given; None for the usual."""
    from dataclasses import replace

    from worldline.core.limits import Limits

    given = {name: options.pop(name, None) for name in ("steps", "wall")}
    given = {name: value for name, value in given.items() if value is not None}
    return replace(usual or Limits(), **given) if given else usual


@contextmanager
def progress(total: int, what: str) -> Iterator[tuple[Callable[[int], None], Callable[[str], None]]]:
    """A bar on stderr where that is a terminal: how to advance it, and how to say something beside it."""
    if not sys.stderr.isatty():
        yield (lambda count: None), (lambda text: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total or None)
        yield (
            lambda count: bar.advance(task, count),
            lambda text: bar.update(task, description=f"{what} {text}"),
        )


@contextmanager
def percent_of(what: str) -> Iterator[Callable[[float, str], None]]:
    """A bar of 100 percent: how to say which share is done, and what is under way."""
    shown = 0
    with progress(100, f"of {what}") as (advance, say):

        def tell(share: float, text: str) -> None:
            nonlocal shown
            percent = max(shown, int(100 * share))
            advance(percent - shown)
            shown = percent
            say(text)

        yield tell


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int | None, str], None]]:
    """A bar on stderr where that is a terminal: how to set what is done, of how many, and a note beside it."""
    if not sys.stderr.isatty():
        yield lambda done, total, note: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total, note: bar.update(
            task, completed=done, total=total, description=f"{what} {note}".rstrip()
        )


@contextmanager
def under_way() -> Iterator[Callable[[str], None]]:
    """A spinner on stderr where that is a terminal: how to say what is under way."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(text)
