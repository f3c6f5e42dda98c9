"""The verbs that show what a model imagines: `debug` beside the truth, `imagine` alone. No logic: each calls a room."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.model_options import asked, options_of, scratched
from worldline.cli.options import limited, limits_of, under_way
from worldline.cli.programs import called_program
from worldline.errors import UsageError, WorldlineError

if TYPE_CHECKING:
    from worldline.predict.forcing.edit import Edit


@click.command()
@asked
@scratched
@limited
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--html", metavar="FILE", help="Also write one self-contained page.")
@click.option("--view", is_flag=True, help="Then show it on a page, where one can go on (extra `view`).")
@click.option("--no-cures", is_flag=True, help="Do not try which cure would have helped.")
@click.option(
    "--work",
    type=click.IntRange(min=0),
    default=1 << 14,
    help="Bytes that cures may write; 0: no end [16384].",
)
@click.option("--seconds", type=click.FloatRange(min=0), default=0, help="Time for all of it; 0: no end [0].")
@click.option(
    "--rows", type=click.IntRange(min=0), default=36, help="Rows around the divergence; 0 for all [36]."
)
def debug(
    as_json: bool,
    html: str | None,
    view: bool,
    no_cures: bool,
    work: int,
    seconds: float,
    rows: int,
    unfold: bool,
    **asked: Any,
) -> None:
    """Record FILE, let a model imagine the run, and show where they part, why, and what would have helped.

    Exit 1 when they part, 0 when the whole trace is right.
    """
    from worldline.diagnose.debug import STEPS
    from worldline.diagnose.debug import debug as run
    from worldline.limits import Limits
    from worldline.predict.models import load_model

    program, options = called_program(asked["file"], asked["args"], asked), options_of(asked)
    predictor = load_model(asked["model"], asked["extras"])
    limits = limits_of(asked, Limits(steps=max(STEPS, asked["limit"] or 0)))
    with under_way() as tell:
        found = run(
            program, predictor, options=options, limit=asked["limit"], cures=not no_cures, work=work or None,
            budget=seconds or None, scratchpad=asked["scratchpad"], progress=tell, limits=limits,
        )  # fmt: skip
    if found.cause.name == "tool fault":
        raise WorldlineError(
            found.sample.found.note or found.cause.evidence or "the model could not be asked"
        )
    if html is not None:
        _write_page(html, found)
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        from worldline.terminal.console import terminal
        from worldline.terminal.debug import print_debugged

        print_debugged(terminal(), found, rows=rows, unfold=unfold)
    if view:
        from worldline.cli.view import show_debugged

        show_debugged(found, predictor)
    if found.diverges:
        raise click.exceptions.Exit(1)


@click.command()
@asked
@scratched
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--rows", type=click.IntRange(min=0), default=200, help="Rows of the table; 0 for all [200].")
@click.option(
    "--edit", metavar="STEP:NAME=VALUE", help="Go on from what was imagined with another value after STEP."
)
def imagine(as_json: bool, rows: int, edit: str | None, unfold: bool, **asked: Any) -> None:
    """Show what a model imagines FILE to do. Nothing is run."""
    from worldline.diagnose.debug import imagine as run
    from worldline.predict.models import load_model

    program, options = called_program(asked["file"], asked["args"], asked), options_of(asked)
    predictor = load_model(asked["model"], asked["extras"])
    with under_way() as tell:
        tell("the model imagines")
        found = run(
            program, predictor, options=options, limit=asked["limit"], edit=_edit(edit) if edit else None,
            scratchpad=asked["scratchpad"],
        )  # fmt: skip
    if found.found.status == "fault":
        raise WorldlineError(found.found.note or "the model could not be asked")
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        from worldline.terminal.console import terminal
        from worldline.terminal.debug import print_imagined

        print_imagined(terminal(), found, rows=rows, unfold=unfold)


def _edit(text: str) -> Edit:
    """`3:n=7`: after step 3 n is 7; nothing behind the sign takes the name away."""
    from worldline.predict.forcing.edit import Edit

    step, colon, change = text.partition(":")
    name, equals, value = change.partition("=")
    if not (colon and equals and step.isdecimal() and name.isidentifier()):
        raise UsageError(f"--edit {text}: not STEP:NAME=VALUE, such as 3:n=7")
    return Edit(int(step), {name: value or None})


def _write_page(path: str, found: Any) -> None:
    from worldline import files
    from worldline.report.debug_page import page

    files.write(Path(path), page(found).encode("utf-8", "backslashreplace"))
