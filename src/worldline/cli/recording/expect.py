"""`record --expect TRACES`: record again and compare with what is stored. `--call-list`: many calls of one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from worldline.cli import options as opt
from worldline.cli.program_options import program_of
from worldline.core.errors import UsageError

if TYPE_CHECKING:
    from worldline.evaluation.expected.check import TraceCheck


def expect_options(command: opt.Command) -> opt.Command:
    """Add the options that compare a recording with stored traces."""
    return opt.add_all(
        command,
        opt.add_option("--call-list", "calls", metavar="FILE", help="Record every call in FILE, one per line"),
        opt.add_option("--expect", metavar="TRACES", help="Compare with stored traces; exit code 1 if they differ"),
        opt.add_option("--update", is_flag=True, help="With --expect: replace the stored traces by the new ones"),
    )


def read_calls(path: str) -> list[str]:
    """Read a list of calls. Blank lines and lines that start with `#` are skipped."""
    from worldline.storage.inputs import MAX_SOURCE_BYTES, read_input

    try:
        text = read_input(path, limit=MAX_SOURCE_BYTES).decode("utf-8")
    except OSError as error:
        raise UsageError(f"--call-list {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"--call-list {path} is not text: {error}") from None
    calls = [line.strip() for line in text.splitlines()]
    calls = [call for call in calls if call and not call.startswith("#")]
    if not calls:
        raise UsageError(f"--call-list {path} has no call: write one per line, such as f('ab', 3)")
    return list(dict.fromkeys(calls))


def check_program(
    file: str, args: tuple[str, ...], options: dict[str, Any], *, as_json: bool, rows: int, **settings: Any
) -> None:
    """Record runs of FILE again and compare them with the stored ones."""
    from worldline.evaluation.expected.check import check_traces

    calls = None if options["calls"] is None else read_calls(options["calls"])
    program = program_of(file, args, options)
    check = check_traces(program, options["expect"], calls=calls, update=options["update"], **settings)
    show_check(check, as_json=as_json, rows=rows, html=options["html"], view=options["view"])


def show_check(check: TraceCheck, *, as_json: bool, rows: int, html: str | None, view: bool) -> None:
    """Print a check. The exit code is 1 if something changed and the stored traces were not updated."""
    from worldline.ui.terminal.repository.trace_check import print_check

    if html is not None:
        from worldline.ui.report.revisions_page import check_page

        opt.write_page(html, check_page(check))
    is_chosen = click.get_current_context().get_parameter_source("rows") is ParameterSource.COMMANDLINE
    opt.show(check, as_json, print_check, **({"rows": rows} if is_chosen else {}))
    if view and check.changed:
        from worldline.ui.web.start import view_revisions

        view_revisions(*check.comparisons, say=click.echo)
    if not check.is_unchanged and not check.is_updated:
        raise click.exceptions.Exit(1)
