"""The command `export`: the tables of a run, rows of recorded tests, a model as it ships or for `transformers`."""

from __future__ import annotations

from typing import Any

import click

from worldline.cli.options import POSITIVE, add_option, option, quiet_option, spinner, trust_option
from worldline.cli.shell.completers import complete_models
from worldline.codec.names import NOTATIONS
from worldline.core.errors import UsageError, WorldlineError

FORMS = ("csv", "parquet", "latex")


@click.command()
@click.argument("what", metavar="RUN|TESTS|MODEL", required=False, shell_complete=complete_models)
@option("--out", metavar="DIR|FILE", note="required for a model and for tests", default_text="RUN/tables")
@option("--format", "notation", type=click.Choice(NOTATIONS), note="for tests", default_text=NOTATIONS[0])
@add_option("--csv", is_flag=True, help="The tables of a run as CSV")
@add_option("--parquet", is_flag=True, help="The tables of a run as parquet, in typed columns")
@add_option("--latex", is_flag=True, help="The tables of a run for a paper (booktabs)")
@option("--tokenizer", metavar="NAME|FILE", note="for a run")
@add_option("--half", is_flag=True, help="A model in bfloat16, to train from: twice the size")
@add_option("--bits", type=float, help="A model packed into at most X bits per weight, the whole file counted: 3 to 8")
@add_option("--width", type=POSITIVE, help="A model grown to N channels, which computes the same, to train from")
@add_option("--calibrate", metavar="RECIPE", help="Round packed weights for documents of this recipe (needs torch)")
@add_option(
    "--transformers", metavar="DIR", help="Write MODEL (default) as a folder that `transformers` loads by itself"
)
@add_option("--check-rounding", type=POSITIVE, help="Measure what the rounding of a model costs on N programs")
@trust_option
@quiet_option
def export(
    what: str | None,
    out: str | None,
    notation: str | None,
    csv: bool,
    parquet: bool,
    latex: bool,
    tokenizer: str | None,
    half: bool,
    bits: float | None,
    width: int | None,
    calibrate: str | None,
    transformers: str | None,
    check_rounding: int | None,
) -> None:
    """Export tables of a RUN, rows of TESTS, or a MODEL as it ships.

    RUN is a folder of `bench` or `score`; every table of its report becomes a file. TESTS is a directory of
    `record --pytest`; each test with its trace becomes a row of a .parquet or .jsonl file. MODEL is a run of `train`,
    a checkpoint or `default`; its weights are written as the engine uses them, small and quick to load. With
    --transformers, they are written for `AutoModelForCausalLM`, with code, tokenizer and card.
    """
    from worldline.data.repository.dataset import is_calls
    from worldline.evaluation.run.directory import is_run
    from worldline.model.export import export_model

    sizes: dict[str, Any] = {"half": half, "bits": bits, "width": width, "calibrate": calibrate}
    if transformers is not None:
        if csv or parquet or latex or any(value is not None for value in (out, notation, tokenizer, check_rounding)):
            raise UsageError(
                "--transformers DIR names the folder, and goes with --half, --bits, --width and --calibrate"
            )
        _export_transformers(transformers, what or "default", sizes)
        return
    if what is None:
        raise UsageError("name a run, recorded tests or a model to export")
    forms = [name for name, is_wanted in zip(FORMS, (csv, parquet, latex), strict=True) if is_wanted]
    if is_calls(what):
        if forms or half or any(value is not None for value in (tokenizer, bits, calibrate, check_rounding)):
            raise UsageError("recorded tests have only --out and --format")
        _export_tests(what, out, notation or NOTATIONS[0])
        return
    if notation is not None:
        raise UsageError("--format is for recorded tests, and these are not")
    if is_run(what) or forms:
        if half or any(value is not None for value in (bits, width, calibrate, check_rounding)):
            raise UsageError(
                "--half, --bits, --width, --calibrate and --check-rounding are for a model, and this is a run"
            )
        _export_tables(what, out, forms, tokenizer)
        return
    if tokenizer is not None:
        raise UsageError("--tokenizer is for a run, and this is not a run")
    if out is None:
        raise UsageError("name a folder for the model: -o DIR")
    with spinner(f"exporting {what}"):
        done = export_model(what, out, **sizes)
    click.echo(f"{done.size:,} bytes in {out}, sha256 {done.sha256}")
    if check_rounding is not None:
        _print_rounding_cost(what, out, check_rounding)


def _export_transformers(out: str, model: str, sizes: dict[str, Any]) -> None:
    from worldline.model.hub.export import export_transformers

    with spinner(f"exporting {model}"):
        done = export_transformers(out, model, **sizes)
    click.echo(f"{done.size:,} bytes of weights in {out}, sha256 {done.sha256}")


def _export_tests(directory: str, out: str | None, notation: str) -> None:
    from worldline.data.repository.export import export_rows

    if out is None:
        raise UsageError("name a file for the rows: -o FILE.parquet or -o FILE.jsonl")
    with spinner(f"exporting {directory}"):
        done = export_rows(directory, out, notation=notation)
    missing = f", {done.without_text:,} without a text left out" if done.without_text else ""
    click.echo(f"{done.rows:,} tests in {out}{missing}")


def _export_tables(run: str, out: str | None, forms: list[str], tokenizer: str | None) -> None:
    from worldline.ui.report.export import export_tables

    with spinner(f"exporting {run}"):
        done = export_tables(run, out, formats=forms, tokenizer=tokenizer)
    for path in done.paths:
        click.echo(str(path))
    if done.unread:
        raise WorldlineError(f"{done.unread:,} samples failed in the tool; they are in no table")


def _print_rounding_cost(model: str, exported: str, programs: int) -> None:
    from worldline.evaluation.rounding import check_rounding

    with spinner("measuring what the rounding costs"):
        cost = check_rounding(model, exported, programs)
    for line in cost.lines():
        click.echo(line)
