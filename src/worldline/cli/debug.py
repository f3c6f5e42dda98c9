"""The verbs that show what a model imagines: `debug` beside the truth, `imagine` alone. No logic: each calls a room."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from worldline.cli.control import control_of, control_options
from worldline.cli.model_options import asked, options_of, scratched
from worldline.cli.options import json_option, limited, limits_of, option, under_way
from worldline.cli.programs import called_program
from worldline.core.errors import WorldlineError


@click.command()
@asked
@scratched
@control_options
@limited
@json_option
@option("--html", metavar="FILE")
@click.option("--view", is_flag=True, help="Then show it on a page, where one can go on (extra `view`).")
@click.option(
    "--nearest",
    type=click.FloatRange(min=0),
    default=0,
    metavar="S",
    help="Seconds to look for the nearest input at which a wrong branch is right; 0: not at all [0].",
)
@click.option("--no-interventions", is_flag=True, help="Do not try which intervention would have helped.")
@click.option(
    "--work",
    type=click.IntRange(min=0),
    default=1 << 14,
    help="Bytes that interventions may write; 0: no end [16384].",
)
@option("--seconds", type=click.FloatRange(min=0), default=0, note="0: no end")
@option("--rows", type=click.IntRange(min=0), default=36, note="here around the divergence")
def debug(
    as_json: bool,
    html: str | None,
    view: bool,
    no_interventions: bool,
    work: int,
    seconds: float,
    rows: int,
    unfold: bool,
    nearest: float,
    **asked: Any,
) -> None:
    """Record FILE, let a model predict the run, and show where they diverge, why, and what fixes it.

    Exit 1 when they part, 0 when the whole trace is right.
    """
    from worldline.diagnose.debug import debug as run
    from worldline.diagnose.debug import debug_limits
    from worldline.plan.paths.nearest import nearest_within
    from worldline.predict.models import load_model

    predictor = load_model(asked["model"], asked["extras"])
    with under_way() as tell:
        found = run(
            called_program(asked["file"], asked["args"], asked),
            predictor,
            options=options_of(asked),
            max_bytes=asked["max_bytes"],
            interventions=not no_interventions,
            work=work or None,
            seconds=seconds or None,
            limits=limits_of(asked, debug_limits(asked["max_bytes"])),
            scratchpad=asked["scratchpad"],
            control=control_of(asked),
            progress=tell,
            nearest=nearest_within(nearest) if nearest else None,
        )
    if found.cause.name == "tool fault":
        raise WorldlineError(
            found.sample.found.note or found.cause.evidence or "the model could not be asked"
        )
    if html is not None:
        _write_page(html, found)
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.debug import print_debugged

        print_debugged(terminal(), found, rows=rows, unfold=unfold)
    if view:
        from worldline.ui.web.start import view_debugged

        view_debugged(found, predictor, say=click.echo)
    if found.diverges:
        raise click.exceptions.Exit(1)


@click.command()
@asked
@scratched
@control_options
@json_option
@option("--rows", type=click.IntRange(min=0), default=200)
@click.option(
    "--edit", metavar="STEP:NAME=VALUE", help="Go on from what was imagined with another value after STEP."
)
def imagine(as_json: bool, rows: int, edit: str | None, unfold: bool, **asked: Any) -> None:
    """Show what a model predicts for FILE. Executes nothing, except with `--hidden given` and controlled draws."""
    from worldline.diagnose.imagine import imagine as run

    with under_way() as tell:
        tell("predicting")
        found = run(
            called_program(asked["file"], asked["args"], asked),
            asked["model"],
            extras=asked["extras"],
            options=options_of(asked),
            max_bytes=asked["max_bytes"],
            edit=edit,
            scratchpad=asked["scratchpad"],
            control=control_of(asked),
        )
    if found.found.status == "fault":
        raise WorldlineError(found.found.note or "the model could not be asked")
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.debug import print_imagined

        print_imagined(terminal(), found, rows=rows, unfold=unfold)


def _write_page(path: str, found: Any) -> None:
    from worldline.storage import files
    from worldline.ui.report.debug_page import page

    files.write(Path(path), page(found).encode("utf-8", "backslashreplace"))
