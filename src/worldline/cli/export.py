"""The verb that writes what others take: `export`, a run's tables or a model as it ships. No logic: it calls a room."""

from __future__ import annotations

import click

from worldline.cli.options import option, trusted
from worldline.core.errors import UsageError, WorldlineError

FORMS = ("csv", "parquet", "latex")


@click.command()
@click.argument("what", metavar="RUN|MODEL")
@option("--out", metavar="DIR", note="a model must have one", default_text="RUN/tables")
@click.option("--csv", is_flag=True, help="The tables of a run as CSV.")
@click.option("--parquet", is_flag=True, help="The tables of a run as parquet, in typed columns.")
@click.option("--latex", is_flag=True, help="The tables of a run for a paper (booktabs).")
@option("--tokenizer", metavar="NAME|FILE", note="of a run")
@click.option("--half", is_flag=True, help="A model all in bfloat16, to train on: twice the size.")
@click.option(
    "--check-rounding",
    type=click.IntRange(min=1),
    metavar="N",
    help="Measure what a model's rounding costs on N programs.",
)
@trusted
def export(
    what: str,
    out: str | None,
    csv: bool,
    parquet: bool,
    latex: bool,
    tokenizer: str | None,
    half: bool,
    check_rounding: int | None,
) -> None:
    """Write the tables of a RUN as data frames, or a MODEL as it ships.

    RUN is a folder of `bench` or `score`: every table of its report, one file each. MODEL is a run of `train`, a
    checkpoint or `default`: its weights as the engine holds them, light and quick to open.
    """
    from worldline.evaluation.run.directory import is_run

    forms = [name for name, is_wanted in zip(FORMS, (csv, parquet, latex), strict=True) if is_wanted]
    if is_run(what) or forms:
        if half or check_rounding is not None:
            raise UsageError("--half and --check-rounding are of a model; this is a run")
        _tables(what, out, forms, tokenizer)
        return
    if tokenizer is not None:
        raise UsageError("--tokenizer is of a run; this is none")
    if out is None:
        raise UsageError("say where the model goes: -o DIR")
    _model(what, out, half=half, programs=check_rounding)


def _tables(run: str, out: str | None, forms: list[str], tokenizer: str | None) -> None:
    from worldline.ui.report.export import export_tables

    done = export_tables(run, out, formats=forms, tokenizer=tokenizer)
    for path in done.paths:
        click.echo(str(path))
    if done.unread:
        raise WorldlineError(f"{done.unread:,} samples failed in the tool; they are in no table")


def _model(model: str, out: str, *, half: bool, programs: int | None) -> None:
    from worldline.model.export import export_model

    done = export_model(model, out, half=half)
    click.echo(f"{done.size:,} bytes in {out}, sha256 {done.sha256}")
    if programs is not None:
        from worldline.evaluation.rounding import check_rounding

        for line in check_rounding(model, out, programs).lines():
            click.echo(line)
