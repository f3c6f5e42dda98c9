"""What several verbs share: options with more in them than a word, and the bar that tells how far a verb is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from worldline.core.limits import Limits
    from worldline.parallel.ray_pool import RayWorkshop

Verb = TypeVar("Verb", bound=Callable[..., Any])

MODELS = "default, a folder, server:URL[,URL]#M, hub:NAME, replay:FILE, python:FILE.py:NAME or interpreter."

SCRATCHPADS = ("none", "flatten", "chars", "auto")  # `predict.scratchpad.MODES`, which `--help` need not load


def trusted(verb: Verb, *, told: bool = False) -> Verb:
    """`--trust`, of every verb that runs programs: said once, and for all that it runs; `told` verbs pass it on."""
    text = "Run programs without a box, as yourself. Only for programs you trust."
    return click.option("--trust", is_flag=True, expose_value=told, callback=_trust, help=text)(verb)


def _trust(context: click.Context, parameter: click.Parameter, is_trusted: bool) -> bool:
    if is_trusted:
        from worldline.recording.recorder import without_boxes

        click.echo("note[trusted]: the program runs as you, without a box", err=True)
        context.with_resource(without_boxes())
    return is_trusted


def spread(verb: Verb) -> Verb:
    """`--ray [ADDRESS]`, of every verb whose work goes out in units."""
    text = "Let a Ray cluster do the work: the one at ADDRESS, or the one that is there, or one begun here."
    return click.option("--ray", "address", is_flag=False, flag_value="auto", metavar="[ADDRESS]", help=text)(
        verb
    )


def workshop_of(address: str | None) -> RayWorkshop | None:
    """The cluster that was asked for, joined; None where nobody asked for one."""
    if address is None:
        return None
    from worldline.parallel.ray_pool import workers

    return workers(address, say=note_ray)


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

    Without `steps` where a verb's `--steps` are those of a training.
    """
    wall = click.FloatRange(min=0, min_open=True)
    verb = click.option("--wall", type=wall, help="Limit: seconds of one run.")(verb)
    if steps:
        text = "Limit: steps recorded of one run."
        verb = click.option("--steps", type=click.IntRange(min=1), help=text)(verb)
    return verb


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
