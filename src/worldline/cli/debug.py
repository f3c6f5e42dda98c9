"""The verbs that show what a model imagines: `debug` beside the truth, `imagine` alone. No logic: each calls a room."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.control import control_of, control_options
from worldline.cli.model_options import asked, options_of, scratched
from worldline.cli.options import limited, limits_of, under_way
from worldline.cli.programs import called_program
from worldline.core.errors import UsageError, WorldlineError

if TYPE_CHECKING:
    from worldline.core.program import Program
    from worldline.diagnose.branch import Nearest
    from worldline.predict.forcing.edit import Edit


@click.command()
@asked
@scratched
@control_options
@limited
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--html", metavar="FILE", help="Also write one self-contained page.")
@click.option("--view", is_flag=True, help="Then show it on a page, where one can go on (extra `view`).")
@click.option(
    "--nearest",
    type=click.FloatRange(min=0),
    default=0,
    metavar="S",
    help="Seconds to look for the nearest input at which a wrong branch is right; 0: not at all [0].",
)
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
    nearest: float,
    **asked: Any,
) -> None:
    """Record FILE, let a model imagine the run, and show where they part, why, and what would have helped.

    Exit 1 when they part, 0 when the whole trace is right.
    """
    from worldline.core.limits import Limits
    from worldline.diagnose.debug import STEPS
    from worldline.diagnose.debug import debug as run
    from worldline.predict.models import load_model

    program, options = called_program(asked["file"], asked["args"], asked), options_of(asked)
    predictor = load_model(asked["model"], asked["extras"])
    limits = limits_of(asked, Limits(steps=max(STEPS, asked["limit"] or 0)))
    with under_way() as tell:
        found = run(
            program, predictor, options=options, limit=asked["limit"], cures=not no_cures, work=work or None,
            budget=seconds or None, scratchpad=asked["scratchpad"], progress=tell, limits=limits,
            control=control_of(asked),
            nearest=_nearest(nearest) if nearest else None,
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
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.debug import print_debugged

        print_debugged(terminal(), found, rows=rows, unfold=unfold)
    if view:
        from worldline.cli.view import show_debugged

        show_debugged(found, predictor)
    if found.diverges:
        raise click.exceptions.Exit(1)


@click.command()
@asked
@scratched
@control_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--rows", type=click.IntRange(min=0), default=200, help="Rows of the table; 0 for all [200].")
@click.option(
    "--edit", metavar="STEP:NAME=VALUE", help="Go on from what was imagined with another value after STEP."
)
def imagine(as_json: bool, rows: int, edit: str | None, unfold: bool, **asked: Any) -> None:
    """Show what a model imagines FILE to do. Nothing is run, but for `--hidden given` with a control of the draws."""
    from worldline.diagnose.debug import imagine as run
    from worldline.predict.models import load_model

    program, options = called_program(asked["file"], asked["args"], asked), options_of(asked)
    predictor = load_model(asked["model"], asked["extras"])
    with under_way() as tell:
        tell("the model imagines")
        found = run(
            program, predictor, options=options, limit=asked["limit"], edit=_edit(edit) if edit else None,
            scratchpad=asked["scratchpad"], hidden=_recorded(program, control_of(asked), options),
        )  # fmt: skip
    if found.found.status == "fault":
        raise WorldlineError(found.found.note or "the model could not be asked")
    if as_json:
        click.echo(json.dumps(found.as_json()))
    else:
        from worldline.ui.terminal.console import terminal
        from worldline.ui.terminal.debug import print_imagined

        print_imagined(terminal(), found, rows=rows, unfold=unfold)


def _recorded(program: Any, control: Any, options: Any) -> Any:
    """The hidden inputs that go into the prompt: those of the run under a control."""
    if control is None:
        return ()
    if options.hidden != "given":
        raise UsageError(
            "nothing is run, and so nothing controlled: hidden inputs are told with --hidden given"
        )
    if control.whole:
        return control.given
    from worldline.recording.recorder import record

    trace = record(program, control=control)
    if trace.outcome.kind in ("unsupported", "host-fault"):
        raise UsageError(f"there are no hidden inputs to give: {trace.outcome.kind} {trace.outcome.detail}")
    return trace.hidden


def _nearest(seconds: float) -> Nearest:
    """Who looks for an input that turns a condition, so many seconds long; only a plain call has neighbours."""
    from worldline.diagnose.branch import OtherInput
    from worldline.plan.paths.nearest import nearest
    from worldline.recording.recorder import record

    def look(program: Program, step: int) -> OtherInput | None:
        try:
            found = nearest(record(program), step, seconds=seconds)
        except UsageError:
            return None
        return None if found is None else OtherInput(call=found.call, exact=found.exact)

    return look


def _edit(text: str) -> Edit:
    """`3:n=7`: after step 3 n is 7; nothing behind the sign takes the name away."""
    from worldline.predict.forcing.edit import Edit

    step, colon, change = text.partition(":")
    name, equals, value = change.partition("=")
    if not (colon and equals and step.isdecimal() and name.isidentifier()):
        raise UsageError(f"--edit {text}: not STEP:NAME=VALUE, such as 3:n=7")
    return Edit(int(step), {name: value or None})


def _write_page(path: str, found: Any) -> None:
    from worldline.storage import files
    from worldline.ui.report.debug_page import page

    files.write(Path(path), page(found).encode("utf-8", "backslashreplace"))
