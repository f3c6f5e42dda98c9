"""The verb that writes what others take: `export`, a run's tables or a model as it ships. No logic: it calls a room."""

from __future__ import annotations

from pathlib import Path

import click

from worldline.cli.options import trusted
from worldline.core.errors import UsageError, WorldlineError

FORMS = ("csv", "parquet", "latex")


@click.command()
@click.argument("what", metavar="RUN|MODEL")
@click.option("-o", "--out", metavar="DIR", help="Where; of a run [RUN/tables]. A model must have one.")
@click.option("--csv", is_flag=True, help="The tables of a run as CSV.")
@click.option("--parquet", is_flag=True, help="The tables of a run as parquet, in typed columns.")
@click.option("--latex", is_flag=True, help="The tables of a run for a paper (booktabs).")
@click.option(
    "--tokenizer", metavar="FILE", help="What a run's tokens are: a `tokenizers` JSON, a tiktoken file, `llama3`."
)  # fmt: skip
@click.option("--half", is_flag=True, help="A model all in bfloat16, to train on: twice the size.")
@click.option(
    "--check", type=click.IntRange(min=1), metavar="N", help="Measure what a model's rounding costs on N programs."
)  # fmt: skip
@trusted
def export(
    what: str,
    out: str | None,
    csv: bool,
    parquet: bool,
    latex: bool,
    tokenizer: str | None,
    half: bool,
    check: int | None,
) -> None:
    """Write the tables of a RUN as data frames, or a MODEL as it ships.

    RUN is a folder of `bench` or `score`: every table of its report, one file each. MODEL is a run of `train`, a
    checkpoint or `default`: its weights as the engine holds them, light and quick to open.
    """
    from worldline.evaluation.run.directory import is_run

    forms = [name for name, is_wanted in zip(FORMS, (csv, parquet, latex), strict=True) if is_wanted]
    if is_run(what) or forms:
        if half or check is not None:
            raise UsageError("--half and --check are of a model; this is a run")
        _tables(what, out, forms, tokenizer)
        return
    if tokenizer is not None:
        raise UsageError("--tokenizer is of a run; this is none")
    if out is None:
        raise UsageError("say where the model goes: -o DIR")
    _model(what, Path(out), half=half, check=check)


def _tables(run: str, out: str | None, forms: list[str], tokenizer: str | None) -> None:
    from worldline.evaluation.run.stored import local
    from worldline.ui.report.data import gather
    from worldline.ui.report.export import FOLDER, write

    if not forms:
        raise UsageError("say in which form: --csv, --parquet or --latex")
    from worldline.storage.remote import is_url

    if out is None and is_url(run):
        raise UsageError("the tables of a run on a store go to a folder: -o DIR")
    found = gather(local(run), limit=0, tokenizer=tokenizer)
    for path in write(found, Path(run) / FOLDER if out is None else Path(out), forms):
        click.echo(str(path))
    if found.unread:
        raise WorldlineError(f"{found.unread:,} samples failed in the tool; they are in no table")


def _model(model: str, out: Path, *, half: bool, check: int | None) -> None:
    from worldline.model import checkpoint
    from worldline.predict.models import DEFAULT, load_local

    folder = None if model == DEFAULT else Path(model)
    (file,) = checkpoint.export(folder, out, half=half)["files"].values()
    click.echo(f"{file['bytes']:,} bytes in {out}, sha256 {file['sha256']}")
    if check is not None:
        from worldline.evaluation.rounding import rounding_cost
        from worldline.evaluation.suites.generated import load

        exact = load_local(model, {"precision": "fp32"})
        for line in rounding_cost(load(), exact, load_local(str(out)), limit=check).lines():
            click.echo(line)
