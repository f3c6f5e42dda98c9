"""The tables of a run as files: CSV, parquet, and LaTeX for a paper; and as Arrow's tables for Python.

CSV and parquet have every number in a column of its own (`columns`); LaTeX has the cells as the page shows them. In CSV
a row is a line: what would break one is written as its escape. Parquet has texts as they are.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
from pyarrow import csv, parquet

from worldline.core.errors import UsageError
from worldline.core.text import printable
from worldline.evaluation.run.stored import local
from worldline.evaluation.table import Table
from worldline.storage import files
from worldline.storage.remote import is_url
from worldline.ui.report.columns import columns
from worldline.ui.report.data import Findings, gather
from worldline.ui.report.tables import tables as of_findings

FOLDER = "tables"  # beside the records of a run
LONG = 40  # rows from which a LaTeX table goes over pages
WIDE = 60  # characters of a LaTeX cell
_SIGNS = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}", "«": r"\guillemotleft{}", "»": r"\guillemotright{}", "…": r"\ldots{}",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}  # fmt: skip
_SIGN = re.compile("[" + re.escape("".join(_SIGNS)) + "]")


def tables(run: str | Path, *, tokenizer: str | None = None) -> dict[str, pa.Table]:
    """Read every table of a run, as Arrow tables, which have a `to_pandas()`.

    Args:
        run: The folder of a run of `bench` or `score`.
        tokenizer: What tokens are: `bytes`, `llama3`, a `tokenizers` JSON or a tiktoken `FILE#PATTERN`.

    Returns:
        The tables by their names.
    """
    return _arrow(gather(Path(run), limit=0, tokenizer=tokenizer))


@dataclass(frozen=True, kw_only=True)
class ExportedTables:
    """The files that were written; `unread` counts samples on which the tool failed, which are in no table."""

    paths: tuple[Path, ...]
    unread: int


def export_tables(
    run: str | Path,
    out: str | Path | None = None,
    *,
    formats: Sequence[str] = ("csv",),
    tokenizer: str | None = None,
) -> ExportedTables:
    """Write every table of a run as files.

    Args:
        run: The folder or the URL of a run of `bench` or `score`.
        out: The folder of the tables; `tables` in the folder of the run by default.
        formats: Which files: `csv`, `parquet`, `latex`.
        tokenizer: What tokens are: `bytes`, `llama3`, a `tokenizers` JSON or a tiktoken `FILE#PATTERN`.

    Returns:
        The paths that were written.

    Raises:
        UsageError: No format was chosen, or the run is on a store and `out` is missing.
    """
    if not formats:
        raise UsageError("say in which form: --csv, --parquet or --latex")
    if out is None and is_url(str(run)):
        raise UsageError("the tables of a run on a store go to a folder: -o DIR")
    findings = gather(local(run), limit=0, tokenizer=tokenizer)
    folder = Path(run) / FOLDER if out is None else Path(out)
    return ExportedTables(paths=tuple(write(findings, folder, formats)), unread=findings.unread)


def _arrow(found: Findings) -> dict[str, pa.Table]:
    return {name: columns(table) for name, table in of_findings(found).items()}


def write(found: Findings, folder: Path, kinds: Sequence[str]) -> Iterator[Path]:
    """Every table in each of some kinds of files, of WRITERS; the paths as they are written."""
    files.make_directory(folder)
    for name, table in of_findings(found).items():
        for kind in kinds:
            path = folder / f"{name}.{_ENDS.get(kind, kind)}"
            files.write(path, WRITERS[kind](table))
            yield path


def to_csv(table: Table) -> bytes:
    """One line of heads, one line a row, quoted where a cell needs it; what is not known is empty."""
    found = columns(table)
    arrays = [_printable(array) if pa.types.is_string(array.type) else array for array in found.columns]
    sink = io.BytesIO()
    csv.write_csv(pa.table(arrays, names=found.schema.names), sink, csv.WriteOptions(quoting_style="needed"))
    return sink.getvalue()


def _printable(column: pa.ChunkedArray) -> pa.Array:
    return pa.array([text if text is None else printable(text) for text in column.to_pylist()], pa.string())


def to_parquet(table: Table) -> bytes:
    """Typed columns, the title and the note as metadata."""
    sink = io.BytesIO()
    parquet.write_table(columns(table), sink)
    return sink.getvalue()


def latex(table: Table) -> str:
    """A `tabular` for the package booktabs, or a `longtable` over pages; the title and the note are comments."""
    heads, *rows = table.texts()
    is_word = [all(isinstance(row[i], str | None) for row in table.rows) for i in range(len(heads))]
    spec = "".join("l" if word else "r" for word in is_word)
    kind = "longtable" if len(rows) > LONG else "tabular"
    head = [rf"\begin{{{kind}}}{{{spec}}}", r"\toprule", _latex_row(heads), r"\midrule"]
    if kind == "longtable":
        head += [r"\endhead", r"\bottomrule", r"\endfoot"]
    body = [_latex_row(row) for row in rows] + ([] if kind == "longtable" else [r"\bottomrule"])
    said = [f"% {printable(text)}" for text in (table.title, table.note) if text]
    return "\n".join([*said, *head, *body, rf"\end{{{kind}}}"]) + "\n"


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(_latex_cell(cell) for cell in cells) + r" \\"


def _latex_cell(text: str) -> str:
    clean = printable(text)
    short = clean if len(clean) <= WIDE else clean[: WIDE - 1] + "…"
    return _SIGN.sub(lambda found: _SIGNS[found[0]], short)


def _to_latex(table: Table) -> bytes:
    return latex(table).encode("utf-8", "backslashreplace")


WRITERS: dict[str, Callable[[Table], bytes]] = {"csv": to_csv, "parquet": to_parquet, "latex": _to_latex}
_ENDS = {"latex": "tex"}
