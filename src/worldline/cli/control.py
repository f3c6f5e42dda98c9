"""Who decides what a program's text does not: the options of `record` for its hidden inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldline.cli.options import option
from worldline.core.text import printable

if TYPE_CHECKING:
    from worldline.core.hidden import Control
    from worldline.core.trace import Trace

Verb = TypeVar("Verb", bound=Callable[..., Any])
_SEED = click.IntRange(min=0, max=(1 << 64) - 1)


def control_options(verb: Verb) -> Verb:
    """Seeded, live, replayed, or replayed but for one draw."""
    for add in (
        click.option("--schedule", type=_SEED, metavar="SEED", help="Threads change at lines by this seed."),
        click.option(
            "--draw",
            multiple=True,
            metavar="STEP=VALUE",
            help="With --replay: another value for the draw at STEP; STEP.K for its draw K, from 0.",
        ),
        click.option("--replay", metavar="TRACE", help="The hidden inputs of a stored trace, all the same."),
        click.option("--live", is_flag=True, help="Real randomness and clocks, recorded."),
        option("--seed", type=_SEED, metavar="N", note="here of random numbers and a virtual clock"),
    ):
        verb = add(verb)
    return verb


def control_of(options: Mapping[str, Any]) -> Control | None:
    """The control that the options ask for; None without any of them."""
    from worldline.data.control import choose_control

    return choose_control(**{name: options[name] for name in ("seed", "live", "replay", "draw", "schedule")})


def parted(trace: Trace, options: Mapping[str, Any]) -> bool:
    """Whether a replay was none, which is said on stderr."""
    from worldline.data.control import replay_differences

    differences, other = replay_differences(trace, None if options["draw"] else options["replay"])
    for note in differences:
        click.echo(printable(f"note[parted]: {note}"), err=True)
    if other:
        click.echo(printable(f"hint: {options['replay']} is a run with another {other}"), err=True)
    return bool(differences)
