"""The commands `record`, `show`, `encode`, `verify` and `cost`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldline.cli import options as opt
from worldline.cli.program_options import (
    control_of,
    control_options,
    has_diverged,
    notation_of,
    notation_options,
    program_of,
)
from worldline.cli.recording.expect import check_program, expect_options, read_calls
from worldline.cli.recording.record_options import chosen_limits, record_options
from worldline.cli.recording.repository import record_repository, repository_options, require_comparison
from worldline.codec.names import NOTATIONS, PARTS
from worldline.core.errors import NotStarted, UsageError, WorldlineError
from worldline.core.text import plural

if TYPE_CHECKING:
    from rich.console import Console

    from worldline.core.hidden import Control
    from worldline.core.program import Program
    from worldline.core.trace import Outcome, Trace


@click.command()
@click.argument("file", type=click.Path(), required=False)
@click.argument("args", nargs=-1)
@record_options
@control_options
@expect_options
@repository_options
@opt.json_option
@opt.quiet_option
@opt.option("--out", metavar="DIR", note="as parquet, added to the traces there")
@opt.option("--rows", type=opt.COUNT, default=200)
def record(file: str | None, args: tuple[str, ...], as_json: bool, out: str | None, rows: int, **options: Any) -> None:
    """Record every step of FILE, or of the tests of a repository.

    FILE is executed in the sandbox; with --pytest, the tests of a repository are. Options of the program itself, or of
    pytest, go after `--`. With --expect and no --call, --call-list or ARGS, every stored run of FILE is checked.
    """
    if options["repositories"]:
        words = (*((file,) if file is not None else ()), *args)
        record_repository(options["repositories"], words, out=out, as_json=as_json, rows=rows, options=options)
        return
    if file is None:
        raise UsageError("name the FILE to record, or a repository: --pytest REPO")
    require_comparison(options)
    control = control_of(options)
    if options["expect"] is not None:
        settings = {"limits": chosen_limits(options), "core": options["core"], "python": options["python"]}
        check_program(file, args, options, control=control, out=out, as_json=as_json, rows=rows, **settings)
        return
    calls = [options["call"]] if options["calls"] is None else read_calls(options["calls"])
    traces = [_record(file, args, {**options, "call": call}, control) for call in calls]
    if as_json:
        _print_json(traces, as_list=options["calls"] is not None)
    for trace in traces:
        _show_recorded(trace, out=out, as_json=as_json, rows=rows)
    are_diverged = [has_diverged(trace, options) for trace in traces]
    refuse_unrun([(file, trace.outcome) for trace in traces], is_diverged=any(are_diverged))


def refuse_unrun(ends: Sequence[tuple[str, Outcome]], *, is_diverged: bool = False) -> None:
    """Raise an error if some files have no run, after the result of the others was printed.

    Args:
        ends: The files, and how each run ended.
        is_diverged: A replay differs from its recording, which is a finding: exit code 1.

    Raises:
        WorldlineError: The tool failed.
        NotStarted: A program does not compile, or this machine lacks its compiler or interpreter.
    """
    failed = [outcome for _, outcome in ends if outcome.kind == "host-fault"]
    if failed:
        count = f"{len(failed):,} of {plural(len(ends), 'recording')} failed in the tool, not in the program"
        raise WorldlineError(f"{count}: {failed[0].detail}; execute the command again")
    if is_diverged:
        raise click.exceptions.Exit(1)
    for file, outcome in ends:
        if outcome.kind == "unsupported":
            raise NotStarted(f"{file} was not executed: {outcome.detail}")


def _show_recorded(trace: Trace, *, out: str | None, as_json: bool, rows: int) -> None:
    """Store a trace or print its table, and print a hint if it did nothing."""
    if out is not None:
        click.echo(_stored(trace, out), err=as_json)
    elif not as_json:
        from worldline.ui.terminal.table import print_trace

        print_trace(_console(), trace, rows=rows)
    from worldline.analyze.hints import run_hint

    opt.hint(run_hint(trace))


number_option = opt.add_option("--number", type=opt.COUNT, metavar="K", help="Which trace of a directory, from 0")


@click.command()
@click.argument("trace", type=click.Path())
@opt.add_option("--step", type=int, help="Show the full state at step N; negative numbers count from the end")
@number_option
@opt.json_option
@opt.option("--rows", type=opt.COUNT, default=200)
@opt.option("--conditions", is_flag=True, note="with --json, nothing else")
def show(trace: str, step: int | None, number: int | None, as_json: bool, rows: int, conditions: bool) -> None:
    """Show a stored trace.

    TRACE is a directory made by `record -o` or a file made by `record --json`.
    """
    from worldline.analyze.flow.conditions import by_step
    from worldline.analyze.flow.conditions import conditions as decided_by
    from worldline.data.load import load
    from worldline.ui.terminal.state import print_state
    from worldline.ui.terminal.table import print_trace

    loaded = load(trace, number=number or 0)
    if step is not None and not -len(loaded) <= step < len(loaded):
        raise UsageError(f"--step {step}: the trace has steps 0 to {len(loaded) - 1}")
    decided = decided_by(loaded) if conditions else ()
    if as_json and conditions:
        click.echo(json.dumps({"conditions": [vars(condition) for condition in decided]}))
    elif as_json:
        _print_json([loaded])
    elif step is None:
        print_trace(_console(), loaded, rows=rows, notes=by_step(decided))
    else:
        print_state(_console(), loaded, step, notes=by_step(decided))


@click.command()
@click.argument("file", type=click.Path())
@click.argument("args", nargs=-1)
@record_options
@opt.option("--format", "notation", type=click.Choice(NOTATIONS), default=NOTATIONS[0])
@opt.add_option("--part", type=click.Choice(PARTS), default=PARTS[0], help="Part of the text to write")
@notation_options
@control_options
@number_option
@opt.quiet_option
def encode(file: str, args: tuple[str, ...], notation: str, part: str, number: int | None, **options: Any) -> None:
    """Write a trace to stdout as text for models.

    FILE is a program, which is recorded, or a stored trace: a directory or a `.json` file.
    """
    from worldline.codec.encode import encode as encoded
    from worldline.codec.notation import notation as notation_named
    from worldline.data.load import load

    control, is_stored = control_of(options), _is_stored(file, options)
    if is_stored and control is not None:
        raise UsageError(f"{file} is a stored trace with its own hidden inputs: it is not executed again")
    written = notation_named(notation)
    if is_stored:
        trace = load(file, number=number or 0)
    else:
        trace = _record_quietly(file, args, options, control, posed=written.posed)
    mode = notation_of(options) if written.has_modes else None
    sys.stdout.buffer.write(encoded(trace, notation, part=part, options=mode))
    if not is_stored:
        sys.stdout.flush()
        refuse_unrun([(file, trace.outcome)], is_diverged=has_diverged(trace, options))
    elif has_diverged(trace, options):
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("directory", type=click.Path())
@opt.quiet_option
def verify(directory: str) -> None:
    """Check every byte in DIRECTORY against its manifest.

    DIRECTORY holds traces, a dataset, a run, a leaderboard or a model. Exit code 1 if something differs.
    """
    from worldline.evaluation.verify import verify as check

    with opt.spinner(f"checking {directory}"):
        findings = check(directory)
    for finding in findings:
        click.echo(f"finding: {finding}")
    if findings:
        raise click.exceptions.Exit(1)
    click.echo(f"fine: {directory}")


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@record_options
@opt.option("--tokenizer", "tokenizers", multiple=True, metavar="NAME|FILE", note="repeatable")
@opt.add_option("--context", type=opt.POSITIVE, default=131_072, help="Context window in tokens")
@opt.json_option
@opt.quiet_option
def cost(files: tuple[str, ...], tokenizers: tuple[str, ...], context: int, as_json: bool, **options: Any) -> None:
    """Print what traces cost in each format.

    Shows frames, characters, bytes and tokens. Each of FILES is a program, which is recorded, or a stored trace: a
    directory or a `.json` file.
    """
    from worldline.data.vocabularies import cost as measure
    from worldline.ui.terminal.cost import print_cost

    recorded: list[tuple[str, Outcome]] = []
    traces = (trace for file in files for trace in _traces(file, options, recorded))
    table = measure(traces, tokenizers=tokenizers, context=context)
    if as_json:
        click.echo(json.dumps(table.as_json()))
    else:
        print_cost(_console(), table)
    refuse_unrun(recorded)


def _traces(file: str, options: dict[str, Any], recorded: list[tuple[str, Outcome]]) -> Iterator[Trace]:
    """Yield the traces of a file, and add how those that are recorded now ended to `recorded`."""
    if _is_stored(file, options):
        from worldline.data.load import load_all

        yield from load_all(file)
    else:
        trace = _record_quietly(file, (), options)
        recorded.append((file, trace.outcome))
        yield trace


def _is_stored(file: str, options: dict[str, Any]) -> bool:
    from worldline.data.load import is_stored

    return is_stored(file) and (options["entry"] is None or file.endswith(".json"))


def _record_quietly(
    file: str,
    args: tuple[str, ...],
    options: dict[str, Any],
    control: Control | None = None,
    posed: Callable[[Program], Program] | None = None,
) -> Trace:
    """Record a program whose outcome is not shown, and print a hint if it did nothing.

    The trace of a posed program names the program itself, as `Notation.sent_and_written` expects it.
    """
    from worldline.analyze.hints import run_hint

    trace = _record(file, args, options, control, posed)
    opt.hint(run_hint(trace))
    return trace


def _record(
    file: str,
    args: tuple[str, ...],
    options: dict[str, Any],
    control: Control | None = None,
    posed: Callable[[Program], Program] | None = None,
) -> Trace:
    from worldline.recording.recorder import record

    limits = chosen_limits(options)
    program = program_of(file, args, options)
    executed = program if posed is None else posed(program)
    with opt.spinner(f"recording {Path(file).name}", limit=limits.wall):
        trace = record(executed, limits=limits, python=options["python"], core=options["core"], control=control)
    return trace if executed is program else replace(trace, program=program)


def _stored(trace: Trace, directory: str) -> str:
    from worldline.data.load import store

    how = "stored" if store(trace, directory) else "already stored"
    return f"{how}: {len(trace):,} steps, {trace.outcome.kind}, in {directory}"


def _print_json(traces: Sequence[Trace], *, as_list: bool = False) -> None:
    """Print the object of one trace, or one object with all of them."""
    from worldline.codec.json_text import encode

    sys.stdout.write('{"traces": [' if as_list else "")
    for number, trace in enumerate(traces):
        sys.stdout.write(",\n" if number else "")
        for piece in encode(trace):
            sys.stdout.write(piece)
    sys.stdout.write("]}\n" if as_list else "")


def _console() -> Console:
    from worldline.ui.terminal.console import terminal

    return terminal()
