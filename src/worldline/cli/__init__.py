"""The command line: argv in, text on stdout, an exit code out. Holds no logic: every verb calls a room.

Exit codes: 0 fine, 1 a finding, 2 usage, 3 the tool's own fault, 130 interrupted. What a recorded program did
is not the tool's exit code: a program that raised was recorded well. Rooms are imported by the verbs that
need them, so that `worldline --help` stays cheap.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldline import __version__
from worldline.cli import debug, runs, suites, train, view
from worldline.cli.ask import ask
from worldline.cli.control import control_of, control_options, parted
from worldline.cli.export import export
from worldline.cli.futures import futures
from worldline.cli.learn import learn
from worldline.cli.model_options import options_of, written
from worldline.cli.options import json_option, option, trusted
from worldline.cli.paths import paths
from worldline.cli.plan import plan
from worldline.cli.programs import program_of, program_options
from worldline.cli.rehearse import rehearse
from worldline.cli.report import report
from worldline.cli.rewrite import rewrite
from worldline.cli.serve import serve
from worldline.cli.step import step
from worldline.codec.names import NOTATIONS, PARTS
from worldline.core.errors import UsageError, WorldlineError
from worldline.core.limits import Limits

if TYPE_CHECKING:
    from rich.console import Console

    from worldline.core.hidden import Control
    from worldline.core.trace import Trace

Verb = TypeVar("Verb", bound=Callable[..., Any])

LIMIT_HELP = {
    "steps": "steps recorded of one run",
    "value_bytes": "text of one value, beyond which it is cut whole",
    "value_depth": "nesting of one value, beyond which it is cut",
    "trace_bytes": "recorded bytes before the program is stopped",
    "wall": "seconds of wall time",
    "memory": "memory of the program and all its children",
    "processes": "processes and threads alive at once",
    "output": "text written to stdout and stderr",
    "disk": "files written inside the box",
}


def size(text: str) -> int:
    """A positive number of bytes: 4096, 64K, 16M, 1G."""
    upper = text.strip().upper().removesuffix("B").removesuffix("I")
    shift = {"K": 10, "M": 20, "G": 30}.get(upper[-1:], 0)
    digits = upper[:-1] if shift else upper
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20) or int(digits) == 0:
        raise click.BadParameter(f"{text!r} is not a size such as 4096, 64K or 1G")
    return int(digits) << shift


def _limit_type(name: str) -> Any:
    if name == "wall":
        return click.FloatRange(min=0, min_open=True)
    return click.IntRange(min=1) if name in ("steps", "value_depth", "processes") else size


def run_options(verb: Verb) -> Verb:
    """How a program is run: the options that every verb which runs one shares."""
    for field in reversed(fields(Limits)):
        verb = _limit_option(field.name, _limit_type(field.name), f"{field.default:,}")(verb)
    for add in (
        trusted,
        click.option(
            "--core", type=click.Choice(["auto", "native", "python"]), default="auto", help="Recorder core."
        ),
        option("--python", metavar="PATH"),
    ):
        verb = add(verb)
    return program_options(verb)


def _limit_option(name: str, kind: Any, default: str) -> Callable[[Verb], Verb]:
    if name == "steps":
        return option("--max-steps", "steps", type=kind, default_text=default)
    if name == "wall":
        return option("--wall", type=kind, default_text=default)
    text = f"Limit: {LIMIT_HELP[name]} [{default}]."
    return click.option("--" + name.replace("_", "-"), type=kind, help=text)


GROUPS = {
    "Record a program": ("record", "paths", "encode", "rewrite"),
    "Predict and debug": ("debug", "imagine", "futures", "step", "view", "dap", "serve"),
    "Measure a model": ("bench", "merge", "score", "intervene"),
    "Inspect results and stored data": ("report", "compare", "export", "show", "cost", "verify"),
    "Train a model": ("data", "train", "learn"),
    "Plan with it": ("ask", "rehearse", "plan"),
}


class _Grouped(click.Group):
    """The verbs by what one wants to do."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """A heading for each group."""
        for heading, names in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(64)) for name in names])


@click.group(
    cls=_Grouped, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="worldline", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Record, predict and debug the path a program traces through its states."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@run_options
@control_options
@json_option
@option("--out", metavar="DIR", note="here as parquet, beside the traces already there")
@option("--rows", type=click.IntRange(min=0), default=200)
def record(
    file: str, args: tuple[str, ...], as_json: bool, out: str | None, rows: int, **options: Any
) -> None:
    """Execute FILE in the sandbox and record every step. Options of the program go after `--`."""
    trace = _recorded(file, args, options, control_of(options))
    if out is not None:
        click.echo(_stored(trace, out), err=as_json)
    if as_json:
        _print_json(trace)
    elif out is None:
        from worldline.ui.terminal.table import print_trace

        print_trace(_console(), trace, rows=rows)
    from worldline.data.program_file import hint

    if said := hint(trace):
        click.echo(f"hint: {said}", err=True)
    if parted(trace, options):
        raise click.exceptions.Exit(1)


@cli.command()
@click.argument("trace", type=click.Path())
@click.option("--step", type=int, metavar="N", help="The full state at step N; negative counts from the end.")
@click.option("--number", type=click.IntRange(min=0), metavar="K", help="Which trace of a directory, from 0.")
@json_option
@option("--rows", type=click.IntRange(min=0), default=200)
@option("--conditions", is_flag=True, note="with --json those alone")
def show(
    trace: str, step: int | None, number: int | None, as_json: bool, rows: int, conditions: bool
) -> None:
    """Show a stored TRACE: a directory made by `record -o`, or a file made by `record --json`."""
    from worldline.analyze.flow.conditions import by_step
    from worldline.analyze.flow.conditions import conditions as decided_by
    from worldline.data.load import load
    from worldline.ui.terminal.state import print_state
    from worldline.ui.terminal.table import print_trace

    found = load(trace, number=number or 0)
    if step is not None and not -len(found) <= step < len(found):
        raise UsageError(f"--step {step}: the trace has steps 0 to {len(found) - 1}")
    decided = decided_by(found) if conditions else ()
    if as_json and conditions:
        click.echo(json.dumps({"conditions": [vars(one) for one in decided]}))
    elif as_json:
        _print_json(found)
    elif step is None:
        print_trace(_console(), found, rows=rows, notes=by_step(decided))
    else:
        print_state(_console(), found, step, notes=by_step(decided).get(step % len(found), ()))


@cli.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@run_options
@option("--format", "notation", type=click.Choice(NOTATIONS), default=NOTATIONS[0])
@click.option("--part", type=click.Choice(PARTS), default=PARTS[0], help="What of it [whole].")
@written
@control_options
@click.option("--number", type=click.IntRange(min=0), metavar="K", help="Which trace of a directory, from 0.")
def encode(
    file: str, args: tuple[str, ...], notation: str, part: str, number: int | None, **options: Any
) -> None:
    """Write a trace as text for models, to stdout: worldline's compact format, or Meta's (`--format cwm`).

    FILE is a program, which is recorded, or a stored trace: a directory or a `.json` file.
    """
    from worldline.codec.encode import encode as encoded
    from worldline.codec.notation import notation as notation_named
    from worldline.data.load import load

    control, is_stored = control_of(options), _is_stored(file, options)
    if is_stored and control is not None:
        raise UsageError(f"{file} is a stored trace, which holds its hidden inputs already: nothing is run")
    trace = load(file, number=number or 0) if is_stored else _run(file, args, options, control)
    mode = options_of(options) if notation_named(notation).has_modes else None
    sys.stdout.buffer.write(encoded(trace, notation, part=part, options=mode))
    if parted(trace, options):
        raise click.exceptions.Exit(1)


@cli.command()
@click.argument("directory", type=click.Path())
def verify(directory: str) -> None:
    """Check every byte in DIRECTORY (traces, a dataset, a run, a model) against its manifest; exit 1 if one differs."""
    from worldline.evaluation.verify import verify as check

    found = check(directory)
    for finding in found:
        click.echo(f"finding: {finding}")
    if found:
        raise click.exceptions.Exit(1)
    click.echo(f"fine: {directory}")


@cli.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@run_options
@option("--tokenizer", "tokenizers", multiple=True, metavar="NAME|FILE", note="repeatable")
@click.option(
    "--context", type=click.IntRange(min=1), default=131_072, help="Context window in tokens [131,072]."
)
@json_option
def cost(
    files: tuple[str, ...], tokenizers: tuple[str, ...], context: int, as_json: bool, **options: Any
) -> None:
    """Print what traces cost in each format: frames, characters, bytes, tokens.

    FILE is a program, which is recorded, or a stored trace: a directory or a `.json` file.
    """
    from worldline.data.vocabularies import cost as measure
    from worldline.ui.terminal.cost import print_cost

    traces = (trace for file in files for trace in _traces(file, options))
    table = measure(traces, tokenizers=tokenizers, context=context)
    if as_json:
        click.echo(json.dumps(table.as_json()))
    else:
        print_cost(_console(), table)


for verb in (
    paths,
    rewrite,
    debug.debug,
    debug.imagine,
    futures,
    ask,
    rehearse,
    plan,
    train.data,
    train.train,
    export,
    learn,
    suites.bench,
    suites.score,
    runs.merge,
    runs.compare,
    runs.intervene,
    report,
    view.view,
    view.dap,
    step,
    serve,
):
    cli.add_command(verb)


def _traces(file: str, options: dict[str, Any]) -> Iterator[Trace]:
    if _is_stored(file, options):
        from worldline.data.load import load_all

        yield from load_all(file)
    else:
        yield _run(file, (), options)


def _is_stored(file: str, options: dict[str, Any]) -> bool:
    from worldline.data.load import is_stored

    return is_stored(file) and (options["entry"] is None or file.endswith(".json"))


def _run(file: str, args: tuple[str, ...], options: dict[str, Any], control: Control | None = None) -> Trace:
    """A recording whose outcome is not shown: that there is no run is told apart."""
    from worldline.core.text import printable

    trace = _recorded(file, args, options, control)
    if trace.outcome.kind in ("unsupported", "host-fault"):
        click.echo(
            printable(f"hint: {file} did not run: {trace.outcome.kind} {trace.outcome.detail}"), err=True
        )
    return trace


def _recorded(
    file: str, args: tuple[str, ...], options: dict[str, Any], control: Control | None = None
) -> Trace:
    from worldline.recording.recorder import record

    limits = {name: options[name] for name in LIMIT_HELP if options[name] is not None}
    program = program_of(file, args, options)
    return record(
        program,
        limits=Limits(**limits),
        python=options["python"],
        core=options["core"],
        control=control,
    )


def _stored(trace: Trace, directory: str) -> str:
    from worldline.data.load import store

    how = "stored" if store(trace, directory) else "already stored"
    return f"{how}: {len(trace):,} steps, {trace.outcome.kind}, in {directory}"


def _print_json(trace: Trace) -> None:
    from worldline.codec.json_text import encode

    for piece in encode(trace):
        sys.stdout.write(piece)


def _console() -> Console:
    from worldline.ui.terminal.console import terminal

    return terminal()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; every failure is one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        words = list(sys.argv[1:] if argv is None else argv)
        with _tracebacks(), cli.make_context("worldline", words) as context:
            cli.invoke(context)
        sys.stdout.flush()
    except BaseException as error:
        return _exit_code(error)
    finally:
        # The end has begun: nobody would catch another interruption.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return 0


@contextmanager
def _tracebacks() -> Iterator[None]:
    """Where rows fail, for whoever reports it."""
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
        # Whoever read our output has enough. Python would complain once more when it flushes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return _say("interrupted", "stopped; what was stored before is whole", 130)
    if isinstance(error, click.ClickException):
        hint = " A program's own options go after --." if isinstance(error, click.NoSuchOption) else ""
        return _say("usage", error.format_message() + hint, 2)
    if isinstance(error, WorldlineError):
        return _say(error.slug, str(error), error.exit_code)
    if os.environ.get("WORLDLINE_TRACEBACK"):
        raise error
    return _say("fault", f"{type(error).__name__}: {error} (WORLDLINE_TRACEBACK=1 shows where)", 3)


def _say(slug: str, message: str, code: int) -> int:
    from worldline.core.text import printable_lines

    click.echo(f"error[{slug}]: " + "\n".join(printable_lines(message)), err=True)
    return code
