"""A leaderboard on disk or on a store: its data as JSON and CSV, and its manifest.

index.html          the page
leaderboard.json    its columns, rows and cells; `format` is its version
leaderboard.csv     one line per figure
report-*.html       the report of each run
manifest.json       the sizes and sha256 of the other files, written last
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping
from typing import Any

from worldline.core.errors import DigestError, FormatError, UsageError
from worldline.core.text import printable
from worldline.evaluation.leaderboard.board import Board, BoardCell, BoardColumn, BoardRow, bounds, percent
from worldline.evaluation.leaderboard.entry import BoardEntry
from worldline.evaluation.run.directory import MANIFEST, MAX_JSON_BYTES, json_bytes
from worldline.storage import listing, remote
from worldline.storage.remote import Folder

FORMAT = 1
PAGE, DATA, CSV, REPORT_PREFIX = "index.html", "leaderboard.json", "leaderboard.csv", "report-"
MEASURED, PUBLISHED = "measured", "published"
_CSV_HEADS = (
    *("model", "way", "kind", "suite", "settings", "figure", "percent", "low", "high", "n", "best rank", "worst rank"),
    *("notes", "run", "report", "source"),
)
Pages = Mapping[str, str]
"""The report of each run by where the run was found."""


def board_json(board: Board, pages: Pages) -> dict[str, Any]:
    """Return a leaderboard as `leaderboard.json` holds it."""
    return {
        "format": FORMAT,
        "columns": [
            {
                "suite": column.suite,
                "settings": list(column.settings),
                "figures": list(column.figures),
                "programs": column.programs,
            }
            for column in board.columns
        ],
        "rows": [_row_json(row, pages) for row in board.rows],
    }


def _row_json(row: BoardRow, pages: Pages) -> dict[str, Any]:
    source = None if row.source is None else vars(row.source)
    cells = [None if cell is None else _cell_json(cell, pages) for cell in row.cells]
    kind = MEASURED if row.source is None else PUBLISHED
    return {"model": row.model, "way": row.way, "kind": kind, "source": source, "cells": cells}


def _cell_json(cell: BoardCell, pages: Pages) -> dict[str, Any]:
    figures = {}
    for name, figure in cell.figures.items():
        span, rank = bounds(figure), cell.ranks.get(name)
        figures[name] = {
            "percent": percent(figure),
            "interval": None if span is None else list(span),
            "rank": None if rank is None else list(rank),
        }
    return {
        "figures": figures,
        "n": cell.n,
        "flags": [vars(flag) for flag in cell.flags],
        "runs": [_run_json(entry, pages) for entry in cell.entries],
    }


def _run_json(entry: BoardEntry, pages: Pages) -> dict[str, Any]:
    figures = {name: percent(figure) for name, figure in entry.figures.items()}
    withheld = {} if entry.withheld is None else {"right": entry.withheld.some}
    conclusion = {} if entry.conclusion is None else {"conclusion": entry.conclusion.as_json()}
    facts = {"run": entry.run.name, "report": pages[entry.run.origin], "n": entry.n, "figures": figures}
    return facts | withheld | conclusion


def board_csv(board: Board, pages: Pages) -> bytes:
    """Return a leaderboard as CSV, one line per figure."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV_HEADS)
    for row in board.rows:
        for column, cell in zip(board.columns, row.cells, strict=True):
            if cell is not None:
                writer.writerows(_csv_lines(row, column, cell, pages))
    return text.getvalue().encode("utf-8", "backslashreplace")


def _csv_lines(row: BoardRow, column: BoardColumn, cell: BoardCell, pages: Pages) -> Iterator[list[str]]:
    kind = MEASURED if row.source is None else PUBLISHED
    first = next(iter(cell.entries), None)
    notes = "; ".join(flag.name for flag in cell.flags)
    run = ("", "") if first is None else (first.run.name, pages[first.run.origin])
    source = "" if row.source is None else row.source.url
    for name, figure in cell.figures.items():
        value, span, rank = percent(figure), bounds(figure) or (None, None), cell.ranks.get(name, ("", ""))
        numbers = ["" if number is None else f"{number:.2f}" for number in (value, *span)]
        n = "" if cell.n is None else str(cell.n)
        settings = "; ".join(column.settings)
        texts = (row.model, row.way, kind, column.suite, settings, name, *numbers, n, *map(str, rank), notes, *run)
        yield [printable(text) for text in (*texts, source)]


def write_board(at: Folder, written: Mapping[str, bytes]) -> None:
    """Write the files of a leaderboard and then its manifest; pages of an earlier one are removed.

    Raises:
        UsageError: The folder holds something else.
    """
    remote.make_directory(at)
    _require_own(at)
    with remote.lock(at):
        remote.sweep(at, is_own)
        digests = {
            name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in written.items()
        }
        for name, data in written.items():
            remote.write(at / name, data)
        remote.write(at / MANIFEST, json_bytes({"format": FORMAT, "files": digests}))
        for name in remote.names(at):
            if name.startswith(REPORT_PREFIX) and is_own(name) and name not in written:
                remote.remove(at / name)


def is_own(name: str) -> bool:
    """Return whether a file name is one of a leaderboard's."""
    is_report = name.startswith(REPORT_PREFIX) and name.endswith(".html")
    return name in (PAGE, DATA, CSV, MANIFEST) or is_report


def is_leaderboard(at: Folder) -> bool:
    """Return whether a folder or URL holds a leaderboard, by the names in it."""
    return remote.is_there(at) and not remote.is_there(at / "config.json") and remote.is_there(at / DATA)


def find_differences(at: Folder) -> list[str]:
    """Compare a leaderboard with its manifest, and return one sentence for each file that differs."""
    if not remote.is_there(at / MANIFEST):
        return [f"{at} has no {MANIFEST}: write the leaderboard again"]
    manifest = listing.read_object(at / MANIFEST, limit=MAX_JSON_BYTES)
    listing.check_format(at / MANIFEST, manifest, format=(FORMAT,))
    table = manifest.get("files")
    if not isinstance(table, dict) or not {PAGE, DATA, CSV} <= table.keys():
        raise FormatError(f"{at / MANIFEST} is damaged: it does not list {PAGE}, {DATA} and {CSV}")
    problems = []
    for name, entry in table.items():
        try:
            listing.open_file(at, name, listing.entry_of(at / MANIFEST, name, entry)).close()
        except DigestError as error:
            problems.append(str(error))
    return problems


def _require_own(at: Folder) -> None:
    names = remote.contents(at, is_own)
    foreign = [name for name in names if not is_own(name)]
    if foreign or (names and DATA not in names):  # it is written first
        raise UsageError(f"{at} is not empty and not a leaderboard: it holds {', '.join((foreign or names)[:3])}")
