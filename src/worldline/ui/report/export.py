"""Exports the tables of a run: CSV, parquet, LaTeX, and Arrow tables for Python.

CSV and parquet have typed columns; LaTeX has the cells as the page shows them. A head becomes a column name: the share
`answer right` becomes `answer_right_some`, `_n`, `_rate`, `_low` and `_high`. Unknown values are null. In CSV every row
is one line, so line breaks in texts are escaped; parquet keeps them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.stats import RateDifference, Share
from worldline.core.text import printable
from worldline.evaluation.run.stored import local
from worldline.evaluation.table import Between, Cell, Chance, Table, text_of
from worldline.storage import files
from worldline.storage.arrow import csv, pa, pq
from worldline.storage.remote import is_url
from worldline.ui.report.data import Findings, gather
from worldline.ui.report.latex import latex
from worldline.ui.report.tables import tables as of_findings

FOLDER = "tables"  # in the directory of the run


def tables(run: str | Path, *, tokenizer: str | None = None) -> dict[str, pa.Table]:
    """Read every table of a run, as Arrow tables, which have a `to_pandas()`.

    Args:
        run: The folder of a run of `bench` or `score`.
        tokenizer: Counts the tokens: `bytes`, `llama3`, a `tokenizers` JSON or a tiktoken `FILE#PATTERN`.

    Returns:
        The tables by their names.
    """
    findings = gather(Path(run), limit=0, tokenizer=tokenizer)
    return {name: columns(table) for name, table in of_findings(findings).items()}


@dataclass(frozen=True, kw_only=True)
class ExportedTables:
    """The written files. `unread` counts samples on which the tool failed; they are in no table."""

    paths: tuple[Path, ...]
    unread: int


def export_tables(
    run: str | Path, out: str | Path | None = None, *, formats: Sequence[str] = ("csv",), tokenizer: str | None = None
) -> ExportedTables:
    """Write every table of a run as files.

    Args:
        run: The folder or the URL of a run of `bench` or `score`.
        out: The folder of the tables; `tables` in the folder of the run by default.
        formats: Which files: `csv`, `parquet`, `latex`.
        tokenizer: Counts the tokens: `bytes`, `llama3`, a `tokenizers` JSON or a tiktoken `FILE#PATTERN`.

    Returns:
        The written paths.

    Raises:
        UsageError: No format was chosen, or the run is on a store and `out` is missing.
        BusyError: Another process writes to this folder.
    """
    if not formats:
        raise UsageError("choose a format: --csv, --parquet or --latex")
    if out is None and is_url(str(run)):
        raise UsageError("the run is on a store: pass -o DIR for the tables")
    findings = gather(local(run), limit=0, tokenizer=tokenizer)
    folder = Path(run) / FOLDER if out is None else Path(out)
    files.make_directory(folder)
    with files.Lock(folder):
        return ExportedTables(paths=tuple(write(findings, folder, formats)), unread=findings.unread)


def write(findings: Findings, folder: Path, formats: Sequence[str]) -> Iterator[Path]:
    """Write every table in each format, and yield the paths."""
    files.make_directory(folder)
    for name, table in of_findings(findings).items():
        for kind in formats:
            path = folder / f"{name}.{_SUFFIXES.get(kind, kind)}"
            files.write(path, WRITERS[kind](table))
            yield path


def to_csv(table: Table) -> bytes:
    """Return a table as CSV, quoted where needed. Unknown values are empty."""
    typed = columns(table)
    arrays = [_printable(array) if pa.types.is_string(array.type) else array for array in typed.columns]
    sink = io.BytesIO()
    csv.write_csv(pa.table(arrays, names=typed.schema.names), sink, csv.WriteOptions(quoting_style="needed"))
    return sink.getvalue()


def _printable(column: pa.ChunkedArray) -> pa.Array:
    return pa.array([text if text is None else printable(text) for text in column.to_pylist()], pa.string())


def to_parquet(table: Table) -> bytes:
    """Return a table as parquet, with its title and note as metadata."""
    sink = io.BytesIO()
    pq.write_table(columns(table), sink)
    return sink.getvalue()


def _to_latex(table: Table) -> bytes:
    return latex(table).encode("utf-8", "backslashreplace")


WRITERS: dict[str, Callable[[Table], bytes]] = {"csv": to_csv, "parquet": to_parquet, "latex": _to_latex}
_SUFFIXES = {"latex": "tex"}


# ---- typed columns

# The type of a column without known cells, so that all runs have the same columns.
_TYPES: dict[str, type] = {
    **dict.fromkeys(("own answer", "cause", "what", "variable", "wanted", "got"), str),
    **dict.fromkeys(("path", "operation", "failed type"), str),
    **dict.fromkeys(("step", "line", "character", "true tokens", "predicted tokens"), int),
    **dict.fromkeys(("difference", "at equal length"), RateDifference),
    **dict.fromkeys(("p", "p, Holm"), Chance),
    "logprob": float,
}
_ARROW = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def columns(table: Table) -> pa.Table:
    """Return a table as typed Arrow columns, with its title and note as metadata."""
    names, arrays = list[str](), list[pa.Array]()
    for i, head in enumerate(table.heads):
        cells = [row[i] for row in table.rows]
        for name, array in _columns(_name(head), cells, _type(head, cells)):
            same = sum(name == other or re.fullmatch(rf"{name}_\d+", other) is not None for other in names)
            names.append(f"{name}_{same + 1}" if same else name)
            arrays.append(array)
    metadata = {"title": _clean(table.title), "note": _clean(table.note)}
    schema = pa.schema([pa.field(n, a.type) for n, a in zip(names, arrays, strict=True)], metadata=metadata)
    return pa.Table.from_arrays(arrays, schema=schema)


def _name(head: str) -> str:
    """Return a head as a name of lower-case letters, digits and underscores."""
    return re.sub(r"[^a-z0-9]+", "_", head.lower()).strip("_") or "name"


def _type(head: str, cells: Sequence[Cell]) -> type:
    types = {type(cell) for cell in cells if cell is not None}
    if not types:
        return _TYPES.get(head, str)
    if types <= {int, float}:
        return float if float in types else int
    if all(issubclass(kind, Share) for kind in types):
        return Share
    return types.pop() if len(types) == 1 else str


def _columns(name: str, cells: Sequence[Cell], kind: type) -> Iterator[tuple[str, pa.Array]]:
    if kind is Share:
        shares = [cell if isinstance(cell, Share) else None for cell in cells]
        for field in ("some", "n"):
            yield f"{name}_{field}", _array([share and getattr(share, field) for share in shares], int)
        yield f"{name}_rate", _array([share and share.rate for share in shares], float)
        for place, field in enumerate(("low", "high")):
            bounds = [None if not share or not share.n else share.interval[place] for share in shares]
            yield f"{name}_{field}", _array(bounds, float)
    elif kind in (RateDifference, Between):
        for field in ("rate", "low", "high"):
            yield f"{name}_{field}", _array([cell and getattr(cell, field) for cell in cells], float)
    elif kind is Chance:
        yield name, _array([cell.p if isinstance(cell, Chance) else None for cell in cells], float)
    elif kind is str:
        texts = [cell if cell is None or isinstance(cell, str) else text_of(cell) for cell in cells]
        yield name, _array([text if text is None else _clean(text) for text in texts], str)
    else:
        yield name, _array(list(cells), kind)


def _array(cells: Sequence[object], kind: type) -> pa.Array:
    return pa.array(cells, _ARROW[kind])


def _clean(text: str) -> str:
    """Escape lone surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
