"""Who decides what a program's text does not: the options of `record` for its hidden inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldline.core.errors import UsageError
from worldline.core.text import printable

if TYPE_CHECKING:
    from worldline.core.hidden import Control
    from worldline.core.trace import Trace

Verb = TypeVar("Verb", bound=Callable[..., Any])
_SEED = click.IntRange(min=0, max=(1 << 64) - 1)


def control_options(verb: Verb) -> Verb:
    """Seeded, live, replayed, or replayed but for one draw."""
    for option in (
        click.option("--schedule", type=_SEED, metavar="SEED", help="Threads change at lines by this seed."),
        click.option(
            "--draw",
            multiple=True,
            metavar="STEP=VALUE",
            help="With --replay: another value for the draw at STEP; STEP.K for its draw K, from 0.",
        ),
        click.option("--replay", metavar="TRACE", help="The hidden inputs of a stored trace, all the same."),
        click.option("--live", is_flag=True, help="Real randomness and clocks, recorded."),
        click.option("--seed", type=_SEED, metavar="N", help="Randomness by this seed, and a virtual clock."),
    ):
        verb = option(verb)
    return verb


def control_of(options: Mapping[str, Any]) -> Control | None:
    """The control that the options ask for; None without any of them."""
    from worldline.core.hidden import Control

    seed, live, replay = options["seed"], options["live"], options["replay"]
    if live and (seed is not None or replay):
        raise UsageError("--live takes real hidden inputs: it goes with neither --seed nor --replay")
    if options["draw"] and not replay:
        raise UsageError("--draw changes a draw of a replay: say --replay TRACE as well")
    if replay:
        return _replaying(replay, options)
    if seed is None and not live and options["schedule"] is None:
        return None
    return Control(seed=None if live else seed or 0, schedule=options["schedule"])


def _replaying(path: str, options: Mapping[str, Any]) -> Control:
    from worldline.core.hidden import Control
    from worldline.data.load import load
    from worldline.recording.control import with_draw

    hidden = load(path).hidden
    for text in options["draw"]:
        hidden = with_draw(hidden, text)
    return Control(
        seed=options["seed"] or 0, schedule=options["schedule"], given=hidden, whole=not options["draw"]
    )


def parted(trace: Trace, options: Mapping[str, Any]) -> bool:
    """Whether a replay was none, which is said on stderr."""
    from worldline.recording.control import other_run, unlike

    found = [note.removeprefix("parted ") for note in trace.notes if note.startswith("parted ")]
    first = _replayed(options)
    if first is not None and not found:
        where = unlike(first, trace)
        found = [f"{where}, though all draws are the same"] if where else []
        if trace.outcome.kind in ("unsupported", "host-fault"):
            found = ["nothing was run"]
    for note in found:
        click.echo(printable(f"note[parted]: {note}"), err=True)
    if found and first is not None and (other := other_run(first.program, trace.program)):
        click.echo(printable(f"hint: {options['replay']} is a run with another {other}"), err=True)
    return bool(found)


def _replayed(options: Mapping[str, Any]) -> Trace | None:
    """The trace that a run is to be the same as."""
    if not options["replay"] or options["draw"]:
        return None
    from worldline.data.load import load

    return load(options["replay"])
