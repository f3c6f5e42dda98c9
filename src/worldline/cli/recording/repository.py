"""`record --pytest REPO`: the tests of repositories, stored, listed, or compared with a revision."""

from __future__ import annotations

from typing import Any

import click

from worldline.cli import options as opt
from worldline.cli.recording.expect import show_check
from worldline.codec.names import NOTATIONS
from worldline.core.errors import UsageError

# Options of `record` that only a program has.
_OF_A_PROGRAM = ("call", "calls", "entry", "stdin", "data", "seed", "live", "replay", "draw", "schedule")
_BUDGET = {"steps": "steps", "wall": "seconds", "value_bytes": "value_bytes", "memory": "memory", "disk": "disk"}


def repository_options(command: opt.Command) -> opt.Command:
    """Add the options of `record --pytest`."""
    return opt.add_all(
        command,
        opt.option(
            "--pytest",
            "repositories",
            multiple=True,
            metavar="REPO",
            note="or a list, @FILE; 20,000 steps and 60 s per test",
        ),
        opt.option("--venv", metavar="DIR"),
        opt.add_option("--since", metavar="REV", help="Compare the tests that changes since REV affect"),
        opt.add_option("--max-calls", type=opt.POSITIVE, default=8, help="Calls to store of each function, by path"),
        opt.option("--include", multiple=True, metavar="PACKAGE"),
        opt.add_option("--no-check", is_flag=True, help="Do not also execute the tests without the recorder"),
        opt.option("--format", "notations", type=click.Choice(NOTATIONS), multiple=True, note="stored as a column"),
        opt.add_option("--benchmark", multiple=True, metavar="FILE", help="Leave out functions like those in FILE"),
        opt.option("--workers", type=opt.POSITIVE, default=1),
        opt.option("--html", metavar="FILE", note="with --since or --expect"),
        opt.option("--view", is_flag=True, note="with --since or --expect"),
        opt.ray_option,
    )


def record_repository(
    repositories: tuple[str, ...],
    args: tuple[str, ...],
    *,
    out: str | None,
    as_json: bool,
    rows: int,
    options: dict[str, Any],
) -> None:
    """Record the tests of repositories. The exit code is 1 if one fails to record, or a test notices the recorder."""
    _refuse_options_of_a_program(options)
    require_comparison(options)
    if options["expect"] is not None:
        _check(repositories, args, out, as_json=as_json, rows=rows, options=options)
    elif options["since"] is not None:
        _compare(repositories, args, out, as_json=as_json, rows=rows, options=options)
    elif out is not None:
        _store(repositories, args, out, as_json=as_json, options=options)
    else:
        _list(repositories, args, as_json=as_json, rows=rows, options=options)


def require_comparison(options: dict[str, Any]) -> None:
    """Raise a usage error if an option needs a comparison and none is made."""
    if options["expect"] is not None and options["since"] is not None:
        raise UsageError("--expect compares with stored traces and --since with a revision: pass one of them")
    if options["expect"] is None and options["update"]:
        raise UsageError("--update replaces stored traces: name them with --expect TRACES")
    if options["expect"] is None and options["since"] is None and (options["html"] is not None or options["view"]):
        raise UsageError("--html and --view show a comparison: pass --expect TRACES, or --since REV with --pytest")


def _refuse_options_of_a_program(options: dict[str, Any]) -> None:
    refused = [name for name in _OF_A_PROGRAM if options[name]]
    if refused:
        name = {"data": "file"}.get(refused[0], refused[0])
        raise UsageError(f"--{name} is for a program: with --pytest the tests decide what is executed")


def _shared(args: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """The arguments that all functions that record tests have in common."""
    from worldline.recording.repository.budget import TestBudget

    budget = {field: options[name] for name, field in _BUDGET.items() if options[name] is not None}
    return {
        "venv": options["venv"],
        "python": options["python"],
        "args": args,
        "budget": TestBudget(**budget),
        "include": options["include"],
    }


def _only_one(repositories: tuple[str, ...], why: str) -> str:
    from worldline.data.repository.record import list_repositories

    listed = list_repositories(repositories)
    if len(listed) != 1:
        raise UsageError(f"{why} takes one repository, not {len(listed)}")
    return listed[0]


def _list(
    repositories: tuple[str, ...], args: tuple[str, ...], *, as_json: bool, rows: int, options: dict[str, Any]
) -> None:
    from worldline.recording.repository.record import record_tests
    from worldline.ui.terminal.repository.repository import print_recording

    repository = _only_one(repositories, "--pytest without -o DIR")
    with opt.spinner("recording the tests") as say:
        shared = _shared(args, options)
        recording = record_tests(repository, check=not options["no_check"], core=options["core"], say=say, **shared)
    if not len(recording):
        raise UsageError(f"pytest collected no test in {repository}: check the folder, and the arguments after --")
    opt.show(recording, as_json, print_recording, rows=rows)
    if recording.differing:
        raise click.exceptions.Exit(1)


def _store(
    repositories: tuple[str, ...], args: tuple[str, ...], out: str, *, as_json: bool, options: dict[str, Any]
) -> None:
    from worldline.data.repository.record import record_repositories
    from worldline.ui.terminal.repository.repository import print_report

    with opt.spinner("recording the tests") as say:
        report = record_repositories(
            repositories,
            out,
            check=not options["no_check"],
            core=options["core"],
            max_calls=options["max_calls"],
            notations=options["notations"],
            leave_out=options["benchmark"],
            workers=options["workers"],
            ray=options["address"],
            progress=say,
            **_shared(args, options),
        )
    opt.show(report, as_json, print_report, out=out)
    if report.failed or report.total.noticing:
        raise click.exceptions.Exit(1)


def _check(
    repositories: tuple[str, ...],
    args: tuple[str, ...],
    out: str | None,
    *,
    as_json: bool,
    rows: int,
    options: dict[str, Any],
) -> None:
    from worldline.evaluation.expected.check import check_tests

    repository = _only_one(repositories, "--expect")
    with opt.spinner() as say:
        check = check_tests(
            repository,
            options["expect"],
            update=options["update"],
            core=options["core"],
            out=out,
            max_calls=options["max_calls"],
            notations=options["notations"],
            leave_out=options["benchmark"],
            say=say,
            **_shared(args, options),
        )
    show_check(check, as_json=as_json, rows=rows, html=options["html"], view=options["view"])


def _compare(
    repositories: tuple[str, ...],
    args: tuple[str, ...],
    out: str | None,
    *,
    as_json: bool,
    rows: int,
    options: dict[str, Any],
) -> None:
    from worldline.evaluation.revisions import compare_revisions
    from worldline.ui.terminal.repository.revisions import print_revisions

    repository = _only_one(repositories, "--since")
    with opt.spinner("recording the tests") as say:
        comparison = compare_revisions(
            repository,
            options["since"],
            out=out,
            max_calls=options["max_calls"],
            notations=options["notations"],
            leave_out=options["benchmark"],
            say=say,
            **_shared(args, options),
        )
    if options["html"] is not None:
        from worldline.ui.report.revisions_page import page

        opt.write_page(options["html"], page(comparison))
    opt.show(comparison, as_json, print_revisions, rows=rows, out=out)
    if comparison.broken:
        raise click.exceptions.Exit(1)
    if options["view"]:
        from worldline.ui.web.start import view_revisions

        view_revisions(comparison, say=click.echo)
