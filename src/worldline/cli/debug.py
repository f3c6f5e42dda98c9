"""The commands `debug`, `imagine` and `step`: what a model predicts, compared with the actual run or alone."""

from __future__ import annotations

from typing import Any

import click

from worldline.cli import failing
from worldline.cli import options as opt
from worldline.cli.faults import model_fault
from worldline.cli.program_options import (
    control_of,
    control_options,
    file_or_test_options,
    notation_of,
    prediction_options,
    program_of,
    require_file,
    scratchpad_options,
)


@click.command()
@file_or_test_options
@failing.test_options
@scratchpad_options
@control_options
@opt.limit_options
@opt.json_option
@opt.quiet_option
@opt.option("--html", metavar="FILE")
@opt.option("--view", is_flag=True)
@opt.add_option(
    "--nearest",
    type=opt.SECONDS_OR_0,
    default=0,
    help="Time to search for the nearest input at which a wrong branch is right; 0 for no search",
)
@opt.add_option("--no-interventions", is_flag=True, help="Do not test which intervention fixes the prediction")
@opt.add_option(
    "--work",
    type=opt.COUNT,
    default=1 << 14,
    help="Maximum number of bytes to predict for interventions; 0 for no limit",
)
@opt.option("--seconds", type=opt.SECONDS_OR_0, default=0, note="0 for no limit")
@opt.option("--rows", type=opt.COUNT, default=36, note="those around the divergence")
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
    pytest: str | None,
    **options: Any,
) -> None:
    """Show where a prediction diverges from the run of FILE, and why.

    Records FILE, lets a model predict the same run, and tests which intervention fixes the prediction. The exit code is
    1 if the two diverge, 0 if the whole trace is right. With `--pytest` it records a test instead and shows why it
    fails: the last steps, who wrote the wrong value, the open calls. The exit code is 1 if the test fails.
    """
    if pytest is not None:
        return failing.debug_test(pytest, as_json=as_json, html=html, view=view, rows=rows, options=options)
    require_file(options)
    from worldline.diagnose.debug import debug as run
    from worldline.diagnose.debug import debug_limits
    from worldline.plan.paths.nearest import nearest_within
    from worldline.predict.models import load_model
    from worldline.ui.terminal.debug import print_debugged

    with opt.spinner("loading the model") as say:
        predictor = load_model(options["model"], options["extras"])
        result = run(
            program_of(options["file"], options["args"], options, must_run=True),
            predictor,
            extras=options["extras"],
            options=notation_of(options),
            max_bytes=options["max_bytes"],
            interventions=not no_interventions,
            work=work or None,
            seconds=seconds or None,
            limits=opt.limits_of(options, debug_limits(options["max_bytes"])),
            samples=options["samples"],
            voters=options["voters"],
            scratchpad=options["scratchpad"],
            control=control_of(options),
            progress=say,
            nearest=nearest_within(nearest) if nearest else None,
        )
    if result.cause.name == "tool fault":
        raise model_fault(result.sample.found.note or result.cause.evidence, options["model"])
    if html is not None:
        from worldline.ui.report.debug_page import page

        opt.write_page(html, page(result))
    opt.show(result, as_json, print_debugged, rows=rows, unfold=unfold)
    opt.hint(result.hint)
    if view:
        from worldline.ui.web.start import view_debugged

        view_debugged(result, predictor, say=click.echo)
    if result.diverges:
        raise click.exceptions.Exit(1)


@click.command()
@prediction_options
@scratchpad_options
@control_options
@opt.json_option
@opt.quiet_option
@opt.option("--rows", type=opt.COUNT, default=200)
@opt.add_option("--edit", metavar="STEP:NAME=VALUE", help="Continue the prediction with another value after STEP")
def imagine(as_json: bool, rows: int, edit: str | None, unfold: bool, **options: Any) -> None:
    """Show what a model predicts for FILE.

    Executes nothing, except with `--hidden given` and controlled draws.
    """
    from worldline.diagnose.imagine import imagine as run
    from worldline.ui.terminal.debug import print_imagined

    with opt.spinner("predicting"):
        result = run(
            program_of(options["file"], options["args"], options, must_run=True),
            options["model"],
            extras=options["extras"],
            options=notation_of(options),
            max_bytes=options["max_bytes"],
            edit=edit,
            samples=options["samples"],
            voters=options["voters"],
            scratchpad=options["scratchpad"],
            control=control_of(options),
        )
    if result.found.status == "fault":
        raise model_fault(result.found.note, options["model"])
    opt.show(result, as_json, print_imagined, rows=rows, unfold=unfold)


@click.command()
@file_or_test_options
@failing.test_options
@control_options
@opt.limit_options
def step(pytest: str | None, **options: Any) -> None:
    """Step through a prediction for FILE in the terminal.

    The actual run is shown beside it. The keys are those of the page; `?` shows them. With `--pytest` it steps through
    a recorded test, from its failure backwards.
    """
    from worldline.ui.terminal.step.start import require_terminal
    from worldline.ui.terminal.step.start import step as run

    require_terminal()
    if pytest is not None:
        return failing.step_test(pytest, options)
    require_file(options)
    run(
        program_of(options["file"], options["args"], options, must_run=True),
        options["model"],
        extras=options["extras"],
        options=notation_of(options),
        max_bytes=options["max_bytes"],
        control=control_of(options),
        limits=opt.limits_of(options),
    )
