"""`debug --pytest` and `step --pytest`: a recorded test instead of a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from worldline.cli import options as opt

if TYPE_CHECKING:
    from worldline.core.repository.recorded_test import RecordedTest
    from worldline.diagnose.failure import FailureExplanation
    from worldline.ui.session.session import Session


# Parameters of `debug` and `step` that a test has; the others describe a prediction for FILE.
_OF_A_TEST = frozenset(
    {"pytest", "venv", "include", "trust", "sandbox", "steps", "wall", "as_json", "quiet", "html", "view", "rows"}
)


def test_options(command: opt.Command) -> opt.Command:
    """Add the options that name a test instead of FILE."""
    return opt.add_all(
        command,
        opt.option("--pytest", metavar="REPO::TEST", note="one test by its id, and why it fails"),
        opt.option("--venv", metavar="DIR"),
        opt.option("--include", multiple=True, metavar="PACKAGE", note="with --pytest"),
    )


def debug_test(target: str, *, as_json: bool, html: str | None, view: bool, rows: int, options: dict[str, Any]) -> None:
    """Record a test and explain why it fails. The exit code is 1 if it fails."""
    from worldline.ui.terminal.failure import print_failure

    test, explanation = _recorded(target, options)
    if html is not None:
        from worldline.ui.report.failure_page import failure_page

        opt.write_page(html, failure_page(explanation, test.trace))
    opt.show(explanation, as_json, print_failure, trace=test.trace, rows=rows)
    if view and test.trace is not None:
        from worldline.ui.web.start import view_recorded

        view_recorded(_session(test, explanation), say=click.echo)
    if test.has_failed:
        raise click.exceptions.Exit(1)


def step_test(target: str, options: dict[str, Any]) -> None:
    """Record a test and step through it in the terminal."""
    from worldline.ui.terminal.step.start import step_recorded

    test, explanation = _recorded(target, options)
    step_recorded(_session(test, explanation))


def _recorded(target: str, options: dict[str, Any]) -> tuple[RecordedTest, FailureExplanation]:
    from worldline.diagnose.failure import explain_failure
    from worldline.recording.repository.budget import TestBudget
    from worldline.recording.repository.one_test import record_test

    _refuse_options_of_a_prediction()
    limits = {"steps": options["steps"], "seconds": options["wall"]}
    budget = TestBudget(**{name: value for name, value in limits.items() if value is not None})
    with opt.spinner("recording the test") as say:
        test = record_test(target, venv=options["venv"], include=options["include"], budget=budget, say=say)
    return test, explain_failure(test)


def _refuse_options_of_a_prediction() -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        is_passed = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if not is_passed or parameter.name in _OF_A_TEST:
            continue
        if isinstance(parameter, click.Argument):
            raise click.UsageError("--pytest takes no FILE: the test is in the repository")
        raise click.UsageError(f"{parameter.opts[0]} is for a prediction: --pytest records a test and asks no model")


def _session(test: RecordedTest, explanation: FailureExplanation) -> Session:
    from worldline.core.errors import UsageError
    from worldline.ui.session.session import Session

    if test.trace is None:
        raise UsageError(f"{test.id} has no trace to step through: {'; '.join(explanation.notes)}")
    return Session.of_trace(test.trace, name=test.id, failure=explanation if test.has_failed else None)
