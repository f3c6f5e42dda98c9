"""The command line. It holds no logic: each command parses its options, calls one function and prints the result.

Exit codes: 0 success, 1 a finding, 2 usage, 3 a fault of the tool, 130 interrupted. What a recorded program did does
not change the exit code. Commands import what they need when they run, so that `worldline --help` is fast.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from worldline import __version__
from worldline.cli import debug, runs, suites, train, view
from worldline.cli.ask import ask
from worldline.cli.check import check
from worldline.cli.doctor import doctor
from worldline.cli.export import export
from worldline.cli.futures import futures
from worldline.cli.leaderboard import leaderboard
from worldline.cli.learn import learn
from worldline.cli.paper import paper
from worldline.cli.plan import plan
from worldline.cli.recording import record
from worldline.cli.recording.paths import paths
from worldline.cli.recording.rewrite import rewrite
from worldline.cli.rehearse import rehearse
from worldline.cli.shell.completion import answer_shell, completion
from worldline.core.errors import WorldlineError

GROUPS = {
    "Record a program": ("record", "paths", "encode", "rewrite"),
    "Predict and debug": ("debug", "imagine", "futures", "step", "view", "dap", "serve"),
    "Measure a model": ("check", "bench", "merge", "score", "intervene"),
    "Inspect results and stored data": (
        "report",
        "compare",
        "leaderboard",
        "paper",
        "export",
        "show",
        "cost",
        "verify",
    ),
    "Train a model": ("data", "train", "learn"),
    "Plan with a model": ("ask", "rehearse", "plan"),
    "Set up your machine": ("doctor", "completion"),
}


class _Grouped(click.Group):
    """Lists commands under headings."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, names in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(64)) for name in names])


@click.group(cls=_Grouped, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="worldline", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Record, predict and debug the path a program traces through its states."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    *(record.record, record.show, record.encode, record.verify, record.cost),
    *(paths, rewrite, futures, ask, rehearse, plan, export, learn, train.data, train.train),
    *(debug.debug, debug.imagine, debug.step, view.view, view.dap, view.serve),
    *(check, suites.bench, suites.score, runs.merge, runs.compare, runs.intervene, runs.report, leaderboard, paper),
    *(doctor, completion),
):
    cli.add_command(command)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code. Every failure is one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if argv is None and (code := answer_shell(cli)) is not None:
        return code
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        words = list(sys.argv[1:] if argv is None else argv)
        with _tracebacks(), cli.make_context("worldline", words) as context:
            cli.invoke(context)
        sys.stdout.flush()
    except BaseException as error:
        return _exit_code(error)
    finally:
        # Nothing would catch another interruption.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return 0


@contextmanager
def _tracebacks() -> Iterator[None]:
    """Print tracebacks of faults if WORLDLINE_TRACEBACK is set."""
    if not os.environ.get("WORLDLINE_TRACEBACK"):
        yield
        return
    import logging

    from worldline.core.fault import LOGGER

    shown = logging.StreamHandler()
    logging.getLogger(LOGGER).addHandler(shown)
    try:
        yield
    finally:
        logging.getLogger(LOGGER).removeHandler(shown)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _exit_code(error: BaseException) -> int:
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, BrokenPipeError):
        # The reader of our output has closed it. Python would complain again when it flushes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return _say("interrupted", "stopped; everything stored so far is intact", 130)
    if isinstance(error, click.ClickException):
        hint = " Options of the program itself go after --." if isinstance(error, click.NoSuchOption) else ""
        return _say("usage", _with_meaning(error) + hint, 2)
    if isinstance(error, WorldlineError):
        return _say(error.slug, str(error), error.exit_code)
    if os.environ.get("WORLDLINE_TRACEBACK"):
        raise error
    return _say("fault", f"{type(error).__name__}: {error} (WORLDLINE_TRACEBACK=1 shows where)", 3)


def _with_meaning(error: click.ClickException) -> str:
    """The message of an error; an option that is missing is explained by its help text."""
    message, parameter = error.format_message(), getattr(error, "param", None)
    meaning = getattr(parameter, "help", None) if isinstance(error, click.MissingParameter) else None
    return f"{message.rstrip('.')}: {meaning}" if meaning else message


def _say(slug: str, message: str, code: int) -> int:
    from worldline.core.text import printable_lines

    click.echo(f"error[{slug}]: " + "\n".join(printable_lines(message)), err=True)
    return code
